# SPDX-License-Identifier: BSL-1.0
"""What the tests of lkt-tune share: a scratch folder, kernels, and how the program is started."""

import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

# Where ctest says, what a test of this run compiled is there for the next; else each process compiles again.
os.environ["LKT_CACHE"] = os.environ.get("LKT_TEST_CACHE", "off")
# Where the key lies that marks saved runs as this user's.
_state = tempfile.TemporaryDirectory(prefix="lkt-tune-state-")
os.environ["XDG_STATE_HOME"] = _state.name
# Variations on what a shorter run has shown once: without LKT_FULL=1 a test takes the first few of them.
FULL = os.environ.get("LKT_FULL") == "1"


def some(variations, few):
    return list(variations) if FULL else list(variations)[:few]


PROGRAM = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None

VECTOR_ADD = """\
__global__ void add(float* c, float const* a, float const* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
"""

VECTOR_ADD_FLAGS = [
    "--size", "n=4096", "--arg", "a=n", "--arg", "b=n", "--arg", "c=n",
    "--tune", "BLOCK=64,128", "--block", "BLOCK", "--grid", "ceil_div(n,BLOCK)",
]


def descendants():
    """Every live process below this one; orphans come here because this is a subreaper."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                name, rest = (entry / "stat").read_text().rsplit(")", 1)
            except OSError:
                continue
            state, parent = rest.split()[:2]
            if state not in "ZX":
                parents[int(entry.name)] = (int(parent), name.split("(", 1)[1])
    mine, found = {os.getpid()}, []
    while grown := [(p, n) for p, (parent, n) in parents.items() if parent in mine and p not in mine]:
        mine.update(p for p, _ in grown)
        found += grown
    return found


class Case(unittest.TestCase):
    """Gives each test a folder of its own, in which lkt-tune runs."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="lkt-tune-test-")
        self.folder = pathlib.Path(self._folder.name)
        self.somebody_else = {"XDG_STATE_HOME": str(self.folder / "theirs")}  # for `env`: another key
        self.write("add.cu", VECTOR_ADD)

    def tearDown(self):
        self._folder.cleanup()

    def adopt_orphans(self):
        """From now on those of this test are this process's, which collects them at its end."""
        subreaper = 36  # PR_SET_CHILD_SUBREAPER
        self.assertEqual(ctypes.CDLL(None).prctl(subreaper, 1, 0, 0, 0), 0)

        def collect():
            ctypes.CDLL(None).prctl(subreaper, 0, 0, 0, 0)
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                pass

        self.addCleanup(collect)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def start(self, *arguments, env=None, cwd=None, **more):
        said = [str(a) for a in arguments]
        if "--model" in said and "--resume" not in said and not any(a.startswith("--strategy") for a in said):
            arguments += ("--strategy", "one-prompt")  # most tests are about one request
        if "--strategy" in arguments and "--checked-time" not in arguments:
            arguments += ("--checked-time", "0.3")  # the smallest sizes alone, but where a test is about the others
        hidden = {} if "cuda" in arguments else {"CUDA_VISIBLE_DEVICES": ""}  # else --backend auto takes the GPU
        return subprocess.Popen(
            [str(PROGRAM), *map(str, arguments)], cwd=cwd or self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
            env={**os.environ, **hidden, **(env or {})}, **more)

    def run_tune(self, *arguments, timeout=300, **more):
        process = self.start(*arguments, **more)
        out, err = process.communicate(timeout=timeout)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def sweep(self, *arguments, **more):
        return self.run_tune("add.cu", "--strategy", "sweep", "--quiet", *arguments, **more)

    def assert_one_clear_error(self, done, status, *words):
        """One message, a next step, the status, and no sign of a crash."""
        text = done.stderr
        self.assertEqual(done.returncode, status, text + done.stdout)
        self.assertEqual(text.count("lkt-tune: "), 1, text)
        self.assertLessEqual(len(text.strip().splitlines()), 6, text)
        for word in words:
            self.assertIn(word, text)
        for word in ("terminate called", "Segmentation", "what():", "core dumped", "Sanitizer"):
            self.assertNotIn(word, text)


def main():
    if PROGRAM is None or not PROGRAM.exists():
        sys.exit("usage: test_*.py PATH-OF-LKT-TUNE")
    unittest.main(argv=sys.argv[:1], verbosity=2)
