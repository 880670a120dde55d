# SPDX-License-Identifier: BSL-1.0
"""What `--output` writes is used as its readers use it: compilers without lkt, programs that launch it, lkt itself."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support import Case, PROGRAM, main

SLOW = """\
#define ITEMS 1
__global__ void churn(unsigned* y, unsigned const* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned s = 0;
    for (int k = 0; k < 4000; ++k) s = s * 3u + x[i];
    y[i] = s;
}
"""
FACTOR = sum(3**k for k in range(4000)) % 2**32
FAST = f"""\
#define ITEMS 1
#define FACTOR {FACTOR}u
// "quoted", a backslash \\\\, ??/ and )lkt" are only text
__global__ void churn(unsigned* y, unsigned const* x, int n) {{
#pragma unroll ITEMS
    for (int k = 0; k < ITEMS; ++k) {{
        int i = (blockIdx.x * ITEMS + k) * blockDim.x + threadIdx.x;
        if (i < n) y[i] = FACTOR * x[i];
    }}
}}
"""
REPLY = "In closed form.\n```cuda\n" + FAST + """```
```json
{"parameters": {"ITEMS": [2]}, "launch": {"grid": ["ceil_div(n, 32 * ITEMS)"], "block": [32]}}
```
"""
PROBLEM = {
    "ConfigurationSpace": {"TuningParameters": []},
    "KernelSpecification": {
        "Language": "CUDA", "KernelName": "churn", "KernelFile": "churn.cu", "GlobalSizeType": "CUDA",
        "ProblemSize": [4096], "LocalSize": {"X": "64"}, "GlobalSize": {"X": "ceil_div(ProblemSize[0], 64)"},
        "Arguments": [
            {"Name": "y", "Type": "uint32", "MemoryType": "Vector", "Size": "ProblemSize[0]"},
            {"Name": "x", "Type": "uint32", "MemoryType": "Vector", "Size": "ProblemSize[0]", "FillType": "Random",
             "FillValue": 1000},
            {"Name": "n", "Type": "int32", "MemoryType": "Scalar"}]},
    "lkt": {"scalars": {"n": "ProblemSize[0]"}, "sizes": [[1000]]}}
WGSL = """\
override BLOCK: u32 = 32;
override SCALE = 2.0; // of every element
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(BLOCK)
fn scaled(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&y)) { y[id.x] = SCALE * x[id.x]; }
}
"""
WGSL_FLAGS = ["--size", "n=4096", "--arg", "x=n", "--arg", "y=n"]


def cuda_home():
    """A toolkit with nvcc, where lkt looks for one; else nothing."""
    found = [os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH")]
    found += [str(pathlib.Path(path).parent.parent) for path in filter(None, [shutil.which("nvcc")])]
    for home in map(pathlib.Path, filter(None, [*found, "/usr/local/cuda", "/opt/cuda"])):
        if (home / "bin/nvcc").exists() and (home / "include/cuda_runtime.h").exists():
            return home
    return None


HOME = cuda_home()
NVRTC = next((p for d in ("lib64", "lib") for p in sorted((HOME / d).glob("libnvrtc.so.*"))), None) if HOME else None


class Output(Case):
    def setUp(self):
        super().setUp()
        self.write("churn.cu", SLOW)
        self.write("churn.json", json.dumps(PROBLEM))
        talk = [{"lkt_cassette": 1, "origin": "written-by-hand", "match": "in-order"}, {"reply": {"text": REPLY}}]
        self.write("talk.jsonl", "".join(json.dumps(line) + "\n" for line in talk))

    def text(self, name):
        return (self.folder / name).read_text()

    def tuned(self, name):
        """The rewrite above wins, and is written to the file `name`. It is tuned once for all tests."""
        if not hasattr(Output, "kept"):
            # A busy machine may hide that it is faster; then another run decides.
            for _ in range(4):
                run = tempfile.TemporaryDirectory(prefix="lkt-tune-test-")
                for file in ("churn.cu", "churn.json", "talk.jsonl"):
                    shutil.copy(self.folder / file, run.name)
                done = self.run_tune("--problem", "churn.json", "--model", "replay:talk.jsonl", "--attempts", "1",
                                     "--quiet", "--launches", "7", "--journal", "run", "--output", "best.cu",
                                     "--json", "out.json", cwd=run.name)
                self.assertEqual(done.returncode, 0, done.stderr)
                if json.loads((pathlib.Path(run.name) / "out.json").read_text())["improved"]:
                    break
                run.cleanup()
            else:
                self.fail("no run of four found it faster: " + done.stdout)
            Output.kept = run
            self.addClassCleanup(run.cleanup)
        kept = pathlib.Path(Output.kept.name)
        for file in ("best.cu", "out.json"):
            shutil.copy(kept / file, self.folder)
        if name != "best.cu":
            done = self.run_tune("--resume", "run", "--quiet", "--output", name, cwd=kept)
            self.assertEqual(done.returncode, 0, done.stderr)
            shutil.copy(kept / name, self.folder)
        return self.text(name)

    def compiled(self, *command):
        done = subprocess.run([str(word) for word in command], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def verify(self, candidate, problem="churn.json"):
        program = PROGRAM.parent / "lkt-verify"
        if not program.exists():
            self.skipTest("lkt-verify is not built")
        return subprocess.run([str(program), "--problem", problem, "--candidate", candidate, "--quick", "--quiet",
                               "--json", "-"], cwd=self.folder, capture_output=True, text=True)

    def test_a_kernel_says_all_that_a_user_needs(self):
        text = self.tuned("best.cu")
        speedup = json.loads(self.text("out.json"))["speedup"]
        for word in ("// parameters  ITEMS=2", "// grid        ceil_div(n, 32 * ITEMS)",
                     "ProblemSize[0]=4096: grid 64, block 32", "host CPU", "// speed-up    ", "ProblemSize[0]=1000",
                     "tuned_block[] = {32, 1, 1}", "tuned_grid[] = {64, 1, 1}", f"speedup = {speedup:.6g}"):
            self.assertIn(word, text)
        # The values are those that won, where the text has others of the same name.
        self.assertIn("#define ITEMS 2\n", text)
        self.assertNotIn("#define ITEMS 1\n", text)
        self.assertEqual(text.count("#define FACTOR"), 1)

    def test_it_is_read_back_as_the_kernel_that_it_is(self):
        self.tuned("best.cu")
        done = self.verify("best.cu")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        # A value that a person changed in the text counts for the launch, too.
        self.write("edited.cu", self.text("best.cu").replace("#define ITEMS 2", "#define ITEMS 4"))
        self.assertEqual(self.verify("edited.cu").returncode, 0)
        self.write("short.cu", self.text("best.cu").replace("32 * ITEMS", "64 * ITEMS"))
        self.assertEqual(self.verify("short.cu").returncode, 1)
        self.write("damaged.cu", self.text("best.cu").replace('"format":1', '"format":7'))
        done = self.verify("damaged.cu")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("[lkt.kernel.note]", done.stderr)
        # The original of a problem it is not: its launch is its own.
        self.write("tuned.json", json.dumps(PROBLEM).replace("churn.cu", "best.cu"))
        done = self.run_tune("--problem", "tuned.json", "--strategy", "sweep")
        self.assert_one_clear_error(done, 3, "best.cu", "is what lkt-tune wrote of a tuned kernel", "--candidate")

        flags = ["--size", "ProblemSize[0]=4096", "--arg", "y=ProblemSize[0]", "--arg", "x=ProblemSize[0]",
                 "--arg", "n=ProblemSize[0]", "--strategy", "sweep", "--quiet", "--json", "out.json"]
        done = self.run_tune("best.cu", *flags, "--output", "again.cu")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(self.text("out.json"))["baseline"]["launch"]["grid"], [64, 1, 1])
        again = self.text("again.cu")
        for word in ("// lkt-kernel {", "\nnamespace lkt_tuned", "#define ITEMS 2"):
            self.assertEqual(again.count(word), 1, word)
        done = self.run_tune("best.cu", *flags, "--tune", "ITEMS=1,4")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(self.text("out.json"))["baseline"]["configuration"], {"ITEMS": 1})

    def test_it_is_tuned_again_and_its_problem_says_what_is_right(self):
        self.tuned("best.cu")
        flags = ["--problem", "churn.json", "--strategy", "sweep", "--quiet", "--json", "out.json"]
        done = self.run_tune("best.cu", *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(self.text("out.json"))
        self.assertEqual(report["baseline"]["launch"]["grid"], [64, 1, 1])
        self.assertEqual(report["baseline"]["configuration"], {"ITEMS": 2})
        self.assertIn("the expected outputs were computed by churn", "\n".join(report["notes"]))
        self.write("short.cu", self.text("best.cu").replace("32 * ITEMS", "64 * ITEMS"))
        self.assert_one_clear_error(self.run_tune("short.cu", *flags), 3, "[lkt.verify.oracle]", "does not compute")
        self.write("other.cu", self.text("churn.cu").replace("churn", "other"))
        self.assert_one_clear_error(self.run_tune("other.cu", *flags), 2, "cannot stand for the problem's kernel")
        # A kernel by somebody else has the problem's launch.
        self.write("mine.cu", self.text("churn.cu").replace("x, int n", "in, int n").replace("x[i]", "in[i]"))
        done = self.run_tune("mine.cu", *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(self.text("out.json"))["baseline"]["launch"]["block"], [64, 1, 1])

    def test_a_header_launches_it(self):
        text = self.tuned("best.hpp")
        self.assertEqual(self.verify("best.hpp").returncode, 0)
        # Whoever has neither nvcc nor the driver's headers computes the launch.
        compiler = os.environ.get("CXX", "c++")
        self.write("sizes.cpp", '#include "best.hpp"\n#include <cstdio>\nint main() {\n'
                   "    long long const sizes[] = {1, 64, 65, 100000, 1LL << 40, 0, -5};\n"
                   "    for (long long const n : sizes) {\n"
                   "        auto const d = lkt_tuned_churn::dimensions_at({n});\n"
                   '        std::printf("%d %u %u\\n", d.valid, d.grid[0], d.block[0]);\n    }\n'
                   '    std::fputs(lkt_tuned_churn::source, stdout);\n}\n')
        self.compiled(compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "sizes.cpp", "-o", "sizes")
        said = subprocess.run([str(self.folder / "sizes")], capture_output=True, text=True).stdout
        numbers, source = said.split("#define", 1)
        self.assertEqual(numbers.split("\n")[:7], ["1 1 32", "1 1 32", "1 2 32", "1 1563 32", "0 0 0", "0 0 0",
                                                   "0 0 0"])
        tuned = FAST.replace("#define ITEMS 1", "").replace("unroll ITEMS", "unroll 2")
        self.assertEqual("#define" + source, "#define ITEMS 2\n" + tuned)
        self.assertIn(tuned.lstrip("\n"), text)

    @unittest.skipUnless(HOME, "there is no CUDA toolkit with nvcc (CUDA_HOME, PATH, /usr/local/cuda)")
    def test_nvcc_compiles_it(self):
        nvcc = [HOME / "bin/nvcc", "-Wno-deprecated-gpu-targets", "-Xcompiler", "-Wall,-Wextra,-Werror", "-c"]
        self.tuned("best.cu")
        self.compiled(*nvcc, "best.cu", "-o", "best.o")
        for name in ("best.cuh",):
            self.tuned(name)
            self.write("program.cu", f'#define FACTOR 7\n#include "{name}"\n' """
static_assert(FACTOR == 7, "the header leaves its reader's macros alone");
int main() {
    lkt_tuned_churn::problem_size size;
    size.n = 1000;
    return lkt_tuned_churn::launch(size, nullptr, static_cast<unsigned*>(nullptr), nullptr, 1000);
}
""")
            self.compiled(*nvcc, "program.cu", "-o", "program.o")

    @unittest.skipUnless(NVRTC, "there is no NVRTC beside a CUDA toolkit (CUDA_HOME, PATH, /usr/local/cuda)")
    def test_nvrtc_compiles_it(self):
        self.tuned("best.h")
        self.write("program.cpp", '#include "best.h"\n#include <nvrtc.h>\n#include <cstdio>\n' """
namespace tuned = lkt_tuned_churn;
CUresult start(CUfunction f, CUdeviceptr y, CUdeviceptr x) { return tuned::launch(f, {1000}, nullptr, y, x, 1000); }
CUresult cuLaunchKernel(CUfunction, unsigned x, unsigned y, unsigned z, unsigned block, unsigned, unsigned,
                        unsigned shared, CUstream, void** arguments, void**) {
    std::printf("%u %u %u, %u, %u, %llx %d\\n", x, y, z, block, shared,
                *static_cast<unsigned long long*>(arguments[0]), *static_cast<int*>(arguments[2]));
    return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }
int main() {
    start(nullptr, 0xabcd, 2);
    nvrtcProgram program;
    if (nvrtcCreateProgram(&program, tuned::source, "churn.cu", 0, nullptr, nullptr)) return 1;
    if (nvrtcAddNameExpression(program, tuned::kernel)) return 2;
    int count = 0;
    while (tuned::options[count] != nullptr) ++count;
    if (nvrtcCompileProgram(program, count, tuned::options)) return 3;
    char const* name = nullptr;
    if (nvrtcGetLoweredName(program, tuned::kernel, &name)) return 4;
    std::puts(name);
}
""")
        self.compiled("c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{HOME}/include", "program.cpp", NVRTC,
                      f"-Wl,-rpath,{NVRTC.parent}", "-o", "program")
        done = subprocess.run([str(self.folder / "program")], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "16 1 1, 32, 0, abcd 1000\n_Z5churnPjPKji\n"), done.stderr)

    def test_wgsl(self):
        self.write("scaled.wgsl", WGSL)
        base = ["--strategy", "sweep", "--quiet", "--launches", "7", "--json", "out.json"]
        done = self.run_tune("scaled.wgsl", *WGSL_FLAGS, *base, "--tune", "BLOCK=64", "--tune", "SCALE=2.0",
                             "--output", "best.wgsl")
        if done.returncode == 3 and re.search(r"\[lkt\.webgpu\.(library|no-adapter)\]", done.stderr):
            self.skipTest("there is no WebGPU: " + done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = self.text("best.wgsl")
        self.assertIn("override BLOCK: u32 = 64u;\noverride SCALE = 2.0f; // of every element\n", text)
        self.assertIn("_workgroup_size = vec3<u32>(64u, 1u, 1u);", text)
        self.assertIn("_workgroups = vec3<u32>(64u, 1u, 1u);", text)
        # As it stands, for the device's compiler: nothing that lkt knows of it is used.
        self.write("plain.wgsl", "\n".join(line for line in text.split("\n") if "lkt-kernel" not in line))
        for name in ("best.wgsl", "plain.wgsl"):
            done = self.run_tune(name, *WGSL_FLAGS, *base)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(self.text("out.json"))["baseline"]["launch"]["block"], [64, 1, 1])

    def test_a_name_that_promises_another_language_is_refused_at_once(self):
        self.write("scaled.wgsl", WGSL)
        cases = ((["scaled.wgsl", *WGSL_FLAGS], "best.hpp", "best.cu"),
                 (["add.cu", "--size", "n=64", "--arg", "a=n", "--arg", "b=n", "--arg", "c=n"], "best.wgsl", "best.hip"))
        for flags, *names in cases:
            for name in names:
                done = self.run_tune(*flags, "--strategy", "sweep", "--output", name)
                self.assert_one_clear_error(done, 2, "--output " + name)
                self.assertFalse((self.folder / name).exists())

    def test_a_run_that_goes_on_writes_the_same(self):
        def known(text):  # all but the tests: a run that was at its end makes none again
            return [line for line in text.splitlines() if not re.match(r"//  ? {10}|// checked|.*checked\[\]", line)]

        first = self.tuned("best.cu")
        again = self.tuned("again.cu")
        self.assertEqual(known(first), known(again))
        self.assertIn("sizes: ProblemSize[0]=4096 | ", first.replace("\n//             ", " "))


if __name__ == "__main__":
    main()
