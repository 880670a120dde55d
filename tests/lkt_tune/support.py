# SPDX-License-Identifier: BSL-1.0
"""What the tests of lkt-tune share: a scratch folder, kernels, and how the program is started."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

# Where ctest says, what a test of this run compiled is there for the next; else each process compiles again.
os.environ["LKT_CACHE"] = os.environ.get("LKT_TEST_CACHE", "off")
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


class Case(unittest.TestCase):
    """Gives each test a folder of its own, in which lkt-tune runs."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="lkt-tune-test-")
        self.folder = pathlib.Path(self._folder.name)
        self.write("add.cu", VECTOR_ADD)

    def tearDown(self):
        self._folder.cleanup()

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
