#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What including a header of lkt costs, as a ratio to six ordinary standard headers compiled in the same run.

Usage: include_cost.py [--repeat N] [--layer NAME]
CXX and LKT_INCLUDE_FLAGS are read from the environment. Times are CPU seconds, the least of N counts (what
disturbs a compilation only ever adds). Exit status 1 if a header is over the budget of its layer. Headers that
read or write JSON pay for it, and must say so at their top; they are held to the budget of lkt.hpp.
"""
import argparse
import collections
import os
import pathlib
import resource
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
STANDARD = "".join(f"#include <{name}>\n" for name in ("string", "vector", "functional", "optional", "chrono", "span"))
BUDGETS = {"core": 1.5, "graph": 1.8, "kernel": 1.8}
BUDGET_ABOVE = 2.2
BUDGET_OF_ALL = 3.0


def compiler() -> list[str]:
    flags = os.environ.get("LKT_INCLUDE_FLAGS")
    if not flags:
        flags = f"-std=c++20 -I{ROOT / 'include'}"
        if (deps := ROOT / "build" / "deps" / "usr" / "include").is_dir():
            flags += f" -isystem {deps}"
    return [os.environ.get("CXX", "g++"), "-O0", *shlex.split(flags)]


def seconds(source: str, repeat: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "unit.cpp")
        path.write_text(source)
        times = []
        for _ in range(repeat):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run([*compiler(), "-c", path, "-o", os.devnull], capture_output=True, text=True, check=False)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if done.returncode:
                sys.exit(f"{source}does not compile:\n{done.stderr[:2000]}")
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def uses_json(header: str) -> bool:
    done = subprocess.run([*compiler(), "-M", "-x", "c++", "-"], input=f"#include <lkt/{header}>\n",
                          capture_output=True, text=True, check=True)
    return "/boost/json" in done.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--layer", help="only this layer")
    options = parser.parse_args()

    include = ROOT / "include" / "lkt"
    headers = sorted(str(path.relative_to(include)) for path in include.rglob("*.hpp")
                     if "detail" not in path.parts)
    headers = [header for header in headers if "/" in header or header == "lkt.hpp"]
    if options.layer:
        headers = [header for header in headers if header.startswith(options.layer + "/")]
    if not headers:
        sys.exit("there is no header to look at")

    # Before, between and after, since a machine has moods.
    base = seconds(STANDARD, 2 * options.repeat + 1)
    costs = {header: seconds(f"#include <lkt/{header}>\n", options.repeat) for header in headers}
    base = min(base, seconds(STANDARD, 2 * options.repeat + 1))

    over = []
    worst = collections.defaultdict(float)
    print(f"six standard headers: {base:.2f} s")
    for header, cost in sorted(costs.items(), key=lambda item: -item[1]):
        layer = header.split("/")[0] if "/" in header else "lkt"
        budget = BUDGET_OF_ALL if layer == "lkt" else BUDGETS.get(layer, BUDGET_ABOVE)
        remark = ""
        if layer != "lkt" and uses_json(header):
            budget = BUDGET_OF_ALL
            top = "".join((include / header).read_text().splitlines(keepends=True)[:4])
            remark = "JSON" if "JSON" in top else "JSON, which its first lines do not say"
            layer += "_json"
        ratio = cost / base
        worst[layer] = max(worst[layer], ratio)
        if ratio > budget or "do not say" in remark:
            over.append(header)
            remark += f"   over the budget of {budget:g}" if ratio > budget else ""
        print(f"  {ratio:5.2f}  {header}  {remark}".rstrip())
    print(f"{len(headers)} headers, {len(over)} over their budget")
    for layer, ratio in sorted(worst.items()):
        print(f"figure include_{layer} {ratio:.2f} x")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
