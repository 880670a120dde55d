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


class Shared(Case):
    """What these compile others may have compiled, but where a run has to last until it is interrupted."""
    more = {}

    def compile_anew(self):
        self.more = {"LKT_CACHE": "off"}

    def start(self, *arguments, env=None, **options):
        return super().start(*arguments, env={**self.more, **(env or {})}, **options)


class Journal(Shared):
    def report(self, name):
        return json.loads((self.folder / name).read_text())

    def test_a_killed_run_goes_on(self):
        self.compile_anew()
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
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, err)
        self.assertGreater(kills, 0)
        configurations = self.report("out.json")["history"][-1]["configurations"]
        self.assertEqual(len(configurations), 16)

    def begun(self, folder):
        journal = self.folder / folder / "run.journal"
        return journal.exists() and b"command line" in journal.read_bytes()

    def test_ctrl_c_says_how_to_go_on(self):
        self.compile_anew()
        process = self.start(*SLOW, "--journal", "run", "--quiet")
        deadline = time.monotonic() + 30
        while not self.begun("run") and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("lkt-tune: the run was interrupted\nthe run is saved; to resume it: lkt-tune --resume "
                      f"{self.folder / 'run'}\n", err)
        self.assertNotIn("cancelled", err)
        done = self.run_tune("--resume", "run", "--json", "out.json", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.report("out.json")["strategy"], "sweep")

    def test_a_finished_run_gives_its_result_again_from_anywhere(self):
        first = self.run_tune(*QUICK, "--journal", "run", "--json", "a.json", "--quiet", "--unconfined-compiler")
        self.assertEqual(first.returncode, 0, first.stderr)
        (self.folder / "add.cu").write_text("the kernel is in the journal")
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        again = self.run_tune("--resume", "../run", "--json", "b.json", "--quiet", cwd=elsewhere)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("add.cu has changed since this run began, which goes on with what was saved", again.stderr)
        a, b = self.report("a.json"), self.report("elsewhere/b.json")  # files belong where they are named
        for key in ("best", "baseline", "history", "terminal", "confirmed"):
            self.assertEqual(a[key], b[key], key)
        # Who gets the folder from elsewhere decides anew what is written, and what has all rights.
        (self.folder / "a.json").unlink()
        done = self.run_tune("--resume", "run", env=self.somebody_else)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "all your rights: --unconfined-compiler; .*\n.*you began it here: --json=a.json;")
        self.assertFalse((self.folder / "a.json").exists())
        done = self.run_tune("--resume", "run", "--json", "a.json", "--unconfined-compiler", env=self.somebody_else)
        self.assertNotIn("not taken", done.stderr)
        (self.folder / "a.json").unlink()
        done = self.run_tune("--resume", "run")
        self.assertIn("--unconfined-compiler", done.stderr)
        self.assertTrue((self.folder / "a.json").exists())

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
        self.assertEqual(done.stdout, "")  # a question, and no report
        question, = (self.folder / "mail").glob("*.request.md")
        self.assertEqual(self.run_tune("--resume", "run").returncode, 4)  # nobody answered
        done = self.run_tune("--resume", "run", env=self.somebody_else)  # whose model it would ask
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("you began it here: --model=mailbox:mail --record=tape.jsonl;", done.stderr)
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
        self.compile_anew()
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


# Forty of a hundred configurations: enough to be interrupted twice on the way.
SWEEP = ["add.cu", "--size", "n=4096", "--arg", "a=n", "--arg", "b=n", "--arg", "c=n",
         "--tune", "BLOCK=" + ",".join(str(8 * i) for i in range(1, 101)),
         "--block", "BLOCK", "--grid", "ceil_div(n,BLOCK)", "--strategy", "sweep", "--launches", "6",
         "--budget", "40", "--backend", "host", "--quiet", "--trace", "trace.jsonl"]


class Interrupted(Shared):
    def setUp(self):
        super().setUp()
        self.compile_anew()

    def evaluations(self):
        """Of each session: new results, results from before."""
        sessions = []
        for line in (self.folder / "trace.jsonl").read_text().splitlines():
            event = json.loads(line)
            if event["event"] == "begin":
                sessions.append([0, 0])
            elif event.get("activity") == "trying configurations" and event["done"]:
                sessions[-1][event["last"].startswith("already judged")] += 1
        return sessions

    def until(self, process, count):
        """Waits until the running session has so many new results."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            try:
                if self.evaluations()[-1][0] >= count:
                    return
            except (OSError, ValueError, IndexError):
                pass
            time.sleep(0.02)
        self.fail("the sweep did not get that far")

    def test_a_sweep_keeps_what_it_measured_through_ctrl_c_and_kill(self):
        process = self.start(*SWEEP, "--journal", "run", "--json", "first.json")
        self.until(process, 8)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 130, err)
        report = json.loads((self.folder / "first.json").read_text())
        attempt, = report["history"]
        self.assertEqual(attempt["verdict"], "not-evaluated")
        self.assertGreaterEqual(len(attempt["configurations"]), 8)
        self.assertRegex(attempt["notes"][0], "the run ended after [0-9]+ of 100 configurations")
        self.assertEqual(report["stopped_by"]["message"], "the run was interrupted")
        process = self.start("--resume", "run")
        for _ in range(200):
            time.sleep(0.02)
            if len(self.evaluations()) == 2:
                break
        self.until(process, 8)
        process.kill()
        process.communicate()
        done = self.run_tune("--resume", "run", "--json", "last.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        first, second, third = self.evaluations()
        self.assertEqual(second[1], len(attempt["configurations"]))
        # The one that was killed on the way may have been kept, or not.
        self.assertLessEqual(abs(third[1] - sum(second)), 1)
        self.assertEqual(sum(third), 40)
        self.assertLessEqual(first[0] + second[0] + third[0], 41)
        report = json.loads((self.folder / "last.json").read_text())
        attempt = report["history"][-1]
        self.assertEqual((len(attempt["configurations"]), attempt["space"]), (40, 100))
        self.assertTrue(any("final_time" in c for c in attempt["configurations"]))
        self.assertEqual(report["sessions"], 3)
        self.assertGreater(report["total_s"], report["wall_s"])
        self.assertIn("warning: --budget 40: 40 of 100 configurations were tried", report["notes"])
        if attempt["verdict"] == "rejected":  # the times that were compared are those of the result
            self.assertEqual(report["baseline"]["time"], attempt["best"])

    def test_without_a_journal_the_report_has_what_was_measured(self):
        process = self.start(*SWEEP)
        self.until(process, 5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 130)
        self.assertIn("lkt-tune: the run was interrupted; with --journal FOLDER a run can be resumed\n", err)
        self.assertIn("stopped early: the run was interrupted [lkt.cancelled]", out)
        self.assertIn("configurations tried", out)
        self.assertIn("not decided: the run ended before", out)


class Outputs(Shared):
    def test_a_finished_run_leaves_its_trace_alone_and_files_belong_here(self):
        for trace in ("trace.jsonl", "trace.json"):
            with self.subTest(trace=trace):
                run = "run-" + trace
                done = self.run_tune(*QUICK, "--journal", run, "--trace", trace, "--quiet")
                self.assertEqual(done.returncode, 0, done.stderr)
                before = (self.folder / trace).read_bytes()
                elsewhere = self.folder / "elsewhere"
                elsewhere.mkdir(exist_ok=True)
                again = self.run_tune("--resume", f"../{run}", "--json", "out.json", "--report", "r.txt", cwd=elsewhere)
                self.assertEqual(again.returncode, 0, again.stderr)
                self.assertEqual((self.folder / trace).read_bytes(), before)
                self.assertTrue((elsewhere / "out.json").exists())
                self.assertIn("sessions", json.loads((elsewhere / "out.json").read_text()))
                self.assertFalse((self.folder / "out.json").exists())
                self.assertEqual(json.loads((elsewhere / "out.json").read_text())["tests"][0], "n=4096")

    def test_two_outputs_in_one_file(self):
        (self.folder / "link.json").symlink_to("out.json")
        for pair in (["--report", "out.json", "--json", "./out.json"],
                     ["--output", "out.json", "--trace", "link.json"],
                     ["--report", "-", "--json", "-"]):
            with self.subTest(pair=pair):
                self.assert_one_clear_error(self.sweep(*VECTOR_ADD_FLAGS, *pair), 2, "the same file", pair[0], pair[2])
        self.assert_one_clear_error(self.sweep(*VECTOR_ADD_FLAGS, "--output", "add.cu"), 2, "would overwrite add.cu")
        # What a problem file and a configuration file lead to.
        self.assertEqual(self.run_tune("add.cu", *VECTOR_ADD_FLAGS, "--declare", "p.json").returncode, 0)
        self.write("tune.ini", "strategy = sweep\n")
        for flags, lost in ((["--output", "add.cu"], "add.cu"), (["--declare", "add.cu", "--force"], "add.cu"),
                            (["--config", "tune.ini", "--json", "tune.ini"], "tune.ini")):
            done = self.run_tune("--problem", "p.json", "--strategy", "sweep", *flags)
            self.assert_one_clear_error(done, 2, "would overwrite", lost)
        self.assertEqual((self.folder / "add.cu").read_text(), VECTOR_ADD)
        self.assertEqual((self.folder / "tune.ini").read_text(), "strategy = sweep\n")

    def test_json_on_standard_output_is_all_there_is(self):
        done = self.sweep(*VECTOR_ADD_FLAGS, "--launches", "6", "--json", "-")
        self.assertEqual(json.loads(done.stdout)["strategy"], "sweep")

    def test_a_declaration_replaces_nothing_without_force(self):
        declare = ["add.cu", *VECTOR_ADD_FLAGS, "--declare", "p.json"]
        self.assertEqual(self.run_tune(*declare).returncode, 0)
        before = (self.folder / "p.json").read_bytes()
        self.assertEqual(json.loads(before)["lkt"]["size_names"], ["n"])
        self.write("p.json", b"mine")
        self.assert_one_clear_error(self.run_tune(*declare), 2, "p.json exists", "--force")
        self.assertEqual((self.folder / "p.json").read_bytes(), b"mine")
        self.assertEqual(self.run_tune(*declare, "--force").returncode, 0)
        self.assertEqual((self.folder / "p.json").read_bytes(), before)
        done = self.run_tune("--problem", "p.json", "--strategy", "sweep", "--launches", "6", "--json", "a.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.sweep(*VECTOR_ADD_FLAGS, "--launches", "6", "--json", "b.json")
        a, b = (json.loads((self.folder / name).read_text()) for name in ("a.json", "b.json"))
        for key in ("size", "sizes", "tests", "tolerances"):
            self.assertEqual(a[key], b[key], key)

    def test_a_mailbox_names_its_question_and_keeps_it(self):
        asked = ["add.cu", *VECTOR_ADD_FLAGS, "--launches", "6", "--model", "mailbox:mail"]
        names = []
        for _ in range(2):  # without a journal, and with other measured times
            process = self.start(*asked)
            deadline = time.monotonic() + 60
            while not list((self.folder / "mail").glob("*.request.md")) and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=300)
            self.assertIn("a question waits in mail/", err)
            self.assertIn("--journal FOLDER", err)
            names.append({f.name for f in (self.folder / "mail").glob("*.request.md")})
            for question in (self.folder / "mail").glob("*.request.md"):
                question.unlink()
        self.assertEqual(len(names[0]), 1)
        self.assertEqual(names[0], names[1])

    def test_warnings_stand_first_by_name(self):
        done = self.run_tune("add.cu", "--size", "n=4096", "--arg", "a=n", "--arg", "b=n", "--arg", "c=n",
                             "--tune", "BLOCK=64,128", "--tune", "UNUSED=1,2", "--block", "BLOCK",
                             "--grid", "n/BLOCK/2", "--strategy", "sweep", "--launches", "6", "--quiet")
        top = done.stdout.split("kernel      add")[0]
        self.assertIn("nothing reads the parameter `UNUSED`", top)
        self.assertIn("does not write all of the output `c`: 2048 of 4096", " ".join(top.split()))
        self.assertIn("only one size was verified, n=4096", top)


if __name__ == "__main__":
    main()
