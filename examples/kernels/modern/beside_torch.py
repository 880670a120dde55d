#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Kernels that lkt-tune has written for the problems of this folder, beside what PyTorch has for the same work, without lkt:

    beside_torch.py FOLDER

FOLDER/NAME/best.hpp is the kernel of NAME.gpu.json (`lkt-tune --problem NAME.gpu.json --output FOLDER/NAME/best.hpp`). nvcc compiles it; its
outputs are compared with torch's, then both, and what torch.compile makes of torch's, are timed in turns, 25 cold launches each
(256 MiB are read before each). Exit status: 0 all right, 1 some differ or fail, 2 usage, 3 no GPU, torch or nvcc.
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

    def gemv_nvfp4():
        rows, columns, batch = 32768, 32768, 4
        w = torch.randint(0, 256, (rows, columns // 2), device="cuda", dtype=torch.uint8)
        scales = (torch.rand(rows, columns // 16, device="cuda") * 1.9 + 0.1).to(torch.float8_e4m3fn)
        x = uniform(batch, columns)
        values = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6], device="cuda", dtype=torch.float16)
        values = torch.cat((values, -values))

        def by_torch():
            weights = values[torch.stack((w & 15, w >> 4), -1).int()].view(rows, columns // 16, 16)
            weights = weights * scales.to(torch.float16)[..., None]
            return [(x @ weights.view(rows, columns).t()) * 0.03125]
        return [w, scales, x, torch.empty(batch, rows, device="cuda", dtype=torch.float16), ctypes.c_float(0.03125),
                *ints(rows, columns, batch)], [3], by_torch

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

    def gemm_bfloat16():
        a, b = uniform(4096, 4096, dtype=torch.bfloat16), uniform(8192, 4096, dtype=torch.bfloat16)
        return [a, b, torch.empty(4096, 8192, device="cuda", dtype=torch.bfloat16), *ints(4096, 4096, 8192)], [2], lambda: [F.linear(a, b)]

    def ranks(rows, columns):
        """The numbers below `columns` in each row, in an order of its own: no two are equal, so that there is one answer."""
        return torch.rand(rows, columns, device="cuda").argsort(-1).to(torch.float32)

    def indices(below, *shape):
        return torch.randint(0, below, shape, device="cuda", dtype=torch.int32)

    def attention(capacity):
        """One query for each of 64 sequences and 32 heads; those that share a head of the cache are rows of one product to torch."""
        q, unused = uniform(64, 8, 4, 128), indices(capacity // 4, 64)
        used = (torch.arange(capacity, device="cuda") < capacity - unused[:, None])[:, None, None]
        return q, unused, lambda k, v: [F.scaled_dot_product_attention(q, k, v, attn_mask=used)]

    def attention_decode():
        q, unused, attend = attention(4096)
        k, v = uniform(64, 8, 4096, 128), uniform(64, 8, 4096, 128)
        return [q, k, v, unused, torch.empty_like(q), *ints(64, 32, 8, 4096)], [4], lambda: attend(k, v)

    def attention_paged():
        q, unused, attend = attention(4096)
        k, v = uniform(64 * 256, 16, 8, 128), uniform(64 * 256, 16, 8, 128)
        table = torch.randperm(64 * 256, device="cuda").to(torch.int32).view(64, 256)
        return [q, k, v, table, unused, torch.empty_like(q), *ints(64, 32, 8, 256)], [5], lambda: attend(
            *(pages[table].view(64, 4096, 8, 128).transpose(1, 2) for pages in (k, v)))

    def top_k():
        x = ranks(8192, 32768) / 32768
        return [x, torch.empty(8192, 8, device="cuda"), indices(1, 8192, 8), *ints(8192, 32768)], [1, 2], lambda: list(torch.topk(x, 8))

    def conv2d_half():
        x, w = uniform(32, 56, 56, 128), uniform(128, 3, 3, 128)
        return [x, w, torch.empty_like(x), *ints(32, 56, 56, 128, 128)], [2], lambda: [
            F.conv2d(x.permute(0, 3, 1, 2), w.permute(0, 3, 1, 2), padding=1).permute(0, 2, 3, 1)]

    def moe_gating():
        logits = (ranks(1048576, 64) / 8).to(torch.float16)

        def by_torch():
            weights, chosen = torch.topk(torch.softmax(logits.float(), -1), 2)
            return [weights / weights.sum(-1, keepdim=True), chosen]
        return [logits, torch.empty(1048576, 2, device="cuda"), indices(1, 1048576, 2), *ints(1048576, 64)], [1, 2], by_torch

    def gemv_int8():
        w, x = (torch.randint(-128, 128, shape, device="cuda", dtype=torch.int8) for shape in ((32768, 32768), (32768,)))
        scales = uniform(32768, dtype=torch.float32)
        eight = x.expand(8, -1).contiguous().t()  # torch multiplies 8-bit integers by no fewer columns
        return [w, scales, x, torch.empty(32768, device="cuda"), *ints(32768, 32768)], [3], lambda: [torch._int_mm(w, eight)[:, 0] * scales]

    def scan():
        x = uniform(4096, 65536, dtype=torch.float32)
        return [x, torch.empty_like(x), *ints(4096, 65536)], [1], lambda: [torch.cumsum(x, -1)]

    def spmv_ell():
        rows, width, count = 1048576, 64, 1048576
        values, x = uniform(rows, width, dtype=torch.float32), uniform(count, dtype=torch.float32)
        columns, lengths = indices(count, rows, width), indices(width + 1, rows)
        used = torch.arange(width, device="cuda") < lengths[:, None]
        starts = F.pad(lengths.cumsum(0), (1, 0)).to(torch.int32)
        packed = torch.sparse_csr_tensor(starts, columns[used], values[used], (rows, count))
        return [values, columns, lengths, x, torch.empty(rows, device="cuda"), *ints(rows, width)], [4], lambda: [packed @ x]

    return {f.__name__: f for f in (gemm_half, gemm_float8, gemv_w4a16, gemv_nvfp4, attention_causal, rms_norm_residual, softmax, rotary_embedding,
                                    layer_norm_backward, gemm_bfloat16, attention_decode, attention_paged, top_k, conv2d_half, moe_gating,
                                    gemv_int8, scan, spmv_ell)}


def apart(got, expected):
    """The largest difference, of the largest value; integers are equal, or all wrong."""
    got, expected = got.reshape(-1), expected.reshape(-1)
    if not expected.is_floating_point():
        return 0.0 if bool((got == expected).all()) else float("inf")
    return float((got.float() - expected.float()).abs().max() / expected.float().abs().max())


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
            file = pathlib.Path(sys.argv[1]) / name / "best.hpp"
            if not file.is_file():
                print(f"{name:22} no kernel: {file} is not there")
                wrong += 1
                continue
            try:
                cubin, symbol, *launch = compiled(file, architecture, pathlib.Path(scratch))
                if cubin is None:
                    raise RuntimeError(f"nvcc: {symbol}")
                torch.manual_seed(0)
                arguments, outputs, by_torch = make()
                kernel = Kernel(driver, file, cubin, symbol, *launch)
                kernel.launch(arguments, stream)
                torch.cuda.synchronize()
                difference = max(apart(arguments[at], y) for at, y in zip(outputs, by_torch()))
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
