# SPDX-License-Identifier: BSL-1.0
"""examples/recorded: the conversations that tuned examples/kernels on an H200, repeated on the host back end. What is
faster there need not be here, but every kernel that was right there has to be right here. Three of them by default, all
with LKT_FULL=1."""

import json
import os
import pathlib

from support import Case, main

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
HOW = {
    "one-prompt": ["--attempts", "3"],
    "autonomous": ["--replans", "0", "--plan-length", "2", "--attempts", "2"],
    "explicit": ["--steps", EXAMPLES / "recorded" / "steps.json", "--attempts", "2"],
}
KERNELS = sorted(path.stem for path in (EXAMPLES / "kernels").glob("*.cu"))
# It counts the steps of an orbit, on which a CPU and a GPU round differently.
ROUNDED_OTHERWISE = {"mandelbrot"}


class Recorded(Case):
    def repeat(self, kernel, strategy):
        cassette = EXAMPLES / "recorded" / f"{kernel}.{strategy}.jsonl"
        replies = len(cassette.read_text().splitlines()) - 1
        done = self.run_tune("--problem", EXAMPLES / "kernels" / f"{kernel}.json", "--backend", "host",
                             "--strategy", strategy, *HOW[strategy], "--model", f"replay:{cassette}",
                             "--launches", "7", "--json", "out.json", "--quiet", timeout=600)
        # A kernel that is not faster here is asked for once more, and nobody answers.
        if done.returncode == 3:
            self.assertIn("lkt.replay.used-up", done.stderr)
        else:
            self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.folder / "out.json").read_text())
        self.assertGreater(report["model"]["calls"], 0)
        self.assertLessEqual(report["model"]["calls"], replies)
        self.assertIn("Claude", report["model"]["name"])
        self.assertIn(report["terminal"], ("tuned", "unchanged", None))
        if kernel not in ROUNDED_OTHERWISE:
            for attempt in report["history"]:
                self.assertIn(attempt["verdict"], ("accepted", "rejected", "not evaluated"), attempt.get("context"))

    def test_there_is_one_for_each_kernel_and_strategy(self):
        self.assertEqual(len(KERNELS), 8)
        found = sorted(path.name for path in (EXAMPLES / "recorded").glob("*.jsonl"))
        self.assertEqual(found, sorted(f"{k}.{s}.jsonl" for k in KERNELS for s in HOW))

    def test_on_the_host(self):
        full = os.environ.get("LKT_FULL", "") not in ("", "0")
        for kernel in KERNELS if full else ["mandelbrot"]:
            for strategy in HOW:
                with self.subTest(f"{kernel}, {strategy}"):
                    self.repeat(kernel, strategy)


if __name__ == "__main__":
    main()
