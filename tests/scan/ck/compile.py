# SPDX-License-Identifier: BSL-1.0
"""lkt-scan space --compile with the real Composable Kernel and clang: instances of each kind compile for gfx942 and gfx1100,
a configuration that breaks its rules is refused with the reason, and registers and LDS are what the compiler says."""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
SKIPPED = 77
UNIVERSAL = ("DeviceGemmXdlUniversal<{padding}, {layouts}> BlkSize: {size}, BlkTile: {tile}, WaveTile: {wave}, WaveMap: {map}, "
             "VmemReadVec: {vectors}, BlkGemmPipelineScheduler: {scheduler}, BlkGemmPipelineVersion: {version}, "
             "BlkGemmPipelinePrefetchStages: 2")
# Of Composable Kernel's own lists for f16, as ckProfiler prints them; and one whose waves do not make up its block.
XDL = [
    UNIVERSAL.format(padding="MNKPadding", layouts="RCR", size=64, tile="16x16x128", wave="16x16", map="1x1", vectors="8x8",
                     scheduler="Interwave", version="v1"),
    "DeviceGemm_Xdl_CShuffle<Default, 256, 128, 128, 32, 8, 8, 32, 32, 2, 2, 8, 8, 1, 1> LoopScheduler: Default, PipelineVersion: v1",
    "DeviceGemmXdl<256, 128, 128, 4, 8, 32, 32, 2, 2> NumPrefetch: 1, LoopScheduler: Default, PipelineVersion: v1",
]
BROKEN = [
    UNIVERSAL.format(padding="Default", layouts="RRR", size=256, tile="64x64x64", wave="32x32", map="2x2", vectors="8x8",
                     scheduler="Intrawave", version="v3"),
    "DeviceGemm_Xdl_CShuffle<Default, 256, 128, 128, 32, 8, 8, 32, 32, 2, 2, 8, 8, 3, 1> LoopScheduler: Default, PipelineVersion: v1",
]
WMMA = [
    "DeviceGemmWmma_CShuffle<128, 64, 80, 64, 8, 16, 16, 1, 5> AEnableLds: 0, BEnableLds: 1, NumPrefetch: 1, LoopScheduler: "
    "Default, PipelineVersion: v1",
]


def record(names, layout_b):
    """What the fork of ckProfiler writes of one product."""
    line = {"time_ms": 1.0, "tflops": 137.4, "gb_per_sec": 100.7, "is_best": False, "timestamp": "2025-06-13T10:24:13.288Z",
            "operation_type": "gemm", "datatype": "f16", "input_datatype": "f16", "weight_datatype": "f16",
            "output_datatype": "f16", "layout_a": "RowMajor", "layout_b": layout_b, "layout_c": "RowMajor", "M": 4096,
            "N": 4096, "K": 4096}
    return "".join(json.dumps({"operation": name} | line) + "\n" for name in names)


def rows_of(text, kind):
    """Configuration: cells of its row."""
    part = text[text.index(f"\n{kind} for "):]
    rows = {}
    for line in part.splitlines()[5:]:
        if not line.startswith("| "):
            break
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        rows[cells[0]] = cells[1:]
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="lkt-scan")
    parser.add_argument("files", type=pathlib.Path, help="where scripts/ck-check unpacks Debian's packages")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    ck, clang = options.files / "usr/include", shutil.which("clang++-19") or shutil.which("clang++-20")
    if not (ck / "ck/config.h").is_file() or clang is None:
        print("skipped: no clang 19 or no Composable Kernel (196 MB): scripts/ck-check gets it, and runs this")
        return SKIPPED
    arguments = ["--ck", str(ck), "--clang", clang] + [
        word for one in ("-nogpulib", "-nogpuinc", "-isystem", str(ck), "-include", "__clang_hip_runtime_wrapper.h")
        for word in ("--clang-argument=" + one,)]

    def run(folder, names, layouts, arch, count):
        (folder / "log").write_text(record(names, layouts))
        (folder / "run.jsonl").unlink(missing_ok=True)
        subprocess.run([options.program, "--engine", "ckprofiler", "--from", "log", "--jsonl", "run.jsonl", "--markdown",
                        os.devnull], cwd=folder, check=True, timeout=60)
        done = subprocess.run([options.program, "space", "run.jsonl", "--compile", str(count), "--arch", arch, "--sources",
                               "sources", *arguments], cwd=folder, capture_output=True, text=True, timeout=1800, check=False)
        print(done.stdout, done.stderr, sep="\n", flush=True)
        return done

    failed = []

    def check(what, good):
        if not good:
            failed.append(what)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        done = run(folder, XDL + BROKEN, "RowMajor", "gfx942", 2)
        check("status", done.returncode == 0)
        check("all instances compile", "DeviceGemm_Xdl_CShuffle for gfx942: 1 of 2 " in done.stdout and
              "DeviceGemmXdl for gfx942: 1 of 1 " in done.stdout and "DeviceGemmXdlUniversal for gfx942: 1 of 2 " in done.stdout)
        rows = rows_of(done.stdout, "DeviceGemmXdlUniversal")
        broken = [cells for configuration, cells in rows.items() if "m_block=64, n_block=64" in configuration]
        check("an empty kernel", len(broken) == 1 and "what compiles is empty" in broken[0][1])
        small = [cells for configuration, cells in rows.items() if "m_block=16, n_block=16" in configuration]
        # A block's tiles of A and B: (16 + 16) x 128 elements of 2 bytes.
        check("registers and LDS", len(small) == 1 and int(small[0][2]) > 64 and int(small[0][5]) >= 8192)
        rows = rows_of(done.stdout, "DeviceGemm_Xdl_CShuffle")
        check("the reason", any("static assertion failed" in cells[1] for cells in rows.values()))
        # The same numbers as of the compiler's own report.
        source = next(f for f in (folder / "sources").glob("DeviceGemm_Xdl_CShuffle-*") if "m_shuffle=1" in f.read_text())
        said = subprocess.run([clang, "-x", "hip", "-std=c++17", "-O3", "-w", "--offload-arch=gfx942", "--cuda-device-only",
                               "-isystem", ck, "-nogpulib", "-nogpuinc", "-include", "__clang_hip_runtime_wrapper.h", "-S",
                               "-o", os.devnull, "-Rpass-analysis=kernel-resource-usage", source],
                              capture_output=True, text=True, check=True, timeout=600).stderr
        cells = next(cells for configuration, cells in rows.items() if "m_shuffle=1" in configuration)
        most = [max(map(int, re.findall(pattern, said))) for pattern in (r" AGPRs: (\d+)", r"LDS Size \[bytes/block\]: (\d+)")]
        print("the compiler's own report: AGPRs, LDS:", most)
        check("AGPRs and LDS of the compiler's report", [int(cells[3]), int(cells[5])] == most)
        done = run(folder, WMMA, "ColumnMajor", "gfx1100", 1)
        check("WMMA", "DeviceGemmWmma_CShuffle for gfx1100: 1 of 1 " in done.stdout)
    print("failed:", failed or "nothing")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
