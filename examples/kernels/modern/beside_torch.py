#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Kernels that lkt-tune has written for the problems of this folder, beside what PyTorch has for the same work, without lkt:

    beside_torch.py FOLDER

FOLDER/NAME/best.cu is the kernel of NAME.gpu.json (`lkt-tune --problem NAME.gpu.json --output FOLDER/NAME/best.cu`). nvcc compiles it; its
outputs are compared with torch's, then both, and what torch.compile makes of torch's, are timed in turns, 25 cold launches each
(256 MiB are written before each). Exit status: 0 all right, 1 some differ or fail, 2 usage, 3 no GPU, torch or nvcc.
"""

import ctypes
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "operations" / "problems"))
from beside_torch import Stopwatch, first_line, ratio, shown  # noqa: E402
from side_by_side import TURNS, Kernel, compiled, gpu  # noqa: E402

LARGEST_DIFFERENCE = 1e-2  # of the largest value: a half or bfloat16 has 8 to 11 bits


def cases(torch):
    """Of each kernel: a function that makes its arguments, which of them are outputs, and torch's way to the same outputs."""
    F = torch.nn.functional

    def uniform(*shape, dtype=torch.float16):
        return (torch.rand(*shape, device="cuda", dtype=torch.float32) * 2 - 1).to(dtype)

    def ints(*values):
        return [ctypes.c_int(v) for v in values]

    def gemm_half():
        a, b = uniform(8192, 8192), uniform(8192, 8192)
        return [a, b, torch.empty(8192, 8192, device="cuda", dtype=torch.float16), *ints(8192, 8192, 8192)], [2], lambda: [torch.mm(a, b)]

    def gemm_float8():
        a, b = (uniform(4096, 4096, dtype=torch.float8_e4m3fn) for _ in range(2))
        scale, one = torch.tensor(0.25, device="cuda"), torch.tensor(1.0, device="cuda")
        out = torch.empty(4096, 4096, device="cuda", dtype=torch.bfloat16)
        return [a, b, out, ctypes.c_float(0.25), *ints(4096, 4096, 4096)], [2], lambda: [
            torch._scaled_mm(a, b.t(), scale_a=scale, scale_b=one, out_dtype=torch.bfloat16)]

    def gemv_w4a16():
        rows, columns, batch = 32768, 32768, 4
        w = torch.randint(0, 256, (rows, columns // 2), device="cuda", dtype=torch.uint8)
        scales, x = uniform(rows, columns // 128), uniform(batch, columns)
        zeros = torch.randint(0, 16, (rows, columns // 128), device="cuda", dtype=torch.uint8)

        def by_torch():
            weights = torch.stack((w & 15, w >> 4), -1).view(rows, columns // 128, 128)
            weights = (weights.to(torch.float16) - zeros.to(torch.float16)[..., None]) * scales[..., None]
            return [x @ weights.view(rows, columns).t()]
        return [w, scales, zeros, x, torch.empty(batch, rows, device="cuda", dtype=torch.float16), *ints(rows, columns, batch)], [4], by_torch

    def attention_causal():
        q, k, v = (uniform(1, 64, 4096, 64) for _ in range(3))
        return [q, k, v, torch.empty_like(q), *ints(64, 4096)], [3], lambda: [F.scaled_dot_product_attention(q, k, v, is_causal=True)]

    def rms_norm_residual():
        x, residual, weight = uniform(32768, 8192, dtype=torch.bfloat16), uniform(32768, 8192, dtype=torch.bfloat16), uniform(8192, dtype=torch.bfloat16)
        kept = residual.clone()

        def by_torch():
            total = kept + x
            return [total, F.rms_norm(total, (8192,), weight, 1e-5)]
        return [x, residual, weight, torch.empty_like(x), ctypes.c_float(1e-5), *ints(32768, 8192)], [1, 3], by_torch

    def softmax():
        x = uniform(65536, 8192)
        return [x, torch.empty_like(x), *ints(65536, 8192)], [1], lambda: [torch.softmax(x, -1)]

    def rotary_embedding():
        q, angles = uniform(65536, 64, 128), torch.rand(65536, 64, device="cuda") * 6
        cosines, sines, kept = angles.cos(), angles.sin(), q.clone()

        def by_torch():
            first, second = kept[..., :64], kept[..., 64:]
            c, s = cosines[:, None], sines[:, None]
            return [torch.cat((first * c - second * s, second * c + first * s), -1).to(torch.float16)]
        return [q, cosines, sines, *ints(65536, 64)], [0], by_torch

    def layer_norm_backward():
        dy, x, weight = uniform(16384, 8192, dtype=torch.float32), uniform(16384, 8192, dtype=torch.float32), uniform(8192, dtype=torch.float32)
        mean = x.mean(-1, keepdim=True)
        rstd = (x.var(-1, unbiased=False, keepdim=True) + 1e-5).rsqrt()
        outs = [torch.empty_like(x), torch.empty_like(weight), torch.empty_like(weight)]
        return [dy, x, weight, mean, rstd, *outs, *ints(16384, 8192)], [5, 6, 7], lambda: list(
            torch.ops.aten.native_layer_norm_backward(dy, x, [8192], mean, rstd, weight, weight, [True, True, True]))

    return {f.__name__: f for f in (gemm_half, gemm_float8, gemv_w4a16, attention_causal, rms_norm_residual, softmax, rotary_embedding,
                                    layer_norm_backward)}


def by_compiler(torch, call):
    """What torch.compile makes of it, called once; or None, and why not."""
    try:
        torch.compiler.reset()
        fast = torch.compile(call)
        fast()
        return fast, ""
    except Exception as why:  # pylint: disable=broad-except  # compilers throw what they like
        return None, f"torch.compile: {type(why).__name__}: {first_line(why)}"


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        torch, driver, architecture = gpu()
    except (ImportError, OSError, subprocess.CalledProcessError) as why:
        print(why, file=sys.stderr)
        return 3
    watch, stream = Stopwatch("cuda"), torch.cuda.current_stream().cuda_stream
    wrong, ratios = 0, []
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}")
    print(f"{'kernel':22} {'torch':>12} {'compiled':>12} {'lkt':>12} {'/ torch':>8} {'/ comp.':>8}  largest difference from torch's")
    with tempfile.TemporaryDirectory() as scratch, torch.no_grad():
        for name, make in cases(torch).items():
            file = pathlib.Path(sys.argv[1]) / name / "best.cu"
            if not file.is_file():
                print(f"{name:22} no kernel: {file} is not there")
                wrong += 1
                continue
            try:
                cubin, symbol = compiled(file, architecture, pathlib.Path(scratch))
                if cubin is None:
                    raise RuntimeError(f"nvcc: {symbol}")
                torch.manual_seed(0)
                arguments, outputs, by_torch = make()
                kernel = Kernel(driver, file, cubin, symbol)
                kernel.launch(arguments, stream)
                torch.cuda.synchronize()
                difference = max(float((arguments[at].float().view(-1) - y.float().view(-1)).abs().max() / y.float().abs().max())
                                 for at, y in zip(outputs, by_torch()))
                calls = {"torch": by_torch, "kernel": lambda: kernel.launch(arguments, stream)}
                fast, why_not = by_compiler(torch, by_torch)
                if fast is not None:
                    calls["fast"] = fast
                times = {which: [] for which in calls}
                for _ in range(TURNS):
                    for which, call in calls.items():
                        times[which].append(watch.seconds(call))
            except Exception as why:  # pylint: disable=broad-except  # one kernel of many
                print(f"{name:22} failed: {first_line(why)}", flush=True)
                wrong += 1
                continue
            median = {which: statistics.median(values) for which, values in times.items()}
            right = difference <= LARGEST_DIFFERENCE
            wrong += not right
            ratios.append(min(median["torch"], median.get("fast", median["torch"])) / median["kernel"])
            print(f"{name:22} {shown(median['torch']):>12} {shown(median.get('fast')):>12} {shown(median['kernel']):>12} "
                  f"{ratio(median['torch'], median['kernel']):>8} {ratio(median.get('fast'), median['kernel']):>8}  "
                  f"{difference:.1e}{'' if right else ', WRONG'}{'; ' + why_not if why_not else ''}", flush=True)
            del arguments, outputs, by_torch, fast, calls
            torch.cuda.empty_cache()
    if ratios:
        print(f"figure modern_over_torch {statistics.median(ratios):.2f} x")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
