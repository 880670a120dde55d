#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Every public header include/lkt/<layer>/<name>.hpp has tests/<layer>/<name>.cpp, which includes it
before anything else and holds a test; every header names its licence and has its guard; every file of
definitions, include/lkt/<layer>/impl/<name>.ipp, is included by the src.hpp beside its folder."""
import argparse
import pathlib
import re
import sys
import tempfile

INCLUDE = re.compile(r"^\s*#\s*include\s+[<\"]([^>\"]+)[>\"]", re.MULTILINE)
TEST = re.compile(r"^\s*(TEST_CASE|TEST_CASE_TEMPLATE|SCENARIO|TEST_CASE_FIXTURE)\b", re.MULTILINE)


def faults(root: pathlib.Path) -> list[str]:
    include = root / "include" / "lkt"
    found = []
    looked_at = 0
    for header in sorted([*include.rglob("*.hpp"), *include.rglob("*.ipp")]):
        relative = header.relative_to(include)
        looked_at += 1
        text = header.read_text()
        if not text.startswith("// SPDX-License-Identifier: BSL-1.0\n"):
            found.append(f"{header}:1: the first line must be // SPDX-License-Identifier: BSL-1.0")
        if "\n#pragma once\n" not in text:
            found.append(f"{header}:1: there is no #pragma once")
        if len(relative.parts) < 2 or "detail" in relative.parts[:-1] and header.suffix == ".hpp":
            continue
        if header.suffix == ".ipp":
            source = header.parents[1] / "src.hpp"
            if not source.is_file() or f"#include <lkt/{relative}>\n" not in source.read_text():
                found.append(f"{header}:1: is not included by {source.relative_to(root)}")
            continue
        if header.name == "src.hpp":
            continue
        test = root / "tests" / relative.with_suffix(".cpp")
        if not test.is_file():
            found.append(f"{header}:1: has no test; it belongs into {test.relative_to(root)}")
            continue
        content = test.read_text()
        first = INCLUDE.search(content)
        if not first or first.group(1) != f"lkt/{relative}":
            found.append(f"{test}:1: the first include must be <lkt/{relative}>")
        if not TEST.search(content):
            found.append(f"{test}:1: holds no TEST_CASE")
    if not looked_at:
        found.append(f"{include}: there is no header to look at")
    return found


def self_test() -> list[str]:
    header = "// SPDX-License-Identifier: BSL-1.0\n#pragma once\n"
    test = '#include <lkt/core/a.hpp>\n\nTEST_CASE("a") {}\n'
    cases = {
        "sound": ({"include/lkt/core/a.hpp": header, "tests/core/a.cpp": test}, None),
        "detail needs none": ({"include/lkt/core/detail/a.hpp": header}, None),
        "definitions": ({"include/lkt/core/impl/a.ipp": header,
                         "include/lkt/core/src.hpp": header + "#include <lkt/core/impl/a.ipp>\n"}, None),
        "definitions that nobody compiles": ({"include/lkt/core/impl/a.ipp": header,
                                              "include/lkt/core/src.hpp": header}, "is not included by"),
        "nothing": ({"include/lkt/readme.txt": ""}, "no header to look at"),
        "no test": ({"include/lkt/core/a.hpp": header}, "has no test"),
        "another include first": ({"include/lkt/core/a.hpp": header,
                                   "tests/core/a.cpp": "#include <vector>\n" + test}, "first include"),
        "empty test": ({"include/lkt/core/a.hpp": header,
                        "tests/core/a.cpp": "#include <lkt/core/a.hpp>\n"}, "no TEST_CASE"),
        "no licence": ({"include/lkt/core/a.hpp": "#include <vector>\n#pragma once\n",
                        "tests/core/a.cpp": test}, "SPDX"),
        "no guard": ({"include/lkt/core/a.hpp": "// SPDX-License-Identifier: BSL-1.0\n",
                      "tests/core/a.cpp": test}, "#pragma once"),
    }
    wrong = []
    for name, (files, expected) in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            found = faults(root)
            good = not found if expected is None else len(found) == 1 and expected in found[0]
            if not good:
                wrong.append(f"case '{name}': expected {expected!r}, found {found}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).parents[2])
    parser.add_argument("--self-test", action="store_true", help="show that each rule can fail")
    options = parser.parse_args()
    found = self_test() if options.self_test else faults(options.root)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
