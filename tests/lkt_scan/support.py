# SPDX-License-Identifier: BSL-1.0
"""What the tests of lkt-scan share: how the program is started, and what it ends with."""

import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/scan/data"
DONE, SOME_FAILED, USAGE, ENVIRONMENT, NOTHING, INTERRUPTED = 0, 1, 2, 3, 6, 130
PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else sys.exit("usage: test_*.py PATH-OF-LKT-SCAN")


def run(*arguments, folder=None, **environment):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False,
                          cwd=folder, env={**os.environ, **environment})


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]
