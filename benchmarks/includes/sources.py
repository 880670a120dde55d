#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What a program pays: once, compiling definitions that are behind headers (a src.hpp), and a precompiled lkt.hpp; each time, its own
file, here one that tunes with one strategy: with the headers that it uses, with lkt.hpp, and with a precompiled lkt.hpp.

Usage: sources.py [--compiler g++] [--flags "-Iinclude ..."] [--repeat 1] [HEADER...]
Without headers: what has a budget. CXX and CXXFLAGS are read when the options are absent. CPU seconds and the compiler's peak memory, with -O0
and with -O2; the median counts. The status is 1 when one is over its budget with -O0.
"""
import argparse
import os
import re
import shlex
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include" / "lkt"
LAYER = (45, 1229)  # of the largest
BUDGETS = {  # seconds, MB; -O0
    "llm/http/src.hpp": (40, 1024),
    "gpu/src.hpp": LAYER,
    "nodes/src.hpp": LAYER,
    "scan/src.hpp": LAYER,
    "verify/src.hpp": LAYER,
    "one strategy": (6, 1024),
    "one strategy, lkt.hpp": (8, 1024),
    "lkt.hpp, precompiled": (16, 1024),
    "one strategy, lkt.hpp precompiled": (5, 1024),
}
ALL = "#include <lkt/lkt.hpp>\n"
WHAT_IT_USES = """
#include <lkt/gpu/host.hpp>
#include <lkt/llm/replay.hpp>
#include <lkt/report/text.hpp>
#include <lkt/strategies/one_prompt.hpp>
#include <lkt/tuner/tuner.hpp>
"""
ONE_STRATEGY = """
#include <cstdio>
int main() {
    lkt::host gpu;
    lkt::replay_model model("replies.jsonl");
    lkt::tuner tuner{gpu, model, lkt::one_prompt<>{}};
    auto const found = tuner.tune(lkt::problem{});
    if (found) std::puts(lkt::text_report(*found).c_str());
}
"""


def compiled(command: list) -> tuple:
    """CPU seconds and MB at the most, of the command and what it starts."""
    sys.stdout.flush()
    process = os.posix_spawnp(command[0], command, os.environ)
    _, status, used = os.wait4(process, 0)
    if status != 0:
        raise RuntimeError(shlex.join(command))
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def text_of(name: str) -> str:
    if name.startswith("one strategy"):
        return (ALL if "lkt.hpp" in name else WHAT_IT_USES) + ONE_STRATEGY
    return ALL if name.startswith("lkt.hpp") else f"#include <lkt/{name}>\n"


def arguments(name: str, clang: bool, folder: Path) -> list:
    """What makes an object, or a precompiled header, of source.cpp; a header that cannot be used is an error."""
    header, made = folder / "all.hpp", folder / ("all.pch" if clang else "all.hpp.gch")
    if name == "lkt.hpp, precompiled":
        header.write_text(ALL)
        return ["-x", "c++-header", str(header), "-o", str(made)]
    use = []
    if name.endswith(" precompiled"):
        use = ["-include-pch", str(made)] if clang else ["-Winvalid-pch", "-Werror", "-include", str(header)]
    return [*use, "-c", str(folder / "source.cpp"), "-o", str(folder / "source.o")]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    options.add_argument("--flags", default=os.environ.get("CXXFLAGS", ""))
    options.add_argument("--repeat", type=int, default=1)
    options.add_argument("headers", nargs="*", type=Path)
    given = options.parse_args()
    os.environ["CCACHE_DISABLE"] = "1"
    command = shlex.split(given.compiler) + ["-std=c++20", f"-I{ROOT / 'include'}"] + shlex.split(given.flags)
    names = [str(h.resolve().relative_to(INCLUDE)) for h in given.headers] or list(BUDGETS)
    clang = "clang" in Path(command[0]).name
    over, figures = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for level, name in ((level, name) for level in ("O0", "O2") for name in names):
            (Path(folder) / "source.cpp").write_text(text_of(name))
            label = "source_" + re.sub(r"[^a-z0-9]+", "_", name.removesuffix("/src.hpp").removesuffix(".hpp"))
            try:
                runs = [
                    compiled([*command, f"-{level}", *arguments(name, clang, Path(folder))]) for _ in range(given.repeat)
                ]
            except RuntimeError:  # an adapter without its SDK, say
                over += "http" not in name and name in BUDGETS
                print(f"{name}: left out, it does not compile here")
                continue
            seconds, memory = (statistics.median(values) for values in zip(*runs))
            most = BUDGETS.get(name)
            if most and level == "O0" and (seconds > most[0] or memory > most[1]):
                over += 1
                print(f"{name}: {seconds:.1f} s and {memory:.0f} MB are over {most[0]} s and {most[1]} MB")
            figures.append(f"figure {label}_{level.lower()}_time {seconds:.1f} s")
            figures.append(f"figure {label}_{level.lower()}_memory {memory:.0f} MB")
    print("\n".join(figures))
    return 1 if over or not figures else 0


if __name__ == "__main__":
    sys.exit(main())
