#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes every C++ block of the given Markdown pages into a translation unit of its own.

A block is opened by ```cpp, or by ```cpp run if it is a program to be run. There is no way to exempt one.
Prints one line a block: "compile FILE" or "run FILE". A file is rewritten only when its text changed."""
import argparse
import pathlib
import re
import sys
import tempfile

FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}|~{3,})(?P<info>[^`]*)$")


class Refused(Exception):
    """A page that cannot be read as meant."""


def blocks_of(page: pathlib.Path, shown: str) -> list[tuple[int, str, str]]:
    """(line of the first text line, kind, text) of every C++ block."""
    found = []
    fence = None
    for number, line in enumerate(page.read_text().splitlines(), start=1):
        match = FENCE.match(line)
        if fence is None:
            if match:
                fence, start, lines = match, number, []
        elif match and match["ticks"].startswith(fence["ticks"]) and not match["info"].strip():
            info = fence["info"].split()
            if info[:1] in (["cpp"], ["c++"], ["cxx"], ["cc"], ["C++"]):
                if info not in (["cpp"], ["cpp", "run"]):
                    raise Refused(f"{shown}:{start}: write ```cpp or ```cpp run, not ```{' '.join(info)}")
                cut = len(fence["indent"])
                text = "".join(each[cut:] + "\n" for each in lines)
                if not text.strip():
                    raise Refused(f"{shown}:{start}: an empty C++ block shows nothing")
                found.append((start + 1, "run" if len(info) == 2 else "compile", text))
            fence = None
        else:
            lines.append(line)
    if fence is not None:
        raise Refused(f"{shown}:{start}: this block is never closed")
    return found


def extract(root: pathlib.Path, pages: list[pathlib.Path]) -> dict[str, tuple[str, str]]:
    """File name -> (kind, text)."""
    units = {}
    for page in sorted(pages):
        shown = str(page.relative_to(root))
        stem = re.sub(r"[^A-Za-z0-9]+", "_", str(page.relative_to(root).with_suffix("")))
        for count, (line, kind, text) in enumerate(blocks_of(page, shown), start=1):
            units[f"{stem}_{count}.cpp"] = (kind, f'#line {line} "{page}"\n{text}')
    return units


def write(units: dict[str, tuple[str, str]], out: pathlib.Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.cpp"):
        if old.name not in units:
            old.unlink()
    for name, (_, text) in units.items():
        path = out / name
        if not path.is_file() or path.read_text() != text:
            path.write_text(text)


def self_test() -> list[str]:
    cases = {
        "two blocks": ("```cpp\nint a;\n```\n\n  ```cpp run\n  int main() {}\n  ```\n",
                       {"page_1.cpp": "compile", "page_2.cpp": "run"}),
        "other languages": ("```sh\nls\n```\n```\ntext\n```\n", {}),
        "a longer fence": ("````cpp\n// ```\nint a;\n````\n", {"page_1.cpp": "compile"}),
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
                good = result == expected
            except Refused as refusal:
                result = str(refusal)
                good = isinstance(expected, str) and expected in result
            if not good:
                wrong.append(f"case '{name}': expected {expected!r}, got {result!r}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).parents[2])
    parser.add_argument("--out", type=pathlib.Path, help="write the blocks here")
    parser.add_argument("--check", type=pathlib.Path, help="compare with what was written there")
    parser.add_argument("--self-test", action="store_true", help="show that each rule can fail")
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if options.self_test:
        wrong = self_test()
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
            print(kind, options.out / name)
    if options.check:
        stale = [name for name, (_, text) in units.items()
                 if not (options.check / name).is_file() or (options.check / name).read_text() != text]
        if stale or not units:
            print(f"not built as the pages stand: {stale}" if stale else "there is no C++ block to look at")
            return 1
        print(f"{len(units)} C++ blocks from {len(options.pages)} pages compiled")
    return 0


if __name__ == "__main__":
    sys.exit(main())
