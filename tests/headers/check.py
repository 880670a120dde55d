#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Shows that the units of CMakeLists.txt beside this were compiled, all of them, and that such a unit can fail."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

FINE = "#pragma once\n#include <string>\ninline std::string fine() { return {}; }\n"
PLANTED = {
    "a header that forgets an include": "#pragma once\ninline std::string forgot() { return {}; }\n",
    "a header without a guard": "#include <string>\ninline std::string twice() { return {}; }\n",
    "a header that uses a name which others define as a macro":
        "#pragma once\ntemplate <class Status> struct holder {};\n",
}


def compiles(compiler: str, folder: pathlib.Path, text: str) -> bool:
    (folder / "planted.hpp").write_text(text)
    unit = pathlib.Path(__file__).with_name("unit.cpp.in").read_text()
    (folder / "unit.cpp").write_text(unit.replace("@HEADERS@", "#include <planted.hpp>"))
    command = [compiler, "-std=c++20", "-fsyntax-only", f"-I{folder}", str(folder / "unit.cpp")]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", required=True, type=pathlib.Path)
    parser.add_argument("--objects", required=True, type=pathlib.Path)
    options = parser.parse_args()

    failures = []
    headers = sorted(options.include.rglob("*.hpp"))
    if not (options.objects / "all.cpp.o").is_file():
        failures.append("all headers together were not compiled; build the target lkt_header_units")
    for header in headers:
        relative = header.relative_to(options.include)
        if len(relative.parts) > 2 or header.name == "src.hpp":
            continue
        name = str(relative).replace("/", "_").replace(".", "_")
        if not (options.objects / f"{name}.cpp.o").is_file():
            failures.append(f"{header}: was not compiled alone; build the target lkt_header_units")
    if not headers:
        failures.append(f"{options.include}: there is no header to look at")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if not compiles(options.compiler, folder, FINE):
            failures.append("a header without a fault was refused")
        for fault, text in PLANTED.items():
            if compiles(options.compiler, folder, text):
                failures.append(f"{fault} was accepted")

    print("\n".join(failures), end="\n" if failures else "")
    print(f"{len(headers)} headers there; {len(PLANTED)} planted faults refused"
          if not failures else f"{len(failures)} faults")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
