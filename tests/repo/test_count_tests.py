#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""scripts/lib/count_tests.py on planted results: nothing that failed or did not run is counted as passed."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "lib" / "count_tests.py"
DOCTEST = "[doctest] test cases: {0} | {1} passed | {2} failed | {3} skipped\n[doctest] assertions: 9 | 9 passed"


def case(name: str, status: str, output: str = "", child: str = "") -> str:
    return (f'<testcase name="{name}" classname="{name}" time="0" status="{status}">{child}'
            f"<system-out>{output}</system-out></testcase>")


def passed(name: str, output: str = "") -> str:
    return case(name, "run", output)


def failed(name: str, output: str = "") -> str:
    return case(name, "fail", output, '<failure message=""/>')


def count(cases: list[str] | None, *arguments: str) -> tuple[int, list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        results = []
        if cases is not None:
            path = pathlib.Path(folder, "dev.xml")
            path.write_text("<testsuite>" + "".join(cases) + "</testsuite>")
            results = [f"dev={path}"]
        result = subprocess.run([sys.executable, SCRIPT, *arguments, *results],
                                capture_output=True, text=True, check=False)
        return result.returncode, result.stdout.splitlines()


class CountTests(unittest.TestCase):
    def expect(self, status: int, last: str, cases: list[str] | None, *arguments: str) -> None:
        actual, lines = count(cases, *arguments)
        self.assertEqual((actual, lines[-1]), (status, last), lines)

    def test_inner_counts_are_added(self):
        self.expect(0, "13 passed, 0 failed, 3 skipped", [
            passed("a", DOCTEST.format(7, 7, 0, 1)), passed("script", "noise\n3 passed, 0 failed, 1 skipped\n"),
            passed("unit", "...\nRan 3 tests in 0.1s\n\nOK (skipped=1)\n"), passed("plain", "fine")])

    def test_a_failure_counts(self):
        self.expect(1, "6 passed, 1 failed, 0 skipped", [failed("a", DOCTEST.format(7, 6, 1, 0))])

    def test_a_failure_that_was_expected_is_one_test_passed(self):
        self.expect(0, "1 passed, 0 failed, 0 skipped", [passed("planted", DOCTEST.format(66, 0, 1, 65))])

    def test_a_crash_after_the_summary_counts(self):
        self.expect(1, "7 passed, 1 failed, 0 skipped", [failed("a", DOCTEST.format(7, 7, 0, 0))])

    def test_a_crash_without_a_summary_counts(self):
        self.expect(1, "1 passed, 1 failed, 0 skipped", [passed("ok"), failed("a", "Segmentation fault")])

    def test_a_failed_unittest_counts(self):
        self.expect(1, "1 passed, 1 failed, 0 skipped",
                    [passed("ok"), failed("a", "Ran 3 tests in 0.1s\nFAILED (failures=1)")])

    def test_an_executable_without_tests_fails(self):
        self.expect(1, "1 passed, 1 failed, 0 skipped", [passed("ok"), passed("a", DOCTEST.format(0, 0, 0, 0))])

    def test_what_was_not_built_fails(self):
        self.expect(1, "1 passed, 1 failed, 0 skipped", [
            passed("ok"), case("a", "notrun", "", '<skipped message="Unable to find executable"/>')])

    def test_a_skip_says_why(self):
        skip = case("a", "notrun", "no clang-format-19 here", '<skipped message="SKIP_RETURN_CODE=77"/>')
        status, lines = count([passed("ok"), skip])
        self.assertEqual((status, lines[-1]), (0, "1 passed, 0 failed, 1 skipped"))
        self.assertIn("no clang-format-19 here", lines[-2])

    def test_nothing_ran(self):
        self.expect(1, "0 passed, 1 failed, 0 skipped", [])
        self.expect(1, "0 passed, 0 failed, 0 skipped", None)
        self.expect(1, "0 passed, 1 failed, 0 skipped", None, "dev=/nonexistent.xml")

    def test_steps(self):
        self.expect(1, "1 passed, 1 failed, 0 skipped", [passed("ok")], "--failed", "dev: building")
        self.expect(0, "1 passed, 0 failed, 1 skipped", [passed("ok")], "--skipped", "clang++-16")


if __name__ == "__main__":
    unittest.main()
