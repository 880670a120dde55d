#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The 20 problems of level1 and level2, PyTorch modules as KernelBench writes them: a model writes a kernel for each, lkt-tune
verifies and tunes it, and what came of it is compared with torch eager on the same GPU.

    against_eager.py LKT-TUNE --model MODEL [--out FOLDER] [--strategy NAME] [--only REGEX] [--eager-only]

MODEL is anything that `lkt-tune --model` takes; of replay:FOLDER each problem takes FOLDER/NAME.cuda.jsonl (`replies` has a first kernel
for each, so --strategy sweep then). With mailbox:FOLDER a run ends where a reply is missing; call this again when it is
there: runs start anew, and replies that are there are found again. A problem has five attempts at a first kernel. The last lines are
`figure NAME VALUE UNIT`. Exit status: 0 all ended, 1 some wait or failed, 2 usage, 3 no GPU or no torch.
"""

import argparse
import importlib.util
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ATTEMPTS = 5
WAITS = 4  # lkt-tune's exit status where a reply is missing


def problems(only):
    return [path for level in ("level1", "level2") for path in sorted((HERE / level).glob("*.py"))
            if re.search(only, f"{level}/{path.stem}")]


def eager_seconds(path, launches=50):
    """The median of cold calls: caches are overwritten before each, as lkt does before a launch."""
    import torch
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    torch.manual_seed(0)
    model = module.Model(*(module.get_init_inputs() if hasattr(module, "get_init_inputs") else [])).cuda().eval()
    inputs = [x.cuda() for x in module.get_inputs()]
    dirt = torch.empty(1 << 28, dtype=torch.uint8, device="cuda")
    times = []
    with torch.no_grad():
        for number in range(launches + 5):
            dirt.fill_(number % 256)
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda.synchronize()
            begin.record()
            model(*inputs)
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) / 1e3)
    return statistics.median(times[5:])


def eager_of(path):
    """In a process of its own, so that the GPU's memory is free afterwards."""
    done = subprocess.run([sys.executable, __file__, "--time", path], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"torch eager cannot be timed: {done.stderr.strip().splitlines()[-1:] or done.stdout}")
    return float(done.stdout)


def tune(program, path, model, strategy, out):
    """lkt-tune's exit status and report, or None where it has none."""
    folder = out / path.stem
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if model.startswith("replay:") and pathlib.Path(model.removeprefix("replay:")).is_dir():
        model += f"/{path.stem}.cuda.jsonl"
    report = folder / "report.json"
    command = [program.resolve(), "--torch", f"{path}:Model", "--backend", "cuda", "--strategy", strategy, "--model", model, "--quiet",
               "--json", report, "--report", folder / "report.txt", "--output", folder / "best.cu",
               "--record", folder / "conversation.jsonl"]
    with tempfile.TemporaryDirectory(prefix="lkt-journal-") as scratch:
        if model.startswith("mailbox:"):
            command += ["--suspend", "--journal", f"{scratch}/journal"]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    (folder / "messages.txt").write_text(done.stderr)
    return done.returncode, json.loads(report.read_text()) if report.exists() else None


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--time":
        print(eager_seconds(pathlib.Path(sys.argv[2])))
        return 0
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="lkt-tune", type=pathlib.Path)
    parser.add_argument("--model", default="")
    parser.add_argument("--strategy", default="one-prompt")
    parser.add_argument("--only", default="", help="a regular expression: LEVEL/NAME that match")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("operations"))
    parser.add_argument("--eager-only", action="store_true", help="only time torch eager")
    chosen = parser.parse_args()
    if not chosen.model and not chosen.eager_only:
        parser.error("--model is missing")
    try:
        import torch
        if not torch.cuda.is_available():
            raise ImportError("torch sees no GPU")
    except ImportError as why:
        print(why, file=sys.stderr)
        return 3
    chosen.out.mkdir(parents=True, exist_ok=True)
    right, ended, all_ratios, fused = 0, 0, [], []
    waiting = 0
    print(f"{'problem':36} {'torch eager':>12} {'lkt':>12} {'ratio':>7}  replies until one was right")
    for path in problems(chosen.only):
        name = f"{path.parent.name}/{path.stem}"
        eager = eager_of(path)
        if chosen.eager_only:
            print(f"{name:36} {eager * 1e6:9.1f} us")
            continue
        status, report = tune(chosen.program, path, chosen.model, chosen.strategy, chosen.out)
        if status == WAITS:
            waiting += 1
        written = (report or {}).get("written", [])
        passed = bool(written) and written[-1]["verdict"] == "accepted"
        if not passed:
            note = "waits for a reply" if status == WAITS else f"failed: {chosen.out / path.stem / 'messages.txt'}"
            ended += status != WAITS
            print(f"{name:36} {eager * 1e6:9.1f} us {'-':>12} {'-':>7}  {note}", flush=True)
            continue
        ended += 1
        right += len(written) <= ATTEMPTS
        best = report["best"]["time"]["median_s"] or report["baseline"]["time"]["median_s"]
        ratio = eager / best
        all_ratios.append(ratio)
        if path.parent.name == "level2":
            fused.append(ratio)
        note = ", waits for a reply" if status == WAITS else ""
        print(f"{name:36} {eager * 1e6:9.1f} us {best * 1e6:9.1f} us {ratio:6.2f}x  {len(written)}{note}", flush=True)
    if ended:
        print(f"figure right_within_{ATTEMPTS} {100 * right / ended:.0f} %")
    if all_ratios:
        print(f"figure median_over_eager {statistics.median(all_ratios):.2f} x")
    if fused:
        print(f"figure fused_over_eager {statistics.median(fused):.2f} x")
    return 1 if waiting or ended < len(problems(chosen.only)) and not chosen.eager_only else 0


if __name__ == "__main__":
    sys.exit(main())
