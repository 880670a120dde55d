# SPDX-License-Identifier: BSL-1.0
"""What the tests of lkt-verify over many kernels share: how it is started, in parallel, and what every verdict
must come with."""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
CASES = HERE / "cases"
SKIPPED = 77
# There is no device, library or driver: nothing that a kernel could help.
NO_DEVICE = re.compile(r"\[lkt\.(webgpu\.(library|no-adapter)|cuda\.(driver|no-device|device|nvrtc|library)|"
                       r"hip\.(driver|no-device|hiprtc))\]")
SIGNS_OF_A_CRASH = ("terminate called", "Segmentation", "what():", "core dumped", "Sanitizer:")

Verdict = collections.namedtuple("Verdict", "status report said seconds")


def known_verdicts():
    """The names of include/lkt/kernel/verdict.hpp."""
    text = (HERE.parents[1] / "include/lkt/kernel/verdict.hpp").read_text()
    table = text[text.index("verdict_names = {"):]
    return set(re.findall(r'"([a-z-]+)"', table[:table.index("};")]))


def options(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("program", type=pathlib.Path, help="lkt-verify")
    parser.add_argument("--backend", choices=("host", "cuda", "hip", "webgpu"), default="host")
    parser.add_argument("--only", default="", help="a regular expression: cases whose name matches")
    parser.add_argument("--jobs", type=int, help="at once; by default 1 on a device, else 2")
    parser.add_argument("--seed", type=int,
                        help="of inputs and hidden sizes; by default 7, and another one each time with LKT_FULL=1")
    parser.add_argument("--thorough", action="store_true", help="without --quick")
    parsed = parser.parse_args()
    if not parsed.program.exists():
        parser.error(f"{parsed.program} is not there")
    return parsed


def listed_checks(program):
    """What `--list-checks` says: the verdicts of each check."""
    said = subprocess.run([str(program), "--list-checks"], capture_output=True, text=True, check=True).stdout
    return {name: set(verdicts.split()) for name, verdicts in
            re.findall(r"^(\S+)\n(?:  .*\n)*?  verdicts  (.*)$", said, re.MULTILINE)}


# What one case compiled of an original need not be compiled for the next: in ctest's folder of this run, or in one that
# is gone when this process ends.
SHARED = None if "LKT_TEST_CACHE" in os.environ else tempfile.TemporaryDirectory(prefix="lkt-verify-cache-")
os.environ["LKT_CACHE"] = os.environ["LKT_TEST_CACHE"] if SHARED is None else SHARED.name


def cases_in_hip():
    """A copy of the cases, and of the problems that they name elsewhere, in HIP, which takes CUDA's texts as they are."""
    folder = tempfile.TemporaryDirectory(prefix="lkt-verify-hip-")
    root = HERE.parents[1]
    changed = 0
    for part in (CASES, root / "examples/kernels", root / "tests/lkt_attack/problems"):
        copy = pathlib.Path(folder.name) / part.relative_to(root)
        shutil.copytree(part, copy)
        for problem in copy.rglob("*.json"):
            text = problem.read_text()
            changed += text.count('"Language": "CUDA"')
            problem.write_text(text.replace('"Language": "CUDA"', '"Language": "HIP"'))
    if not changed:
        sys.exit("no problem was in CUDA")
    return folder


class Runner:
    """Starts lkt-verify, several times at once."""

    def __init__(self, chosen):
        self.program, self.backend = chosen.program.resolve(), chosen.backend
        # A device is measured on: there is only one. In software there is none.
        measured = chosen.backend in ("cuda", "hip") or any(
            pathlib.Path(place).exists() for place in ("/dev/dri", "/dev/nvidia0", "/dev/kfd"))
        self.jobs = chosen.jobs or (1 if measured and chosen.backend != "host" else 2)
        self.flags = [] if chosen.thorough else ["--quick"]
        # Drawn anew each time, a rare fault would be a defect of whatever was changed last.
        self.seed = 7 if chosen.seed is None and not full() else chosen.seed
        self.checks = listed_checks(self.program)
        self.hip = cases_in_hip() if chosen.backend == "hip" else None

    def verify(self, problem, candidate, *more):
        return self.verify_all(problem, [candidate], *more)[0]

    def verify_all(self, problem, candidates, *more):
        """A verdict for each of them, of one process, which prepares the original once."""
        if self.hip is not None:
            root = HERE.parents[1]
            problem, *candidates = (pathlib.Path(self.hip.name) / p.relative_to(root) for p in (problem, *candidates))
        with tempfile.TemporaryDirectory(prefix="lkt-verify-test-") as folder:
            answer = pathlib.Path(folder) / "verdict.json"
            seed = ["--seed", str(self.seed)] if self.seed is not None else []
            begin = time.monotonic()
            try:
                done = subprocess.run(
                    [str(self.program), "--problem", str(problem), "--backend", self.backend, "--json", str(answer),
                     "--quiet", *self.flags, *seed, *more, *map(str, candidates)],
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                    errors="replace", timeout=300 * len(candidates))
                status, said = done.returncode, done.stdout
            except subprocess.TimeoutExpired:
                status, said = -1, f"lkt-verify did not end within {300 * len(candidates)} s"
            seconds = time.monotonic() - begin
            try:
                report = json.loads(answer.read_text())
            except (OSError, ValueError):
                report = None
            if len(candidates) == 1 or report is None:
                return [Verdict(status, report, said, seconds)] * len(candidates)
            reports = report["kernels"] + [None] * (len(candidates) - len(report["kernels"]))
            # The status is that of the worst; where it is, each has its own.
            fair = status == (0 if report["accepted"] else 1)
            return [Verdict(int(not r["accepted"]) if r and fair else status, r, said, r["seconds"] if r else seconds)
                    for r in reports]

    def device_missing(self):
        """Why nothing can be run here; None where something can."""
        if self.backend == "host":
            return None
        # The original is run all the same; an empty kernel is rejected by its first test.
        ending, suffix = (".wgsl", ".wgsl.json") if self.backend == "webgpu" else (".cu", ".json")
        tried = self.verify(CASES / f"problems/vecadd{suffix}", CASES / f"reject/A01-empty{ending}")
        if tried.status == 3 and NO_DEVICE.search(tried.said):
            return tried.said.strip()
        return None

    def over(self, function, items):
        """function(item) for all of them, as they are done."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            running = {pool.submit(function, item): item for item in items}
            for done in concurrent.futures.as_completed(running):
                yield running[done], done.result()


def unlisted(answer, checks):
    """A verdict that the check which gave it does not list."""
    if answer.report is None or answer.report.get("accepted", True):
        return []
    stage = answer.report["stages"][-1]["name"]
    verdict = answer.report["verdict"]
    return [] if verdict in checks.get(stage, ()) else [f"--list-checks has no {verdict} of {stage}"]


def faults(answer, verdicts, expected):
    """What is wrong with an answer beyond its verdict: its status, and what a report must hold."""
    if answer.report is None:
        return [f"status {answer.status} and no JSON: {answer.said.strip()[-400:]}"]
    found = []
    report = answer.report
    for key in ("accepted", "verdict", "reason", "evidence", "stages", "seconds"):
        if key not in report:
            found.append(f"the JSON has no {key}")
    if found:
        return found
    accepted = report["accepted"]
    if answer.status != (0 if accepted else 1):
        found.append(f"status {answer.status} where accepted is {accepted}")
    if accepted != (report["verdict"] == "accepted"):
        found.append(f"accepted is {accepted}, and the verdict {report['verdict']}")
    if report["verdict"] not in verdicts:
        found.append(f"no verdict is called {report['verdict']}")
    if report["verdict"] not in expected:
        found.append(f"{report['verdict']} instead of {expected[0]}: {report['reason']}")
    if (report["checked"] == "full") != (report["unchecked"] == ""):
        found.append(f"checked is {report['checked']}, and unchecked '{report['unchecked']}'")
    if not accepted and not str(report["reason"]).strip():
        found.append("no reason")
    if not report["stages"]:
        found.append("no stage")
    evidence = report["evidence"] or {}
    # Who says that an output is wrong says which, and where.
    if not accepted and evidence.get("expected"):
        for key in ("test", "argument", "index", "got", "pattern"):
            if key not in evidence:
                found.append(f"the evidence has no {key}")
    for sign in SIGNS_OF_A_CRASH:
        if sign in answer.said:
            found.append(f"it said '{sign}'")
    return found


def skip(why):
    print("skipped:", why)
    sys.exit(SKIPPED)


def full():
    return os.environ.get("LKT_FULL", "") not in ("", "0")
