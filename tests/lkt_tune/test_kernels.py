# SPDX-License-Identifier: BSL-1.0
"""examples/kernels as their readers run them: a sweep over each problem file, on the host and over WebGPU.
What the kernels compute is looked at in tests/examples/kernels.cpp."""

import json
import pathlib

from support import Case, main

KERNELS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "kernels"
NAMES = ["game_of_life", "kmeans", "mandelbrot", "matrix_add", "matrix_multiply", "sigmoid", "transpose", "verlet"]
DECIDED_BY_ROUNDING = {"kmeans", "mandelbrot"}
# There is no library, or no driver: nothing that these files could help.
NO_DEVICE = ["[lkt.webgpu.library]", "[lkt.webgpu.no-adapter]"]


class Kernels(Case):
    def sweep_over(self, problem, backend, *more):
        """Runs it; the report, or nothing where there is no device, and what was said."""
        # Few launches: nobody looks at how fast it is.
        done = self.run_tune("--problem", problem, "--strategy", "sweep", "--backend", backend,
                             "--launches", "7", "--json", "out.json", "--quiet", *more, timeout=300)
        if done.returncode == 3 and any(code in done.stderr for code in NO_DEVICE):
            return None, done.stderr
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.folder / "out.json").read_text()), done.stderr

    def assert_sound(self, report, problem):
        """The original was verified at every size, and each configuration computes what it does."""
        asked = json.loads(problem.read_text())
        parameters = asked["ConfigurationSpace"]["TuningParameters"]
        self.assertIn(report["terminal"], ("tuned", "unchanged"))
        sizes = [asked["KernelSpecification"]["ProblemSize"], *asked["lkt"]["sizes"]]
        self.assertGreaterEqual(len(sizes), 3)
        for size in sizes:
            text = ", ".join(f"ProblemSize[{k}]={extent}" for k, extent in enumerate(size))
            self.assertIn(text, report["tests"])
        tried = [c for attempt in report["history"] for c in attempt["configurations"]]
        expected = 1
        for parameter in parameters:
            expected *= len(parameter["Values"])
        self.assertEqual(len(tried), expected)
        self.assertGreater(expected, 1)
        for configuration in tried:
            self.assertGreater(configuration["time"]["median_s"], 0)

    def test_the_folder_is_what_is_tested(self):
        for name in NAMES:
            for ending in (".cu", ".json", ".gpu.json", ".wgsl", ".wgsl.json"):
                self.assertTrue((KERNELS / (name + ending)).is_file(), name + ending)
        self.assertEqual(sorted(path.stem for path in KERNELS.glob("*.cu")), NAMES)

    def test_on_the_host(self):
        for name in NAMES:
            with self.subTest(name):
                problem = KERNELS / f"{name}.json"
                report, said = self.sweep_over(problem, "host")
                self.assertIsNotNone(report, said)
                self.assertEqual(report["device"]["backend"], "host")
                self.assert_sound(report, problem)

    def test_over_webgpu(self):
        missing = None
        for name in NAMES:
            with self.subTest(name):
                problem = KERNELS / f"{name}.wgsl.json"
                # The CUDA text on the host says what is right, where rounding decides nothing.
                oracle = [] if name in DECIDED_BY_ROUNDING else ["--oracle", KERNELS / f"{name}.json"]
                report, said = self.sweep_over(problem, "webgpu", *oracle)
                if report is None:
                    missing = said.strip()
                    break
                self.assertEqual(report["device"]["backend"], "webgpu")
                said_by_cuda = [note for note in report["notes"] if "in CUDA on host CPU" in note]
                self.assertEqual(len(said_by_cuda), 1 if oracle else 0, report["notes"])
                self.assert_sound(report, problem)
        if missing is not None:
            self.skipTest("there is no WebGPU: " + missing)

    def test_an_oracle_that_does_not_fit_is_refused(self):
        done = self.run_tune("--problem", KERNELS / "transpose.json", "--oracle", KERNELS / "sigmoid.json",
                             "--strategy", "sweep", "--quiet")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("[lkt.verify.oracle]", done.stderr)

    def test_a_wrong_reference_is_seen(self):
        """The runs above end with status 0 because the kernels are sound, not because nobody looks."""
        text = (KERNELS / "matrix_add.cu").read_text()
        self.write("matrix_add.cu", text.replace("row < rows && ", ""))
        self.write("matrix_add.json", (KERNELS / "matrix_add.json").read_text())
        done = self.run_tune("--problem", "matrix_add.json", "--strategy", "sweep", "--quiet")
        self.assertNotEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    main()
