#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What a graph of 64 nodes with three outcomes each adds to a compilation, over its includes.

Usage: compile_time.py [--compiler g++] [--flags "-Iinclude ..."] [--nodes 64] [--repeat 5]
CXX and CXXFLAGS are read when the options are absent. Times are CPU seconds,
taken in turn; the smallest counts, since other work on the machine only adds to them.
"""
import argparse
import os
import resource
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDES = "#include <lkt/graph/dsl.hpp>\n#include <lkt/graph/run.hpp>\n"


def graph_source(nodes: int, run: bool) -> str:
    """Every node has an enum of its own, a limit, and edges to its neighbours and to a terminal."""
    text = [INCLUDES, "using namespace lkt::dsl;", "struct work { int n = 0; };", "struct tuned {}; struct gave_up {};"]
    for i in range(nodes):
        text.append(f"enum class outcome{i} {{ forward, back, out }};")
        text.append(
            f"inline constexpr auto node{i} = [](work& w) -> outcome{i} "
            f"{{ return ++w.n > {nodes} ? outcome{i}::out : outcome{i}::forward; }};"
        )
    rows = []
    for i in range(nodes):
        after, before = f"node{(i + 1) % nodes}", f"node{(i - 1) % nodes}"
        rows.append(
            f"        node<node{i}>(limit<100>(stop<gave_up>), on<outcome{i}::forward>({after}), "
            f"on<outcome{i}::back>({before}), on<outcome{i}::out>(stop<tuned>))"
        )
    text.append("struct big {\n    static constexpr auto graph = lkt::graph<work>(")
    text.append(",\n".join(rows) + ");\n};")
    if run:
        text.append("int main() { work w; return static_cast<int>(lkt::run<big>(w).index()); }")
    else:
        text.append("static_assert(decltype(big::graph)::valid);\nint main() {}")
    return "\n".join(text) + "\n"


def seconds(command: list, source: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.cpp"
        path.write_text(source)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command + ["-c", str(path), "-o", str(Path(folder) / "graph.o")], capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            sys.exit(f"the benchmark's source does not compile:\n{done.stderr[:4000]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    options.add_argument("--flags", default=os.environ.get("CXXFLAGS", ""))
    options.add_argument("--nodes", type=int, default=64)
    options.add_argument("--repeat", type=int, default=5)
    given = options.parse_args()
    os.environ["CCACHE_DISABLE"] = "1"
    command = shlex.split(given.compiler) + ["-std=c++20", f"-I{ROOT / 'include'}"] + shlex.split(given.flags)
    sources = [
        INCLUDES + "int main() {}\n",
        graph_source(given.nodes, run=False),
        graph_source(given.nodes, run=True),
    ]
    rounds = [[seconds(command, source) for source in sources] for _ in range(given.repeat)]
    base, declared, ran = (min(times) for times in zip(*rounds))
    name = f"graph{given.nodes}"
    print(f"includes {base:.2f} s, declared {declared:.2f} s, declared and run {ran:.2f} s ({given.compiler})")
    print(f"figure {name}_declare_s {declared - base:.2f} s")
    print(f"figure {name}_run_s {ran - base:.2f} s")


if __name__ == "__main__":
    main()
