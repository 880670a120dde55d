#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""lkt-verify --browser with a real one: Chromium without a window, whose WebGPU runs in software (SwiftShader). Right and wrong kernels get
their verdicts there, and the right ones a time.

    test_chromium.py LKT-VERIFY [KERNEL.wgsl PROBLEM.json]...

Chromium is `LKT_CHROMIUM`, or in PATH (Debian: chromium); `LKT_CHROMIUM_FLAGS` takes the place of the flags that choose the adapter. Pairs of
files are run instead of the tests, and their reports printed.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

CASES = pathlib.Path(__file__).resolve().parent / "cases"
DONE, REJECTED, ENVIRONMENT, SKIPPED = 0, 1, 3, 77
ADAPTER = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"]
PROGRAM = None
CHROMIUM = os.environ.get("LKT_CHROMIUM") or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def in_browser(problem, *kernels, limit=300):
    """Status, report, JSON and messages of a run."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        command = [PROGRAM, "--problem", problem, *kernels, "--browser", "--quick", "--seed", "7", "--json", out]
        with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as served:
            said = ""
            for line in served.stderr:
                said += line
                if found := re.search(r"open (http://\S+)", line):
                    break
            else:
                return served.wait(), "", None, said
            flags = os.environ["LKT_CHROMIUM_FLAGS"].split() if "LKT_CHROMIUM_FLAGS" in os.environ else ADAPTER
            # Ends with its processes, also a GPU's that hangs, and also if this test is killed.
            browser = subprocess.Popen(
                ["timeout", "--signal=KILL", str(limit + 30), CHROMIUM, "--headless=new", *(["--no-sandbox"] if os.geteuid() == 0 else []), f"--user-data-dir={folder}/profile", "--no-first-run",
                 "--disable-extensions", "--disable-component-update", "--disable-background-networking", *flags, found[1]],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            try:
                report, rest = served.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                served.terminate()
                report, rest = served.communicate()
            finally:
                os.killpg(browser.pid, signal.SIGTERM)
                try:
                    browser.wait(10)
                except subprocess.TimeoutExpired:
                    pass
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(browser.pid, signal.SIGKILL)
                browser.wait()
            return served.returncode, report, json.loads(out.read_text()) if out.exists() else None, said + rest


class Chromium(unittest.TestCase):
    def test_right_and_wrong_kernels(self):
        kernels = [CASES / name for name in ("accept/stride-vecadd.wgsl", "reject/A14-first-half.wgsl", "reject/A45-type-error.wgsl",
                                             "reject/A07-input-written.wgsl")]
        status, report, found, said = in_browser(CASES / "problems/vecadd.wgsl.json", *kernels)
        self.assertEqual(status, REJECTED, said + report)
        original, right, half, typo, written = found["kernels"]
        for kernel in (original, right):
            self.assertEqual((kernel["right"], kernel["tests"], kernel["left_out"]), (True, found["tests"], []), report)
            self.assertGreater(kernel["time"]["median_s"], 0, report)
        self.assertGreater(right["speed_up"], 0)
        self.assertIn("Chrom", found["browser"]["agent"])
        self.assertTrue(found["browser"]["clock"])
        self.assertFalse(half["right"])
        self.assertEqual((typo["verdict"], written["verdict"]), ("compile-error", "input-mutated"), report)
        self.assertRegex(typo["reason"], r"line \d+")

    def test_structs_overrides_and_atomics(self):
        for name, kernel in (("transpose", "tiled-transpose"), ("histogram", "private-histogram")):
            kernel = CASES / f"accept/{kernel}.wgsl"
            status, report, found, said = in_browser(CASES / f"problems/{name}.wgsl.json", kernel)
            self.assertEqual(status, DONE, said + report)
            self.assertTrue(found["kernels"][1]["right"])


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    if CHROMIUM is None:
        print("skipped: there is no Chromium (Debian: apt install chromium; or name one by LKT_CHROMIUM)")
        sys.exit(SKIPPED)
    if len(sys.argv) > 2:
        for file, task in zip(sys.argv[1::2], sys.argv[2::2]):
            answer = in_browser(task, file)
            print(file, answer[0], answer[1] or answer[3], sep="\n")
        sys.exit(DONE)
    unittest.main()
