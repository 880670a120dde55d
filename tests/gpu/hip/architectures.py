# SPDX-License-Identifier: BSL-1.0
"""Every example kernel, as HIP text, compiles for AMD's GPUs that Debian's HIPRTC is too old for: by clang 19, with HIP's
headers and AMD's device libraries. Of each kernel lkt's reader finds in the code object the registers, spills, shared
memory and lanes of a wave that the compiler wrote into its assembly."""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
SKIPPED = 77
# Examples that are no HIP but for a header's name: PTX, and CUDA's types of 4 and 8 bits and of bfloat16.
CUDA_ALONE = {"gemm_bfloat16", "gemm_float8", "gemm_half_ptx", "gemv_nvfp4", "rms_norm_residual", "scaled_copy_ptx"}
# A kernel with shared memory of a size that is known.
PLANTED = """__global__ void planted_lds(float* p) {
    __shared__ float part[192];
    part[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = part[191 - threadIdx.x];
}
"""
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
                    "-o", "version.bc"], cwd=folder, check=True, timeout=300)
    wave = "on" if lanes == 64 else "off"
    linked = [bitcode / f"{name}.bc" for name in (*LIBRARIES, f"oclc_wavefrontsize64_{wave}")] + [folder / "version.bc"]
    (folder / "kernels.hip").write_text("#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n" + text)
    done = subprocess.run(
        [clang, "-x", "hip", "-std=c++20", f"--offload-arch={arch}", "--cuda-device-only", "-nogpulib", "-nogpuinc",
         "-isystem", str(files / "usr/include"), "-include", "__clang_hip_runtime_wrapper.h", "-O3", "-w", "-S",
         *(word for file in linked for word in ("-Xclang", "-mlink-builtin-bitcode", "-Xclang", str(file))),
         "kernels.hip", "-o", "kernels.s"], cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    return (folder / "kernels.s").read_text() if done.returncode == 0 else None, done.stderr


def kernels_in(assembly):
    """Name; vector and scalar registers, spilt vector registers, bytes of shared memory, lanes of a wave, as the compiler wrote them."""
    note = assembly[assembly.index("amdhsa.kernels:"):assembly.index("amdhsa.target:")]
    found = {}
    for one in re.split(r"^  - ", note, flags=re.M)[1:]:
        field = {key: value for key, value in re.findall(r"^\s*\.(\w+):\s+(\S+)$", one, re.M)}
        found[field["symbol"].removesuffix(".kd")] = tuple(int(field[key]) for key in (
            "vgpr_count", "sgpr_count", "vgpr_spill_count", "group_segment_fixed_size", "wavefront_size"))
    return found


def kernels_read(clang, reader, arch, folder):
    """The same of the code object, by lkt's reader. It is not linked, which a file with all of its kernels need not be."""
    subprocess.run([clang, "-x", "assembler", "--target=amdgcn-amd-amdhsa", f"-mcpu={arch}", "-c", "kernels.s", "-o", "kernels.o"],
                   cwd=folder, check=True, timeout=300)
    lines = subprocess.run([reader, folder / "kernels.o"], capture_output=True, text=True, check=True, timeout=300).stdout
    return {name: tuple(map(int, numbers)) for name, *numbers in map(str.split, lines.splitlines())}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=pathlib.Path, help="where Debian's packages are unpacked")
    parser.add_argument("reader", type=pathlib.Path, help="the program gpu_hip_code_object")
    options = parser.parse_args()
    options.files = options.files.resolve()
    clang = shutil.which("clang++-19") or shutil.which("clang-19")
    if clang is None or not list(options.files.glob("usr/include/hip/hip_runtime.h")):
        print("skipped: no clang 19, or no HIP headers and device libraries in", options.files)
        return SKIPPED
    examples = [*(ROOT / "examples/kernels").glob("*.cu"), *(ROOT / "examples/kernels/modern").glob("*.cu")]
    sources = sorted(s for s in examples if s.stem not in CUDA_ALONE)
    print("CUDA alone:", *sorted(CUDA_ALONE & {s.stem for s in examples}))
    # One compilation a target, each kernel in a namespace of its own file; HIP has another name for the header of `half`.
    text = "".join(f"namespace {s.stem}_file {{\n#line 1 \"{s.name}\"\n{s.read_text().replace('#include <cuda_fp16.h>', '')}\n}}\n"
                   for s in sources) + PLANTED
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
            for kernel, (vgprs, sgprs, spilt, lds, lanes) in kernels.items():
                print(f"{target[0]} {kernel}: {vgprs} VGPRs, {sgprs} SGPRs, {spilt} spilt, {lds} bytes of LDS, waves of {lanes}")
            if len(kernels) <= len(sources) or len(sources) < 14:
                print(f"{target[0]}: {len(kernels)} kernels of {len(sources)} files and one more")
                failed = True
            read = kernels_read(clang, options.reader, target[0], folder)
            planted = next(name for name in kernels if "planted_lds" in name)
            if read != kernels or read[planted][3:] != (4 * 192, target[2]):
                print(f"{target[0]}: lkt reads {read}\nwhere the compiler wrote {kernels}")
                failed = True
        # It can fail: matrix instructions of one architecture are none of another.
        planted = "__global__ void k(float* p) { __builtin_amdgcn_s_sleep(1); __builtin_amdgcn_mfma_f32_32x32x1f32(*p); }"
        if compile_for(clang, options.files, planted, TARGETS[2], folder)[0] is not None:
            print("a kernel that cannot be compiled was compiled")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
