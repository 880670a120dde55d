# SPDX-License-Identifier: BSL-1.0
"""lkt-verify as its users meet it: statuses, messages, the JSON, Ctrl-C."""

import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

CASES = pathlib.Path(__file__).parent / "cases"
PROBLEM = CASES / "problems/vecadd.json"
HONEST = CASES / "problems/vecadd.cu"
EMPTY = CASES / "reject/A01-empty.cu"
ACCEPTED, REJECTED, USAGE, ENVIRONMENT, UNCHECKED, INTERRUPTED = 0, 1, 2, 3, 5, 130
PROGRAM = None
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")  # --backend auto takes the CPU
os.environ["LKT_CACHE"] = os.environ.get("LKT_TEST_CACHE", "off")


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False)


class Usage(unittest.TestCase):
    def refuse(self, *arguments, words=()):
        done = run(*arguments)
        self.assertEqual(done.returncode, USAGE, done.stderr)
        self.assertTrue(done.stderr.startswith("lkt-verify: "), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_help_and_version(self):
        done = run("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("--problem", "--candidate", "--backend", "--json", "--seed", "Exit status"):
            self.assertIn(word, done.stdout)
        self.assertRegex(run("--version").stdout, r"^lkt-verify \d+\.\d+\.\d+\n$")

    def test_the_manual_has_the_same_options(self):
        page = (pathlib.Path(__file__).resolve().parents[2] / "docs/lkt-verify.md").read_text()
        listed = re.findall(r"^\| `(--[a-z-]+)", page, re.M)
        self.assertEqual(listed, re.findall(r"^  (--[a-z-]+)", run("--help").stdout, re.M))

    def test_the_manual_explains_every_verdict(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        header = (root / "include/lkt/kernel/verdict.hpp").read_text()
        names = re.findall(r'"([a-z-]+)"', header[header.index("verdict_names"):header.index("static_assert")])
        self.assertGreater(len(names), 25)
        page = (root / "docs/lkt-verify.md").read_text()
        rows = re.findall(r"^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \|", page[page.index("## Verdicts"):], re.M)
        self.assertEqual([name for row in rows for name in re.findall(r"`([a-z-]+)`", row)], names)

    def test_the_choice_of_the_back_end_is_told(self):
        done = run("--problem", PROBLEM, EMPTY, "--quick", "--json", "-")
        self.assertEqual(done.returncode, REJECTED, done.stderr)
        self.assertIn("back end host: the CPU runs the kernels", done.stderr)
        self.assertIn(json.loads(done.stdout)["backend_choice"], done.stderr)

    def test_the_checks_are_listed_as_reports_have_them(self):
        said = run("--list-checks").stdout
        names = re.findall(r"^(\S+)$", said, re.MULTILINE)
        self.assertEqual(names, ["text", "tests", "launches", "properties", "thresholds", "checked", "coverage", "configurations"])
        for label in ("cost", "when", "verdicts"):
            self.assertEqual(len(re.findall(rf"^  {label} +\S", said, re.MULTILINE)), len(names), said)
        report = json.loads(run("--problem", PROBLEM, HONEST, "--backend", "host", "--quick", "--json", "-").stdout)
        self.assertEqual([stage["name"] for stage in report["stages"]], names)

    def test_the_statuses_are_documented(self):
        page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "programs.md"
        table = re.findall(r"^\| (\d+) \| (.*?) \| (.*?) \|$", page.read_text(), re.M)
        self.assertEqual([int(row[0]) for row in table], [0, 1, 2, 3, 4, 5, 130])
        text = run("--help").stdout
        said = text[text.index("Exit status:"):text.index("\n\n", text.index("Exit status:"))]
        for status, _, verify in table:
            self.assertEqual(verify != "never", re.search(rf"\b{status}\b", said) is not None, (status, said))

    def test_streams_that_are_closed_or_full(self):
        with tempfile.TemporaryDirectory() as folder:
            answer, scratch = pathlib.Path(folder) / "v.json", pathlib.Path(folder) / "scratch"
            scratch.mkdir()
            for how in (">&-", "<&- >&- 2>&-", ">/dev/full"):
                command = f"'{PROGRAM}' --problem '{PROBLEM}' '{HONEST}' --backend host --quick --json '{answer}' --report - {how}"
                done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=300, check=False,
                                      env={**os.environ, "TMPDIR": str(scratch)})
                self.assertEqual(done.returncode, ENVIRONMENT, done.stderr)
                if "2>&-" not in how:
                    self.assertIn("cannot write to standard output", done.stderr)
                self.assertEqual(json.loads(answer.read_text())["verdict"], "accepted")
                self.assertEqual(list(scratch.iterdir()), [])

    def test_a_name_that_is_there_twice(self):
        with tempfile.TemporaryDirectory() as folder:
            text = PROBLEM.read_text()
            at = text.index('"KernelName"')
            twice = pathlib.Path(folder) / "twice.json"
            twice.write_text(text[:at] + '"KernelName": "x", ' + text[at:])
            self.refuse("--problem", twice, HONEST, words=("KernelName", "twice", "line "))

    def test_command_line(self):
        self.refuse(words=("--problem FILE",))
        self.refuse("--problem", PROBLEM, words=("--candidate FILE",))
        self.refuse("--problem", PROBLEM, HONEST, "--backend", "abacus", words=("abacus", "host"))
        self.refuse("--problem", PROBLEM, HONEST, "--backend", "host", "--device", "0", words=("--device",))
        self.refuse("--problem", PROBLEM, HONEST, "--static", "clocks=error", words=("clocks", "size_constant"))
        self.refuse("--problem", PROBLEM, HONEST, "--static", "clock=loud", words=("clock=loud", "warning"))
        self.refuse("--problem", PROBLEM, HONEST, "--launches", "1", words=("--launches",))
        for flag in ("--configurations", "--seed"):
            self.refuse("--problem", PROBLEM, HONEST, flag, "-1", words=(flag, "from 0 on"))
        self.refuse("--problem", PROBLEM, HONEST, EMPTY, "--certificate", "/tmp/none.json", words=("--certificate is for one kernel, and 2",))
        self.refuse("--problem", PROBLEM, HONEST, "--sead", "1", words=("--sead",))
        self.refuse("--problem", PROBLEM, HONEST, "--require-checked", "--no-checked", words=("--no-checked",))

    def test_files(self):
        self.refuse("--problem", "nowhere.json", HONEST, words=("nowhere.json",))
        self.refuse("--problem", PROBLEM, "nowhere.cu", words=("nowhere.cu",))
        self.refuse("--problem", PROBLEM, CASES / "problems/vecadd.wgsl", words=("language",))
        with tempfile.TemporaryDirectory() as folder:
            bad = pathlib.Path(folder) / "bad.json"
            bad.write_text('{"KernelSpecification": {"Langage": "CUDA"}}')
            self.refuse("--problem", bad, HONEST, words=("Langage",))
            done = run("--problem", PROBLEM, HONEST, "--json", pathlib.Path(folder) / "no/such/folder.json")
            self.assertEqual(done.returncode, ENVIRONMENT, done.stderr)

    def test_nothing_that_is_read_is_written_over(self):
        with tempfile.TemporaryDirectory() as folder:
            original = json.loads(pathlib.Path(PROBLEM).read_text())["KernelSpecification"]["KernelFile"]
            here = [pathlib.Path(folder) / name for name in ("p.json", original, "candidate.cu")]
            here[1].parent.mkdir(parents=True, exist_ok=True)
            for file, source in zip(here, (PROBLEM, pathlib.Path(PROBLEM).parent / original, HONEST)):
                file.write_bytes(pathlib.Path(source).read_bytes())
            before = [file.read_bytes() for file in here]
            for flag, file in zip(("--json", "--report", "--certificate"), here):
                self.refuse("--problem", here[0], here[2], flag, file, words=(f"{flag} would overwrite", file.name))
            self.refuse("--problem", here[0], here[2], "--json", here[0].parent / "x", "--report", here[0].parent / "x",
                        words=("name the same file",))
            self.assertEqual([file.read_bytes() for file in here], before)


class Verdicts(unittest.TestCase):
    def judge(self, candidate, *more):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out.json"
            done = run("--problem", PROBLEM, "--candidate", candidate, "--quick", "--quiet", "--json", out, *more)
            return done, json.loads(out.read_text())

    def test_accepted(self):
        done, found = self.judge(HONEST)
        self.assertEqual(done.returncode, ACCEPTED, done.stderr)
        self.assertTrue(done.stdout.startswith("accepted"))
        self.assertEqual((found["accepted"], found["verdict"]), (True, "accepted"))
        self.assertTrue({"text", "tests", "launches", "properties", "thresholds", "checked"} <= {s["name"] for s in found["stages"]})
        self.assertGreater(found["seconds"], 0)

    def test_what_was_not_checked_is_said(self):
        done, found = self.judge(HONEST, "--require-checked", "--checked-time", "600")
        self.assertEqual((done.returncode, found["checked"], found["unchecked"]), (ACCEPTED, "full", ""))
        done, found = self.judge(HONEST, "--no-checked")
        self.assertEqual((done.returncode, found["checked"], found["unchecked"]), (ACCEPTED, "none", "not asked for"))
        self.assertIn("accepted, not checked for races and accesses out of bounds\n  left out: not asked for\n", done.stdout)

    def test_an_operation_has_no_original_that_could_fail(self):
        with tempfile.TemporaryDirectory() as folder:
            problem, kernel = pathlib.Path(folder, "twice.json"), pathlib.Path(folder, "twice.cu")
            problem.write_text(json.dumps({
                "KernelSpecification": {"KernelName": "twice", "ProblemSize": [30]},
                "lkt": {"size_names": ["N"], "operation": {
                    "numpy": {"source": "def twice(x): return 2 * x", "function": "twice"},
                    "inputs": [{"name": "x", "shape": ["N"]}], "outputs": [{"name": "y", "shape": ["N"]}]}}}))
            kernel.write_text("__global__ void twice(float const* x, float* y, int N) {\n"
                              "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < N) y[i] = 2 * x[i];\n}\n")
            done = run("--problem", problem, kernel, "--backend", "host", "--quick", "--quiet", "--checked-time", "0.3")
        self.assertEqual(done.returncode, ACCEPTED, done.stdout + done.stderr)
        self.assertIn("  checked         passed", done.stdout)
        self.assertNotIn("original itself fails", done.stdout)

    def test_several_kernels_are_judged_as_if_each_was_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            json_file = pathlib.Path(folder) / "out.json"
            done = run("--problem", PROBLEM, EMPTY, HONEST, "--candidate", EMPTY, "--quick", "--quiet", "--seed", 7,
                       "--no-checked", "--json", json_file)
            found = json.loads(json_file.read_text())
        self.assertEqual(done.returncode, REJECTED, done.stderr)
        self.assertEqual((found["accepted"], found["given"], found["seed"]), (False, 3, 7))
        self.assertEqual([k["file"] for k in found["kernels"]], [str(EMPTY), str(HONEST), str(EMPTY)])
        self.assertIn(f"\n{HONEST}: accepted, not checked", done.stdout)
        for kernel in found["kernels"][1:]:
            alone = self.judge(kernel["file"], "--seed", "7", "--no-checked")[1]
            for key in ("accepted", "verdict", "reason", "evidence", "checked", "unchecked", "branches", "configurations"):
                self.assertEqual(kernel[key], alone[key], key)

    def test_what_was_checked_in_part_has_a_status_of_its_own(self):
        # WGSL runs in a translation.
        problem, kernel = CASES / "problems/vecadd.wgsl.json", CASES / "problems/vecadd.wgsl"
        done = run("--problem", problem, kernel, "--quick", "--quiet", "--require-checked", "--json", "-")
        if done.returncode == ENVIRONMENT and "[lkt.webgpu." in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, UNCHECKED, done.stdout + done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual((found["verdict"], found["checked"]), ("accepted", "partial"))
        done = run("--problem", problem, kernel, "--quick", "--quiet")
        self.assertTrue(done.stdout.startswith("accepted, checked in part\n  left out: "), done.stdout)
        self.assertIn("in a translation to C++ on the CPU", found["unchecked"])

    def test_rejected_and_repeated(self):
        done, found = self.judge(EMPTY)
        self.assertEqual(done.returncode, REJECTED, done.stderr)
        self.assertFalse(found["accepted"])
        evidence = found["evidence"]
        for field in ("test", "size", "argument", "index", "expected", "got", "pattern", "text"):
            self.assertIn(field, evidence)
        again = self.judge(EMPTY, "--seed", found["seed"])[1]
        self.assertEqual((again["verdict"], again["evidence"]["test"], again["evidence"]["expected"]),
                         (found["verdict"], evidence["test"], evidence["expected"]))

    def test_a_policy_of_the_users(self):
        with tempfile.TemporaryDirectory() as folder:
            timed = pathlib.Path(folder) / "timed.cu"
            timed.write_text(HONEST.read_text().replace("{", "{\n    if (clock64() == 1) return;", 1))
            self.assertEqual(self.judge(timed)[1]["verdict"], "timing-aware")
            stages = self.judge(timed, "--static", "clock=warning")[1]["stages"]
            self.assertIn("lkt.static.clock", " ".join(stages[0]["notes"]))


class Certificates(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = pathlib.Path(self.folder.name) / "c.json"

    def write(self, text):
        """A certificate with a digest that fits: whoever writes files can make one."""
        at = text.index('  "certificate_sha256"')
        digest = hashlib.sha256(text[:at].encode()).hexdigest()
        self.file.write_text(text[:at] + f'  "certificate_sha256": "{digest}"\n}}\n')

    def check(self, *more):
        return run("--check", self.file, "--backend", "host", "--quiet", *more)

    def test_what_is_accepted_is_replayed_and_what_was_changed_is_found(self):
        done = run("--problem", PROBLEM, HONEST, "--backend", "host", "--quick", "--quiet", "--certificate", self.file)
        self.assertEqual(done.returncode, ACCEPTED, done.stderr)
        text = self.file.read_text()
        held = json.loads(text)
        self.assertEqual(held["kernel"]["text"], HONEST.read_text())
        self.assertEqual([f["role"] for f in held["files"]], ["problem", "original", "kernel"])
        done = self.check("--json", "-")
        found = json.loads(done.stdout)
        self.assertEqual((done.returncode, found["certificate"]["holds"]), (ACCEPTED, True), done.stderr)
        self.assertRegex(self.check().stdout, r"less than usual +6 hidden sizes instead of 9; ")
        self.assertEqual(found["seed"], held["settings"]["seed"])
        self.assertTrue(all(line["agrees"] for line in found["certificate"]["compared"] if not line["remark"]))
        # Forged: another seed, and a kernel that is wrong.
        self.write(re.sub(r'"seed":\d+', '"seed":1', text))
        done = self.check()
        self.assertEqual(done.returncode, REJECTED, done.stderr)
        self.assertRegex(done.stdout, r"does not hold\n(?s:.*)DIFFERS  inputs: the same in ")
        wrong = json.dumps(HONEST.read_text().replace("+ b[i]", "- b[i]"))[1:-1]
        digest = hashlib.sha256(json.loads(f'"{wrong}"').encode()).hexdigest()
        forged = re.sub(r'("text":").*("},\n)', lambda m: m[1] + wrong + m[2], text, count=1)
        forged = re.sub(r'("origin":"[^"]*","sha256":")\w+', lambda m: m[1] + digest, forged, count=1)
        forged = re.sub(r'("role":"kernel","path":"[^"]*","sha256":")\w+', lambda m: m[1] + digest, forged)
        self.write(forged)
        done = self.check()
        self.assertEqual(done.returncode, REJECTED, done.stderr)
        self.assertIn("DIFFERS  verdict: was accepted, is wrong-output", done.stdout)
        # What no command line can ask for, and a field that is there twice.
        for what, by, words in ((r'"configurations":\d+', '"configurations":0', "configurations must be 1 to"),
                                (r'"launches":\d+', '"launches":1', "launches must be 2 to"),
                                (r'"verdict": "accepted"', '"verdict": "race",\n  "verdict": "accepted"', "verdict occurs twice")):
            self.write(re.sub(what, by, text, count=1))
            done = self.check()
            self.assertEqual((done.returncode, words in done.stderr), (USAGE, True), done.stderr)
        # Changed without its digest; a file that is another one; what the certificate says already.
        self.file.write_text(text.replace('"configurations": 1', '"configurations": 2'))
        for more, words in (((), "lkt.certificate.changed"), (("--seed", "1"), "--seed cannot be given")):
            done = self.check(*more)
            self.assertEqual((done.returncode, words in done.stderr), (USAGE, True), done.stderr)
        self.file.write_text(text)
        done = run("--problem", PROBLEM, HONEST, "--json", "")
        self.assertEqual((done.returncode, "--json has an empty name of a file" in done.stderr), (USAGE, True), done.stderr)
        done = self.check(CASES / "reject/A01-empty.cu")
        self.assertEqual(done.returncode, USAGE, done.stderr)
        self.assertRegex(done.stderr, r"A01-empty\.cu \(kernel\) is not the file of the certificate: SHA-256 was ")

    def test_a_rejected_kernel_has_none(self):
        done = run("--problem", PROBLEM, EMPTY, "--backend", "host", "--quick", "--quiet", "--certificate", self.file)
        self.assertEqual((done.returncode, self.file.exists()), (REJECTED, False))
        self.assertIn("no certificate was written", done.stderr)


class Interrupt(unittest.TestCase):
    def test_ctrl_c_ends_it_and_all_that_it_started(self):
        arguments = [PROGRAM, "--problem", str(PROBLEM), str(HONEST), "--launches", "100000", "--quiet"]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={**os.environ, "LKT_CACHE": "off"}) as running:
            time.sleep(1.5)
            running.send_signal(signal.SIGINT)
            self.assertEqual(running.wait(timeout=300), INTERRUPTED)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
