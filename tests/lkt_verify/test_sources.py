# SPDX-License-Identifier: BSL-1.0
"""Where tests and expected outputs come from besides the problem itself: a script of the user's (--script), another
kernel (--oracle), and a NumPy function that the problem file names. Runs on the host back end."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # --backend auto takes the host
os.environ["LKT_CACHE"] = os.environ.get("LKT_TEST_CACHE", "off")

PROGRAM = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
KERNELS = pathlib.Path(__file__).resolve().parents[2] / "examples/kernels"

GENERATOR = """\
import numpy as np

def generate(sizes, rng):
    n = sizes["ProblemSize[0]"]
    position = rng.random((n, 3), dtype=np.float32)
    half = position * np.float32(0.5)
    position[n // 2] = 12.3  # no other test has it
    return {"position": position, "previous": half, "acceleration": half}
"""

ORACLE = """\
import numpy as np

def step(position, previous, acceleration, dt, n):
    here, before, a = (x.astype(np.float64) for x in (position, previous, acceleration))
    return FACTOR * here - before + a * dt * dt, position
"""


def has_numpy():
    named = os.environ.get("LKT_PYTHON")
    for python in [named] if named else ["python3", "/usr/bin/python3"]:
        try:
            if subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0:
                return True
        except OSError:
            pass
    return False


class Sources(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lkt-verify-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.kernel = (KERNELS / "verlet.cu").read_text()
        self.write("verlet.cu", self.kernel)
        self.problem()

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def problem(self, name="verlet.json", kernel="verlet.cu", **lkt):
        problem = json.loads((KERNELS / "verlet.json").read_text())
        problem["KernelSpecification"].update(ProblemSize=[5000], KernelFile=kernel)
        problem["lkt"].update(lkt)
        self.write(name, json.dumps(problem))

    def verify(self, *more, candidate="verlet.cu", status):
        # The seed is fixed: other seeds may draw a value that the kernel of `wrong_kernel` is wrong for.
        done = subprocess.run(
            [PROGRAM, "--problem", "verlet.json", "--candidate", candidate, "--quick", "--quiet", "--seed", "7", "--json", "-",
             *more],
            cwd=self.folder, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return json.loads(done.stdout) if status < 2 else done.stderr

    def wrong_kernel(self):
        """Wrong for values near 12.3 alone, which no number and no comparison of its text tells."""
        self.write("wrong.cu", self.kernel.replace("previous[i] = here;", """
            float q = here.x * here.x - 151.29f, w = fmaxf(0.0f, 1.0f - 1e6f * q * q);
            previous[i] = make_float3(here.x + w * (before.x - here.x), here.y + w * (before.y - here.y),
                                      here.z + w * (before.z - here.z));"""))

    def rejects_at_its_numbers(self, *options):
        """The oracle is asked about sizes and values that the kernel's text alone names."""
        for test in ("n == 7654", "fabsf(here.x - 7654.5f) < 0.5f", "n == (int)sizeof(float3) * 637 + 10"):
            self.write("wrong.cu", self.kernel.replace("previous[i] = here;", f"previous[i] = {test} ? before : here;"))
            self.assertIn("previous", self.verify(*options, candidate="wrong.cu", status=1)["reason"])

    @unittest.skipUnless(has_numpy(), "no Python with NumPy")
    def test_a_script_finds_what_other_tests_do_not(self):
        self.wrong_kernel()
        self.write("tests.py", GENERATOR)
        self.assertTrue(self.verify(candidate="wrong.cu", status=0)["accepted"])
        found = self.verify("--script", "tests.py", candidate="wrong.cu", status=1)
        self.assertIn("previous", found["reason"])
        self.assertTrue(self.verify("--script", "tests.py", status=0)["accepted"])

    @unittest.skipUnless(has_numpy(), "no Python with NumPy")
    def test_a_script_that_fails_is_told(self):
        self.write("tests.py", "def generate(sizes, rng):\n    return {'position': [1, 2]}\n")
        said = self.verify("--script", "tests.py", status=3)
        self.assertIn("position", said)
        self.assertIn("lkt.verify.script", said)

    def test_a_script_that_is_not_there(self):
        self.assertIn("none.py", self.verify("--script", "none.py", status=2))

    def test_another_kernel_is_the_oracle(self):
        self.write("other.cu", self.kernel.replace("2.0f * here.z", "here.z + here.z"))
        self.problem("other.json", "other.cu")
        self.assertTrue(self.verify("--oracle", "other.json", status=0)["accepted"])
        self.rejects_at_its_numbers("--oracle", "other.json")
        # One that computes something else: then the problem's own kernel is wrong.
        self.write("other.cu", self.kernel.replace("2.0f * here.z", "3.0f * here.z"))
        self.assertIn("lkt.verify.oracle", self.verify("--oracle", "other.json", status=3))

    @unittest.skipUnless(has_numpy(), "no Python with NumPy")
    def test_a_numpy_oracle_in_the_problem_file(self):
        self.problem(oracle={"numpy": "oracle.py:step"})
        self.write("oracle.py", ORACLE.replace("FACTOR", "2"))
        self.assertTrue(self.verify(status=0)["accepted"])
        self.rejects_at_its_numbers()
        self.write("wrong.cu", self.kernel.replace("2.0f * here.z", "2.001f * here.z"))
        self.assertFalse(self.verify(candidate="wrong.cu", status=1)["accepted"])
        self.write("oracle.py", ORACLE.replace("FACTOR", "3"))
        self.assertIn("lkt.verify.oracle", self.verify(status=3))


if __name__ == "__main__":
    if PROGRAM is None or not PROGRAM.exists():
        sys.exit("usage: test_sources.py PATH-OF-LKT-VERIFY")
    unittest.main(argv=sys.argv[:1], verbosity=2)
