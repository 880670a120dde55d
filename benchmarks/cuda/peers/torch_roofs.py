#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What PyTorch reaches on the first GPU: a copy of 4 GiB, and the matrix product of examples/kernels/matrix_multiply.gpu.json
by cuBLAS without TF32. Medians of seven.

Needs torch with CUDA. Exit status 77 where there is none.
"""
import statistics
import sys

try:
    import torch
except ImportError as missing:
    print(f"left out: {missing}")
    sys.exit(77)
if not torch.cuda.is_available():
    print("left out: torch finds no GPU")
    sys.exit(77)

ROWS, INNER, COLUMNS = 16384, 4096, 8192


def milliseconds(work, times: int = 7) -> float:
    work()
    taken = []
    for _ in range(times):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        torch.cuda.synchronize()
        taken.append(begin.elapsed_time(end))
    return statistics.median(taken)


torch.backends.cuda.matmul.allow_tf32 = False
a = torch.rand(ROWS, INNER, device="cuda") * 2 - 1
b = torch.rand(INNER, COLUMNS, device="cuda") * 2 - 1
c = torch.empty(ROWS, COLUMNS, device="cuda")
print(f"figure torch_matmul_ms {milliseconds(lambda: torch.mm(a, b, out=c)):.2f} ms")
x = torch.rand(1 << 30, device="cuda")
y = torch.empty_like(x)
print(f"figure torch_copy {2 * x.nbytes / milliseconds(lambda: y.copy_(x)) / 1e6:.0f} GB/s")
