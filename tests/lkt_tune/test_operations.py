# SPDX-License-Identifier: BSL-1.0
"""examples/operations: from an operation to a kernel, by replies written by hand. Three of them by default, all with LKT_FULL=1."""

import json
import pathlib

from support import FULL, Case, main

OPERATIONS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "operations"
REPLIES = OPERATIONS / "replies"
NAMES = sorted(path.stem for path in OPERATIONS.glob("*.json"))

SCALE = {
    "KernelSpecification": {"KernelName": "scale", "ProblemSize": [64]},
    "lkt": {
        "size_names": ["N"],
        "operation": {
            "numpy": {"source": ["def scale(x, factor, power):", "    return factor * x ** power"], "function": "scale"},
            "inputs": [{"name": "x", "shape": ["N"]}, {"name": "factor", "value": 3}],
            "outputs": [{"name": "y", "shape": ["N"]}],
            "parameters": {"power": 2},
        },
    },
}
KERNEL = """extern "C" __global__ void scale(float const* x, float* y, float factor, int N) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) y[i] = %s;
}
"""


def changed(**operation):
    return {**SCALE, "lkt": {**SCALE["lkt"], "operation": {**SCALE["lkt"]["operation"], **operation}}}


class Operations(Case):
    def first(self, name, language):
        done = self.run_tune(
            "--problem", OPERATIONS / f"{name}.json", "--language", language, "--strategy", "sweep", "--quiet", "--launches",
            "6", "--model", f"replay:{REPLIES / f'{name}.{language}.jsonl'}", "--json", "out.json", timeout=300)
        if language == "wgsl" and done.returncode == 3 and "lkt.webgpu" in done.stderr:
            self.skipTest("there is no WebGPU: " + done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(report["written"][-1]["verdict"], "accepted")
        self.assertEqual(report["model"]["origin"], "written-by-hand")
        self.assertGreater(report["baseline"]["time"]["median_s"], 0)

    def test_each_has_replies_in_both_languages(self):
        self.assertEqual(len(NAMES), 10)
        self.assertEqual(sorted(p.name for p in REPLIES.glob("*.jsonl")),
                         sorted(f"{n}.{language}.jsonl" for n in NAMES for language in ("cuda", "wgsl")))

    def test_replies_become_kernels(self):
        few = [("matmul", "cuda"), ("conv2d_bias_relu", "wgsl"), ("attention_head", "cuda")]
        for name, language in [(n, lang) for n in NAMES for lang in ("cuda", "wgsl")] if FULL else few:
            with self.subTest(f"{name}, {language}"):
                self.first(name, language)

    def replies(self, *texts):
        head = {"lkt_cassette": 1, "origin": "written-by-hand", "match": "in-order"}
        lines = [head] + [{"reply": {"text": text, "finish": "stop"}} for text in texts]
        return self.write("replies.jsonl", "".join(json.dumps(line) + "\n" for line in lines))

    def scale(self, problem, *more):
        self.write("scale.json", json.dumps(problem))
        return self.run_tune("--problem", "scale.json", "--backend", "host", "--quiet", *more)

    def test_what_is_wrong_goes_back_until_it_is_right(self):
        block = "```cuda\n%s```\n"
        cassette = self.replies("I cannot do that.", block % (KERNEL % "factor * x[i] * y"), block % (KERNEL % "factor * x[i]"),
                                block % (KERNEL % "factor * x[i] * x[i]"))
        done = self.scale(SCALE, "--strategy", "sweep", "--launches", "6", "--model", f"replay:{cassette}", "--json", "out.json",
                          "--report", "out.txt", "--output", "best.cu")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.folder / "out.json").read_text())
        self.assertEqual([a["verdict"] for a in report["written"]][-1], "accepted")
        self.assertEqual(len(report["written"]), 4)
        self.assertIn("in 4 replies", (self.folder / "out.txt").read_text())
        self.assertIn("factor * x[i] * x[i]", (self.folder / "best.cu").read_text())

    def test_a_model_that_never_gets_it_right_ends_the_run(self):
        cassette = self.replies(*["no"] * 9)
        done = self.scale(SCALE, "--strategy", "sweep", "--model", f"replay:{cassette}")
        self.assert_one_clear_error(done, 3, "lkt.first_kernel.attempts", "8 replies")

    def test_a_torch_module_is_an_operation(self):
        kernel = """extern "C" __global__ void torch_scaled_linear(
    float const* x, float const* linear_weight, float const* linear_bias, float const* norm_weight, float const* norm_bias,
    float const* norm_running_mean, float const* norm_running_var, float* out, int batch) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x, row = i / 24, column = i %% 24;
    if (row >= batch) return;
    float sum = linear_bias[column];
    for (int k = 0; k < 48; ++k) sum += x[row * 48 + k] * linear_weight[column * 48 + k];
    float const y = (sum - norm_running_mean[column]) / sqrtf(norm_running_var[column] + 1e-5f);
    out[i] = %s;
}
"""
        right = kernel % "fmaxf((y * norm_weight[column] + norm_bias[column]) * 0.5f, 0.0f)"
        twice = kernel % "fmaxf(y * norm_weight[column] + norm_bias[column], 0.0f)"
        replies = self.replies(*[f"```cuda\n{text}```\n" for text in (twice, right)])
        done = self.run_tune("--torch", f"{OPERATIONS / 'modules' / 'scaled_linear.py'}:Model", "--backend", "host", "--strategy",
                             "sweep", "--launches", "6", "--quiet", "--model", f"replay:{replies}", "--json", "out.json", timeout=300)
        if done.returncode == 3 and "lkt.verify.python" in done.stderr:
            self.skipTest("no Python here has torch and NumPy: " + done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.folder / "out.json").read_text())
        self.assertEqual([a["verdict"] for a in report["written"]], ["failed", "accepted"])
        self.assertEqual(report["written"][0]["failure"], "wrong-output")
        done = self.run_tune("--torch", "module.py", "--strategy", "sweep")
        self.assert_one_clear_error(done, 2, "FILE.py:CLASS")

    def test_without_a_model_there_is_no_kernel(self):
        done = self.scale(SCALE, "--strategy", "sweep")
        self.assert_one_clear_error(done, 3, "lkt.tuner.open", "no kernel scale yet")

    def test_bad_operations_are_named(self):
        source = {"source": "def scale(x): return x", "function": "scale"}
        for operation, *words in (
                ({"numpy": "../../etc/passwd:f"}, "lkt.operation.numpy", "not in the folder"),
                ({"torch": source}, "one of numpy and torch"),
                ({"inputs": [{"name": "x", "shape": ["M"]}]}, "lkt.operation.inputs[0].shape[0]", "unknown name `M`"),
                ({"inputs": [{"name": "x", "shape": ["N - 64"]}]}, "it is 0"),
                ({"inputs": [{"name": "N", "shape": ["N"]}]}, "two of the name"),
                ({"inputs": [{"name": "import os", "shape": ["N"]}]}, "not a name"),
                ({"outputs": []}, "has an output"),
                ({"outputs": [{"name": "y", "shape": ["N"], "dtype": "complex64"}]}, "is not one of"),
                ({"extra": 1}, "lkt.operation.extra")):
            with self.subTest(str(operation)):
                done = self.scale(changed(**operation), "--strategy", "sweep", "--dry-run")
                self.assertIn("lkt.problem.", done.stderr)
                for word in words:
                    self.assertIn(word, done.stderr)

    def test_a_function_that_fails_is_named_before_anybody_is_asked(self):
        for line, word in (("    return 1 / 0", "ZeroDivisionError"), ("    return x[1:]", "the shapes"),
                           ("    open('/etc/passwd').read()", "Error")):
            problem = changed(numpy={"source": ["def scale(x, factor, power):", line], "function": "scale"})
            done = self.scale(problem, "--strategy", "sweep", "--model", f"replay:{self.replies('no')}")
            self.assertEqual(done.returncode, 3, done.stderr)  # a traceback has more lines than other errors
            self.assertIn("lkt.verify.oracle_script", done.stderr)
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    main()
