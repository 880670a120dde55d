#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The 20 problems of level1 and level2, PyTorch modules as KernelBench writes them: a model writes a kernel for each, lkt-tune
verifies and tunes it, and times torch beside it (--beside-torch): eager, and torch.compile where it works, on the same GPU.

    against_eager.py LKT-TUNE --model MODEL [--out FOLDER] [--strategy NAME] [--only REGEX] [--backend host] [-- OPTION...]

MODEL is anything that `lkt-tune --model` takes; of replay:FOLDER each problem takes FOLDER/NAME.cuda.jsonl (`replies` has a first kernel
for each, so --strategy sweep then). With mailbox:FOLDER a run ends where a reply is missing; call this again when it is
there: runs start anew, and replies that are there are found again. Options behind -- go to lkt-tune. A problem has five attempts at a
first kernel. With --backend host everything runs on the CPU: times compare nothing, and kernels at these sizes take minutes there
(-- --launch-limit 600). A module that torch cannot run or compile is a line that says why. The last lines are `figure NAME VALUE UNIT`. Exit status: 0 all ended with a kernel, 1 some wait or failed, 2 usage,
3 no GPU or no torch, 130 interrupted.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from beside_torch import Figures, first_line, name_of, problems, ratio, shown

ATTEMPTS = 5
WAITS = 4  # lkt-tune's exit status where a reply is missing


def tune(chosen, path):
    """lkt-tune's exit status and report, or None where it has none."""
    folder = chosen.out / path.stem
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    model, replayed = chosen.model, chosen.model.startswith("replay:")
    if replayed and pathlib.Path(model.removeprefix("replay:")).is_dir():
        model += f"/{path.stem}.cuda.jsonl"
    report = folder / "report.json"
    command = [chosen.program.resolve(), "--torch", f"{path}:Model", "--backend", chosen.backend, "--strategy", chosen.strategy, "--model", model,
               "--beside-torch", "--quiet", "--json", report, "--report", folder / "report.txt", "--output", folder / "best.hpp"]
    command += chosen.more
    if not replayed:
        command += ["--record", folder / "conversation.jsonl"]
    with tempfile.TemporaryDirectory(prefix="lkt-journal-") as scratch:
        if model.startswith("mailbox:"):
            command += ["--suspend", "--journal", f"{scratch}/journal"]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    (folder / "messages.txt").write_text(done.stderr)
    try:
        return done.returncode, json.loads(report.read_text())
    except (OSError, ValueError):
        return done.returncode, None


def line_of(name, eager, fast, best, note):
    print(f"{name:36} {shown(eager):>12} {shown(fast):>12} {shown(best):>12} {ratio(eager, best):>8} {ratio(fast, best):>8}  {note}", flush=True)


def compare(chosen):
    """Whether each problem ended with a kernel."""
    figures, right, ended, complete, remarks = Figures(), 0, 0, True, []
    print(f"{'problem':36} {'eager':>12} {'compiled':>12} {'lkt':>12} {'/ eager':>8} {'/ comp.':>8}  replies until one was right", flush=True)
    try:
        for path in problems(chosen.only):
            name = name_of(path)
            status, report = tune(chosen, path)
            if status == 130:
                raise KeyboardInterrupt
            written = (report or {}).get("written") or []
            waits = status == WAITS
            complete = complete and status == 0
            if not written or written[-1]["verdict"] != "accepted":
                ended += not waits
                messages = chosen.out / path.stem / "messages.txt"
                line_of(name, None, None, None, "waits for a reply" if waits else f"failed: {first_line(messages.read_text() or 'no message')}; {messages}")
                continue
            ended += 1
            right += len(written) <= ATTEMPTS
            torch_side = report.get("alternatives") or []
            eager, fast = ([a["time"]["median_s"] if a["time"] else None for a in torch_side] + [None, None])[:2]
            remarks += [f"{name}: {a['why']}" for a in torch_side if a["why"]]
            remarks += [f"{name}: {note}" for note in report["notes"] if note.startswith("not compared with torch")]
            best = report["best"]["time"]["median_s"] or report["baseline"]["time"]["median_s"]
            figures.add(path, eager, fast, best)
            line_of(name, eager, fast, best, f"{len(written)}{', waits for a reply' if waits else ''}")
    finally:
        # One sentence for all is said once.
        reasons = {remark.split(": ", 1)[1] for remark in remarks}
        for remark in remarks if len(reasons) > 1 or len(remarks) == 1 else [f"all: {r}" for r in reasons]:
            print(f"no comparison: {remark}")
        if ended:
            print(f"figure right_within_{ATTEMPTS} {100 * right / ended:.0f} %")
        figures.print()
    return complete


def main():
    given, more = sys.argv[1:], []
    if "--" in given:
        at = given.index("--")
        given, more = given[:at], given[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="lkt-tune", type=pathlib.Path)
    parser.add_argument("--model", required=True)
    parser.add_argument("--strategy", default="one-prompt")
    parser.add_argument("--only", default="", help="a regular expression: LEVEL/NAME that match")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("operations"))
    parser.add_argument("--backend", choices=("cuda", "host"), default="cuda")
    chosen = parser.parse_args(given)
    chosen.more = more
    if not chosen.program.is_file():
        parser.error(f"lkt-tune is not there: {chosen.program}")
    if not problems(chosen.only):
        parser.error(f"no problem matches --only {chosen.only}")
    try:
        import torch
        if chosen.backend == "cuda" and not torch.cuda.is_available():
            raise ImportError("torch sees no GPU (--backend host runs everything on the CPU)")
    except ImportError as why:
        print(why, file=sys.stderr)
        return 3
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name() if chosen.backend == 'cuda' else 'CPU: the times compare nothing'}")
    chosen.out.mkdir(parents=True, exist_ok=True)
    try:
        return 0 if compare(chosen) else 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
