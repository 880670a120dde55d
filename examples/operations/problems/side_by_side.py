#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Kernels that lkt-tune has written for modules of level1 and level2, beside torch eager and torch.compile, without lkt:

    side_by_side.py FOLDER

FOLDER/NAME/best.hpp is the kernel of module NAME (`against_eager.py --out FOLDER` leaves them there). nvcc compiles it, and it runs on the
module's own inputs and weights: outputs are compared with the module's in float64, then all are timed in turns, 25 cold launches each
(256 MiB are read before each). Where torch.compile fails, a line says why. Exit status: 0 all right, 1 some differ or fail, 3 no GPU,
torch or nvcc.
"""

import concurrent.futures
import ctypes
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

from beside_torch import Figures, Stopwatch, compiled as torch_compiled, first_line, module_of, name_of, problems, ratio, shown

TURNS = 25


def gpu():
    """torch, CUDA's driver, and nvcc's name of the first GPU's architecture; raises what says that one of these is missing."""
    import torch
    if not torch.cuda.is_available():
        raise ImportError("torch sees no GPU")
    driver = ctypes.CDLL("libcuda.so.1", mode=ctypes.RTLD_GLOBAL)  # the launches find it
    subprocess.run(["nvcc", "--version"], check=True, capture_output=True)
    major, minor = torch.cuda.get_device_capability()
    return torch, driver, f"sm_{major}{minor}{'a' if major >= 9 else ''}"


# Calls the launch function of such a header with the addresses of its arguments, at the size that was tuned.
LAUNCHER = """#include "%s"
#include <type_traits>
#include <utility>
template <class T>
T at(void* address) {  // bytes are passed by their address
    if constexpr (std::is_pointer_v<T>) return address;
    else return *static_cast<T*>(address);
}
template <class Size, class... A, std::size_t... I>
CUresult call(CUresult (*launch)(CUfunction, Size const&, CUstream, A...), CUfunction f, CUstream s, void** a, std::index_sequence<I...>) {
    return launch(f, {}, s, at<A>(a[I])...);
}
template <class Size, class... A>
CUresult call(CUresult (*launch)(CUfunction, Size const&, CUstream, A...), CUfunction f, CUstream s, void** a) {
    return call(launch, f, s, a, std::index_sequence_for<A...>{});
}
extern "C" int launch(void* f, void* s, void** a) { return call(&%s::launch, static_cast<CUfunction>(f), static_cast<CUstream>(s), a); }
"""


def compiled(file, architecture, scratch):
    """The cubin, the kernel's name in it, and the library with its launch; or None and what a compiler says."""
    text, base = file.read_text(), scratch / file.parent.name
    ptx, cubin, source, library = (base.with_suffix(s) for s in (".ptx", ".cubin", ".cpp", ".so"))
    source.write_text(LAUNCHER % (file.resolve(), re.search(r"namespace (lkt_tuned_\w+)", text).group(1)))
    include = pathlib.Path(shutil.which("nvcc")).resolve().parents[1] / "include"
    for command in (*(["nvcc", kind, "-std=c++17", f"-arch={architecture}", "-x", "cu", "-o", to, file] for kind, to in (("-ptx", ptx), ("-cubin", cubin))),
                    ["c++", "-std=c++17", "-O2", "-shared", "-fPIC", f"-I{include}", "-o", library, source]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return None, done.stderr
    wanted = re.search(r'char kernel\[\] = "(\w+)"', text).group(1)
    return cubin, next(n for n in re.findall(r"\.entry (\w+)", ptx.read_text()) if wanted in n), library


class Kernel:
    """A kernel of a header that lkt wrote, launched by what stands in it."""

    def __init__(self, driver, file, cubin, name, library):
        declared = re.search(r"// kernel (.*?)// parameters", file.read_text(), re.S).group(1)
        self.pointers, self.has_batch = declared.count("*"), "int batch" in re.sub(r"\s*\n//\s*", " ", declared)
        self.start, module, self.function = ctypes.CDLL(str(library)).launch, ctypes.c_void_p(), ctypes.c_void_p()
        self.did(driver.cuModuleLoad(ctypes.byref(module), str(cubin).encode()))
        self.did(driver.cuModuleGetFunction(ctypes.byref(self.function), module, name.encode()))

    @staticmethod
    def did(status):
        if status != 0:
            raise RuntimeError(f"CUDA error {status}")

    def launch(self, arguments, stream):
        values = [ctypes.c_void_p(a.data_ptr()) if hasattr(a, "data_ptr") else a for a in arguments]
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.pointer(v), ctypes.c_void_p) for v in values])
        self.did(self.start(self.function, ctypes.c_void_p(stream), pointers))


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        torch, driver, architecture = gpu()
    except (ImportError, OSError, subprocess.CalledProcessError) as why:
        print(why, file=sys.stderr)
        return 3
    watch, stream = Stopwatch("cuda"), torch.cuda.current_stream()
    files = {p: pathlib.Path(sys.argv[1]) / p.stem / "best.hpp" for p in problems()}
    scratch = tempfile.TemporaryDirectory()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        built = dict(zip(files, pool.map(lambda p: compiled(files[p], architecture, pathlib.Path(scratch.name))
                                         if files[p].exists() else (None, "no kernel"), files)))
    wrong, figures = 0, Figures()
    print(f"{'problem':36} {'eager':>12} {'compiled':>12} {'lkt':>12} {'/ eager':>8} {'/ comp.':>8}  largest error (torch's own)")
    for path in files:
        name, (cubin, symbol, *launch) = name_of(path), built[path]
        if cubin is None:
            print(f"{name:36} {symbol[:200]}")
            wrong += 1
            continue
        try:
            model, inputs = module_of(path, "cuda")
            fast, why_not = torch_compiled(model, inputs)
            with torch.no_grad():
                kernel = Kernel(driver, files[path], cubin, symbol, *launch)
                eager = model(*inputs)
                weights = [*model.parameters(), *model.buffers()]
                out = torch.zeros_like(eager)
                arguments = [*inputs, *[w.contiguous() for w in weights if w.is_floating_point()], out]
                if len(arguments) != kernel.pointers:
                    raise RuntimeError(f"the kernel has {kernel.pointers} buffers, the module {len(arguments)}")
                if kernel.has_batch:
                    arguments.append(ctypes.c_int(inputs[0].shape[0]))
                kernel.launch(arguments, stream.cuda_stream)
                torch.cuda.synchronize()
                truth = model.double()(*[x.double() for x in inputs])
                model.float()
                scale = truth.abs().max()
                errors = [float((y.double() - truth).abs().max() / scale) for y in (out, eager)]
                del truth
                calls = {"eager": lambda: model(*inputs), "kernel": lambda: kernel.launch(arguments, stream.cuda_stream)}
                if fast is not None:
                    calls["fast"] = lambda: fast(*inputs)
                    watch.seconds(calls["fast"])
                times = {which: [] for which in calls}
                for _ in range(TURNS):
                    for which, call in calls.items():
                        times[which].append(watch.seconds(call))
        except Exception as why:  # pylint: disable=broad-except  # one module of many
            print(f"{name:36} failed: {first_line(why)}")
            wrong += 1
            continue
        median = {which: statistics.median(values) for which, values in times.items()}
        eager_time, fast_time, mine = median["eager"], median.get("fast"), median["kernel"]
        right = errors[0] <= max(1e-5, 4 * errors[1])
        wrong += not right
        figures.add(path, eager_time, fast_time, mine)
        print(f"{name:36} {shown(eager_time):>12} {shown(fast_time):>12} {shown(mine):>12} {ratio(eager_time, mine):>8} {ratio(fast_time, mine):>8}  "
              f"{errors[0]:.1e} ({errors[1]:.1e}){'' if right else ', WRONG'}{'; ' + why_not if why_not else ''}", flush=True)
    figures.print()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
