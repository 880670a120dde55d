# SPDX-License-Identifier: BSL-1.0
"""lkt-scan as its users meet it: statuses, messages, files, resuming after SIGKILL, Ctrl-C."""

import csv
import io
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

from support import DATA, DONE, ENVIRONMENT, INTERRUPTED, NOTHING, PROGRAM, ROOT, SOME_FAILED, USAGE, rows, run

SIZES = ("--m", "1..8:x2", "--n", "64", "--k", "N")
# A ckProfiler that leaves a word behind each time that it is called, and takes its time from the third on.
FAKE = f"""#!/bin/sh
echo "$8" >> calls
[ "$8" -ge 4 ] && [ -e slow ] && sleep 30
cat '{DATA}/stock.txt'
"""


class Usage(unittest.TestCase):
    def refuse(self, *arguments, words=()):
        done = run(*arguments)
        self.assertEqual(done.returncode, USAGE, done.stderr)
        self.assertTrue(done.stderr.startswith("lkt-scan: "), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_help_version_and_manual(self):
        said = run("--help").stdout
        for word in ("Examples:", "Exit status", "RANGE"):
            self.assertIn(word, said)
        self.assertRegex(run("--version").stdout, r"^lkt-scan \d+\.\d+\.\d+\n$")
        page = (ROOT / "docs/lkt-scan.md").read_text()
        self.assertEqual(re.findall(r"^\| `(--[a-z-]+)", page, re.M), re.findall(r"^  (--[a-z-]+)", said, re.M))
        self.assertIn("5.3 TB/s", run("--list-accelerators").stdout)

    def test_misuse(self):
        self.refuse(words=["no products were given"])
        self.refuse("--m", "4..1", "--n", 1, "--k", 1, words=["its end is below its begin"])
        self.refuse("--n", "M", "--m", "N", "--k", 1, words=["[lkt.scan.axes]"])
        self.refuse("--m", "9..1:+1,1", "--n", 1, "--k", 1, words=["[lkt.scan.range]"])
        self.refuse("--m", "9,1", "--n", "M - 5", "--k", 1, words=["[lkt.scan.gemm-size]"])
        self.refuse(*SIZES, "--engine", "ckprofilr", words=["did you mean ckprofiler"])
        self.refuse(*SIZES, "--dtype", "f61", words=["`f61`"])
        self.refuse(*SIZES, "--accelerator", "MI300Y", words=["did you mean"])
        self.refuse(*SIZES, "--engin", "simulated", words=["--engine"])
        self.refuse(*SIZES, "--hipblaslt", "a", words=["--hipblaslt needs --engine hipblaslt"])
        self.refuse(*SIZES, "--resume", words=["--jsonl"])
        self.refuse(*SIZES, "--csv", "a", "--markdown", "a", words=["one file"])
        self.refuse("compare", "/nowhere/a", "/nowhere/b", words=["lkt.file.missing"])
        self.refuse("compare", "a", words=["compare takes two files"])
        self.refuse("show", words=["show needs a file"])
        self.refuse("shw", "a", words=["did you mean show"])
        self.refuse("show", "a", "--m", 4, words=["--m is for a scan", "--where"])
        self.refuse("space", "a", "--resume", words=["--resume is for a scan"])
        self.refuse("compare", "a", "b", "--no-verify", words=["--no-verify is for a scan"])
        self.refuse("show", "a", "--cublaslt", "x.so", words=["--cublaslt is for a scan"])
        self.refuse("space", "a", "--time-limit", 5, words=["--time-limit is for a scan"])
        self.refuse("--engine", "ckprofiler", "--from", "/nowhere/a", words=["lkt.file.missing"])

    def test_a_simulated_scan_in_all_forms(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            done = run(*SIZES, "--dtype", "f16,fp8,int4", "--jsonl", "run.jsonl", "--csv", "-", "--markdown", "best.md",
                       "--html", "page.html",
                       folder=folder)
            self.assertEqual(done.returncode, DONE, done.stderr)
            table = rows(path / "run.jsonl")
            self.assertEqual(sum(row["best"] for row in table), 8)
            self.assertEqual(sum(row["status"] == "refused" for row in table), 4)  # MI300X has no int4
            self.assertEqual([row["instance"] for row in csv.DictReader(io.StringIO(done.stdout))],
                             [row["instance"] for row in table])
            self.assertEqual((path / "page.html").read_text().count("<circle"), 8)
            self.assertEqual((path / "best.md").read_text().count("| simulated |"), 8)
            # All refused is no success, now and when it is resumed.
            for _ in range(2):
                done = run(*SIZES, "--dtype", "int4", "--jsonl", path / "none.jsonl", "--resume", "--csv", "-")
                self.assertEqual(done.returncode, NOTHING, done.stderr)
                self.assertEqual(done.stdout.count(",refused,"), 4)
            self.assertEqual(run(*SIZES, "--jsonl", path / "run.jsonl").returncode, USAGE)
            same = run("compare", path / "run.jsonl", path / "run.jsonl").stdout
            self.assertIn("8 products in both runs, geometric mean of the speed-ups 1\n", same)
            shown = run(*SIZES, "--dry-run", "--accelerator", "H100").stdout
            self.assertIn("4 products\n  1x64x64 f16 rrr: 8.192 kFLOP", shown)
            shown = run("--m", 2, "--n", 3, "--k", 4, "--layout", "rcr", "--gap", 5, "--dry-run").stdout
            self.assertIn("2x3x4 f16 rcr strides=9,9,8: ", shown)
            self.refuse(*SIZES, "--gap", -1, words=["--gap"])

    def scan_slowly(self, folder):
        """Starts a scan, and returns when its third product is being measured."""
        fake = pathlib.Path(folder) / "ckProfiler"
        fake.write_text(FAKE)
        fake.chmod(0o700)
        (pathlib.Path(folder) / "slow").touch()
        child = subprocess.Popen([PROGRAM, *self.scan], cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        calls = pathlib.Path(folder) / "calls"
        until = time.monotonic() + 30
        while time.monotonic() < until and (not calls.exists() or len(calls.read_text().split()) < 3):
            time.sleep(0.02)
        return child

    scan = [*SIZES, "--engine", "ckprofiler", "--ckprofiler", "./ckProfiler", "--jsonl", "run.jsonl", "--quiet"]

    def test_killed_and_resumed_nothing_is_repeated(self):
        for ended_by, status in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, INTERRUPTED)):
            with self.subTest(ended_by), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder)
                child = self.scan_slowly(folder)
                child.send_signal(ended_by)
                child.communicate(timeout=300)
                self.assertEqual(child.returncode, status)
                with open(path / "run.jsonl", "a") as log:
                    log.write(log and (path / "run.jsonl").read_text()[:300])  # as if a line were torn
                (path / "slow").unlink()
                done = run(*self.scan, "--resume", folder=folder)
                self.assertEqual(done.returncode, DONE, done.stderr)
                self.assertEqual((path / "calls").read_text().split(), ["1", "2", "4", "4", "8"])
                table = rows(path / "run.jsonl")
                self.assertEqual([row["m"] for row in table if row["best"]], [1, 2, 4, 8])
                self.assertEqual(len(table), 12)

    def test_cublaslt(self):
        library = os.environ.get("LKT_FAKE_CUBLASLT", "")
        if not os.path.exists(library):
            self.skipTest("no stand-in for cuBLASLt")
        scan = ("--engine", "cublaslt", "--n", 24, "--k", 40, "--dtype", "f16", "--iterations", 5, "--workspace", 1)
        with tempfile.TemporaryDirectory() as folder:
            out = ("--jsonl", "run.jsonl", "--markdown", "run.md")
            # 13 rows end the worker, 19 are refused; the scan goes on.
            done = run(*scan, "--m", "7,13,19,8", *out, folder=folder, LKT_CUDA_DRIVER=library, LKT_CUBLASLT=library)
            self.assertEqual(done.returncode, SOME_FAILED, done.stderr)
            table = rows(pathlib.Path(folder) / "run.jsonl")
            self.assertEqual([row["status"] for row in table], ["measured"] * 3 + ["failed", "refused"] + ["measured"] * 3)
            self.assertEqual([row["verdict"] for row in table if row["status"] == "measured"],
                             ["wrong", "correct", "correct"] * 2)
            best = [row for row in table if row["best"]]
            self.assertEqual([row["m"] for row in best], [7, 8])
            self.assertTrue(all(row["time_again_s"] and row["workspace_bytes"] == 64 for row in best), best)
            self.assertIn("cuBLASLt 13.1.0", best[0]["message"])
            fake = {"LKT_CUDA_DRIVER": library, "LKT_CUBLASLT": library}
            done = run(*scan, "--m", "7,8", *out, "--resume", folder=folder, **fake)
            self.assertEqual(done.returncode, DONE, done.stderr)
            self.assertIn("2 products were measured before", done.stderr)
            # Whether it is the same device cannot be said without one.
            done = run(*scan, "--m", "7,8", *out, "--resume", folder=folder, LKT_CUDA_DRIVER="/nowhere")
            self.assertEqual(done.returncode, ENVIRONMENT, done.stderr)
            done = run(*scan, "--m", "7,8", *out, "--resume", "--seed", 2, folder=folder, **fake)
            self.assertEqual(done.returncode, DONE, done.stderr)
            self.assertIn("2 products are in the file of another device or with other settings", done.stderr)
            self.assertEqual(len(rows(pathlib.Path(folder) / "run.jsonl")), 8 + 6)
            done = run(*scan, "--m", 9, folder=folder, LKT_CUDA_DRIVER="/nowhere")
            self.assertEqual(done.returncode, ENVIRONMENT)
            self.assertIn("there is no CUDA driver", done.stderr)
            self.assertEqual(run(*scan, "--m", 9, "--device", "GPU-1").returncode, USAGE)

    def test_own_kernel(self):
        problem = ROOT / "examples/kernels/matrix_multiply.json"
        scan = ("--engine", "kernel", "--problem", problem, "--backend", "host", "--iterations", 3, "--warm-ups", 0,
                "--n", 24, "--k", 40)
        with tempfile.TemporaryDirectory() as folder:
            done = run(*scan, "--m", "1,33", "--dtype", "f32,f16", "--jsonl", "run.jsonl", folder=folder)
            self.assertEqual(done.returncode, DONE, done.stderr)
            table = rows(pathlib.Path(folder) / "run.jsonl")
            measured = [row for row in table if row["status"] == "measured"]
            self.assertEqual({row["verdict"] for row in measured}, {"correct"})
            self.assertEqual({row["engine"] for row in table}, {"kernel:matrix_multiply"})
            self.assertEqual(sum(row["best"] for row in table), 2)
            self.assertEqual(sum(row["status"] == "refused" for row in table), 2)  # it multiplies floats
            # Its own type is the default.
            shown = run(*scan, "--m", 33, "--dry-run").stdout
            self.assertIn("1 products\n  33x24x40 f32 rrr: ", shown)
            # One that forgets the last column, in the file that names it.
            text = (ROOT / "examples/kernels/matrix_multiply.cu").read_text()
            wrong = pathlib.Path(folder) / "wrong.cu"
            wrong.write_text(text.replace("column >= n", "column >= n - 1"))
            self.assertNotEqual(wrong.read_text(), text)
            done = run(*scan, "--kernel", wrong, "--m", 33, "--dtype", "f32", "--configurations", 1, "--csv", "-")
            self.assertEqual(done.returncode, NOTHING, done.stderr)
            self.assertIn("lkt-scan: no product of this scan has a result", done.stderr)
            self.assertIn("kernel:wrong.cu", done.stdout)
            self.assertEqual([row["verdict"] for row in csv.DictReader(io.StringIO(done.stdout))], ["wrong"])
            # A layout that is not the kernel's.
            done = run(*scan, "--m", 33, "--dtype", "f32", "--layout", "ccr", "--configurations", 1, "--csv", "-")
            self.assertEqual([row["verdict"] for row in csv.DictReader(io.StringIO(done.stdout))], ["wrong"])
        self.refuse(*SIZES, "--engine", "kernel", words=["--problem"])
        self.refuse(*SIZES, "--engine", "kernel", "--problem", ROOT / "examples/kernels/sigmoid.json",
                    words=["is no matrix product"])
        self.refuse(*SIZES, "--problem", problem, words=["--engine kernel"])

    def test_epilogues(self):
        library = os.environ.get("LKT_FAKE_CUBLASLT", "")
        sizes = ("--m", 9, "--n", 24, "--k", 40, "--dtype", "f32")
        with tempfile.TemporaryDirectory() as folder:
            out = ("--jsonl", "run.jsonl", "--resume", "--markdown", "run.md", "--html", "page.html")
            if os.path.exists(library):
                fake = {"LKT_CUDA_DRIVER": library, "LKT_CUBLASLT": library}
                lt = (*sizes, "--engine", "cublaslt", "--iterations", 2, *out)
                self.assertEqual(run(*lt, "--epilogue", "bias", folder=folder, **fake).returncode, DONE)
                done = run(*lt, "--epilogue", "none,bias", "--epilogue", "gelu_bias", folder=folder, **fake)
                self.assertIn("1 products were measured before", done.stderr)
                best = [row for row in rows(pathlib.Path(folder) / "run.jsonl") if row["best"]]
                self.assertEqual([(row["epilogue"], row["operations"]) for row in best],
                                 [(name, 9 * 24 * (80 + flops)) for name, flops in (("bias", 1), ("none", 0), ("gelu_bias", 10))])
                self.assertEqual(best[0]["bytes"], best[1]["bytes"] + 24 * 4)
            # The user's kernel in the same table; without the bias it is another product.
            own = (*sizes, "--engine", "kernel", "--problem", ROOT / "tests/lkt_scan/data/linear_gelu.json", "--backend", "host",
                   "--iterations", 2, "--warm-ups", 0, "--configurations", 1, *out)
            done = run(*own, "--epilogue", "gelu_bias,relu_bias,gelu", folder=folder)
            self.assertEqual(done.returncode, SOME_FAILED, done.stderr)
            found = [row for row in rows(pathlib.Path(folder) / "run.jsonl") if row["engine"] == "kernel:linear_gelu"]
            self.assertEqual([(row["epilogue"], row["verdict"]) for row in found if row["status"] == "measured"],
                             [("gelu_bias", "correct"), ("relu_bias", "wrong")])
            self.assertEqual([row["message"] for row in found if row["status"] == "refused"],
                             ["the kernel reads a bias, and this product has none"])
            page = (pathlib.Path(folder) / "run.md").read_text()
            self.assertIn(r"| 9x24x40 f32 rrr epilogue=gelu\_bias | kernel:linear\_gelu |", page)
            self.assertIn("epilogue=gelu_bias", (pathlib.Path(folder) / "page.html").read_text())
        self.refuse(*SIZES, "--epilogue", "relu,geluu", words=["did you mean gelu"])
        self.refuse(*SIZES, "--epilogue", "gelu", "--dtype", "int8", words=["lkt.scan.gemm-epilogue"])

    def test_convolutions(self):
        problem = ROOT / "tests/lkt_scan/data/convolution.json"
        sizes = [word for size in ("n=2", "c=3", "h=9", "w=H-1", "k=4", "r=3", "s=R", "padding=0,1", "stride=1,2")
                 for word in ("--size", size)]
        with tempfile.TemporaryDirectory() as folder:
            scan = (*sizes, "--operation", "conv", "--jsonl", "run.jsonl", "--html", "page.html")
            done = run(*scan, "--dtype", "f32", folder=folder)
            self.assertEqual(done.returncode, DONE, done.stderr)
            own = ("--engine", "kernel", "--problem", problem, "--backend", "host", "--iterations", 2, "--warm-ups", 0,
                   "--configurations", 1, "--resume")
            done = run(*scan, *own, folder=folder)
            self.assertEqual(done.returncode, DONE, done.stderr)
            table = rows(pathlib.Path(folder) / "run.jsonl")
            measured = [row for row in table if row["engine"] == "kernel:convolution"]
            self.assertEqual([(row["stride"], row["padding"], row["verdict"]) for row in measured],
                             [(1, 0, "correct"), (1, 1, "correct"), (2, 0, "correct"), (2, 1, "correct")])
            self.assertEqual(measured[3]["operations"], 2 * 2 * 4 * 5 * 4 * 3 * 9)
            self.assertEqual((pathlib.Path(folder) / "page.html").read_text().count("<circle"), 8)
            shown = run("show", "run.jsonl", "--best", "--where", "padding == 1 and stride == 2", folder=folder).stdout
            self.assertEqual(shown.count("| conv 2x3x9x8 4x3x3 f32 nchw stride=2 padding=1 |"), 2)
            # The kernel reads another layout, and one that forgets the padding.
            done = run(*scan, *own, "--layout", "nhwc", "--csv", "-", folder=folder)
            self.assertEqual(done.returncode, NOTHING, done.stderr)
            wrong = [row for row in csv.DictReader(io.StringIO(done.stdout)) if row["layout"] == "nhwc"]
            self.assertEqual([row["verdict"] for row in wrong], ["wrong"] * 4)
            # Shapes of layers, in the table of products as well.
            (pathlib.Path(folder) / "layers.csv").write_text("layer,N,C,H,W,K,R,S,stride\nfirst,2,3,9,9,4,3,3,2\n")
            done = run("--operation", "conv", "--shapes", "layers.csv", "--dry-run", folder=folder)
            self.assertIn("1 products\n  conv 2x3x9x9 4x3x3 f16 nchw stride=2: 6.912 kFLOP", done.stdout)
        for words, said in ((("--size", "C=3"), "lkt.scan.axes"), (("--size", "groups=2"), "the groups have to divide C and K"),
                            (("--size", "N=3"), "twice"), (("--layout", "rrr"), "nchw"), (("--engine", "cublaslt"), "--operation"),
                            (("--alpha", 2), "--operation gemm"), (("--epilogue", "bias"), "--operation gemm"), (("--function", "add"), "--operation elementwise")):
            self.refuse("--operation", "conv", *(sizes if words != ("--size", "C=3") else ()), *words, words=[said])

    def test_element_wise_operations(self):
        problem = ROOT / "examples/kernels/sigmoid.json"
        scan = ("--operation", "elementwise", "--size", "elements=1000..4000:x4")
        done = run(*scan, "--function", "sigmoid,tanh", "--engine", "kernel", "--problem", problem, "--backend", "host",
                   "--iterations", 2, "--warm-ups", 0, "--configurations", 1, "--csv", "-")
        self.assertEqual(done.returncode, SOME_FAILED, done.stderr)
        self.assertEqual([(row["function"], row["elements"], row["verdict"]) for row in csv.DictReader(io.StringIO(done.stdout))],
                         [("sigmoid", "1000", "correct"), ("sigmoid", "4000", "correct"), ("tanh", "1000", "wrong"),
                          ("tanh", "4000", "wrong")])
        shown = run(*scan, "--function", "other", "--size", "inputs=2", "--size", "flops=1..16:x4", "--dry-run").stdout
        self.assertIn("other 4000 f16 inputs=2 flops=16: 64 kFLOP, 24 kB, 2.667 FLOP/B", shown)
        self.refuse(*scan, "--function", "sigmod", words=["did you mean sigmoid"])
        self.refuse(*scan, "--function", "other", words=["lkt.scan.elementwise-operands"])
        self.refuse(*scan, "--dtype", "int8", "--function", "gelu", words=["lkt.scan.elementwise-function"])
        self.refuse(*scan, "--layout", "rrr", words=["no --layout"])
        self.refuse(*scan, "--m", 4, words=["`M=4` names no extent"])
        self.refuse("--operation", "sum", words=["operations: gemm, conv, elementwise"])

    def test_instances_as_a_space(self):
        with tempfile.TemporaryDirectory() as folder:
            run("--engine", "ckprofiler", "--from", DATA / "fork.jsonl", "--jsonl", "run.jsonl", folder=folder)
            done = run("space", "run.jsonl", folder=folder)
            self.assertEqual(done.returncode, DONE, done.stderr)
            self.assertIn("DeviceGemmWmma_CShuffle: ", done.stdout)
            self.assertRegex(done.stdout, r"\| m_block \| .*\(1\)")
            run(*SIZES, "--jsonl", "other.jsonl", folder=folder)
            done = run("space", "other.jsonl", folder=folder)
            self.assertEqual(done.returncode, SOME_FAILED)
            self.assertIn("`tile 256x256x64` is no instance of Composable Kernel", done.stderr)
        self.refuse("space", words=["space needs a file"])

    def test_configurations_of_a_space_are_compiled(self):
        """By a program that stands in for clang; the real one and Composable Kernel: tests/scan/ck."""
        with tempfile.TemporaryDirectory() as folder:
            at = pathlib.Path(folder)
            (at / "ck").mkdir()
            compiler = at / "clang++"
            compiler.write_text("#!/bin/sh\ngrep -q 64,.64,.32 instance.hip && echo '/x/grid.hpp:9:1: error: static "
                                "assertion failed: \"wrong!\"' >&2\nexit 1\n")
            compiler.chmod(0o755)
            run("--engine", "ckprofiler", "--from", DATA / "fork.jsonl", "--jsonl", "run.jsonl", folder=folder)
            how = ("space", "run.jsonl", "--compile", 3, "--ck", ".", "--clang", "./clang++", "--arch", "gfx1100")
            done = run(*how, folder=folder)
            self.assertEqual(done.returncode, ENVIRONMENT, done.stderr)
            self.assertIn("has no file ck/ck.hpp", done.stderr)
            for name in ("ck.hpp", "config.h"):
                (at / "ck" / name).touch()
            done = run(*how[:-3], str(compiler), *how[-2:], "--sources", "kept/here", folder=folder)
            self.assertEqual(done.returncode, NOTHING, done.stderr)
            self.assertIn("DeviceGemmWmma_CShuffle for gfx1100: 0 of 3 configurations compile", done.stdout)
            self.assertIn('| yes | grid.hpp:9:1: error: static assertion failed: "wrong!" |', done.stdout)
            self.assertIn("| no | the compiler says nothing |", done.stdout)
            self.assertIn("3/3 DeviceGemmWmma_CShuffle block_size=", done.stderr)
            self.assertEqual(len(list((at / "kept/here").glob("DeviceGemmWmma_CShuffle-*.hip"))), 3)
        self.refuse("--compile", 3, *SIZES, words=["--compile needs lkt-scan space"])
        self.refuse("space", "run.jsonl", "--arch", "gfx942", words=["--arch needs lkt-scan space and --compile"])
        self.refuse("space", "run.jsonl", "--compile", 0, words=["--compile must be 1 to 100000"])
        self.refuse("space", "run.jsonl", "--compile", 1, "--arch", "sm_90", words=["--arch must be an architecture of AMD's"])

    def test_show(self):
        with tempfile.TemporaryDirectory() as folder:
            run(*SIZES, "--dtype", "f16,fp8", "--jsonl", "run.jsonl", folder=folder)
            shown = run("show", "run.jsonl", "--best", "--where", "type == 'f16' and m > 1", folder=folder)
            self.assertEqual(shown.returncode, DONE, shown.stderr)
            self.assertEqual(shown.stdout.count("\n| "), 1 + 3 - 1)
            self.assertIn("| 8x64x64 f16 rrr | simulated |", shown.stdout)
            shown = run("show", "run.jsonl", "run.jsonl", "--group-by", "type,m", folder=folder)
            self.assertRegex(shown.stdout, r"\n\| f16 \| 1 \| 12 \| ")
            shown = run("show", "run.jsonl", "--where", "m == 1", "--csv", "-", "--markdown", "one.md", folder=folder)
            self.assertIn("| 1x64x64 f16 rrr | simulated |", pathlib.Path(folder, "one.md").read_text())
            self.assertEqual({row["m"] for row in csv.DictReader(io.StringIO(shown.stdout))}, {"1"})
            # Runs with other settings, and a part of each.
            run(*SIZES, "--dtype", "f16", "--seed", 2, "--jsonl", "other.jsonl", folder=folder)
            compared = run("compare", "run.jsonl", "other.jsonl", "--where", "m == 8 and type == 'f16'", folder=folder).stdout
            self.assertIn("1 products in both runs", compared)
            self.assertRegex(compared, "before: MI300X .simulated.; .* seed=1\n")
            self.assertRegex(compared, "after: MI300X .simulated.; .* seed=2\n")
            for words, said in ((("--where", "mm == 1"), "lkt.scan.field"), (("--where", "m =="), "lkt.expression.parse"),
                                (("--group-by", "typ"), "did you mean type?")):
                done = run("show", "run.jsonl", *words, folder=folder)
                self.assertEqual(done.returncode, USAGE, done.stderr)
                self.assertIn(said, done.stderr)
        self.refuse(*SIZES, "--best", words=["lkt-scan show"])
        self.refuse("compare", "a", "b", "--best", words=["lkt-scan show"])
        self.refuse("show", "--where", "m == 1", words=["show needs a file"])

    def test_two_scans_into_one_file_and_a_full_disk(self):
        with tempfile.TemporaryDirectory() as folder:
            child = self.scan_slowly(folder)
            done = run(*SIZES, "--jsonl", "run.jsonl", "--resume", folder=folder)
            child.kill()
            child.communicate(timeout=300)
            self.assertEqual(done.returncode, ENVIRONMENT, done.stderr)
            self.assertIn("run.jsonl", done.stderr)
            (pathlib.Path(folder) / "other.jsonl").write_text("other\n")
            done = run(*SIZES, "--jsonl", "other.jsonl", "--resume", folder=folder)
            self.assertEqual(done.returncode, USAGE)
            self.assertIn("other.jsonl: line 1 is no result of a scan", done.stderr)
            self.assertEqual((pathlib.Path(folder) / "other.jsonl").read_text(), "other\n")
        done = run(*SIZES, "--csv", "/dev/full")
        self.assertEqual(done.returncode, ENVIRONMENT)
        self.assertIn("/dev/full", done.stderr)

    def test_a_missing_profiler_and_one_that_fails(self):
        done = run(*SIZES, "--engine", "ckprofiler", "--ckprofiler", "/nowhere/ck")
        self.assertEqual(done.returncode, ENVIRONMENT)
        self.assertIn("lkt.scan.ck-missing", done.stderr)
        done = run(*SIZES, "--engine", "ckprofiler", "--ckprofiler", "/bin/false", "--csv", "-")
        self.assertEqual(done.returncode, NOTHING)
        self.assertEqual(done.stdout.count(",failed,"), 4)


if __name__ == "__main__":
    unittest.main(verbosity=1)
