# SPDX-License-Identifier: BSL-1.0
"""Bad input of every kind ends with one clear message and the documented status."""

import json
import os
import subprocess
import unittest

from support import Case, VECTOR_ADD_FLAGS, main

USAGE, ENVIRONMENT = 2, 3
NO_DRIVER = {"LKT_CUDA_DRIVER": "/nowhere/libcuda.so.1"}


class Information(Case):
    def test_help_names_every_flag_and_status(self):
        done = self.run_tune("--help")
        self.assertEqual(done.returncode, 0)
        for word in ("--problem", "--size", "--arg", "--tune", "--model", "--strategy", "--json", "Exit status"):
            self.assertIn(word, done.stdout)
        self.assertEqual(done.stderr, "")

    def test_version(self):
        done = self.run_tune("--version")
        self.assertRegex(done.stdout, r"^lkt-tune \d+\.\d+\.\d+\n$")

    def test_default_steps_can_be_edited(self):
        done = self.run_tune("--default-steps")
        self.assertEqual(done.returncode, 0)
        steps = json.loads(done.stdout)["steps"]
        self.assertEqual(len(steps), 15)
        self.assertEqual(steps[3]["tune_params"], {"WORK_PER_THREAD_X": [1, 2, 4, 8]})

    def test_graphs_are_mermaid(self):
        help_text = self.run_tune("--help").stdout
        for strategy in ("one-prompt", "autonomous", "explicit", "sample-n", "refine", "beam", "evolve", "escalate", "sweep"):
            with self.subTest(strategy):
                self.assertIn(strategy, help_text)
                done = self.run_tune("--graph", strategy)
                self.assertEqual(done.returncode, 0)
                self.assertIn("flowchart TD", done.stdout)
                self.assertIn("tuned", done.stdout)


class CommandLine(Case):
    def refuse(self, *arguments, words=()):
        self.assert_one_clear_error(self.run_tune(*arguments), USAGE, *words)

    def test_nothing(self):
        self.refuse(words=("no kernel",))

    def test_unknown_flag(self):
        self.refuse("add.cu", "--sise", "n=4", words=("--sise",))

    def test_unknown_names(self):
        self.refuse("add.cu", "--strategy", "magic", words=("magic", "one-prompt"))
        self.refuse("add.cu", "--strategy", "sweep", "--backend", "abacus", words=("abacus", "host"))
        self.refuse("add.cu", "--model", "oracle:delphi", words=("oracle:delphi", "replay"))

    def test_names_that_nearly_fit(self):
        base = ["add.cu", *VECTOR_ADD_FLAGS]
        for flags, meant in ((["--stratgey", "sweep"], "--strategy"), (["--strategy", "swep"], "sweep"),
                             (["--strategy", "sweep", "--backend", "cudda"], "cuda"),
                             (["--model", "antropic:claude"], "anthropic"), (["--strategy=sweep", "--log", "debgu"], "debug"),
                             (["--strategy", "sweep", "--profile", "allways"], "always")):
            with self.subTest(meant):
                self.refuse(*base, *flags, words=(f"did you mean {meant}?",))
        done = self.run_tune(*base, "--strategy", "magic")
        self.assertNotIn("did you mean", done.stderr)

    def test_what_is_wrong_is_told_before_the_model_is_missed(self):
        done = self.run_tune("nowhere.cu", *VECTOR_ADD_FLAGS)
        self.assert_one_clear_error(done, ENVIRONMENT, "nowhere.cu")
        self.refuse("add.cu", *VECTOR_ADD_FLAGS, "--launches", "3", words=("--launches",))
        for flags in (["--script", "none.py"], ["--oracle", "none.json"],
                      ["--strategy", "explicit", "--steps", "none.json"], ["--prices", "none.json"]):
            done = self.run_tune("add.cu", *VECTOR_ADD_FLAGS, *flags)
            self.assert_one_clear_error(done, ENVIRONMENT, flags[-1])
        for flags in (["--size", "n=x"], ["--tune", "X="], ["--restrict", "BLOCK <"], ["--max-calls=-1"],
                      ["--max-cost", "0"], ["--timeout-idle=-5"], ["--temperature", "7"]):
            done = self.run_tune("add.cu", *VECTOR_ADD_FLAGS, *flags)
            self.assert_one_clear_error(done, USAGE)
            self.assertNotIn("needs a model", done.stderr, flags)
        # A provider that there is not, before a device is looked for or a folder made.
        self.refuse("add.cu", *VECTOR_ADD_FLAGS, "--model", "opnai:x", "--journal", "run", words=("did you mean openai?",))
        self.assertFalse((self.folder / "run").exists())
        for option, what in (("--store", "folder"), ("--json", "file"), ("--config", "file")):
            self.refuse("add.cu", *VECTOR_ADD_FLAGS, option, "", words=(f"{option} has an empty name of a {what}", "variable of the shell"))

    def test_wrong_expressions_are_usage_errors_with_their_place(self):
        base = ["add.cu", "--strategy", "sweep", "--size", "n=64", "--arg", "a=n", "--arg", "b=n", "--arg", "c=n"]
        self.refuse(*base, "--tune", "BLOCK=64", "--restrict", "BLOCK <", words=("--restrict: column", "such as"))
        self.refuse(*base, "--grid", "ceil_div(n", "--block", "64", words=("--grid: column",))
        self.refuse(*base, "--grid", "1", "--block", "64 +", words=("--block: column",))
        self.refuse(*base, "--shared", "4 *", words=("--shared: column",))
        self.refuse(*base, "--arg", "n=n +", words=("column",))
        self.refuse(*base, "--grid", "ceil_div(m, 64)", "--block", "64", words=("--grid", "column 10", "`m`"))
        self.refuse(*base, "--tune", "BLOCK=64", "--restrict", "BLOK < 99",
                    words=("--restrict", "column 1", "did you mean BLOCK?"))
        self.refuse(*base, "--tune", "BLOCK", words=("--tune",))
        self.refuse(*base, "--tune", "X=16,32", "--tune", "Y=8,16", "--restrict", "X == Y",
                    words=("X=16, Y=8 breaks a --restrict", "such as X=16, Y=16"))

    def test_traces(self):
        base = ["add.cu", "--strategy", "sweep", *VECTOR_ADD_FLAGS]
        self.refuse(*base, "--trace", "run.txt", words=("run.txt", ".jsonl"))
        self.refuse(*base, "--trace", "run.json", "--declare", "p.json", words=("--trace", "--declare"))
        done = self.run_tune(*base, "--trace", "nowhere/run.json")
        self.assert_one_clear_error(done, ENVIRONMENT, "nowhere/run.json")
        done = self.run_tune(*base, "--prices", "prices.json")
        self.assert_one_clear_error(done, ENVIRONMENT, "prices.json")

    def test_one_prompt_without_a_model(self):
        self.refuse("add.cu", *VECTOR_ADD_FLAGS, words=("--model",))

    def test_explicit_without_a_model(self):
        self.refuse("add.cu", *VECTOR_ADD_FLAGS, "--strategy", "explicit", words=("explicit", "--model"))

    def test_steps(self):
        base = ["add.cu", *VECTOR_ADD_FLAGS, "--model", "replay:none.json"]
        self.refuse(*base, "--steps", "steps.json", words=("--strategy explicit",))
        self.write("steps.json", '[{"id": "a", "prompt": "p", "depends_on": ["b"]}]')
        self.refuse(*base, "--strategy", "explicit", "--steps", "steps.json", words=("steps.json", "`b`"))

    def test_autonomous(self):
        base = ["add.cu", *VECTOR_ADD_FLAGS, "--strategy", "autonomous"]
        self.refuse(*base, words=("autonomous needs a model",))
        for flag in (["--max-replans", "-1"], ["--max-breakdowns", "6"], ["--plan-length", "0"], ["--max-steps", "0"]):
            self.refuse(*base, "--model", "replay:x", *flag, words=(flag[0],))
        self.refuse(*base, "--model", "replay:x", "--answers", "poems", words=("poems", "tool-call"))

    def test_budgets(self):
        many = ["add.cu", "--size", "n=64", "--arg", "a=n", "--arg", "b=n", "--arg", "c=n", "--tune", "BLOCK=1..1001",
                "--strategy", "sweep"]
        self.refuse(*many, words=("1001 configurations", "--budget 200"))
        for wrong in ("0", "-1", "1.5", "1000001", "0%", "101%", "half"):
            self.refuse(*many, f"--budget={wrong}", words=("--budget", "10%"))
        self.refuse(*many, "--tune", "A=1..1001", "--budget", "10", words=("more than 1000000",))
        for most, count in (("10", 10), ("1.2%", 13)):
            done = self.run_tune(*many, "--budget", most, "--dry-run")
            self.assertIn(f"1001 configurations, of which {count} are tried", done.stdout)

    def test_numbers_of_strategies(self):
        wrong = {
            "sample-n": {"--samples": (0, 1001)},
            "refine": {"--rounds": (0, 10001), "--patience": (0,), "--attempts": (0, 1001)},
            "explicit": {"--gate-attempts": (0, 1001), "--max-configurations": (0,)},
            "beam": {"--width": (0,), "--depth": (0,), "--branches": (0,), "--in-flight": (0,)},
            "evolve": {"--generations": (0,), "--patience": (0,), "--islands": (0, 101), "--population": (0,),
                       "--children": (0,), "--migration": (-1,), "--patches": (-1, 101), "--inspirations": (-1,),
                       "--likeness": (-1, 1001)},
        }
        base = ["add.cu", *VECTOR_ADD_FLAGS, "--model", "replay:none.jsonl"]
        help_text = self.run_tune("--help").stdout
        for strategy, flags in wrong.items():
            for flag, values in flags.items():
                self.assertIn(flag, help_text)
                for value in (*values, "many", "2x", "99999999999"):
                    with self.subTest(flag=flag, value=value):
                        self.refuse(*base, "--strategy", strategy, flag, value, words=(flag,))
        # A number that would be of no use is no number of this strategy.
        self.refuse(*base, "--rounds", "3", words=("--rounds", "refine", "one-prompt"))
        self.refuse(*base, "--strategy", "beam", "--max-replans", "3", words=("--max-replans", "autonomous"))
        self.refuse("add.cu", *VECTOR_ADD_FLAGS, "--strategy", "sweep", "--attempts", "2", words=("--attempts",))

    def test_sizes(self):
        for size in ("n", "n=", "=4", "n=0", "n=-4", "n=4x", "n=99999999999999999999", "n=4,n=5"):
            with self.subTest(size):
                self.refuse("add.cu", "--strategy", "sweep", "--size", size, words=("--size",))

    def test_arguments(self):
        base = ["add.cu", "--strategy", "sweep", "--size", "n=64", "--arg", "a=n", "--arg", "b=n"]
        self.refuse(*base, words=("`c`", "--arg c="))
        self.refuse(*base, "--arg", "c=n", "--arg", "d=n", words=("`d`", "a, b"))
        self.refuse(*base, "--arg", "c=n:sometimes", words=("sometimes",))
        self.refuse(*base, "--arg", "c=n:uniform(2,1)", words=("uniform(2,1)",))
        self.refuse(*base, "--arg", "c=n", "--arg", "a=n", words=("twice",))

    def test_compute_sanitizer_without_cuda(self):
        self.refuse("add.cu", *VECTOR_ADD_FLAGS, "--strategy", "sweep", "--no-sanitize", "--backend", "host",
                    words=("--no-sanitize", "cuda"))

    def test_the_context_of_a_model(self):
        base = ["add.cu", *VECTOR_ADD_FLAGS, "--model", "replay:none.jsonl", "--context-tokens"]
        for wrong in ("1023", "-8192", "many"):
            self.refuse(*base[:-1], f"--context-tokens={wrong}", words=("context-tokens",))
        self.refuse("add.cu", *VECTOR_ADD_FLAGS, "--strategy", "sweep", "--context-tokens", "8192",
                    words=("--context-tokens needs a model",))

    def test_thinking_tags(self):
        base = ["add.cu", *VECTOR_ADD_FLAGS, "--model", "replay:none.jsonl", "--thinking-tags"]
        self.assertIn("--thinking-tags", self.run_tune("--help").stdout)
        for pair in ("<muse>", "<muse>,</muse>,more", ",</muse>", "<muse>,", "<muse>,<muse>", "a,b"):
            with self.subTest(pair):
                self.refuse(*base, pair, words=("--thinking-tags",))
        self.refuse("add.cu", *VECTOR_ADD_FLAGS, "--strategy", "sweep", "--thinking-tags", "<muse>,</muse>",
                    words=("--thinking-tags needs a model",))

    def test_profiles(self):
        base = ["add.cu", *VECTOR_ADD_FLAGS, "--strategy", "sweep"]
        self.refuse(*base, "--profile", "often", words=("often", "known: automatic, always, never"))
        self.refuse(*base, "--profile", "always", "--backend", "host", words=("--profile always", "cuda"))
        done = self.run_tune(*base, "--profile", "always", env=NO_DRIVER)
        self.assert_one_clear_error(done, ENVIRONMENT, "lkt.cuda.driver")

    def test_a_device_where_there_is_no_choice(self):
        base = ["add.cu", *VECTOR_ADD_FLAGS, "--strategy", "sweep", "--device", "1"]
        self.refuse(*base, "--backend", "host", words=("--device", "host"))
        self.assert_one_clear_error(self.run_tune(*base, env=NO_DRIVER), ENVIRONMENT, "lkt.cuda.driver")


class Files(Case):
    def refuse(self, *arguments, words=(), flags=VECTOR_ADD_FLAGS, **more):
        done = self.run_tune(*arguments, "--strategy", "sweep", "--quiet", *flags, **more)
        self.assert_one_clear_error(done, ENVIRONMENT, *words)

    def test_kernel_file_that_is_not_there_or_no_file(self):
        self.refuse("none.cu", words=("none.cu",))
        (self.folder / "folder.cu").mkdir()
        self.refuse("folder.cu", words=("folder.cu",))

    def test_kernel_file_of_junk(self):
        self.write("junk.cu", bytes(range(256)) * 64)
        self.refuse("junk.cu", words=("junk.cu",))
        self.write("empty.cu", "")
        self.refuse("empty.cu", words=("empty.cu",))

    def test_no_kernel_in_the_file(self):
        self.write("host.cu", "int main() { return 0; }\n")
        self.refuse("host.cu", words=("host.cu", "__global__"))

    def test_several_kernels(self):
        self.write("two.cu", "__global__ void f(int* a) { a[0] = 1; }\n__global__ void g(int* a) { a[0] = 2; }\n")
        self.refuse("two.cu", words=("f", "g"), flags=["--size", "n=4", "--arg", "a=n"])

    def test_unknown_argument_type(self):
        self.write("odd.cu", "struct mystery;\n__global__ void f(mystery* m) { }\n")
        self.refuse("odd.cu", words=("mystery",), flags=["--size", "n=4", "--arg", "m=n"])

    def test_impossible_size(self):
        flags = ["--size", "n=1000000000000", "--arg", "a=n", "--arg", "b=n", "--arg", "c=n"]
        self.refuse("add.cu", words=(), flags=flags)

    def test_expression_that_does_not_parse_or_has_no_value(self):
        for value, word in (("n +", "n +"), ("m", "`m`")):
            done = self.run_tune("add.cu", "--strategy", "sweep", "--size", "n=4", "--arg", "a=" + value, "--arg", "b=n",
                                 "--arg", "c=n")
            self.assert_one_clear_error(done, USAGE, word, "column")

    def test_missing_compiler(self):
        self.refuse("add.cu", words=("compiler",), env={"PATH": "/nonexistent", "LKT_CXX": ""})

    def test_outputs_that_cannot_be_written_are_found_before_the_run(self):
        for flag in ("--json", "--report", "--output"):
            self.refuse("add.cu", flag, "missing/folder/out", words=("missing/folder",))
            (self.folder / "taken").mkdir(exist_ok=True)
            self.refuse("add.cu", flag, "taken", words=("taken",))

    def test_full_disk(self):
        with open("/dev/full", "w") as full:
            process = subprocess.Popen(
                [os.environ.get("LKT_TUNE") or str(__import__("support").PROGRAM), "add.cu", "--strategy", "sweep",
                 "--quiet", *VECTOR_ADD_FLAGS], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True)
            _, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, ENVIRONMENT, err)
        self.assertIn("cannot write to standard output", err)

    def test_cassettes(self):
        one_prompt = ["add.cu", "--quiet", *VECTOR_ADD_FLAGS, "--model"]
        for name, text in {
            "missing": None, "empty": "", "binary": bytes(range(256)), "no_header": '{"reply": "x"}\n',
            "cut": '{"lkt_cassette": 1, "model": "x", "orig',
        }.items():
            with self.subTest(name):
                if text is not None:
                    self.write(f"{name}.jsonl", text)
                done = self.run_tune(*one_prompt, f"replay:{name}.jsonl")
                self.assert_one_clear_error(done, ENVIRONMENT, f"{name}.jsonl")

    def test_problem_files(self):
        for name, text, word in (
            ("broken", "{", "broken.json"),
            ("list", "[]", "list.json"),
            ("typo", json.dumps({"KernelSpecification": {"KernelNam": "add"}}), "KernelNam"),
            ("elsewhere", json.dumps({"KernelSpecification": {"KernelName": "add", "KernelFile": "/etc/passwd", "Language": "CUDA"}}), "KernelFile"),
        ):
            with self.subTest(name):
                self.write(f"{name}.json", text)
                done = self.run_tune("--problem", f"{name}.json", "--strategy", "sweep")
                self.assert_one_clear_error(done, ENVIRONMENT, word)


if __name__ == "__main__":
    main()
