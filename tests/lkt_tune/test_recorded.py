# SPDX-License-Identifier: BSL-1.0
"""examples/recorded: the conversations that tuned examples/kernels on an H200, repeated on the host back end. What is
faster there need not be here, but every kernel that was right there has to be right here. Three of them by default, all
with LKT_FULL=1."""

import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "recorded"))

from repeat import HERE, HOW, NAMES, arguments, cassette, ended_well  # noqa: E402
from support import Case, main  # noqa: E402

# It counts the steps of an orbit, on which a CPU and a GPU round differently.
ROUNDED_OTHERWISE = {"mandelbrot"}


class Recorded(Case):
    def repeat(self, kernel, strategy):
        replies = len(cassette(kernel, strategy).read_text().splitlines()) - 1
        done = self.run_tune(*arguments(kernel, strategy, "host"), "--launches", "7", "--json", "out.json",
                             timeout=600)
        self.assertTrue(ended_well(done.returncode, done.stderr), done.stderr)
        report = json.loads((self.folder / "out.json").read_text())
        self.assertGreater(report["model"]["calls"], 0)
        self.assertLessEqual(report["model"]["calls"], replies)
        self.assertIn("Claude", report["model"]["name"])
        self.assertIn(report["terminal"], ("tuned", "unchanged", None))
        if kernel not in ROUNDED_OTHERWISE:
            for attempt in report["history"]:
                self.assertIn(attempt["verdict"], ("accepted", "rejected", "not evaluated"), attempt.get("context"))

    def test_there_is_one_for_each_kernel_and_strategy(self):
        self.assertEqual(len(NAMES), 8)
        self.assertEqual(sorted(HERE.glob("*.jsonl")), sorted(cassette(k, s) for k in NAMES for s in HOW))

    def test_on_the_host(self):
        full = os.environ.get("LKT_FULL", "") not in ("", "0")
        for kernel in NAMES if full else ["mandelbrot"]:
            for strategy in HOW:
                with self.subTest(f"{kernel}, {strategy}"):
                    self.repeat(kernel, strategy)


if __name__ == "__main__":
    main()
