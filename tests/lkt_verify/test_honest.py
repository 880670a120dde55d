# SPDX-License-Identifier: BSL-1.0
"""Honest kernels at many sizes and in each configuration: none may be rejected. A sample of 8 runs by default, beside the
honest ones among the cases of test_cases.py, which all run; all of them with LKT_FULL=1."""

import itertools
import json
import pathlib
import random
import re
import shutil
import sys
import tempfile

import typed
from support import CASES, HERE, Runner, faults, full, known_verdicts, options, skip

EXAMPLES = HERE.parents[1] / "examples" / "kernels"
SAMPLE = 8
SHAPES = 6


def kernels(backend, of_types):
    """(problem file, candidate, options) of every honest kernel: the originals, the controls, the examples, and those of
    typed.py, in the folder `of_types`."""
    language = "WGSL" if backend == "webgpu" else "CUDA"
    ending = ".wgsl.json" if language == "WGSL" else ".json"
    found = []
    for case in json.loads((CASES / "cases.json").read_text()):
        if case["language"] == language and case["verdicts"] == ["accepted"] and backend in case["backends"]:
            found.append((CASES / case["problem"], CASES / case["candidate"], case.get("options", [])))
    for folder in (CASES / "problems", EXAMPLES):
        for problem in sorted(folder.glob("*.json")):
            dots = problem.name.count(".")
            if problem.name.endswith(ending) and dots == ending.count(".") and "_long" not in problem.name:
                kernel = json.loads(problem.read_text())["KernelSpecification"]["KernelFile"]
                found.append((problem, folder / kernel, []))
    if language == "CUDA":
        found += [(of_types / k["problem"], of_types / k["candidate"], []) for k in typed.write(of_types)]
    return found


def ceil_div(a, b):
    return -(-a // b)


def shapes(problem):
    """Sizes that are fair: those of the file, and drawn ones of the same order."""
    fixed = [problem["KernelSpecification"]["ProblemSize"], *problem["lkt"].get("sizes", [])]
    rng = random.Random(json.dumps(fixed))
    bounds = problem["lkt"].get("size_constraints")
    for _ in range(10000 if bounds else 0):  # where the file does not say which sizes are fair, its own are
        size = [rng.randint(max(1, extent // 3), max(2, extent)) for extent in fixed[0]]
        if len(fixed) < SHAPES and size not in fixed and all(eval(b, {"ProblemSize": size, "ceil_div": ceil_div}) for b in bounds):
            fixed.append(size)
    return fixed


def configurations(problem):
    space = problem.get("ConfigurationSpace", {}).get("TuningParameters", [])
    values = [[(p["Name"], v) for v in p["Values"]] for p in space]
    return [dict(chosen) for chosen in itertools.product(*values)]


def runs(backend, of_types):
    """One for each kernel, size and configuration: the problem as JSON, with that size timed and that value alone."""
    for path, candidate, more in kernels(backend, of_types):
        text = path.read_text()
        for size in shapes(json.loads(text)):
            for configuration in configurations(json.loads(text)):
                problem = json.loads(text)
                problem["KernelSpecification"]["ProblemSize"] = size
                problem["lkt"]["sizes"] = [s for s in problem["lkt"].get("sizes", []) if s != size][:1]
                for p in problem.get("ConfigurationSpace", {}).get("TuningParameters", []):
                    p["Values"], p["Default"] = [configuration[p["Name"]]], configuration[p["Name"]]
                name = f"{candidate.stem} {'x'.join(map(str, size))}"
                name += "".join(f" {k}={v}" for k, v in configuration.items())
                yield name, problem, path, candidate, more


def main():
    chosen = options(__doc__)
    runner = Runner(chosen)
    missing = runner.device_missing()
    if missing:
        skip(missing)
    verdicts = known_verdicts()
    wrong = []
    with tempfile.TemporaryDirectory(prefix="lkt-honest-") as folder:
        every = [r for r in runs(chosen.backend, pathlib.Path(folder) / "typed") if re.search(chosen.only, r[0])]
        total = len(every)
        if not full():
            every = random.Random(total).sample(every, min(SAMPLE, total))

        def judge(run):
            name, problem, path, candidate, more = run
            place = pathlib.Path(tempfile.mkdtemp(dir=folder))
            kernel = problem["KernelSpecification"]["KernelFile"]
            shutil.copy(path.parent / kernel, place / kernel)
            file = place / "problem.json"
            file.write_text(json.dumps(problem))
            return runner.verify(file, candidate, *more)

        doubts = []
        for done, (run, answer) in enumerate(runner.over(judge, every), 1):
            found = faults(answer, verdicts, ["accepted"])
            doubt = re.search("no test (that was watched .*)?reaches.*", (answer.report or {}).get("unchecked", ""))
            if doubt:
                doubts.append(f"{run[0]}: {doubt.group()}")
            wrong += [f"{run[0]}: {fault}" for fault in found]
            print(f"{done:4} {run[0]:60} {answer.seconds:6.1f} s {'FAULT' if found else ''}", flush=True)
    print(f"{len(every)} of {total} honest kernel x size x configuration runs on {chosen.backend}, "
          f"{len(wrong)} false rejects, {len(doubts)} accepted in part for a branch that no test reached")
    for line in sorted(doubts):
        print("IN PART", line)
    for line in sorted(wrong):
        print("FAULT", line)
    if not every:
        print("FAULT there was no run")
    return 1 if wrong or not every else 0


if __name__ == "__main__":
    sys.exit(main())
