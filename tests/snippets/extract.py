#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes every C++ block of the given Markdown pages into a translation unit of its own.

A block is opened by ```cpp, or by ```cpp run if it is a program to be run. There is no way to exempt one.
What a program prints is given by the ```text output and ```mermaid blocks that follow it, if there are any.
The ```sh run blocks of a page are one script, which runs in an empty folder with a link to examples/ and stops
where a command fails; the lines of the ```text output blocks that follow them appear in what it prints, in order.
Prints one line a block: "compile FILE", "run FILE" or "shell FILE". A file is rewritten only when its text changed."""
import argparse
import dataclasses
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}|~{3,})(?P<info>[^`]*)$")


class Refused(Exception):
    """A page that cannot be read as meant."""


@dataclasses.dataclass
class Block:
    line: int
    kind: str  # compile, run or shell
    text: str
    output: str = ""


def blocks_of(page: pathlib.Path, shown: str) -> list[Block]:
    found: list[Block] = []
    printing = False  # the blocks that come are the output of the last program
    fence = None
    for number, line in enumerate(page.read_text().splitlines(), start=1):
        match = FENCE.match(line)
        if fence is None:
            if match:
                fence, start, lines = match, number, []
        elif match and match["ticks"].startswith(fence["ticks"]) and not match["info"].strip():
            info = fence["info"].split()
            cut = len(fence["indent"])
            text = "".join(each[cut:] + "\n" for each in lines)
            if info[:1] in (["cpp"], ["c++"], ["cxx"], ["cc"], ["C++"]):
                if info not in (["cpp"], ["cpp", "run"]):
                    raise Refused(f"{shown}:{start}: write ```cpp or ```cpp run, not ```{' '.join(info)}")
                if not text.strip():
                    raise Refused(f"{shown}:{start}: an empty C++ block shows nothing")
                printing = len(info) == 2
                found.append(Block(start + 1, "run" if printing else "compile", text))
            elif info[:1] == ["sh"] and info != ["sh"]:
                if info != ["sh", "run"]:
                    raise Refused(f"{shown}:{start}: write ```sh or ```sh run, not ```{' '.join(info)}")
                printing = True
                found.append(Block(start + 1, "shell", text))
            elif printing and info in (["text", "output"], ["mermaid"]):
                found[-1].output += text
            elif info == ["text", "output"]:
                raise Refused(f"{shown}:{start}: no block that is run before this prints anything")
            else:
                printing = False
            fence = None
        else:
            lines.append(line)
    if fence is not None:
        raise Refused(f"{shown}:{start}: this block is never closed")
    return found


def extract(root: pathlib.Path, pages: list[pathlib.Path]) -> dict[str, tuple[str, str]]:
    """File name -> (kind, text); the kind of what a program prints is output."""
    units = {}
    for page in sorted(pages):
        shown = str(page.relative_to(root))
        stem = re.sub(r"[^A-Za-z0-9]+", "_", str(page.relative_to(root).with_suffix("")))
        blocks = blocks_of(page, shown)
        shell = [block for block in blocks if block.kind == "shell"]
        if shell:
            units[f"{stem}.sh"] = ("shell", "set -euo pipefail\n" + "".join(block.text for block in shell))
            units[f"{stem}.output"] = ("output", "".join(block.output for block in shell))
        for count, block in enumerate((block for block in blocks if block.kind != "shell"), start=1):
            units[f"{stem}_{count}.cpp"] = (block.kind, f'#line {block.line} "{page}"\n{block.text}')
            if block.output:
                units[f"{stem}_{count}.output"] = ("output", block.output)
    return units


def write(units: dict[str, tuple[str, str]], out: pathlib.Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for old in out.iterdir():
        if old.name not in units:
            old.unlink()
    for name, (_, text) in units.items():
        path = out / name
        if not path.is_file() or path.read_text() != text:
            path.write_text(text)


def environment(programs: str = "") -> dict[str, str]:
    """With the kernels that tests of this run of ctest have compiled, where they share them."""
    made = {**os.environ, "LKT_CACHE": os.environ.get("LKT_TEST_CACHE", "off")}
    if programs:
        made["PATH"] = f"{programs}:{made['PATH']}"
    return made


def run(program: pathlib.Path, expected: pathlib.Path) -> list[str]:
    """How what the program does differs from what its page says."""
    if not program.is_file():
        return [f"{program} was not built"]
    done = subprocess.run([program], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, env=environment())
    print(done.stdout, done.stderr, sep="")
    wrong = [f"exit status {done.returncode}"] if done.returncode else []
    if expected.is_file() and expected.read_text() != done.stdout:
        wrong += difflib.unified_diff(expected.read_text().splitlines(), done.stdout.splitlines(),
                                      "the page", "the program", lineterm="")
    return wrong


def run_shell(script: pathlib.Path, expected: pathlib.Path, root: pathlib.Path, programs: str) -> list[str]:
    """How what the commands do differs from what their page says."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "examples").symlink_to(root / "examples")
        done = subprocess.run(["bash", str(script.absolute())], cwd=folder, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, env=environment(programs))
    print(done.stdout, done.stderr, sep="")
    if done.returncode:
        return [f"exit status {done.returncode}"]
    printed = iter(line.strip() for line in done.stdout.splitlines())
    lines = expected.read_text().splitlines() if expected.is_file() else []
    for line in (each.strip() for each in lines):
        if line and line not in printed:  # each goes on where the one before was found
            return [f"not printed, or not in this order: {line}"]
    return []


def self_test() -> list[str]:
    cases = {
        "two blocks": ("```cpp\nint a;\n```\n\n  ```cpp run\n  int main() {}\n  ```\n",
                       {"page_1.cpp": "compile", "page_2.cpp": "run"}),
        "other languages": ("```sh\nls\n```\n```\ntext\n```\n", {}),
        "a longer fence": ("````cpp\n// ```\nint a;\n````\n", {"page_1.cpp": "compile"}),
        "output": ("```cpp run\nint main() {}\n```\n```text output\na\n```\n```mermaid\nb\n```\n```sh\nc\n```\n"
                   "```mermaid\nd\n```\n", {"page_1.cpp": "run", "page_1.output": "output"}),
        "commands": ("```sh run\na\n```\n```text output\na\n```\n```sh run\nb\n```\n```text output\nb\n```\n",
                     {"page.sh": "shell", "page.output": "output"}),
        "commands of another kind": ("```sh later\na\n```\n", "write ```sh"),
        "output of nothing": ("```cpp\nint a;\n```\n```text output\na\n```\n", "prints anything"),
        "an opt-out": ("```cpp nocompile\nint a;\n```\n", "write ```cpp"),
        "another spelling": ("```c++\nint a;\n```\n", "write ```cpp"),
        "never closed": ("```cpp\nint a;\n", "never closed"),
        "empty": ("```cpp\n\n```\n", "empty"),
    }
    wrong = []
    for name, (text, expected) in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "page.md").write_text(text)
            try:
                units = extract(root, [root / "page.md"])
                result: object = {file: kind for file, (kind, _) in units.items()}
                good = result == expected and units.get("page_1.output", ("", "a\nb\n"))[1] == "a\nb\n"
            except Refused as refusal:
                result = str(refusal)
                good = isinstance(expected, str) and expected in result
            if not good:
                wrong.append(f"case '{name}': expected {expected!r}, got {result!r}")
    with tempfile.TemporaryDirectory() as folder:
        expected = pathlib.Path(folder, "expected")
        expected.write_text("hello\n")
        for text, good in (("echo hello", True), ("echo hullo", False), ("echo hello; exit 1", False)):
            program = pathlib.Path(folder, "program")
            program.write_text(f"#!/bin/sh\n{text}\n")
            program.chmod(0o755)
            if (not run(program, expected)) != good:
                wrong.append(f"program '{text}': judged wrongly")
        expected.write_text("b\n\n  c\n")
        for text, good in (("echo a; echo b; echo; echo ' c'", True), ("echo c; echo b", False), ("echo b", False),
                           ("echo b; false; echo c", False), ("test -d examples; echo b; echo c", True)):
            program.write_text(f"set -euo pipefail\n{text}\n")
            if (not run_shell(program, expected, pathlib.Path(__file__).parents[2], "/")) != good:
                wrong.append(f"commands '{text}': judged wrongly")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).parents[2])
    parser.add_argument("--out", type=pathlib.Path, help="write the blocks here")
    parser.add_argument("--check", type=pathlib.Path, help="compare with what was written there")
    parser.add_argument("--run", type=pathlib.Path, help="run this program of a block")
    parser.add_argument("--run-shell", type=pathlib.Path, help="run these commands of a page")
    parser.add_argument("--programs", default="", help="where --run-shell looks for programs first")
    parser.add_argument("--expect", type=pathlib.Path, help="what is to be printed, if there is such a file")
    parser.add_argument("--self-test", action="store_true", help="show that each rule can fail")
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if options.self_test or options.run or options.run_shell:
        wrong = (self_test() if options.self_test else run(options.run, options.expect) if options.run
                 else run_shell(options.run_shell, options.expect, options.root, options.programs))
        print("\n".join(wrong), end="\n" if wrong else "")
        return 1 if wrong else 0
    try:
        units = extract(options.root, options.pages)
    except Refused as refusal:
        print(refusal, file=sys.stderr)
        # The build goes on, so that one page does not stop all work; the test fails.
        return 0 if options.out else 1
    if options.out:
        write(units, options.out)
        for name, (kind, _) in sorted(units.items()):
            if kind != "output":
                print(kind, options.out / name)
    if options.check:
        stale = [name for name, (_, text) in units.items()
                 if not (options.check / name).is_file() or (options.check / name).read_text() != text]
        if stale or not units:
            print(f"not built as the pages stand: {stale}" if stale else "there is no C++ block to look at")
            return 1
        count = sum(kind != "output" for kind, _ in units.values())
        print(f"{count} C++ blocks from {len(options.pages)} pages compiled")
    return 0


if __name__ == "__main__":
    sys.exit(main())
