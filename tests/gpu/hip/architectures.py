# SPDX-License-Identifier: BSL-1.0
"""Every example kernel, as HIP text, compiles for AMD's GPUs that Debian's HIPRTC is too old for: by clang 19, with HIP's
headers and AMD's device libraries, to assembly, of which each kernel's registers and spills are printed."""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
SKIPPED = 77
# Architecture, its number to the device libraries (LLVM's AMDGPU usage, the ISA version), lanes of a wave.
TARGETS = (("gfx90a", 9010, 64), ("gfx942", 9402, 64), ("gfx1100", 11000, 32))
LIBRARIES = ("ocml", "ockl", "oclc_daz_opt_off", "oclc_unsafe_math_off", "oclc_finite_only_off",
             "oclc_correctly_rounded_sqrt_on", "oclc_abi_version_400")
# The device libraries of an older release lack the file of a newer architecture, which holds this one number.
VERSION = """target triple = "amdgcn-amd-amdhsa"
@__oclc_ISA_version = linkonce_odr protected local_unnamed_addr addrspace(4) constant i32 {}, align 4
"""


def compile_for(clang, files, text, target, folder):
    """The assembly, or what the compiler says."""
    arch, number, lanes = target
    bitcode = next(files.glob("usr/lib/**/amdgcn/bitcode"))
    (folder / "version.ll").write_text(VERSION.format(number))
    subprocess.run([clang, "-x", "ir", "--target=amdgcn-amd-amdhsa", "-nogpulib", "-c", "-emit-llvm", "-w", "version.ll",
                    "-o", "version.bc"], cwd=folder, check=True, timeout=60)
    wave = "on" if lanes == 64 else "off"
    linked = [bitcode / f"{name}.bc" for name in (*LIBRARIES, f"oclc_wavefrontsize64_{wave}")] + [folder / "version.bc"]
    (folder / "kernels.hip").write_text("#include <hip/hip_runtime.h>\n" + text)
    done = subprocess.run(
        [clang, "-x", "hip", "-std=c++20", f"--offload-arch={arch}", "--cuda-device-only", "-nogpulib", "-nogpuinc",
         "-isystem", str(files / "usr/include"), "-include", "__clang_hip_runtime_wrapper.h", "-O3", "-w", "-S",
         *(word for file in linked for word in ("-Xclang", "-mlink-builtin-bitcode", "-Xclang", str(file))),
         "kernels.hip", "-o", "kernels.s"], cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    return (folder / "kernels.s").read_text() if done.returncode == 0 else None, done.stderr


def kernels_in(assembly):
    """Name, vector and scalar registers, spilt vector registers, of the code object's note."""
    note = assembly[assembly.index("amdhsa.kernels:"):assembly.index("amdhsa.target:")]
    found = []
    for one in re.split(r"^  - ", note, flags=re.M)[1:]:
        field = {key: value for key, value in re.findall(r"^\s*\.(\w+):\s+(\S+)$", one, re.M)}
        found.append((field["symbol"].removesuffix(".kd"), int(field["vgpr_count"]), int(field["sgpr_count"]),
                      int(field["vgpr_spill_count"])))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=pathlib.Path, help="where Debian's packages are unpacked")
    options = parser.parse_args()
    options.files = options.files.resolve()
    clang = shutil.which("clang++-19") or shutil.which("clang-19")
    if clang is None or not list(options.files.glob("usr/include/hip/hip_runtime.h")):
        print("skipped: no clang 19, or no HIP headers and device libraries in", options.files)
        return SKIPPED
    sources = sorted((ROOT / "examples/kernels").glob("*.cu"))
    # One compilation a target, each kernel in a namespace of its own file.
    text = "".join(f"namespace {s.stem}_file {{\n#line 1 \"{s.name}\"\n{s.read_text()}\n}}\n" for s in sources)
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for target in TARGETS:
            assembly, said = compile_for(clang, options.files, text, target, folder)
            if assembly is None:
                print(f"{target[0]}: does not compile\n{said}")
                failed = True
                continue
            kernels = kernels_in(assembly)
            for kernel, vgprs, sgprs, spilt in kernels:
                print(f"{target[0]} {kernel}: {vgprs} VGPRs, {sgprs} SGPRs, {spilt} spilt")
            if len(kernels) < len(sources) or len(sources) < 8:
                print(f"{target[0]}: {len(kernels)} kernels of {len(sources)} files")
                failed = True
        # It can fail: matrix instructions of one architecture are none of another.
        planted = "__global__ void k(float* p) { __builtin_amdgcn_s_sleep(1); __builtin_amdgcn_mfma_f32_32x32x1f32(*p); }"
        if compile_for(clang, options.files, planted, TARGETS[2], folder)[0] is not None:
            print("a kernel that cannot be compiled was compiled")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
