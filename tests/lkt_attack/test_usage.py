# SPDX-License-Identifier: BSL-1.0
"""lkt-attack as its users meet it: statuses, messages, the record, a run that goes on, Ctrl-C."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROBLEM = ROOT / "tests/lkt_verify/cases/problems/vecadd.json"
NONE, THROUGH, USAGE, ENVIRONMENT, SUSPENDED, INTERRUPTED = 0, 1, 2, 3, 4, 130
PROGRAM = None

KERNEL = """WRONG: {claim}
{size}```cuda
__global__ void vecadd(float const* a, float const* b, float* c, int n) {{
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = {value};
}}
```
"""
# Only one number in four thousand million shows that it is wrong.
RARE = "__float_as_uint(a[i]) * __float_as_uint(a[i]) * 2654435761u == 2161566465u ? 0.f : a[i] + b[i]"
# Likewise, without a branch that could be seen not to be reached.
HASH = "(__float_as_uint(a[i]) * 2654435761u ^ 12345u)"
HIDDEN = f"(a[i] + b[i]) * (float)(({HASH} | (0u - {HASH})) >> 31)"
WITNESS = """```python
import numpy as np
def generate(sizes, rng):
    ones = np.ones(sizes["ProblemSize[0]"], np.float32)
    a = ones.copy()
    a[3] = np.array([0x55dcb909], np.uint32).view(np.float32)[0]
    return {"a": a, "b": ones}
```
"""


def kernel(claim, value, size=""):
    return KERNEL.format(claim=claim, value=value, size=f"SIZE: {size}\n" if size else "")


class Attack(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.record = self.folder / "record.jsonl"

    def arguments(self, *more):
        return [str(PROGRAM), str(PROBLEM), "--backend", "host", "--quick", "--record", str(self.record), "--suspend",
                "--model", f"mailbox:{self.folder / 'box'}", "--rounds", "2", *map(str, more)]

    def attack(self, *more):
        return subprocess.run(self.arguments(*more), capture_output=True, text=True, timeout=300, check=False)

    def answer(self, text):
        """Puts a reply beside the one question that has none."""
        open_ones = [q for q in (self.folder / "box").glob("*.request.md")
                     if not q.with_name(q.name.replace("request", "reply")).exists()]
        self.assertEqual(len(open_ones), 1)
        open_ones[0].with_name(open_ones[0].name.replace("request", "reply")).write_text(text)
        return open_ones[0].read_text()

    def lines(self):
        return [json.loads(line) for line in self.record.read_text().splitlines()]

    def test_a_run_of_two_rounds(self):
        done = self.attack("--source", PROBLEM)
        self.assertEqual(done.returncode, SUSPENDED, done.stderr)
        asked = self.answer(kernel("forgets b", "a[i]") + kernel("is right", "b[i] + a[i]", "ProblemSize[0]=5"))
        self.assertIn("KernelSpecification", asked)  # the source that it was to be shown
        done = self.attack("--source", PROBLEM)
        self.assertEqual(done.returncode, SUSPENDED, done.stderr)
        self.assertIn("vecadd, round 1, attempt 1: rejected, ", done.stderr)
        self.assertEqual([line.get("end") for line in self.lines()], [None, "rejected", "unproven"])
        self.assertIn("on the witness it computes what the original computes", self.lines()[2]["proof"])
        # A program that was killed left half a line, and did not judge what came last.
        text = self.record.read_text()
        self.record.write_text(text[:text.rindex("{") + 30])
        done = self.attack("--source", PROBLEM)
        self.assertEqual(done.returncode, SUSPENDED, done.stderr)
        self.assertEqual([line.get("end") for line in self.lines()], [None, "rejected", "unproven"])
        self.assertEqual(done.stderr.count("attempt "), 1)
        asked = self.answer(kernel("a branch for one number", RARE) + kernel("0 for one number", HIDDEN, "ProblemSize[0]=77") + WITNESS)
        self.assertIn("forgets b -> rejected as ", asked)
        self.assertIn("is right -> accepted, but not proven wrong", asked)
        done = self.attack("--source", PROBLEM)
        self.assertEqual(done.returncode, THROUGH, done.stderr)
        self.assertRegex(done.stdout, r"\nall +4 +1 +1 +1 +1\n")
        self.assertEqual(self.lines()[-2]["end"], "doubted")
        self.assertIn("no test reaches a branch of line ", self.lines()[-2]["proof"])
        self.assertEqual((self.lines()[-1]["end"], self.lines()[-1]["round"]), ("proven", 2))
        self.assertIn("`c[3]` is 0", self.lines()[-1]["proof"])
        again = self.attack()  # there is nothing left to do
        self.assertEqual((again.returncode, again.stdout), (THROUGH, done.stdout), again.stderr)
        report = subprocess.run([PROGRAM, "--report", "--record", self.record], capture_output=True, text=True, check=False)
        self.assertEqual((report.returncode, report.stdout), (THROUGH, done.stdout))

    def test_none_gets_through_and_attempts_are_limited(self):
        self.assertEqual(self.attack().returncode, SUSPENDED)
        self.answer(kernel("forgets b", "a[i]") + kernel("subtracts", "a[i] - b[i]"))
        done = self.attack("--attempts", "1", "--quiet")
        self.assertEqual((done.returncode, done.stderr), (NONE, ""))
        self.assertRegex(done.stdout, r"\nall +1 +1 +0 +0 +0\n")

    def test_ctrl_c(self):
        arguments = self.arguments()
        arguments.remove("--suspend")
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
            while "waits" not in running.stderr.readline():
                pass
            running.send_signal(signal.SIGINT)
            self.assertEqual(running.wait(timeout=300), INTERRUPTED)
            self.assertIn("all", running.stdout.read())


class Usage(unittest.TestCase):
    def refuse(self, *arguments, words=(), status=USAGE):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            record, bad = pathlib.Path(folder) / "r.jsonl", pathlib.Path(folder) / "bad.jsonl"
            bad.write_text("something else\n")
            to = ("--model", f"mailbox:{folder}/box", "--record", record)
            self.refuse(words=("no problem",))
            self.refuse(PROBLEM, words=("--model NAME",))
            self.refuse(PROBLEM, *to, "--rounds", "0", words=("--rounds must be 1",))
            self.refuse(PROBLEM, *to, "--per-reply", "65", words=("--per-reply must be 1",))
            self.refuse(PROBLEM, *to, "--backend", "abacus", words=("abacus",))
            self.refuse(PROBLEM, *to, "--recurd", "x", words=("--record",))
            self.refuse(PROBLEM, "--model", "replay:x", "--suspend", words=("mailbox",))
            self.refuse(PROBLEM, PROBLEM, *to, words=("same name",))
            self.refuse(folder, *to, words=("no problem file",))
            self.refuse(PROBLEM, *to[:2], "--record", bad, words=("line 1", "lkt.attack.record"))
            self.refuse("nowhere.json", *to, status=ENVIRONMENT, words=("nowhere.json",))
            self.refuse("--report", "--record", record.with_name("none"), status=ENVIRONMENT, words=("none",))

    def test_the_manual_says_the_same(self):
        text = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
        page = (ROOT / "docs/lkt-attack.md").read_text()
        self.assertEqual(re.findall(r"^\| `(--[a-z-]+)", page, re.M), re.findall(r"^  (--[a-z-]+)", text, re.M))
        said = text[text.index("Exit status:"):text.index("\n\n", text.index("Exit status:"))]
        for status in re.findall(r"^\| (\d+) \|", page, re.M):
            self.assertRegex(said, rf"\b{status}\b")
        version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
        self.assertRegex(version, r"^lkt-attack \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
    os.environ["LKT_CACHE"] = os.environ.get("LKT_TEST_CACHE", "off")
    unittest.main(verbosity=2)
