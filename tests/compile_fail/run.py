#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles files that must not compile, and looks at what the compiler says.

Each file begins with
    // expect: REGEX     the sentence with its code, on the line of the error
    // offending: REGEX  what has to be named, anywhere in the output
    // lines: N          more than 20 lines, where the error lies in the user's own body
It must fail with exactly one error in at most 20 lines of output, counted as a whole, and must
compile without a warning under -DLKT_FIXED, which shows that nothing else is wrong with it.

The headers that they name are compiled once for all of them.

Usage: run.py --compiler g++ --flags="-Iinclude -isystem deps" [--show] FILE...
       run.py --compiler g++ --flags="..." --self-test      (proves that this script can fail)
"""
import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

MAX_LINES = 20


def compile_file(command: list, path: Path, *extra: str):
    done = subprocess.run(
        command + list(extra) + ["-fsyntax-only", str(path)],
        capture_output=True,
        text=True,
        errors="replace",
        env=dict(os.environ, LC_ALL="C"),
    )
    return done.returncode, done.stdout + done.stderr


def precompiled(command: list, files: list, folder: str) -> list:
    """The flags that bring in what the headers of all files were compiled to."""
    lines = {line for path in files for line in path.read_text().splitlines() if line.startswith("#include <")}
    together = Path(folder) / "headers.hpp"
    together.write_text("\n".join(sorted(lines)) + "\n")
    clang = "clang" in Path(command[0]).name
    made = Path(folder) / ("headers.pch" if clang else "headers.hpp.gch")
    subprocess.run(command + ["-x", "c++-header", str(together), "-o", str(made)], check=True)
    return ["-include-pch", str(made)] if clang else ["-include", str(together)]


def header(path: Path, key: str):
    for line in path.read_text().splitlines()[:4]:
        found = re.match(rf"//\s*{key}:\s*(.*\S)", line)
        if found:
            return found.group(1)
    return None


def problems_of(command: list, path: Path, show: bool) -> list:
    expected, offending = header(path, "expect"), header(path, "offending")
    if expected is None or offending is None:
        return ["its first lines lack '// expect: REGEX' or '// offending: REGEX'"]
    status, output = compile_file(command, path)
    # The file that is compiled for all names itself first.
    lines = [line for line in output.splitlines() if not re.match(r"In file included from .*(headers\.hpp|<built-in>):", line)]
    if show:
        print(output)
    problems = []
    if status == 0:
        problems.append("it compiles")
    errors = [line.split("error: ", 1)[1] for line in lines if re.search(r"\berror: ", line)]
    if status != 0 and len(errors) != 1:
        problems.append(f"{len(errors)} errors instead of one:\n" + "\n".join(errors)[:2000])
    if status != 0 and not any(re.search(expected, line) for line in errors):
        problems.append(f"no error matches /{expected}/:\n{output[:2000]}")
    if status != 0 and not re.search(offending, output):
        problems.append(f"the offending part /{offending}/ is not named:\n{output[:2000]}")
    most = int(header(path, "lines") or MAX_LINES)
    if len(lines) > most:
        problems.append(f"{len(lines)} lines of output, at most {most} are allowed")
    status, output = compile_file(command, path, "-DLKT_FIXED", "-Wall", "-Wextra", "-Werror")
    if status != 0:
        problems.append(f"with -DLKT_FIXED it does not compile:\n{output[:2000]}")
    if not problems:
        print(f"ok    {path.name}: one error, {len(lines)} lines")
    return problems


def check(command: list, files: list, show: bool = False) -> int:
    bad = 0
    for path in files:
        found = problems_of(command, path, show)
        bad += bool(found)
        for problem in found:
            print(f"FAIL  {path.name}: {problem}")
    if not files:
        print("FAIL  looked at no file")
        return 1
    print(f"{len(files)} files with {command[0]}, {bad} of them bad")
    return 1 if bad else 0


PLANTED = {
    "compiles": ("sentence", "thing", "int main() {}\n"),
    "other_sentence": ("sentence", "thing", '#ifndef LKT_FIXED\nstatic_assert(false, "thing");\n#endif\n'),
    "no_offending_part": ("sentence", "thing", '#ifndef LKT_FIXED\nstatic_assert(false, "sentence");\n#endif\n'),
    "two_errors": (
        "sentence",
        "thing",
        '#ifndef LKT_FIXED\nstatic_assert(false, "sentence thing");\nint i = nothing;\n#endif\n',
    ),
    "too_long": (
        "sentence",
        "thing",
        "#ifndef LKT_FIXED\n" + "#warning a\n" * 20 + 'static_assert(false, "sentence thing");\n#endif\n',
    ),
    "not_fixed": ("sentence", "thing", 'static_assert(false, "sentence thing");\n'),
}
GOOD = ("sentence", "thing", '#ifndef LKT_FIXED\nstatic_assert(false, "sentence thing");\n#endif\n')


def self_test(command: list) -> int:
    def planted(folder: str, name: str, content: tuple) -> Path:
        path = Path(folder) / f"{name}.cpp"
        path.write_text(f"// expect: {content[0]}\n// offending: {content[1]}\n{content[2]}")
        return path

    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for name, content in PLANTED.items():
            if check(command, [planted(folder, name, content)]) == 0:
                wrong.append(name)
        bare = Path(folder) / "no_header.cpp"
        bare.write_text("int main() { return nothing; }\n")
        if check(command, [bare]) == 0:
            wrong.append("no_header")
        if check(command, []) == 0:
            wrong.append("no file at all")
        if check(command, [planted(folder, "good", GOOD)]) != 0:
            wrong.append("good (reported although nothing is wrong)")
    print("self-test: " + (f"missed {', '.join(wrong)}" if wrong else f"all {len(PLANTED) + 3} cases found"))
    return 1 if wrong else 0


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    options.add_argument("--flags", default="", help="one string, split like a shell does")
    options.add_argument("--show", action="store_true", help="print what the compiler says")
    options.add_argument("--self-test", action="store_true")
    options.add_argument("files", nargs="*", type=Path)
    given = options.parse_args()
    command = shlex.split(given.compiler) + ["-std=c++20"] + shlex.split(given.flags)
    if given.self_test:
        return self_test(command)
    with tempfile.TemporaryDirectory() as folder:
        return check(command + precompiled(command, given.files, folder), given.files, given.show)


if __name__ == "__main__":
    sys.exit(main())
