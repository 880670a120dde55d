# SPDX-License-Identifier: BSL-1.0
"""lkt-tune --operations: each problem file of a folder, some at once, interrupted, killed and resumed; and the queue of a device."""

import fcntl
import json
import os
import re
import signal
import time

from support import Case, descendants, main

KERNEL = """extern "C" __global__ void %s(float const* x, float* y, int N) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) y[i] = %s;
}
"""
OPERATIONS = {"shift": "x + 3", "square": "x * x", "twice": "2 * x"}


def operation(name):
    return json.dumps({
        "KernelSpecification": {"KernelName": name, "ProblemSize": [64]},
        "lkt": {"size_names": ["N"], "operation": {
            "numpy": {"source": [f"def {name}(x):", f"    return {OPERATIONS[name]}"], "function": name},
            "inputs": [{"name": "x", "shape": ["N"]}], "outputs": [{"name": "y", "shape": ["N"]}]}}})


def reply(name, expression):
    return "```cuda\n" + KERNEL % (name, expression) + "```\n"


class Batch(Case):
    settings = ("--backend", "host", "--strategy", "sweep", "--launches", "6", "--seed", "7")

    def setUp(self):
        super().setUp()
        for name, expression in OPERATIONS.items():
            self.write(f"ops/{name}.json", operation(name))
            texts = reply(name, "x[i]"), reply(name, expression.replace("x", "x[i]"))  # wrong, then right
            lines = [{"lkt_cassette": 1, "origin": "written-by-hand", "match": "in-order"}]
            lines += [{"reply": {"text": text, "finish": "stop"}} for text in texts]
            self.write(f"replies/{name}.jsonl", "".join(json.dumps(line) + "\n" for line in lines))

    def batch(self, *more):
        return ("--operations", "ops", "--journal", "out", "--model", "replay:replies/{operation}.jsonl", *self.settings, *more)

    def text(self, *parts):
        path = self.folder.joinpath(*parts)
        return path.read_text() if path.exists() else ""

    def wait_until(self, happened):
        deadline = time.monotonic() + 60
        while not happened():
            self.assertLess(time.monotonic(), deadline, "it does not happen")
            time.sleep(0.01)

    def test_interrupted_and_resumed_it_asks_and_measures_nothing_twice(self):
        self.write("ops/twice.json", '{"bad"')
        self.write("talk/README", "for --record")
        process = self.start(*self.batch("--jobs", "1", "--record", "talk/{operation}.jsonl"))
        self.wait_until(lambda: "asking the model | attempt 2" in self.text("out", "square", "log.txt"))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("lkt-tune --resume", err)
        rows = {line.split()[0]: line for line in out.splitlines() if line}
        self.assertIn("accepted", rows["shift"])
        self.assertIn("interrupted", rows["square"])
        self.assertIn("not begun", rows["twice"])
        before = self.text("out", "shift", "result.json"), self.text("out", "shift", "log.txt")
        done = self.run_tune("--resume", "out", "--jobs", "2")
        self.assertEqual(done.returncode, 3, done.stderr)  # one has no kernel
        self.assertIn("2 of 3 accepted", done.stdout)
        self.assertIn("this is not JSON", done.stdout)
        self.assertEqual(before, (self.text("out", "shift", "result.json"), self.text("out", "shift", "log.txt")))
        self.write("ops/twice.json", operation("twice"))  # mended, and all that is missing
        # All that is written lies in the folder, wherever it is by now, and whoever began the batch.
        (self.folder / "out").rename(self.folder / "moved")
        plan = json.loads(self.text("moved", "batch.json"))
        self.write("rights.conf", "unconfined-compiler = true\n")
        self.write("moved/batch.json", json.dumps({**plan, "words": [*plan["words"], "--config=rights.conf"]}))
        done = self.run_tune("--resume", "moved", env=self.somebody_else)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("names a file of options (--config=rights.conf)", done.stderr)
        self.write("moved/batch.json", json.dumps(plan))
        done = self.run_tune("--resume", "moved", env=self.somebody_else)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("you began it here: --model=replay:", done.stderr)
        done = self.run_tune("--resume", "moved", "--model", "replay:replies/{operation}.jsonl", "--record", "talk/{operation}.jsonl",
                             env=self.somebody_else)
        (self.folder / "moved").rename(self.folder / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 of them finished before", done.stderr)
        for name in OPERATIONS:
            result = json.loads(self.text("out", name, "result.json"))
            self.assertEqual([a["verdict"] for a in result["written"]], ["failed", "accepted"])
            self.assertEqual((result["model"]["calls"], result["sessions"]), (2, 2 if name == "square" else 1))
            self.assertEqual(self.text("talk", f"{name}.jsonl").count('"reply":'), 2)
            self.assertIn(name, self.text("out", name, "kernel.cu"))

        summary = json.loads(self.text("out", "summary.json"))
        self.assertEqual([(o["operation"], o["calls"], o["finished"]) for o in summary["operations"]],
                         [(name, 2, True) for name in OPERATIONS])

    def test_killed_again_and_again_it_loses_and_repeats_nothing(self):
        """The parent alone is killed; what it had started has to end by itself, and need not have ended when the batch goes on."""
        self.adopt_orphans()
        self.write("talk/README", "for --record")
        logs = lambda word: sum(self.text("out", name, "log.txt").count(word) for name in OPERATIONS)
        moments = (lambda: True, lambda: (self.folder / "out" / "batch.json").exists(), lambda: logs("asking the model"),
                   lambda: logs("attempt 1 | 1 model calls"), lambda: logs("attempt 2 | 2 model calls"),
                   lambda: any((self.folder / "out").glob("*/result.json")))
        begin = self.batch("--jobs", "2", "--store", "kernels", "--record", "talk/{operation}.jsonl")
        for happened in moments:
            begun = (self.folder / "out" / "batch.json").exists()
            process = self.start(*(("--resume", "out") if begun else begin))
            self.wait_until(lambda: happened() or process.poll() is not None)
            process.kill()
            process.communicate()
            for file in [*self.folder.glob("out/**/*.json"), *self.folder.glob("kernels/*.json")]:
                json.loads(file.read_text())
        for half in ("out/.summary.json.1-1.tmp", "out/shift/.status.json.1-1.tmp"):
            self.write(half, "{")
        done = self.run_tune("--resume", "out")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.wait_until(lambda: not descendants())
        summary = json.loads(self.text("out", "summary.json"))
        self.assertEqual([(o["operation"], o["calls"], o["finished"]) for o in summary["operations"]],
                         [(name, 2, True) for name in OPERATIONS])
        entries = [json.loads(file.read_text()) for file in sorted((self.folder / "kernels").glob("*.json"))]
        self.assertEqual(sorted((e["operation"], e["status"]) for e in entries),
                         [(name, status) for name in OPERATIONS for status in ("accepted", "rejected")])
        self.assertEqual([e["operation"] for e in entries if not e["prompt"]], [])
        self.assertEqual([str(file) for file in self.folder.rglob(".*")], [])
        for name in OPERATIONS:
            result = json.loads(self.text("out", name, "result.json"))
            self.assertEqual([a["verdict"] for a in result["written"]], ["failed", "accepted"])
            self.assertEqual(self.text("talk", f"{name}.jsonl").count('"reply":'), 2)

    def test_a_run_that_is_killed_is_said_and_taken_up(self):
        process = self.start(*self.batch("--jobs", "1"))
        self.wait_until(lambda: "asking the model" in self.text("out", "shift", "log.txt"))
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as listed:
            os.kill(int(listed.read().split()[0]), signal.SIGKILL)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 3, err)
        self.assertRegex(out, "(shift|square|twice): it was ended by signal 9")
        done = self.run_tune("--resume", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("3 of 3 accepted", done.stdout)

    def test_what_would_clash_is_told_before_anything_starts(self):
        for more, words in (
                (("--record", "talk.jsonl"), ("--record", "{operation}")),
                (("--json", "out.json"), ("--json", "--operations")),
                (("--problem", "ops/twice.json"), ("--problem",)),
                (("--temperature", "1"), ("--temperature", "server")),
                (("--jobs", "0"), ("--jobs",))):
            self.assert_one_clear_error(self.run_tune(*self.batch(*more)), 2, *words)
        inside = ("--operations", "ops", "--journal", "ops", "--strategy", "sweep")
        self.assert_one_clear_error(self.run_tune(*inside), 2, "the same folder")
        self.assert_one_clear_error(self.run_tune("--operations", "ops", "--strategy", "sweep"), 2, "--journal FOLDER")
        self.assert_one_clear_error(self.run_tune("--operations", "replies", "--journal", "out"), 2, "no problem file")
        self.assert_one_clear_error(self.run_tune("--operations", "none", "--journal", "out"), 3, "cannot read the folder")
        self.assert_one_clear_error(self.run_tune("add.cu", "--jobs", "2"), 2, "--operations")
        self.write("out/twice/mine.txt", "mine")
        self.assert_one_clear_error(self.run_tune(*self.batch()), 2, "out/twice exists")
        self.assertFalse((self.folder / "out" / "batch.json").exists())
        self.write("out/batch.json", "{}")
        self.assert_one_clear_error(self.run_tune(*self.batch()), 2, "already holds a saved run")
        self.assert_one_clear_error(self.run_tune("--resume", "out"), 2, "not a batch")

    def test_several_devices_share_the_operations(self):
        several = ("--operations", "ops", "--journal", "out", "--model", "mailbox:box/{operation}", "--suspend", "--strategy", "sweep",
                   "--language", "wgsl", "--backend", "webgpu", "--jobs", "1")  # two names of one device; one at a time, so in order
        self.assert_one_clear_error(self.run_tune(*several, "--device", "0,,software"), 2, "without a name")
        done = self.run_tune(*several, "--device", "0,software")
        if re.search(r"\[lkt\.webgpu\.(library|no-adapter)\]", self.text("out/twice/log.txt")):
            self.skipTest("no WebGPU")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("on device 0", done.stderr)
        # Nothing else runs, so each gets the first; one that resumes on others moves.
        self.assertEqual(len(list((self.folder / "out/queue").glob("*.lock"))), 1)
        done = self.run_tune("--resume", "out", "--device", "software,0", "--quiet")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(len(list((self.folder / "out/queue").glob("*.lock"))), 2)
        done = self.run_tune("--resume", "out", "--jobs", "2")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("on device 0", done.stderr)  # as it was begun

    def test_the_device_is_free_while_a_model_answers(self):
        process = self.start("--problem", "ops/twice.json", "--model", "mailbox:box", "--device-queue", "queue", *self.settings)
        line = next(line for line in process.stderr if "a question waits" in line)
        (lock,) = (self.folder / "queue").glob("*.lock")
        with open(lock) as other:
            fcntl.flock(other, fcntl.LOCK_EX)  # as another run would; at once, or the test waits for ever
            (self.folder / line.rsplit(" ", 1)[1].strip()).write_text(reply("twice", "2 * x[i]"))
            self.assertTrue(any("waiting for the device" in line for line in process.stderr))
        _, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, err)


if __name__ == "__main__":
    main()
