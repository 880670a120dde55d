#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What each public header costs to include, as a ratio to six standard headers compiled in the same run.

Usage: includes.py [--compiler g++] [--flags "-Iinclude ..."] [--repeat 3] [HEADER...]
Without headers: every header of include/lkt that is not in a detail folder. CXX and CXXFLAGS are read
when the options are absent. CPU seconds without code generation; the median counts. The budgets are
those of docs/architecture.md; the status is 1 when a header is over its own, or when there is none.
"""
import argparse
import os
import re
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include" / "lkt"
STANDARD = ["string", "vector", "functional", "optional", "chrono", "span"]
BUDGETS = {"core": 1.5, "graph": 1.8, "kernel": 1.8}
LOWER_LAYERS = {"lang", "process", "llm", "gpu", "verify", "search", "store"}
SEVERAL_LAYERS = 3.0  # and what pays for Boost.JSON
WHOLE_RUNS = 4.0  # nodes and what builds on them
EVERYTHING = 7.0  # lkt.hpp, which larger programs precompile


def uses_json(header: Path) -> bool:
    """Headers that read or write JSON say so in the line after the licence."""
    lines = header.read_text().splitlines()
    return any("JSON" in line for line in lines[:3])


def budget(header: Path) -> float:
    folder = header.relative_to(INCLUDE).parts[0]
    if folder in BUDGETS:
        return BUDGETS[folder]
    if folder in LOWER_LAYERS and not uses_json(header):
        return 2.2
    if folder in ("nodes", "strategies", "tuner", "report"):
        return WHOLE_RUNS
    return EVERYTHING if folder == "lkt.hpp" else SEVERAL_LAYERS


def figure_name(header: Path) -> str:
    relative = header.relative_to(INCLUDE).with_suffix("")
    return "include_ratio_" + re.sub(r"[^a-z0-9]+", "_", str(relative).lower())


def seconds(command: list, source: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command + ["-fsyntax-only", str(source)], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip()[:2000])
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    options.add_argument("--flags", default=os.environ.get("CXXFLAGS", ""))
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("headers", nargs="*", type=Path)
    given = options.parse_args()
    os.environ["CCACHE_DISABLE"] = "1"
    command = shlex.split(given.compiler) + ["-std=c++20", f"-I{ROOT / 'include'}"] + shlex.split(given.flags)
    headers = [h.resolve() for h in given.headers] or sorted(
        h for h in INCLUDE.rglob("*.hpp") if "detail" not in h.relative_to(INCLUDE).parts and h.name != "src.hpp"
    )
    times, broken = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder) / "standard.cpp"
        base.write_text("".join(f"#include <{name}>\n" for name in STANDARD))
        sources = {base: base}
        for number, header in enumerate(headers):
            source = Path(folder) / f"header{number}.cpp"
            source.write_text(f"#include <lkt/{header.relative_to(INCLUDE)}>\n")
            sources[header] = source
        for _ in range(given.repeat):  # in turn, so that a slow moment hits everything
            for header, source in sources.items():
                if header in broken:
                    continue
                try:
                    times.setdefault(header, []).append(seconds(command, source))
                except RuntimeError as error:  # an adapter without its SDK, say
                    broken[header] = str(error)
        if base in broken:
            sys.exit(f"the standard headers do not compile:\n{broken[base]}")
        unit = statistics.median(times[base])
    print(f"{' '.join(STANDARD)}: {unit:.2f} s with {given.compiler}")
    over, figures = 0, []
    for header in headers:
        name = header.relative_to(INCLUDE)
        if header in broken:
            print(f"lkt/{name}: left out, it does not compile here: {broken[header].splitlines()[0]}")
            continue
        ratio, allowed = statistics.median(times[header]) / unit, budget(header)
        if ratio > allowed:
            over += 1
            print(f"lkt/{name}: {ratio:.2f} is over its budget of {allowed}")
        figures.append(f"figure {figure_name(header)} {ratio:.2f} x")
    print(f"{len(figures)} headers, {over} over their budgets")
    print("\n".join(figures))
    return 1 if over or not figures else 0


if __name__ == "__main__":
    sys.exit(main())
