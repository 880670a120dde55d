#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Repeats the conversations in this folder, and prints what each kernel became: the table of docs/performance.md.

    repeat.py LKT-TUNE [--backend cuda] [--only REGEX] [--out FOLDER]

A strategy asks for more than was recorded where a kernel is not faster on this device: that run ends there. Exit status:
0 all ran, 1 one did not, 2 usage.
"""

import argparse
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = HERE.parent / "kernels"
NAMES = sorted(path.stem for path in KERNELS.glob("*.cu"))
# How each was recorded, before a model could ask about a kernel.
HOW = {
    "one-prompt": ["--attempts", "3"],
    "autonomous": ["--max-replans", "0", "--plan-length", "2", "--attempts", "2"],
    "explicit": ["--steps", HERE / "steps.json", "--attempts", "2"],
}


def cassette(kernel, strategy):
    return HERE / f"{kernel}.{strategy}.jsonl"


def arguments(kernel, strategy, backend):
    """Of lkt-tune, but for its outputs."""
    problem = KERNELS / (f"{kernel}.gpu.json" if backend == "cuda" else f"{kernel}.json")
    return ["--problem", problem, "--backend", backend, "--strategy", strategy, *HOW[strategy],
            "--no-evidence", "--model", f"replay:{cassette(kernel, strategy)}", "--quiet"]


def ended_well(status, said):
    return status == 0 or (status == 3 and "lkt.replay.used-up" in said)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="lkt-tune")
    parser.add_argument("--backend", choices=("host", "cuda"), default="cuda")
    parser.add_argument("--only", default="", help="a regular expression: KERNEL.STRATEGY that match")
    parser.add_argument("--out", type=pathlib.Path, help="where the reports (JSON) stay; else nowhere")
    chosen = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory(prefix="lkt-repeat-") as scratch:
        folder = chosen.out or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for strategy in HOW:
            ratios = []
            for kernel in NAMES:
                if not re.search(chosen.only, f"{kernel}.{strategy}"):
                    continue
                report = folder / f"{kernel}.{strategy}.json"
                report.unlink(missing_ok=True)
                done = subprocess.run(
                    [chosen.program, *map(str, arguments(kernel, strategy, chosen.backend)), "--json", str(report)],
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                if not ended_well(done.returncode, done.stderr) or not report.exists():
                    print(f"{strategy:11} {kernel:16} failed ({done.returncode}): {done.stderr.strip()}", flush=True)
                    failed = True
                    continue
                said = json.loads(report.read_text())
                before, after = (1e3 * said[which]["time"]["median_s"] for which in ("baseline", "best"))
                ratios.append(before / after)
                print(f"{strategy:11} {kernel:16} {before:9.4g} ms -> {after:9.4g} ms  {ratios[-1]:6.2f} x  "
                      f"{said['model']['calls']} calls  {said['terminal'] or 'ended early'}", flush=True)
            if ratios:
                mean = math.exp(statistics.fmean(map(math.log, ratios)))
                saved = 100 * statistics.median(1 - 1 / r for r in ratios)
                print(f"{strategy:11} geometric mean {mean:.2f} x, median of the time saved {saved:.0f} %", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
