# SPDX-License-Identifier: BSL-1.0
"""cases/cases.json: kernels that deceive a naive harness must be rejected, by the right name, and those that only look
as if they did must be accepted."""

import collections
import json
import pathlib
import re
import sys

from support import CASES, Runner, faults, full, known_verdicts, options, skip, unlisted


def cases_for(backend, pattern):
    every = json.loads((CASES / "cases.json").read_text())
    if backend == "hip":  # all of CUDA's but those that need headers of CUDA's
        every = [c for c in every if not any(
            "<cuda_" in (CASES / c[part]).with_suffix(".cu").read_text() for part in ("problem", "candidate")
            if "cuda" in c["backends"])]
    on = "cuda" if backend == "hip" else backend
    return [c for c in every if on in c["backends"] and re.search(pattern, c["id"])]


def faults_of_the_index(cases, verdicts):
    """The table is what is tested: each candidate is in it, its names are known, and it has both kinds."""
    found = []
    listed = {c["candidate"] for c in json.loads((CASES / "cases.json").read_text())}
    on_disk = {str(p.relative_to(CASES)) for folder in ("accept", "reject") for p in (CASES / folder).iterdir()}
    found += [f"{name} is not in cases.json" for name in sorted(on_disk - listed)]
    found += [f"{name} is not there" for name in sorted(listed - on_disk)]
    for c in cases:
        found += [f"{c['id']}: no verdict is called {v}" for v in c["verdicts"] if v not in verdicts]
        if (c["verdicts"] == ["accepted"]) != c["candidate"].startswith("accept/"):
            found.append(f"{c['id']} is in the wrong folder")
        if not c["why"]:
            found.append(f"{c['id']}: why?")
    return found


def faults_of_this_test(runner, verdicts):
    """It can fail: an honest kernel that is expected to be rejected is a fault, and so is the reverse."""
    ending, suffix = (".wgsl", ".wgsl.json") if runner.backend == "webgpu" else (".cu", ".json")
    problem = CASES / f"problems/vecadd{suffix}"
    honest, empty = runner.verify_all(problem, [CASES / f"problems/vecadd{ending}", CASES / f"reject/A01-empty{ending}"])
    planted = [faults(honest, verdicts, ["wrong-output"]), faults(empty, verdicts, ["accepted"])]
    return [] if all(planted) else ["a planted fault was not seen"]


def some(cases):
    """Every fourth of the kernels that the host back end judges in CUDA too, and every other one that WGSL alone has."""
    both = {pathlib.Path(c["candidate"]).stem for c in json.loads((CASES / "cases.json").read_text()) if c["language"] == "CUDA"}
    shared = [c for c in cases if pathlib.Path(c["candidate"]).stem in both]
    return [c for c in cases if c not in shared][::2] + shared[::4]


def groups(cases, most=40):
    """Of one problem and the same options, so that its original is prepared once for several: a third of what they cost was
    that preparation when groups were of 8."""
    alike = collections.defaultdict(list)
    for c in cases:
        alike[c["problem"], *c.get("options", [])].append(c)
    cut = [group[at:at + most] for group in alike.values() for at in range(0, len(group), most)]
    return sorted(cut, key=len, reverse=True)


def main():
    chosen = options(__doc__)
    runner = Runner(chosen)
    missing = runner.device_missing()
    if missing:
        skip(missing)
    verdicts = known_verdicts()
    cases = cases_for(chosen.backend, chosen.only)
    wrong = faults_of_the_index(cases, verdicts) + faults_of_this_test(runner, verdicts)
    # Of WGSL on a processor; LKT_FULL=1 takes all.
    if chosen.backend == "webgpu" and not chosen.only and not full():
        cases = some(cases)
    counts = collections.Counter()
    missed = []

    def judge(group):
        return runner.verify_all(CASES / group[0]["problem"], [CASES / c["candidate"] for c in group],
                                 *group[0].get("options", []))

    print(f"{'case':34} {'verdict':18} {'best':18} seconds", flush=True)
    for case, answer in ((c, a) for group, answers in runner.over(judge, groups(cases)) for c, a in zip(group, answers)):
        found = faults(answer, verdicts, case["verdicts"]) + unlisted(answer, runner.checks)
        # What is known to get through somewhere is said each time, and no fault there.
        gap = case.get("missed", {}).get("cuda" if chosen.backend == "hip" else chosen.backend)
        if gap and found and answer.report and answer.report["accepted"]:
            missed.append(f"{case['candidate']}: {gap}")
            found = []
        verdict = answer.report["verdict"] if answer.report else "-"
        kind = "accepted" if case["verdicts"] == ["accepted"] else "rejected"
        counts[kind] += 1
        if found:
            counts[f"wrongly {'rejected' if kind == 'accepted' else 'judged'}"] += 1
        elif verdict != case["verdicts"][0]:
            counts["by another fair name"] += 1
        best = case["verdicts"][0]
        print(f"{case['id']:34} {verdict:18} {best if best != verdict else '':18} {answer.seconds:6.1f} "
              f"{'WRONG' if found else ''}", flush=True)
        wrong += [f"{case['candidate']}: {fault}" for fault in found]

    print(f"{len(cases)} cases on {chosen.backend}:", ", ".join(f"{n} {what}" for what, n in sorted(counts.items())))
    for line in missed:
        print("MISSED", line)
    for line in wrong:
        print("FAULT", line)
    if not cases:
        print("FAULT there was no case")
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
