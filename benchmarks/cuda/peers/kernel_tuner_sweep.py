#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Kernel Tuner on the sweep of ../sweep.cpp: the same text, space and iterations as its own example (7),
without and with a check of every output. Prints seconds of the first run and of a second in the process.

Needs kernel_tuner 1.5 with its nvcuda backend (cuda-python). Exit status 77 where that is missing.
"""
import pathlib
import sys
import time

import numpy

try:
    import kernel_tuner
except ImportError as missing:
    print(f"left out: {missing}")
    sys.exit(77)

WIDTH = 4096
PARAMETERS = {
    "block_size_x": [16, 32, 64],
    "block_size_y": [16, 1, 2, 4, 8, 32],
    "tile_size_x": [1, 2, 4, 8],
    "tile_size_y": [1, 2, 4, 8],
}


def tune(arguments: list) -> tuple:
    start = time.perf_counter()
    results, _ = kernel_tuner.tune_kernel(
        "matmul",
        (pathlib.Path(__file__).parents[1] / "matmul.cuh").read_text(),
        (WIDTH, WIDTH),
        arguments,
        PARAMETERS,
        grid_div_x=["block_size_x", "tile_size_x"],
        grid_div_y=["block_size_y", "tile_size_y"],
        restrictions=["block_size_x==block_size_y*tile_size_y"],
        lang="nvcuda",
        quiet=True,
    )
    return time.perf_counter() - start, results


def main() -> int:
    random = numpy.random.default_rng(1)
    a = random.random((WIDTH, WIDTH), dtype=numpy.float32)
    b = random.random((WIDTH, WIDTH), dtype=numpy.float32)
    c = numpy.zeros_like(a)
    cold, _ = tune([c, a, b])
    warm, results = tune([c, a, b])
    timed = [r for r in results if isinstance(r["time"], float)]
    best = min(timed, key=lambda r: r["time"])
    print(f"kernel_tuner {kernel_tuner.__version__}: {len(results)} configurations, {len(timed)} with a time")
    print("its best: " + ", ".join(f"{name}={best[name]}" for name in PARAMETERS), f"{best['time']:.4f} ms")
    print(f"figure kernel_tuner_cold_s {cold:.3f} s")
    print(f"figure kernel_tuner_warm_s {warm:.3f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
