# SPDX-License-Identifier: BSL-1.0
"""examples/operations: from an operation to a kernel, by the replies in its folder, judged by PyTorch. Each operation in one
language by default, in both with LKT_FULL=1."""

import json
import pathlib

from support import FULL, Case, main

OPERATIONS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "operations"
REPLIES = OPERATIONS / "replies"
NAMES = sorted(path.stem for path in OPERATIONS.glob("*.json"))
IN_WGSL = ("attention_head", "conv2d_bias_relu", "conv2d_padded", "matmul", "softmax")  # unless both are wanted
SWEPT = () if FULL else ("--budget", "2")  # the recorded kernels have up to 42 configurations

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

SCALED_LINEAR = """@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> linear_weight: array<f32>;
@group(0) @binding(2) var<storage, read> linear_bias: array<f32>;
@group(0) @binding(3) var<storage, read> norm_weight: array<f32>;
@group(0) @binding(4) var<storage, read> norm_bias: array<f32>;
@group(0) @binding(5) var<storage, read> norm_running_mean: array<f32>;
@group(0) @binding(6) var<storage, read> norm_running_var: array<f32>;
@group(0) @binding(7) var<storage, read_write> out: array<f32>;
struct Scalars { batch: i32 }
@group(0) @binding(8) var<uniform> scalars: Scalars;
@compute @workgroup_size(64)
fn torch_scaled_linear(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x / 24u;
    let column = id.x % 24u;
    if (row >= u32(scalars.batch)) { return; }
    var sum = linear_bias[column];
    for (var k = 0u; k < 48u; k++) { sum += x[row * 48u + k] * linear_weight[column * 48u + k]; }
    let y = (sum - norm_running_mean[column]) / sqrt(norm_running_var[column] + 1e-5);
    out[id.x] = max((y * norm_weight[column] + norm_bias[column]) * 0.5, 0.0);
}
"""
# Whole numbers as an argument, a buffer and an output; tied weights; a buffer outside of the state; keywords for the constructor.
MODULE = """import torch
import torch.nn as nn


class Lookup(nn.Module):
    def __init__(self, words, width, bias):
        super().__init__()
        self.table = nn.Embedding(words, width)
        self.back = nn.Linear(width, words, bias=bias)
        self.back.weight = self.table.weight
        self.register_buffer("order", torch.randperm(words))
        self.register_buffer("gain", torch.rand(words), persistent=False)

    def forward(self, index, x):
        y = self.back(torch.tanh(self.table(index) + x))
        return y[:, self.order] * self.gain, 2 * index


def get_inputs():
    return [torch.randint(0, 9, (6,)), torch.rand(6, 4)]


def get_init_inputs():
    return [[9, 4], {"bias": False}]
"""
LOOKUP = """extern "C" __global__ void torch_module(long long const* index, float const* x, long long const* order,
    float const* table_weight, float const* gain, float* out0, long long* out1, int batch) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x, row = i / 9, k = i % 9;
    if (row >= batch) return;
    long long const word = index[row];
    float sum = 0;
    for (int d = 0; d < 4; ++d)
        sum += tanhf(table_weight[word * 4 + d] + x[row * 4 + d]) * table_weight[order[k] * 4 + d];
    out0[i] = sum * gain[k];
    if (k == 0) out1[row] = 2 * word;
}
"""


def changed(**operation):
    return {**SCALE, "lkt": {**SCALE["lkt"], "operation": {**SCALE["lkt"]["operation"], **operation}}}


class Operations(Case):
    def skip_without(self, done):
        for word, what in (("lkt.webgpu", "WebGPU"), ("lkt.verify.python", "Python with torch and NumPy")):
            if done.returncode == 3 and word in done.stderr:
                self.skipTest(f"there is no {what}: {done.stderr}")

    def first(self, name, language):
        done = self.run_tune(
            "--problem", OPERATIONS / f"{name}.json", "--language", language, "--strategy", "sweep", "--quiet", "--launches",
            "6", "--model", f"replay:{REPLIES / f'{name}.{language}.jsonl'}", "--store", "kernels", "--json", "out.json",
            *SWEPT, timeout=300)
        self.skip_without(done)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(report["written"][-1]["verdict"], "accepted")
        self.assertEqual((report["model"]["origin"], report["model"]["calls"]), ("recorded", 1))
        self.assertGreater(report["baseline"]["time"]["median_s"], 0)
        self.assertTrue(any(e["values"] > 0 for e in report["baseline"]["errors"]))

    def found_again(self, name, language):
        done = self.run_tune("--problem", OPERATIONS / f"{name}.json", "--language", language, "--strategy", "sweep", "--quiet",
                             "--launches", "6", "--store", "kernels", "--json", "again.json", *SWEPT, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        model = json.loads((self.folder / "again.json").read_text())["model"]
        self.assertEqual((model["origin"], model["calls"]), ("stored", 0))

    def test_each_has_replies_in_all_languages(self):
        self.assertEqual(len(NAMES), 10)
        self.assertEqual(sorted(p.name for p in REPLIES.glob("*.jsonl")),
                         sorted(f"{n}.{language}.jsonl" for n in NAMES for language in ("cuda", "hip", "wgsl")))

    def test_replies_become_kernels_that_are_found_again(self):
        for name in NAMES:
            for language in ("cuda", "wgsl") if FULL else ("wgsl" if name in IN_WGSL else "cuda",):
                with self.subTest(f"{name}, {language}"):
                    self.first(name, language)
                    if FULL or name == "softmax":
                        self.found_again(name, language)

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

    def test_several_replies_at_once_until_one_is_right(self):
        block = "```cuda\n%s```\n"
        wrong, slow = KERNEL % "factor * x[i] * y", KERNEL % "factor * x[i]"
        right = KERNEL % "factor * x[i] * x[i]"
        spent = "unsigned t = N; for (int k = 0; k < 3000; ++k) t = (t * 1664525u + 1013904223u) ^ k;\n    int const i"
        late = right.replace("int const i", spent).replace("i < N", "i < N && t != 99u")
        cassette = self.replies("I cannot do that.", *[block % text for text in (wrong, slow, late, right, right)])
        done = self.scale(SCALE, "--strategy", "sweep", "--launches", "6", "--model", f"replay:{cassette}", "--json", "out.json",
                          "--samples", "3", "--record", "talk.jsonl", "--output", "best.cu")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.folder / "out.json").read_text())
        self.assertEqual([a["verdict"] for a in report["written"]], ["failed"] * 3 + ["rejected", "not-evaluated", "accepted"])
        self.assertEqual(report["written"][-1]["proposal"]["text"].strip(), right.strip())
        requests = [json.loads(line)["request"] for line in (self.folder / "talk.jsonl").read_text().splitlines()[1:]]
        self.assertEqual([len(r["messages"]) for r in requests], [2] * 3 + [8] * 3)  # three replies, and what is wrong with each
        self.assertIn("the same kernel", report["written"][-2]["notes"][0])
        done = self.run_tune("add.cu", "--strategy", "sweep", "--samples", "3")
        self.assert_one_clear_error(done, 2, "--samples")

    def test_a_model_that_never_gets_it_right_ends_the_run(self):
        cassette = self.replies(*["no"] * 9)
        done = self.scale(SCALE, "--strategy", "sweep", "--model", f"replay:{cassette}")
        self.assert_one_clear_error(done, 3, "lkt.first_kernel.attempts", "8 replies")

    def test_why_a_kernel_was_rejected_comes_before_what_ended_the_run(self):
        cassette = self.replies("```cuda\n%s```\n" % (KERNEL % "factor * x[i] * y"), "```cuda\n%s```\n" % (KERNEL % "factor * x[i]"))
        for more, code in (((), "lkt.replay.used-up"), (("--max-calls", "2"), "lkt.budget.calls")):
            done = self.scale(SCALE, "--strategy", "sweep", "--model", f"replay:{cassette}", *more)
            self.assert_one_clear_error(done, 3, "kernel scale that the model wrote was rejected: Wrong output", code)
            self.assertLess(done.stderr.index("rejected"), done.stderr.index("Then the run ended"))

    def module(self, where, backend, language, *kernels, more=()):
        replies = self.replies(*[f"```{language}\n{text}```\n" for text in kernels])
        done = self.run_tune("--torch", where, "--backend", backend, "--language", language, "--strategy", "sweep", "--launches",
                             "6", "--quiet", "--model", f"replay:{replies}", "--json", "out.json", *more, timeout=300)
        self.skip_without(done)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.folder / "out.json").read_text())
        self.assertEqual([a["verdict"] for a in report["written"]], ["failed"] * (len(kernels) - 1) + ["accepted"])
        self.assertTrue(all(a["failure"] == "wrong-output" for a in report["written"][:-1]))
        return report

    def test_a_torch_module_is_an_operation(self):
        self.module(f"{OPERATIONS / 'modules' / 'scaled_linear.py'}:Model", "webgpu", "wgsl", SCALED_LINEAR)
        done = self.run_tune("--torch", "module.py", "--strategy", "sweep")
        self.assert_one_clear_error(done, 2, "FILE.py:CLASS")

    def test_a_module_with_all_kinds_of_arguments_and_weights(self):
        self.write("module.py", MODULE)
        swapped = LOOKUP.replace("order[k]", "k")  # the buffer of whole numbers is left out
        report = self.module("module.py:Lookup", "host", "cuda", swapped, LOOKUP, more=("--beside-torch", "--report", "out.txt", "--journal", "run"))
        eager, compiled = report["alternatives"]
        self.assertRegex(eager["name"], "^torch .*, eager$")
        self.assertAlmostEqual(eager["speedup"], eager["time"]["median_s"] / report["best"]["time"]["median_s"])
        self.assertEqual(compiled["time"] is None, compiled["why"] != "")
        self.assertIn(f"  instead   {eager['name']}: ", (self.folder / "out.txt").read_text())
        # A folder that somebody else wrote runs nothing with the user's rights.
        done = self.run_tune("--resume", "run", "--quiet", "--json", "again.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not taken from the saved run, since it runs with all your rights: --beside-torch;", done.stderr)
        self.assertNotIn("alternatives", json.loads((self.folder / "again.json").read_text()))
        done = self.run_tune("--resume", "run", "--quiet", "--beside-torch", "--max-time", "1s", "--json", "again.json")
        self.assertNotIn("not taken", done.stderr)
        self.assertIn("not compared with torch: --max-time was reached", json.loads((self.folder / "again.json").read_text())["notes"])
        self.write("scale.json", json.dumps(SCALE))
        for more, word in ((("--problem", OPERATIONS / "relu.json", "--language", "wgsl"), "WebGPU"),
                           (("--problem", "scale.json"), "an operation of torch")):
            done = self.run_tune(*more, "--strategy", "sweep", "--beside-torch")
            self.assert_one_clear_error(done, 2, word, "lkt.tune.usage")

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
