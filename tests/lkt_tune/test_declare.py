# SPDX-License-Identifier: BSL-1.0
"""A kernel file about which nothing is said: the model is asked, what it said can be looked at, and then it is tuned."""

import json
import os
import pathlib
import shutil
import signal
import time
import unittest

from support import Case, VECTOR_ADD_FLAGS, main

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = HERE.parents[1] / "examples/kernels"
RECORDED = HERE / "data/verlet.jsonl"


def fenced(value):
    return "```json\n" + json.dumps(value) + "\n```\n"


def description(size, **lkt):
    buffers = [{"Name": name, "Size": "ProblemSize[0]", "AccessType": access}
               for name, access in (("a", "ReadOnly"), ("b", "ReadOnly"), ("c", "WriteOnly"))]
    return fenced({
        "KernelSpecification": {"ProblemSize": [size], "Arguments": buffers},
        "lkt": {"sizes": [[1], [97]], "size_constraints": ["ProblemSize[0] >= 1"],
                "scalars": {"n": "ProblemSize[0]"}, **lkt}})


TESTS = fenced({"lkt": {"tests": [{"name": "opposites", "arguments": {"a": {"distribution": "alternating"}}}]}})


class Declared(Case):
    def cassette(self, *replies):
        """Written by hand; each reply with a word of its question."""
        lines = [{"lkt_cassette": 1, "origin": "written-by-hand", "match": "in-order"}]
        lines += [{"expect": [word], "reply": {"text": text}} for word, text in replies]
        self.write("talk.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        return ["--model", "replay:talk.jsonl"]

    def test_without_a_model_it_is_an_error_that_mentions_one(self):
        self.assert_one_clear_error(self.sweep("--size", "n=64"), 2, "`c`", "--arg c=", "--model")

    def test_small_sizes_grow_and_the_report_says_all(self):
        flags = self.cassette(("What is missing", fenced({"KernelSpecification": {"ProblemSize": [64]}})),
                              ("could not be used", description(64)), ("Declare tests", TESTS))
        done = self.sweep(*flags, "--json", "out.json", timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        out = json.loads((self.folder / "out.json").read_text())
        declared = out["declared"]
        self.assertEqual([r["refused"] is not None for r in declared["replies"]], [True, False, False])
        self.assertEqual(declared["arguments"], ["c", "a", "b", "n"])
        self.assertEqual(declared["said_size"], [64])
        problem = declared["problem"]
        timed = problem["KernelSpecification"]["ProblemSize"][0]
        self.assertGreater(timed, 64)
        self.assertIn([64], problem["lkt"]["sizes"])
        self.assertEqual([t["name"] for t in problem["lkt"]["tests"]], ["opposites"])
        for word in ("3 replies, 1 refused", f"timed at [{timed}]", "(the model said [64])", "verified at [97]",
                     "`float* c`", '"opposites"', "written by hand"):
            self.assertIn(word, done.stdout)
        self.assertTrue(any("opposites" in name for name in out["tests"]), out["tests"])

    def test_what_the_user_said_stands(self):
        flags = self.cassette(("What is known", fenced({
            "KernelSpecification": {"Arguments": [{"Name": "b", "Size": "ProblemSize[0]"}]}, "lkt": {}})),
            ("Declare tests", TESTS))
        done = self.run_tune("add.cu", "--size", "n=500", "--arg", "a=n", "--arg", "c=n", *flags, "--declare", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        kernel = json.loads(done.stdout)["KernelSpecification"]
        self.assertEqual(kernel["ProblemSize"], [500])
        self.assertEqual({a["Name"]: a["Size"] for a in kernel["Arguments"]}, dict.fromkeys("abc", "ProblemSize[0]"))

    def test_replies_that_are_used_up(self):
        flags = self.cassette(*[(word, "no idea") for word in ("What is missing", "could not", "could not")])
        self.assert_one_clear_error(self.sweep(*flags), 3, "lkt.declaration.attempts", "no usable description")

    def test_tests_for_a_problem_that_is_complete(self):
        done = self.run_tune("add.cu", *VECTOR_ADD_FLAGS, *self.cassette(("Declare tests", TESTS)), "--ask-tests",
                             "--declare", "add.json", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        problem = json.loads((self.folder / "add.json").read_text())
        self.assertEqual(len(problem["lkt"]["tests"]), 1)
        self.assertEqual(problem["KernelSpecification"]["ProblemSize"], [4096])


    def test_a_script_makes_tests(self):
        text = ("import numpy as np\n"
                "def generate(sizes, rng):\n"
                "    n = sizes['n']\n"
                "    return dict(a=np.arange(n), b=np.arange(n) * rng.integers(1, 9))\n")
        refused = {"script": "def generate(sizes, rng):\n    return dict(c=open('/etc/shadow').read())\n"}
        flags = [*VECTOR_ADD_FLAGS, "--ask-script", "made.py",
                 *self.cassette(("Write a Python function", json.dumps(refused)),
                                ("Permission denied", json.dumps({"script": text})))]
        done = self.sweep(*flags, "--json", "out.json")
        if "lkt.verify.python" in done.stderr or "lkt.sandbox.unavailable" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "made.py").read_text(), text)
        out = json.loads((self.folder / "out.json").read_text())
        self.assertIn("n=4096, a model's script", out["tests"])
        self.assertFalse(out["tests"][0].endswith("script"))  # that one is timed
        self.assertEqual(out["declared"]["script"], text)
        self.assertEqual([(r["for"], r["refused"] is not None) for r in out["declared"]["replies"]],
                         [("script", True), ("script", False)])
        self.assertIn("2 replies, 1 refused", done.stdout)
        self.assert_one_clear_error(self.sweep(*flags), 2, "made.py exists", "--ask-script")

    def test_a_script_that_a_model_wrote(self):
        """All of its sixteen tests are kept; of sums that rounding decides, only that they are finite is judged."""
        self.write("pick.cu", """// Each row of x is scaled by its weight and summed; rows are picked by an index.
__global__ void pick(float* out, float const* x, int const* row, float const* w, int rows, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) return;
    float sum = 0;
    for (int j = 0; j < columns; ++j) sum += w[j] * x[row[i] * columns + j];
    out[i] = sum;
}
""")
        done = self.run_tune("pick.cu", "--backend", "host", "--size", "rows=4096", "--size", "columns=64", "--also-size", "rows=33,columns=5",
                             "--arg", "out=rows:out", "--arg", "x=rows*columns", "--arg", "row=rows:indices(rows)", "--arg", "w=columns",
                             "--arg", "rows=rows", "--arg", "columns=columns", "--tune", "BLOCK=64,128", "--block", "BLOCK",
                             "--grid", "ceil_div(rows,BLOCK)", "--strategy", "sweep", "--launches", "6", "--quiet", "--ask-script", "made.py",
                             "--model", f"replay:{HERE / 'data/pick.script.jsonl'}", "--json", "out.json")
        if "lkt.verify.python" in done.stderr or "lkt.sandbox.unavailable" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        kept = [t for t in json.loads((self.folder / "out.json").read_text())["tests"] if "a model's script" in t]
        self.assertEqual(len(kept), 16, kept)


class ProblemFile(Case):
    def test_flags_become_a_problem_file_without_a_model(self):
        done = self.run_tune("add.cu", *VECTOR_ADD_FLAGS, "--declare", "add.json")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        done = self.run_tune("--problem", "add.json", "--strategy", "sweep", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("BLOCK", done.stdout)

    def test_it_lies_beside_the_kernel(self):
        (self.folder / "elsewhere").mkdir()
        done = self.run_tune("add.cu", *VECTOR_ADD_FLAGS, "--declare", "elsewhere/add.json")
        self.assert_one_clear_error(done, 2, "add.cu", "folder")


class Mailbox(Case):
    def wait_for(self, pattern):
        for _ in range(600):
            found = [f for f in sorted((self.folder / "box").glob("*.request.md"))
                     if pattern in f.read_text() and not f.with_name(f.name.replace("request", "reply")).exists()]
            if found:
                return found[0]
            time.sleep(0.1)
        self.fail(f"no question with {pattern!r}")

    def test_somebody_answers(self):
        running = self.start("add.cu", "--model", "mailbox:box", "--declare", "add.json", "--quiet")
        for pattern, reply in (("What is missing", description(300000)), ("Declare tests for this kernel", TESTS)):
            question = self.wait_for(pattern)
            question.with_name(question.name.replace("request", "reply")).write_text(reply)
        out, err = running.communicate(timeout=300)
        self.assertEqual(running.returncode, 0, err)
        self.assertIn("add.cu", (self.folder / "add.json").read_text())

    def killed_at_the_second_question(self, *flags):
        running = self.start("add.cu", "--model", "mailbox:box", "--journal", "run", "--quiet", *flags)
        question = self.wait_for("What is missing")
        question.with_name(question.name.replace("request", "reply")).write_text(description(300000))
        self.wait_for("Declare tests for this kernel")
        running.send_signal(signal.SIGKILL)
        running.communicate()
        shutil.rmtree(self.folder / "box")  # whoever asked the first question again would wait for ever
        self.write("rest.jsonl", "".join(json.dumps(line) + "\n" for line in (
            {"lkt_cassette": 1, "origin": "written-by-hand", "match": "in-order"},
            {"expect": ["Declare tests"], "reply": {"text": TESTS}})))
        self.write("none.jsonl", '{"lkt_cassette": 1, "origin": "written-by-hand", "match": "in-order"}\n')

    def test_a_killed_declaration_goes_on(self):
        self.killed_at_the_second_question("--declare", "add.json")
        for model in ("rest.jsonl", "none.jsonl"):  # then it is declared, and nobody is asked
            (self.folder / "add.json").unlink(missing_ok=True)
            done = self.run_tune("--resume", "run", "--model", f"replay:{model}", timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            problem = json.loads((self.folder / "add.json").read_text())
            self.assertEqual([t["name"] for t in problem["lkt"]["tests"]], ["opposites"])

    def test_a_run_that_was_killed_during_its_questions_goes_on(self):
        self.killed_at_the_second_question("--strategy", "sweep", "--launches", "6")
        self.write("add.cu", "the kernel is in the journal")
        reports = []
        for model in ("rest.jsonl", "none.jsonl"):
            done = self.run_tune("--resume", "run", "--model", f"replay:{model}", "--quiet", "--json", "out.json",
                                 timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("2 replies, 0 refused", done.stdout)
            reports.append(json.loads((self.folder / "out.json").read_text()))
        for report in reports:
            self.assertEqual(len(report["declared"]["replies"]), 2)
        self.assertTrue(any("opposites" in name for name in reports[0]["tests"]), reports[0]["tests"])
        self.assertEqual(reports[0]["best"], reports[1]["best"])

    def test_questions_may_suspend_the_run(self):
        begun = ["add.cu", "--model", "mailbox:box", "--suspend", "--journal", "run", "--declare", "add.json", "--quiet"]
        for pattern, reply in (("What is missing", description(300000)), ("Declare tests for this kernel", TESTS)):
            done = self.run_tune(*begun, timeout=300)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("lkt-tune --resume", done.stderr)
            question = self.wait_for(pattern)
            question.with_name(question.name.replace("request", "reply")).write_text(reply)
            begun = ["--resume", "run"]
        done = self.run_tune(*begun, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("opposites", (self.folder / "add.json").read_text())

    def test_replies_of_no_use_are_not_given_again(self):
        flags = ["--journal", "run", "--quiet", "--strategy", "sweep"]
        self.write("poor.jsonl", '{"lkt_cassette": 1, "origin": "written-by-hand", "match": "in-order"}\n' +
                   '{"reply": {"text": "no idea"}}\n' * 3)
        self.write("good.jsonl", "".join(json.dumps(line) + "\n" for line in (
            {"lkt_cassette": 1, "origin": "written-by-hand", "match": "in-order"},
            {"reply": {"text": description(4096)}}, {"reply": {"text": TESTS}})))
        done = self.run_tune("add.cu", "--model", "replay:poor.jsonl", *flags)
        self.assert_one_clear_error(done, 3, "lkt.declaration.attempts")
        done = self.run_tune("--resume", "run", "--model", "replay:good.jsonl", "--launches", "6", timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_ctrl_c_while_nobody_answers(self):
        running = self.start("add.cu", "--model", "mailbox:box", "--quiet")
        self.wait_for("What is missing")
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=300)
        self.assertEqual(running.returncode, 130)

    def test_ctrl_c_says_how_to_go_on(self):
        running = self.start("add.cu", "--model", "mailbox:box", "--journal", "run", "--quiet")
        self.wait_for("What is missing")
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=300)
        self.assertEqual(running.returncode, 130)
        self.assertIn(f"lkt-tune --resume {self.folder / 'run'}", err)


class Recorded(Case):
    """What a language model said of verlet.cu, which came with nothing."""

    def setUp(self):
        super().setUp()
        self.write("verlet.cu", (KERNELS / "verlet.cu").read_text())

    def test_it_is_declared_then_edited_then_tuned(self):
        done = self.run_tune("verlet.cu", "--model", f"replay:{RECORDED}", "--declare", "verlet.json", timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("particles at rest", done.stderr)
        problem = json.loads((self.folder / "verlet.json").read_text())
        self.assertEqual(problem["lkt"]["scalars"], {"dt": "0.01", "n": "ProblemSize[0]"})
        self.assertEqual(problem["lkt"]["domain"]["acceleration"], {"min": -50.0, "max": 50.0})
        self.assertEqual(len(problem["lkt"]["tests"]), 7)
        # A million particles take a processor a while.
        problem["KernelSpecification"]["ProblemSize"] = [20000]
        problem["lkt"]["sizes"] = [[1], [257]]
        self.write("verlet.json", json.dumps(problem))
        header, *_, rewrite = RECORDED.read_text().splitlines()
        self.write("rewrite.jsonl", header + "\n" + rewrite + "\n")
        done = self.run_tune("--problem", "verlet.json", "--model", "replay:rewrite.jsonl", "--attempts", "1",
                             "--quiet", "--json", "out.json", timeout=300)
        self.check(done)

    @unittest.skipUnless(os.environ.get("LKT_FULL"), "takes minutes; LKT_FULL=1")
    def test_all_in_one_go(self):
        done = self.run_tune("verlet.cu", "--model", f"replay:{RECORDED}", "--attempts", "1", "--quiet",
                             "--json", "out.json", timeout=1200)
        self.check(done)
        self.assertIn("what the model declared", done.stdout)

    def check(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        out = json.loads((self.folder / "out.json").read_text())
        (attempt,) = out["history"]
        self.assertGreater(len(attempt["configurations"]), 0)
        self.assertIn("12 correct", done.stdout)
        self.assertTrue(any("fast particles" in name for name in out["tests"]))
        self.assertIn("recorded", json.dumps(out["model"]))


if __name__ == "__main__":
    main()
