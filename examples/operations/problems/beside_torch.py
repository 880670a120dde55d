# SPDX-License-Identifier: BSL-1.0
"""What against_eager.py and side_by_side.py have in common: the modules of level1 and level2, torch.compile where it works, and cold
times of torch."""

import importlib.util
import pathlib
import re
import statistics
import time

HERE = pathlib.Path(__file__).resolve().parent


def problems(only=""):
    return [path for level in ("level1", "level2") for path in sorted((HERE / level).glob("*.py"))
            if re.search(only, f"{level}/{path.stem}")]


def name_of(path):
    return f"{path.parent.name}/{path.stem}"


def module_of(path, device):
    """The module with its weights, and its inputs, both on the device."""
    import torch
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    torch.manual_seed(0)
    model = module.Model(*(module.get_init_inputs() if hasattr(module, "get_init_inputs") else []))
    return model.to(device).eval(), [x.to(device) for x in module.get_inputs()]


def first_line(why):
    """Of an exception, whose text may be a page."""
    lines = [line.strip() for line in str(why).splitlines() if line.strip()]
    return (lines[0] if lines else type(why).__name__)[:200]


def compiled(model, inputs):
    """The module by torch.compile, called once; or None, and why not."""
    import torch
    if not hasattr(torch, "compile"):
        return None, f"torch {torch.__version__} has no torch.compile"
    try:
        from torch import _dynamo
        _dynamo.reset()
        fast = torch.compile(model)
        with torch.no_grad():
            eager, fused = model(*inputs), fast(*inputs)
        if not torch.allclose(eager, fused, rtol=1e-2, atol=1e-2 * float(eager.abs().max())):
            return None, "what torch.compile made of it computes something else"
    except Exception as why:  # pylint: disable=broad-except  # compilers throw what they like
        return None, f"torch.compile: {type(why).__name__}: {first_line(why)}"
    return fast, ""


class Stopwatch:
    """Times calls with nothing of their arguments in caches: before each 256 MiB are read on a GPU, so that nothing has still to be written to
    memory, or 64 MiB written on a CPU. The GPU then waits for a millisecond, which hides the time of the launch."""

    def __init__(self, device):
        import torch
        self.torch, self.on_gpu = torch, device == "cuda"
        self.dirt = torch.zeros(1 << (28 if self.on_gpu else 26), dtype=torch.uint8, device=device)

    def seconds(self, call):
        if not self.on_gpu:
            self.dirt.fill_(1)
            begin = time.perf_counter()
            call()
            return time.perf_counter() - begin
        self.dirt.view(self.torch.int64).sum()
        self.torch.cuda._sleep(2_000_000)  # cycles
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        self.torch.cuda.synchronize()
        return begin.elapsed_time(end) / 1e3

    def median(self, call, launches=50):
        with self.torch.no_grad():
            return statistics.median([self.seconds(call) for _ in range(launches + 5)][5:])


def shown(seconds):
    return "-" if seconds is None else f"{seconds * 1e6:.1f} us"


def ratio(before, now):
    return "-" if before is None or not now else f"{before / now:.2f}x"


class Figures:
    """Of all modules, and of the fused ones, beside eager and beside what torch.compile made."""

    def __init__(self):
        self.ratios = {}

    def add(self, path, eager, fast, kernel):
        for beside, before in (("eager", eager), ("compiled", fast)):
            if before is None or not kernel:
                continue
            self.ratios.setdefault(f"median_over_{beside}", []).append(before / kernel)
            if path.parent.name == "level2":
                self.ratios.setdefault(f"fused_over_{beside}", []).append(before / kernel)

    def print(self):
        for name, ratios in sorted(self.ratios.items()):
            print(f"figure {name} {statistics.median(ratios):.2f} x")
