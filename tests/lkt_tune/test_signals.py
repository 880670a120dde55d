# SPDX-License-Identifier: BSL-1.0
"""Ctrl-C ends cleanly and keeps the best so far; SIGKILL leaves no process and no broken file."""

import json
import random
import signal
import time

from support import Case, descendants, main

# Slow enough to be interrupted anywhere: sixteen configurations, each compiled and timed.
SLOW = ["--size", "n=65536", "--arg", "a=n", "--arg", "b=n", "--arg", "c=n",
        "--tune", "BLOCK=" + ",".join(str(32 * i) for i in range(1, 17)),
        "--block", "BLOCK", "--grid", "ceil_div(n,BLOCK)", "--strategy", "sweep", "--launches", "200"]


class Signals(Case):
    def setUp(self):
        super().setUp()
        self.adopt_orphans()

    def test_this_test_sees_orphans(self):
        process = self.start("add.cu", *SLOW, "--report", "report.txt")
        try:
            most, deadline = [], time.monotonic() + 20
            while len(most) < 3 and time.monotonic() < deadline:
                most = max(most, descendants(), key=len)
                time.sleep(0.01)
            self.assertGreaterEqual(len(most), 3, f"the program, a worker and a compiler: {most}")
        finally:
            process.kill()
            process.communicate()

    def test_sigkill_leaves_nothing(self):
        moments = random.Random(7)
        for round_ in range(12):
            delay = moments.uniform(0.0, 2.5)
            with self.subTest(delay=delay):
                process = self.start("add.cu", *SLOW, "--json", "out.json", "--report", "report.txt")
                time.sleep(delay)
                process.kill()
                process.communicate()
                deadline = time.monotonic() + 1
                while descendants() and time.monotonic() < deadline:
                    time.sleep(0.02)
                self.assertEqual(descendants(), [])
                for name in ("out.json", "report.txt"):
                    path = self.folder / name
                    if path.exists():
                        text = path.read_text()
                        self.assertTrue(text.endswith("\n"), f"{name} is cut")
                        if name == "out.json":
                            json.loads(text)
                        path.unlink()
                self.assertEqual({p.name for p in self.folder.iterdir()} - {"add.cu", "out.json", "report.txt"}, set())

    def test_ctrl_c_keeps_the_best_so_far(self):
        process = self.start("add.cu", *SLOW, "--json", "out.json", "--log", "debug")
        for line in process.stderr:  # the baseline is known once a configuration is tried
            if "evaluate" in line or "configuration" in line:
                break
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 130, err)
        report = json.loads((self.folder / "out.json").read_text())
        self.assertIn("add", json.dumps(report))
        self.assertIn("cancelled", json.dumps(report))
        self.assertEqual(descendants(), [])

    def test_ctrl_c_before_the_baseline_is_a_clean_end(self):
        process = self.start("add.cu", *SLOW)
        time.sleep(0.15)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=300)
        self.assertIn(process.returncode, (130, -signal.SIGINT), err)
        self.assertEqual(descendants(), [])

    def test_a_terminal_that_is_closed_says_so_more_than_once(self):
        process = self.start("add.cu", *SLOW, "--json", "out.json")
        for line in process.stderr:
            if "configuration" in line:
                break
        for _ in range(20):
            process.send_signal(signal.SIGHUP)
            time.sleep(0.01)
        _, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("the run was interrupted", err)
        self.assertTrue((self.folder / "out.json").exists())


if __name__ == "__main__":
    main()
