#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Which products torch.mm computes faster than cuBLASLt's best algorithm in lkt-scan, and why.

1. Screens 117 float16 products (layout rcr): torch, lkt-scan, torch, one after the other on one device.
2. Each that is more than 1 % slower, and six controls, again: four rounds in turns, with 32 and 512 MiB of workspace, with reductions
   in f16 for torch on and off, and with the kernels' names and clocks.
Prints a table, and writes torch_products.json where it runs:

    python3 benchmarks/cuda/peers/torch_products.py build/release/lkt-scan [SECONDS]

Needs torch with CUDA."""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch

if len(sys.argv) < 2:
    sys.exit("usage: torch_products.py LKT_SCAN [SECONDS]")
PROGRAM = os.path.abspath(sys.argv[1])
LIMIT = float(sys.argv[2]) if len(sys.argv) > 2 else 480
OUT = tempfile.mkdtemp(prefix="lkt-torch-products-")
BEGIN = time.monotonic()


def torch_time(m, n, k):
    """As lkt-scan: the median of ten groups of launches that follow one another."""
    a = torch.rand(m, k, device="cuda").mul_(2).sub_(1).half()
    b = torch.rand(n, k, device="cuda").mul_(2).sub_(1).half().t()  # column-major
    c = torch.empty(m, n, device="cuda", dtype=torch.float16)
    events = [torch.cuda.Event(enable_timing=True) for _ in range(11)]
    for _ in range(3):
        torch.mm(a, b, out=c)
    events[0].record()
    for _ in range(2):
        torch.mm(a, b, out=c)
    events[1].record()
    torch.cuda.synchronize()
    about = events[0].elapsed_time(events[1]) / 2e3
    each = max(1, min(10, int(0.25 / about / 10)))
    for _ in range(each * 5):
        torch.mm(a, b, out=c)
    events[0].record()
    for g in range(1, 11):
        for _ in range(each):
            torch.mm(a, b, out=c)
        events[g].record()
    torch.cuda.synchronize()
    return statistics.median(events[g].elapsed_time(events[g + 1]) / 1e3 / each for g in range(10))


def torch_kernels(m, n, k):
    a = torch.randn(m, k, device="cuda", dtype=torch.float16)
    b = torch.randn(n, k, device="cuda", dtype=torch.float16).t()
    torch.mm(a, b)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as seen:
        torch.mm(a, b)
        torch.cuda.synchronize()
    return sorted({e.key for e in seen.key_averages()})


def lkt(shapes, workspace=32):
    """The best row of each shape."""
    listed, made = os.path.join(OUT, "shapes.txt"), os.path.join(OUT, "run.jsonl")
    if os.path.exists(made):
        os.remove(made)
    with open(listed, "w") as text:
        text.writelines(f"{m} {n} {k}\n" for m, n, k in shapes)
    done = subprocess.run([PROGRAM, "--engine", "cublaslt", "--dtype", "f16", "--layout", "rcr", "--shapes", listed,
                           "--workspace", str(workspace), "--no-verify", "--jsonl", made, "--markdown", "/dev/null", "--quiet"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"lkt-scan ended with {done.returncode}: {done.stderr}")
    table = [json.loads(line) for line in open(made)]
    return {(r["m"], r["n"], r["k"]): r for r in table if r["best"]}


def main():
    shapes = [(m, n, k) for m in (128, 512, 2048, 4096, 8192, 16384) for n in (512, 1024, 4096, 8192, 16384)
              for k in (512, 1024, 4096, 8192) if m * n * k >= 2**33][:117]
    before = {s: torch_time(*s) for s in shapes}
    best = lkt(shapes)
    after = {s: torch_time(*s) for s in shapes}
    ratio = {s: best[s]["time_s"] / min(before[s], after[s]) for s in shapes if s in best}
    print(f"screen: {len(ratio)} products, median {statistics.median(ratio.values()):.3f}, "
          f"{sum(r <= 1.01 for r in ratio.values())} at most 1.01, largest {max(ratio.values()):.3f}")
    print(f"torch beside itself: largest {max(max(before[s], after[s]) / min(before[s], after[s]) for s in ratio):.3f}")
    slow = sorted((s for s in ratio if ratio[s] > 1.01), key=lambda s: -ratio[s])
    closely = slow + [s for s in ratio if s not in slow][:6]
    report = []
    for s in closely:
        if time.monotonic() - BEGIN > LIMIT:
            print("the time is up")
            break
        rounds = {"torch": [], "torch f32 sums": [], "lkt 32": [], "lkt 512": []}
        rows = {}
        for _ in range(4):
            for name, full in (("torch", True), ("torch f32 sums", False)):
                torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = full
                rounds[name].append(torch_time(*s))
            for mib in (32, 512):
                row = lkt([s], mib)[s]
                rows[mib] = row
                rounds[f"lkt {mib}"].append(row["time_s"])
        least = {name: statistics.median(times) for name, times in rounds.items()}
        report.append({"shape": s, "screen": ratio[s], "rounds": rounds, "kernels": torch_kernels(*s),
                       "instance": {mib: rows[mib]["instance"] for mib in rows}, "clock_mhz": rows[32]["clock_mhz"]})
        print(f"{s}: screen {ratio[s]:.3f}; in turns, beside torch: 32 MiB {least['lkt 32'] / least['torch']:.3f}, "
              f"512 MiB {least['lkt 512'] / least['torch']:.3f}, torch with f32 sums {least['torch f32 sums'] / least['torch']:.3f}; "
              f"{rows[32]['clock_mhz']} MHz; {rows[32]['instance']}; torch: {report[-1]['kernels']}", flush=True)
        with open("torch_products.json", "w") as out:
            json.dump(report, out, indent=1)


if __name__ == "__main__":
    main()
