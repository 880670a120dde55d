# SPDX-License-Identifier: BSL-1.0
"""lkt-tune --store and lkt-store as their users meet them: a kernel is stored, found without a call, verified again, spoilt."""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STORE, TUNE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
DONE, REJECTED, USAGE, ENVIRONMENT, SUSPENDED = 0, 1, 2, 3, 4
os.environ["LKT_CACHE"] = os.environ.get("LKT_TEST_CACHE", "off")
os.environ["CUDA_VISIBLE_DEVICES"] = ""
KERNEL = """extern "C" __global__ void twice(float const* x, float* y, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    %s
}
"""
SLOW = KERNEL % "float volatile s = 0; for (int k = 0; k < 8000; ++k) s = x[i]; y[i] = 2.0f * s;"
FAST = KERNEL % "y[i] = x[i] + x[i];"
WRONG = KERNEL % "y[i] = x[i] + 1.0f;"
SIZES = ["--size", "n=2048", "--arg", "x=n", "--arg", "y=n", "--arg", "n=n", "--block", "64", "--grid", "ceil_div(n,64)"]


class Store(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="lkt-store-test-")
        self.folder = pathlib.Path(self._folder.name)
        (self.folder / "slow.cu").write_text(SLOW)

    def tearDown(self):
        self._folder.cleanup()

    def run_it(self, program, *arguments):
        return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False,
                              cwd=self.folder)

    def store(self, *arguments):
        return self.run_it(STORE, "--store", "kernels", *arguments)

    def tune(self, *arguments, replies=None, kernel="slow.cu"):
        model = []
        if replies is not None:
            lines = [{"lkt_cassette": 1, "origin": "written-by-hand", "match": "in-order"}]
            lines += [{"reply": {"text": f"```cuda\n{text}```\n", "finish": "stop"}} for text in replies]
            (self.folder / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
            model = ["--strategy", "one-prompt", "--model", "replay:replies.jsonl", "--attempts", len(replies)]
        done = self.run_it(TUNE, kernel, *SIZES, "--store", "kernels", "--backend", "host", "--launches", 15, "--quiet", "--json",
                           "out.json", *model, *arguments)
        report = self.folder / "out.json"
        return done, json.loads(report.read_text()) if report.exists() else None

    def names(self, *arguments):
        return [json.loads(line)["name"] for line in self.store("list", "--json", *arguments).stdout.splitlines()]

    def test_stored_found_verified_spoilt(self):
        done, report = self.tune(replies=[WRONG, FAST])
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertEqual(report["terminal"], "tuned", report["history"])
        rejected, accepted = self.names("--status", "rejected"), self.names("--status", "accepted")
        self.assertEqual((len(rejected), len(accepted)), (1, 1))
        self.assertRegex(accepted[0], r"^c_twice_2048_cuda_h[0-9a-f]{8}_[0-9a-f]{12}\.json$")

        # Found without a model: neither a server nor a key is needed.
        done, report = self.tune()
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertEqual((report["model"]["calls"], report["model"]["origin"]), (0, "stored"))
        self.assertIn(accepted[0], report["model"]["remark"])
        self.assertTrue(report["improved"])
        self.assertIn("x[i] + x[i]", report["best"]["kernel"]["text"])
        # Not for another problem, nor where the model is to be asked.
        for more, word in ((["--also-size", "n=17"], "has no kernel"), (["--ignore-stored"], "needs a model")):
            done, _ = self.tune(*more)
            self.assertEqual(done.returncode, USAGE, done.stderr)
            self.assertIn(word, done.stderr)

        # What is known of it.
        shown = json.loads(self.store("show", accepted[0], "--json").stdout)
        self.assertIn("x[i] + x[i]", shown["reply"])
        self.assertEqual([m["role"] for m in shown["prompt"]][:2], ["system", "user"])
        self.assertGreater(len(shown["tests"]), 3)
        record = shown["record"] if isinstance(shown["record"], dict) else json.loads(shown["record"])
        self.assertEqual({e["output"] for e in record["errors"]}, {"y"})
        self.assertGreater(len(record["errors"]), len(shown["tests"]) / 2)
        self.assertTrue(all(0 <= e["mean"] <= e["largest"] < 1e-3 and e["values"] > 0 for e in record["errors"]))
        self.assertLess(shown["median_s"], shown["baseline_s"])
        self.assertIn("--- kernel", self.store("show", accepted[0]).stdout)
        row = json.loads(self.store("stats", "--json").stdout)
        self.assertEqual((row["runs"], row["replies"], row["right"], row["accepted"]), (1, 2, 1, 1))
        self.assertEqual(self.store("export", "c_twice", "--output", "best.cu").returncode, DONE)
        self.assertIn("// lkt-kernel {", (self.folder / "best.cu").read_text())
        for name in ("best.wgsl", "best.hpp"):
            done = self.store("export", "c_twice", "--output", name)
            self.assertEqual(done.returncode, USAGE, done.stderr)
            self.assertIn("name it FILE.cu", done.stderr)

        # A wrong kernel, well wrapped up, is neither served nor kept as right.
        entry = self.folder / "kernels" / accepted[0]
        text = entry.read_text().replace("x[i] + x[i]", "x[i] + 1.0f")
        body = text[:text.rindex('  "entry_sha256"')]
        entry.write_text(body + f'  "entry_sha256": "{hashlib.sha256(body.encode()).hexdigest()}"\n}}\n')
        renamed = self.store("verify").stdout
        name = re.search(r"this is the entry (\S+) under", renamed)
        self.assertTrue(name, renamed)
        entry.rename(entry.with_name(name[1]))
        self.assertEqual(self.store("verify").returncode, DONE)
        done, _ = self.tune()
        self.assertEqual(done.returncode, USAGE, done.stderr)
        self.assertIn("verified again, it is wrong", done.stderr)
        self.assertEqual((len(self.names("--status", "rejected")), self.names("--status", "accepted")), (2, []))

    def test_what_never_became_right_is_kept(self):
        problem = {"KernelSpecification": {"KernelName": "twice", "ProblemSize": [64]}, "lkt": {"size_names": ["n"], "operation": {
            "numpy": {"source": "def f(x):\n    return 2 * x\n", "function": "f"}, "inputs": [{"name": "x", "shape": ["n"]}],
            "outputs": [{"name": "y", "shape": ["n"]}]}}}
        (self.folder / "p.json").write_text(json.dumps(problem))
        lines = [{"lkt_cassette": 1, "origin": "written-by-hand", "match": "in-order"},
                 {"reply": {"text": f"```cuda\n{WRONG}```\n", "finish": "stop"}}]
        (self.folder / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        done = self.run_it(TUNE, "--problem", "p.json", "--store", "kernels", "--strategy", "sweep", "--backend", "host", "--quiet",
                           "--model", "replay:replies.jsonl")
        self.assertEqual(done.returncode, ENVIRONMENT, done.stderr)
        self.assertEqual(len(self.names("--status", "rejected")), 1)
        for folder in ("kernels", "new"):  # no kernel that may be served
            done = self.run_it(TUNE, "--problem", "p.json", "--store", folder, "--strategy", "sweep", "--backend", "host")
            self.assertEqual(done.returncode, USAGE, done.stderr)
            self.assertIn(f"the store {folder} has no kernel for this problem", done.stderr)
        planned = self.run_it(TUNE, "--problem", "p.json", "--store", "kernels", "--strategy", "sweep", "--backend", "host", "--dry-run")
        self.assertIn("kernels: kernels, which is there", planned.stdout)

        # Whoever writes a kernel for another operation of this kind hears of it, unless told otherwise.
        problem["KernelSpecification"]["KernelName"] = "thrice"
        problem["lkt"]["operation"]["numpy"]["source"] = "def f(x):\n    return 3 * x\n"
        (self.folder / "p.json").write_text(json.dumps(problem))
        for number, told in ((2, True), (0, False)):
            done = self.run_it(TUNE, "--problem", "p.json", "--store", "kernels", "--strategy", "sweep", "--backend", "host", "--quiet",
                               "--examples", number, "--model", f"mailbox:box{number}", "--suspend", "--journal", f"run{number}")
            self.assertEqual(done.returncode, SUSPENDED, done.stderr)
            question = next((self.folder / f"box{number}").glob("*.request.md")).read_text()
            self.assertEqual("`twice` was rejected:" in question, told, question)
        self.assertEqual(self.run_it(TUNE, "--problem", "p.json", "--store", "kernels", "--examples", "9").returncode, USAGE)

    def test_damage_is_named_and_removed(self):
        folder = self.folder / "kernels"
        folder.mkdir()
        torn = "c_twice_2048_cuda_h01234567_0123456789ab.json"
        (folder / torn).write_text('{"lkt_kernel_entry": 1, "status"')
        (folder / "r_add_one_i8_o8_h01234567.json").write_text(json.dumps({
            "uuid": "u", "timestamp": "2025-09-26T10:00:00", "status": "rejected", "operation": "add_one", "torch_source": "s",
            "torch_hash": "h", "llm_request": {"model": "gpt-4o", "user_prompt": "write"},
            "llm_response": {"raw_completion": "\x1b[2Jr", "extracted_kernel": "k", "usage": {"prompt_tokens": 1}},
            "validation": {"num_passed": 3, "num_total": 10}, "metadata": {}}))
        later = torn.replace("0123456789ab", "0123456789ac")
        (folder / later).write_text('{"lkt_kernel_entry": 3}')
        (folder / "notes.json").write_text("{}")
        (folder / "link.json").symlink_to("/dev/zero")
        os.mkfifo(folder / "pipe.json")
        done = self.store("list")
        self.assertEqual(done.returncode, DONE)
        self.assertIn("YoloKernelGen", done.stdout)
        self.assertIn(f"{torn}: torn", done.stderr)
        self.assertIn("3 of 10 tests passed", self.store("show", "add_one").stdout)
        self.assertNotIn("\x1b", self.store("show", "add_one").stdout)
        done = self.store("verify")
        self.assertEqual(done.returncode, REJECTED)
        self.assertEqual({line.split(":")[0] for line in done.stdout.splitlines()[:-1]},
                         {f"damaged   {torn}", f"skipped   {later}", "skipped   notes.json"})
        self.assertIn("1 entries are whole, 1 damaged; 2 other files were skipped", done.stdout)
        self.assertIn(f"{torn}: damaged", self.store("gc", "--dry-run").stdout)
        self.assertTrue((folder / torn).exists())
        self.assertIn("1 files", self.store("gc").stdout)
        self.assertEqual(self.store("verify").returncode, DONE)  # what a later lkt wrote, or somebody else, is not damaged
        self.assertTrue((folder / later).exists())
        self.assertTrue((folder / "r_add_one_i8_o8_h01234567.json").exists())

    def test_usage(self):
        said = self.run_it(STORE, "--help").stdout
        page = (ROOT / "docs/lkt-store.md").read_text()
        self.assertEqual(re.findall(r"^\| `(--[a-z-]+)", page, re.M), re.findall(r"^  (--[a-z-]+)", said, re.M))
        self.assertRegex(self.run_it(STORE, "--version").stdout, r"^lkt-store \d+\.\d+\.\d+\n$")
        for arguments, status, word in ((["list"], ENVIRONMENT, "lkt.store.folder"), (["lits"], USAGE, "did you mean list?"),
                                        (["show"], USAGE, "needs the name"), (["list", "--keep", "3"], USAGE, "not for list"),
                                        (["gc", "c_"], USAGE, "whole store"), (["list", "--status", "good"], USAGE, "accepted")):
            done = self.store(*arguments)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(word, done.stderr)
        self.assertIn("no store", self.run_it(STORE, "list").stderr)
        (self.folder / "kernels").mkdir()
        for arguments, word in ((["verify", "c_"], "what was asked for"), (["verify", "--device", "0"], "without --problem"), (["show", ""], "an empty text")):
            done = self.store(*arguments)
            self.assertEqual(done.returncode, USAGE, done.stderr)
            self.assertIn(word, done.stderr)
        (self.folder / "kernels").rmdir()
        (self.folder / "kernels").write_text("a file")
        done, _ = self.tune("--strategy", "sweep")
        self.assertEqual(done.returncode, ENVIRONMENT, done.stderr)
        self.assertIn("lkt.store.folder", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
