# SPDX-License-Identifier: BSL-1.0
"""lkt-tune does its work: a sweep, a problem file, a replayed conversation; and what it writes."""

import json
import subprocess

from support import Case, VECTOR_ADD, VECTOR_ADD_FLAGS, main


class Runs(Case):
    def test_sweep(self):
        done = self.sweep(*VECTOR_ADD_FLAGS, "--checked-time", "600", "--json", "out.json", "--output", "best.cu")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("add", done.stdout)
        best = (self.folder / "best.cu").read_text()
        self.assertRegex(best, "#define BLOCK (64|128)\n")
        self.assertIn(VECTOR_ADD, best)
        report = json.loads((self.folder / "out.json").read_text())
        self.assertGreater(len(report["history"]), 0)
        self.assertEqual((report["checked"], report["unchecked"]), ("full", ""))
        self.assertIn("  checked   full\n", done.stdout)
        self.assertEqual(self.sweep(*VECTOR_ADD_FLAGS, "--checked-time", "600", "--require-checked").returncode, 0)

    def test_a_kernel_that_cannot_be_checked_in_full(self):
        # One element behind a shared array, which only the checked mode sees.
        self.write("add.cu", VECTOR_ADD.replace("    int i", "    __shared__ float w[4];\n    int i").replace(
            "a[i] +", "(w[n > 0 ? 4 : 0] == 12345.678f ? 1.0f : a[i]) +"))
        for more, status in (([], 0), (["--require-checked"], 5)):
            done = self.sweep(*VECTOR_ADD_FLAGS, *more, "--json", "out.json")
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual(json.loads((self.folder / "out.json").read_text())["checked"], "none")
            self.assertIn("  checked   none: the original itself fails in checked mode", done.stdout)

    def test_report_to_a_file_leaves_standard_output_empty(self):
        done = self.sweep(*VECTOR_ADD_FLAGS, "--report", "report.txt")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertIn("add", (self.folder / "report.txt").read_text())

    def test_a_configuration_that_fails_is_skipped(self):
        flags = [f.replace("BLOCK=64,128", "BLOCK=64,2048") for f in VECTOR_ADD_FLAGS]
        done = self.sweep(*flags, "--json", "out.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("launch-error", (self.folder / "out.json").read_text())

    def test_traces(self):
        done = self.sweep(*VECTOR_ADD_FLAGS, "--trace", "run.jsonl")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in (self.folder / "run.jsonl").read_text().splitlines()]
        self.assertEqual(lines[0]["event"], "begin")
        kinds = [line["event"] for line in lines]
        self.assertEqual(kinds.count("enter"), kinds.count("exit"))
        self.assertIn("trying configurations", [line.get("activity") for line in lines])
        done = self.sweep(*VECTOR_ADD_FLAGS, "--trace", "run.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        events = json.loads((self.folder / "run.json").read_text())
        phases = [event["ph"] for event in events]
        self.assertGreater(phases.count("B"), 3)
        self.assertEqual(phases.count("B"), phases.count("E"))

    def test_further_sizes_are_verified(self):
        self.write("add.cu", VECTOR_ADD)
        done = self.sweep(*VECTOR_ADD_FLAGS, "--also-size", "n=4097", "--json", "out.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("4097", (self.folder / "out.json").read_text())

    def test_problem_file(self):
        self.write("problem.json", json.dumps({
            "ConfigurationSpace": {"TuningParameters": [
                {"Name": "BLOCK", "Type": "int", "Values": "[64, 128]", "Default": 64}]},
            "KernelSpecification": {
                "Language": "CUDA", "KernelName": "add", "KernelFile": "add.cu", "GlobalSizeType": "CUDA",
                "ProblemSize": [4096], "LocalSize": {"X": "BLOCK"},
                "GlobalSize": {"X": "(ProblemSize[0] + BLOCK - 1) // BLOCK"},
                "Arguments": [
                    {"Name": "c", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "FillType": "Constant", "FillValue": 0, "Size": "ProblemSize[0]", "Output": 1},
                    {"Name": "a", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "FillType": "Random", "FillValue": 1.0, "Size": "ProblemSize[0]"},
                    {"Name": "b", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "FillType": "Random", "FillValue": 1.0, "Size": "ProblemSize[0]"},
                    {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillType": "Constant", "FillValue": 4096}]},
            "lkt": {"scalars": {"n": "ProblemSize[0]"}, "sizes": [[1000]]}}))
        done = self.run_tune("--problem", "problem.json", "--strategy", "sweep", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_steps_of_a_file_with_a_replayed_conversation(self):
        self.write("steps.json", json.dumps([
            {"id": "tail", "prompt": "Say that the last block is guarded."},
            {"id": "useless", "prompt": "Do nothing of use."}]))
        talk = [{"lkt_cassette": 1, "origin": "written-by-hand", "match": "in-order"}]
        for word, text in (("tail: Say", '{"should_run": true, "why": "it is not said"}'),
                           ("tail: Say", f"```cuda\n// guarded\n{VECTOR_ADD}```\n"),
                           ("useless: Do", '{"should_run": false, "why": "of no use"}')):
            talk.append({"expect": [word], "reply": {"text": text}})
        self.write("talk.jsonl", "".join(json.dumps(line) + "\n" for line in talk))
        done = self.run_tune("add.cu", *VECTOR_ADD_FLAGS, "--quiet", "--strategy", "explicit", "--steps", "steps.json",
                             "--model", "replay:talk.jsonl", "--json", "out.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(len(report["history"]), 1)
        self.assertEqual(report["history"][0]["step"], "tail: Say that the last block is guarded.")
        self.assertTrue(any("step useless: declined, of no use" in note for note in report["notes"]), report["notes"])

    def test_autonomous(self):
        faster = VECTOR_ADD.replace("blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * BLOCK + threadIdx.x")
        talk = [("Plan at most 2 steps", json.dumps({"steps": ["Use the constant block.", "Use a library.", "Third."]})),
                ("Is this a step", '{"reason": "It fits.", "valid": true}'),
                ("Step 1: Use the constant block.", f"```cuda\n{faster}```\n"),
                ("Use a library.", '{"reason": "Host code.", "valid": false}'),
                ("invalid, not tried: Host code.", '{"replan": false, "steps": []}')]
        lines = [{"lkt_cassette": 1, "origin": "written-by-hand", "match": "in-order"}]
        lines += [{"expect": [word], "reply": {"text": text}} for word, text in talk]
        self.write("talk.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        done = self.run_tune("add.cu", *VECTOR_ADD_FLAGS, "--strategy", "autonomous", "--plan-length", "2", "--no-evidence",
                             "--model", "replay:talk.jsonl", "--quiet", "--json", "out.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        out = json.loads((self.folder / "out.json").read_text())
        steps = out["planning"]["steps"]
        self.assertEqual([s["number"] for s in steps], [1, 2])
        self.assertIn(steps[0]["end"], ("applied", "no-gain"))
        self.assertEqual((steps[1]["end"], steps[1]["why"]), ("invalid", "Host code."))
        self.assertEqual(len(out["planning"]["answers"]), 4)
        self.assertIn("invalid: Host code.", done.stdout)
        self.assertTrue(any("a plan had 3 steps" in note for note in out["notes"]))

    def test_reasoning_between_tags_of_its_own(self):
        # The last fenced block counts, unless it is reasoning.
        wrong = VECTOR_ADD.replace("a[i] + b[i]", "a[i] - b[i]")
        text = f"```cuda\n// right\n{VECTOR_ADD}```\n<muse>\nIt began as\n```cuda\n{wrong}```\n</muse>\n"
        talk = [{"lkt_cassette": 1, "origin": "written-by-hand", "match": "in-order"}, {"reply": {"text": text}}]
        self.write("talk.jsonl", "".join(json.dumps(line) + "\n" for line in talk))
        base = ["add.cu", *VECTOR_ADD_FLAGS, "--quiet", "--model", "replay:talk.jsonl", "--attempts", "1", "--json", "out.json"]
        for flags, timed in (([], False),
                              (["--thinking-tags", "<other>,</other>"], False),
                              (["--thinking-tags", "<other>,</other>", "--thinking-tags", "<muse>,</muse>"], True)):
            with self.subTest(flags=flags):
                done = self.run_tune(*base, "--record", f"said-{len(flags)}.jsonl", *flags)
                self.assertEqual(done.returncode, 0, done.stderr)
                history = json.loads((self.folder / "out.json").read_text())["history"]
                self.assertEqual([self.was_timed(attempt) for attempt in history], [timed], history)
        # What was recorded has the reasoning apart, so nothing needs to be said about it again.
        done = self.run_tune(*base[:-6], "--model", "replay:said-4.jsonl", *base[-4:])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.was_timed(json.loads((self.folder / "out.json").read_text())["history"][0]))

    @staticmethod
    def was_timed(attempt):
        # On a busy machine a copy of the original may seem faster.
        return "got" in attempt or attempt["verdict"] == "accepted"

    def test_numbers_reach_their_strategy(self):
        lines = [{"lkt_cassette": 1, "origin": "written-by-hand", "match": "in-order"}]
        lines += [{"reply": {"text": "As a language model, I like kernels."}}] * 20
        self.write("talk.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        for calls, *flags in ((3, "sample-n", "--samples", 3), (4, "beam", "--width", 2, "--branches", 2),
                              (5, "evolve", "--islands", 1, "--children", 5, "--patience", 1),
                              (6, "evolve", "--islands", 1, "--children", 2, "--patience", 3),
                              (6, "evolve", "--generations", 1, "--islands", 3, "--children", 2),
                              (3, "refine", "--rounds", 1), (6, "refine", "--patience", 2),
                              (4, "one-prompt", "--attempts", 4)):
            with self.subTest(flags=flags):
                done = self.run_tune("add.cu", *VECTOR_ADD_FLAGS, "--quiet", "--model", "replay:talk.jsonl",
                                     "--launches", 6, "--json", "out.json", "--no-evidence", "--strategy", *flags)
                self.assertEqual(done.returncode, 0, done.stderr)
                out = json.loads((self.folder / "out.json").read_text())
                self.assertEqual(out["model"]["calls"], calls)
                self.assertNotIn("inquiries", out)

    def test_what_a_model_asks_about_a_kernel_is_answered(self):
        def wish(what, **more):
            return {"what": what, "counters": [], "line": None, "containing": None, "parameters": [], **more}

        asked = [wish("compiler"), wish("code", line=3), wish("timing", parameters=[{"key": "BLOCK", "value": 32}]),
                 wish("timing", parameters=[{"key": "BLOCK", "value": 5000}])]
        lines = [{"lkt_cassette": 1, "origin": "written-by-hand", "match": "in-order"},
                 {"reply": {"text": json.dumps({"questions": asked})}, "expect": ["`compiler`: ", "`timing`: ", "of: BLOCK"]},
                 {"reply": {"text": json.dumps({"bottleneck": "b", "fix": "f", "why": "w"})},
                  "expect": ["asked for what the compiler did", "timing with BLOCK=32: ", "timing with BLOCK=5000: it fails (launch-error)"]},
                 {"reply": {"text": "I would rather not."}, "expect": ["asked for machine code (code) around line 3"]}]
        self.write("talk.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        done = self.run_tune("add.cu", *VECTOR_ADD_FLAGS, "--quiet", "--model", "replay:talk.jsonl", "--launches", 6,
                             "--json", "out.json", "--strategy", "refine", "--rounds", 1, "--attempts", 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("asked about kernels", done.stdout)
        inquiry, = json.loads((self.folder / "out.json").read_text())["inquiries"]
        self.assertEqual((inquiry["attempt"], inquiry["faults"], len(inquiry["answers"])), (0, [], 4))
        for answer in inquiry["answers"]:
            self.assertTrue(answer["answered"], answer)
        self.assertRegex(inquiry["answers"][2]["answer"], r"a launch \(median of 3\).*as it is \(BLOCK=64\), tried likewise: ")
        self.assertNotIn(str(self.folder), json.dumps(inquiry))

    def test_a_hostile_kernel_does_no_harm(self):
        self.write("add.cu", VECTOR_ADD.replace("if (i < n)", 'system("touch /tmp/lkt-was-here"); if (i < n)'))
        done = self.sweep(*VECTOR_ADD_FLAGS)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("system", done.stderr)
        self.assertEqual(subprocess.run(["test", "-e", "/tmp/lkt-was-here"]).returncode, 1)

    def test_an_endless_kernel_is_a_clear_error(self):
        self.write("add.cu", VECTOR_ADD.replace("if (i < n)", "while (n > 0) c[0] += 1; if (i < n)"))
        done = self.sweep(*VECTOR_ADD_FLAGS, "--launch-limit", "1")
        self.assert_one_clear_error(done, 3)

    def test_arguments_beyond_the_tests_memory_are_a_clear_error(self):
        done = self.sweep(*VECTOR_ADD_FLAGS, "--test-memory", "0.000001")
        self.assert_one_clear_error(done, 3)
        self.assertIn("--test-memory", done.stderr)
        self.assertEqual(self.sweep(*VECTOR_ADD_FLAGS, "--test-memory", "0.1").returncode, 0)


if __name__ == "__main__":
    main()
