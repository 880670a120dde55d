# SPDX-License-Identifier: BSL-1.0
"""Runs that are saved with --journal survive SIGKILL and Ctrl-C, and go on with --resume."""

import json
import random
import shutil
import signal
import time

from support import VECTOR_ADD, VECTOR_ADD_FLAGS, Case, main

# Slow enough to be interrupted anywhere: sixteen configurations, each compiled and timed.
SLOW = ["add.cu", "--size", "n=65536", "--arg", "a=n", "--arg", "b=n", "--arg", "c=n",
        "--tune", "BLOCK=" + ",".join(str(32 * i) for i in range(1, 17)),
        "--block", "BLOCK", "--grid", "ceil_div(n,BLOCK)", "--strategy", "sweep", "--launches", "6"]
QUICK = ["add.cu", *VECTOR_ADD_FLAGS, "--strategy", "sweep", "--launches", "6"]


class Journal(Case):
    def report(self, name):
        return json.loads((self.folder / name).read_text())

    def test_a_killed_run_goes_on(self):
        luck = random.Random(1)
        process = self.start(*SLOW, "--journal", "run", "--json", "out.json", "--quiet")
        kills = 0
        while kills < 5:
            time.sleep(luck.uniform(0.3, 1.5))
            if process.poll() is not None:
                break
            process.send_signal(signal.SIGKILL)
            process.communicate()
            kills += 1
            if not self.begun("run"):  # too early: there was nothing to go on with
                shutil.rmtree(self.folder / "run", ignore_errors=True)
                process = self.start(*SLOW, "--journal", "run", "--json", "out.json", "--quiet")
            else:
                process = self.start("--resume", "run")
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, err)
        self.assertGreater(kills, 0)
        configurations = self.report("out.json")["history"][-1]["configurations"]
        self.assertEqual(len(configurations), 16)

    def begun(self, folder):
        journal = self.folder / folder / "run.journal"
        return journal.exists() and b"command line" in journal.read_bytes()

    def test_ctrl_c_says_how_to_go_on(self):
        process = self.start(*SLOW, "--journal", "run", "--quiet")
        deadline = time.monotonic() + 30
        while not self.begun("run") and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn(f"lkt-tune --resume {self.folder / 'run'}", err)
        done = self.run_tune("--resume", "run", "--json", "out.json", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.report("out.json")["strategy"], "sweep")

    def test_a_finished_run_gives_its_result_again_from_anywhere(self):
        first = self.run_tune(*QUICK, "--journal", "run", "--json", "a.json", "--quiet")
        self.assertEqual(first.returncode, 0, first.stderr)
        (self.folder / "add.cu").write_text("the kernel is in the journal")
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        again = self.run_tune("--resume", "../run", "--json", "b.json", "--quiet", cwd=elsewhere)
        self.assertEqual(again.returncode, 0, again.stderr)
        a, b = self.report("a.json"), self.report("b.json")  # paths mean where it began
        for key in ("best", "baseline", "history", "terminal", "confirmed"):
            self.assertEqual(a[key], b[key], key)

    def test_a_journal_is_not_written_over(self):
        self.assertEqual(self.run_tune(*QUICK, "--journal", "run", "--quiet").returncode, 0)
        before = (self.folder / "run" / "run.journal").read_bytes()
        done = self.run_tune(*QUICK, "--journal", "run", "--quiet")
        self.assert_one_clear_error(done, 2, "run already holds a saved run", "--resume run")
        self.assertEqual((self.folder / "run" / "run.journal").read_bytes(), before)

    def test_a_suspended_run_goes_on_when_the_reply_is_there(self):
        asked = ["add.cu", *VECTOR_ADD_FLAGS, "--launches", "6", "--attempts", "1", "--quiet",
                 "--model", "mailbox:mail", "--record", "tape.jsonl"]
        done = self.run_tune(*asked, "--suspend", "--journal", "run")
        self.assert_one_clear_error(done, 4, "the mailbox waits for a reply", "--resume")
        question, = (self.folder / "mail").glob("*.request.md")
        self.assertEqual(self.run_tune("--resume", "run").returncode, 4)  # nobody answered
        reply = question.with_name(question.name.replace("request", "reply"))
        reply.write_text("```cuda\n" + VECTOR_ADD.replace("a[i] + b[i]", "b[i] + a[i]") + "```\n")
        done = self.run_tune("--resume", "run", "--json", "out.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.report("out.json")["model"]["calls"], 1)
        self.assertEqual(len((self.folder / "tape.jsonl").read_text().splitlines()), 2)

    def test_suspension_needs_a_mailbox_and_a_journal(self):
        done = self.run_tune("add.cu", *VECTOR_ADD_FLAGS, "--model", "mailbox:mail", "--suspend")
        self.assert_one_clear_error(done, 2, "--suspend", "--journal")
        done = self.run_tune("add.cu", *VECTOR_ADD_FLAGS, "--model", "openai:x", "--suspend", "--journal", "run")
        self.assert_one_clear_error(done, 2, "--suspend", "mailbox")

    def test_what_the_problem_is_cannot_be_changed(self):
        self.assertEqual(self.run_tune(*QUICK, "--journal", "run", "--quiet").returncode, 0)
        for more in (["--size", "n=8"], ["--strategy", "one-prompt"], ["other.cu"], ["--seed", "7"],
                     ["--journal", "other"]):
            with self.subTest(more=more):
                done = self.run_tune("--resume", "run", *more)
                self.assert_one_clear_error(done, 2, "cannot change")

    def test_one_at_a_time(self):
        process = self.start(*SLOW, "--journal", "run", "--quiet")
        deadline = time.monotonic() + 30
        while not self.begun("run") and time.monotonic() < deadline:
            time.sleep(0.05)
        done = self.run_tune("--resume", "run")
        self.assert_one_clear_error(done, 3, "another process is writing", "lkt.journal.busy")
        process.kill()
        process.communicate()

    def test_what_is_no_journal(self):
        self.assert_one_clear_error(self.run_tune("--resume", "nowhere"), 2, "no run.journal in nowhere")
        self.write("text/run.journal", "some text")
        self.assert_one_clear_error(self.run_tune("--resume", "text"), 3, "not a journal of lkt")
        self.write("empty/run.journal", "")
        self.assert_one_clear_error(self.run_tune("--resume", "empty"), 2, "no run of lkt-tune")
        self.assert_one_clear_error(
            self.run_tune(*QUICK, "--journal", "run", "--journal-sync", "never"), 2, "known: each, interval, exit")

    def test_a_damaged_journal_is_not_gone_on_with(self):
        self.assertEqual(self.run_tune(*QUICK, "--journal", "run", "--quiet").returncode, 0)
        journal = self.folder / "run" / "run.journal"
        bytes_ = bytearray(journal.read_bytes())
        bytes_[len(bytes_) // 2] ^= 1
        journal.write_bytes(bytes_)
        done = self.run_tune("--resume", "run")
        self.assert_one_clear_error(done, 3, "lkt.journal.damaged", "byte ")
        self.assertEqual(journal.read_bytes(), bytes(bytes_))


if __name__ == "__main__":
    main()
