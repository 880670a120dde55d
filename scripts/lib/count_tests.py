#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Adds up what ran, from the JUnit files that ctest wrote: a doctest executable counts with its test
cases, a script with the tests that it says it ran, anything else as one. The last line is
`N passed, N failed, N skipped`. Exit status 1 if something failed or nothing ran."""
import argparse
import dataclasses
import pathlib
import re
import sys
import xml.etree.ElementTree

DOCTEST = re.compile(
    r"\[doctest\] test cases:\s*(\d+)\s*\|\s*(\d+) passed\s*\|\s*(\d+) failed\s*(?:\|\s*(\d+) skipped)?")
PLAIN = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.MULTILINE)
UNITTEST = re.compile(r"^Ran (\d+) tests? in ", re.MULTILINE)
UNITTEST_SKIPPED = re.compile(r"^OK \(.*\bskipped=(\d+)", re.MULTILINE)


@dataclasses.dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __iadd__(self, other: "Count") -> "Count":
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        return self

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def inner_count(output: str) -> Count | None:
    """What the test itself says that it ran."""
    if found := DOCTEST.findall(output):
        return Count(*(sum(int(row[column] or 0) for row in found) for column in (1, 2, 3)))
    if found := PLAIN.findall(output):
        return Count(*(int(number or 0) for number in found[-1]))
    if found := UNITTEST.findall(output):
        skipped = sum(int(number) for number in UNITTEST_SKIPPED.findall(output))
        return Count(passed=sum(int(number) for number in found) - skipped, skipped=skipped)
    return None


def count_case(case: xml.etree.ElementTree.Element) -> tuple[Count, str]:
    """The count of one ctest test, and a remark if there is something to say."""
    output = case.findtext("system-out") or ""
    status = case.get("status")
    inner = inner_count(output)
    if case.find("skipped") is not None and status in ("notrun", "disabled"):
        message = case.find("skipped").get("message") or ""
        # A test whose program does not exist has not been skipped by anybody.
        if message != "SKIP_RETURN_CODE=77":
            return Count(failed=1), f"not run: {message or status}"
        reason = output.strip().splitlines()
        return Count(skipped=1), f"skipped: {reason[-1] if reason else message}"
    if status == "run":
        if inner is None:
            return Count(passed=1), ""
        if inner.passed + inner.failed + inner.skipped == 0:
            return Count(failed=1), "ran no test"
        if inner.failed > 0:  # a defect that was planted, and seen: ctest was told to expect that
            return Count(passed=1), ""
        return inner, ""
    # It failed: if it did not get to say so itself (a crash, a time-out), that is one failure more.
    if inner is None or "doctest" not in output and not PLAIN.search(output):
        return Count(failed=1), "failed"
    if inner.failed == 0:
        inner.failed = 1
    return inner, "failed"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--failed", action="append", default=[], metavar="WHAT", help="a step that failed")
    parser.add_argument("--skipped", action="append", default=[], metavar="WHAT", help="a part left out")
    parser.add_argument("results", nargs="*", metavar="NAME=JUNIT.xml")
    options = parser.parse_args()

    total = Count()
    remarks = []
    for result in options.results:
        name, _, path = result.partition("=")
        count = Count()
        try:
            cases = xml.etree.ElementTree.parse(path).getroot().findall("testcase")
        except (OSError, xml.etree.ElementTree.ParseError) as problem:
            remarks.append(f"FAILED   {name}: no results ({problem})")
            total.failed += 1
            continue
        for case in cases:
            one, remark = count_case(case)
            count += one
            if remark:
                word = "SKIPPED " if remark.startswith("skipped") else "FAILED  "
                remarks.append(f"{word} {name}: {case.get('name')}: {remark}")
        if not cases:
            remarks.append(f"FAILED   {name}: there was no test")
            count.failed += 1
        print(f"{name + ':':12} {count}   ({len(cases)} programs and scripts)")
        total += count
    for what in options.failed:
        remarks.append(f"FAILED   {what}")
        total.failed += 1
    for what in options.skipped:
        remarks.append(f"SKIPPED  {what}")
        total.skipped += 1
    for remark in remarks:
        print(remark)
    print(total)
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())
