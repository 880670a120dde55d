#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Shows that lkt/lkt.hpp includes every public header but those that its first lines leave out, and no other."""
import argparse
import pathlib
import re
import sys
import tempfile

# As the first lines of lkt.hpp say. A leaf that only gpu/webgpu includes is left out with it.
LEFT_OUT = ("gpu/cuda.hpp", "gpu/cuda/", "gpu/hip.hpp", "gpu/hip/", "gpu/webgpu.hpp", "gpu/webgpu/", "gpu/device/",
            "lang/wgsl_as_cpp/", "llm/http.hpp", "llm/http/", "scan/cublaslt.hpp", "scan/cublaslt/")
INCLUDE = re.compile(r"^#include <lkt/([^>]+)>$", re.MULTILINE)


def public(include: pathlib.Path) -> set:
    """Every header that a user may include by its own name."""
    headers = {h.relative_to(include) for h in include.rglob("*.hpp")}
    return {str(h) for h in headers if "detail" not in h.parts and h.name not in ("src.hpp", "lkt.hpp")}


def faults(include: pathlib.Path) -> list:
    text = (include / "lkt.hpp").read_text()
    given = set(INCLUDE.findall(text))
    wanted = {h for h in public(include) if not h.startswith(LEFT_OUT)}
    found = [f"{include}/lkt.hpp: lacks <lkt/{h}>" for h in sorted(wanted - given)]
    found += [f"{include}/lkt.hpp: <lkt/{h}> is not to be in it" for h in sorted(given - wanted)]
    if not wanted:
        found.append(f"{include}: there is no header to look at")
    said = text[:text.index("#pragma once")]
    found += [f"{include}/lkt.hpp: its first lines do not say that {part} is left out"
              for part in LEFT_OUT if part.rstrip("/") not in said]
    return found


def self_test() -> list:
    with tempfile.TemporaryDirectory() as name:
        include = pathlib.Path(name)
        for header in ("core/a.hpp", "core/detail/b.hpp", "core/src.hpp", "gpu/cuda/c.hpp"):
            (include / header).parent.mkdir(parents=True, exist_ok=True)
            (include / header).write_text("#pragma once\n")
        said = "// " + " ".join(LEFT_OUT) + "\n#pragma once\n"
        cases = {"the right list": ("#include <lkt/core/a.hpp>\n", said, 0),
                 "a header that is missing": ("", said, 1),
                 "a detail": ("#include <lkt/core/a.hpp>\n#include <lkt/core/detail/b.hpp>\n", said, 1),
                 "an adapter": ("#include <lkt/core/a.hpp>\n#include <lkt/gpu/cuda/c.hpp>\n", said, 1),
                 "a gap that is not named": ("#include <lkt/core/a.hpp>\n", "#pragma once\n", len(LEFT_OUT))}
        found = []
        for what, (includes, first, count) in cases.items():
            (include / "lkt.hpp").write_text(first + includes)
            if len(faults(include)) != count:
                found.append(f"{what}: {faults(include)}")
        return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path)
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    include = (options.root or pathlib.Path(".")) / "include" / "lkt"
    failures = self_test() if options.self_test else faults(include)
    print("\n".join(failures) if failures else "lkt.hpp is complete" if not options.self_test else "faults are found")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
