# SPDX-License-Identifier: BSL-1.0
"""What the option table gives rise to: --help and --config; and the back end that is chosen where none is named."""

import json
import pathlib
import re
import shutil
import subprocess

from support import Case, VECTOR_ADD_FLAGS, main

HAS_GPU = pathlib.Path("/dev/nvidia0").exists()


class Help(Case):
    def setUp(self):
        super().setUp()
        self.text = self.run_tune("--help").stdout

    def test_each_option_is_named_once_in_a_group(self):
        groups = re.findall(r"^([A-Z][a-z ]+):$", self.text, re.M)
        self.assertEqual(groups, ["Problem", "Tests", "Device", "Model", "Strategy", "Limits", "Saving and resuming", "Output",
                                  "Information", "Strategies", "Examples"])
        options = re.findall(r"^  (--[a-z-]+)", self.text, re.M)
        self.assertGreater(len(options), 70)
        self.assertEqual(len(options), len(set(options)))

    def test_it_can_be_read(self):
        lines = self.text.splitlines()
        self.assertLess(len(lines), 216)
        for line in lines:
            self.assertLessEqual(len(line), 100, line)
            self.assertEqual(line, line.rstrip())

    def test_it_ends_with_examples(self):
        examples = self.text[self.text.index("\nExamples:\n"):]
        self.assertEqual(examples.count("\n  lkt-tune "), 3)
        known = set(re.findall(r"^  (--[a-z-]+)", self.text, re.M))
        self.assertLessEqual(set(re.findall(r"--[a-z-]+", examples)), known)

    def test_the_manual_has_the_same_options(self):
        page = (pathlib.Path(__file__).resolve().parents[2] / "docs/lkt-tune.md").read_text()
        listed = re.findall(r"^\| `(--[a-z-]+)", page, re.M)
        self.assertEqual(listed, re.findall(r"^  (--[a-z-]+)", self.text, re.M))


class Completion(Case):
    def script(self, shell):
        done = self.run_tune("--completion", shell)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.write(f"complete.{shell}", done.stdout)

    def completed(self, *words):
        """What bash offers for the last word."""
        line = " ".join(f"'{w}'" for w in ("lkt-tune", *words))
        done = subprocess.run(
            ["bash", "-c", f"source '{self.script('bash')}'; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _lkt_tune; "
                           'printf "%s\\n" "${COMPREPLY[@]}"'], cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_offers_options_values_and_files(self):
        options = re.findall(r"^  (--[a-z-]+)", self.run_tune("--help").stdout, re.M)
        self.assertEqual(sorted(self.completed("--")), sorted(options))
        self.assertEqual(self.completed("--max-ti"), ["--max-time"])
        self.assertEqual(self.completed("--backend", ""), ["auto", "cuda", "hip", "host", "webgpu"])
        self.assertIn("one-prompt", self.completed("--strategy", "o"))
        (self.folder / "runs").mkdir()
        self.assertEqual(self.completed("--resume", ""), ["runs"])
        self.assertEqual(self.completed("ad"), ["add.cu"])
        self.assertEqual(self.completed("--size", ""), [])

    def test_values_that_are_offered_are_taken(self):
        for flag in ("--strategy", "--graph", "--backend", "--answers", "--profile", "--journal-sync", "--log", "--completion"):
            for value in self.completed(flag, ""):
                self.assertNotIn("lkt.tune.usage]\n  known", self.run_tune("none.cu", flag, value).stderr, (flag, value))

    def test_other_shells(self):
        for shell, check in (("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])):
            script = self.script(shell)
            self.assertIn("max-time", script.read_text())
            if shutil.which(shell):
                subprocess.run([*check, str(script)], check=True)
        self.assert_one_clear_error(self.run_tune("--completion", "tcsh"), 2, "tcsh", "bash, zsh, fish")


class Config(Case):
    def refuse(self, text, *words, more=()):
        self.write("tune.ini", text)
        self.assert_one_clear_error(self.run_tune("--config", "tune.ini", *more), 2, *words)

    def setUp(self):
        super().setUp()
        self.lines = "".join(f"{flag[2:]} = {value}\n" for flag, value in zip(VECTOR_ADD_FLAGS[::2], VECTOR_ADD_FLAGS[1::2]))

    def test_it_holds_what_a_command_line_holds(self):
        self.write("tune.ini", "# a run\nkernel-file = add.cu   # text\r\n" + self.lines +
                   "strategy = sweep\nquiet = true\nrequire-checked = no\nlaunches = 6\njson = r.json\njournal = run\n")
        done = self.run_tune("--config", "tune.ini")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads((self.folder / "r.json").read_text())["strategy"], "sweep")
        (self.folder / "tune.ini").unlink()  # the journal knows what it said
        done = self.run_tune("--resume", "run", "--json", "again.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "again.json").exists())

    def test_the_command_line_wins(self):
        self.write("tune.ini", self.lines + "kernel-file = none.cu\nstrategy = explicit\nlog = loud\n")
        done = self.run_tune("add.cu", "--config=tune.ini", "--strategy", "sweep", "--log", "off", "--size", "n=64",
                             "--describe")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("timed: n=64\n", done.stdout)  # a list is replaced as a whole

    def test_what_is_wrong_is_told_by_its_line(self):
        self.refuse("strategy = sweep\n\nstrateg = x\n", "tune.ini:3", "'strateg'; did you mean strategy?")
        self.refuse("[tuning]\n", "tune.ini:1", "no sections")
        self.refuse("just words\n", "tune.ini:1", "KEY = VALUE")
        self.refuse("config = other.ini\n", "tune.ini:1", "'config'")
        self.refuse("help =\n", "tune.ini:1", "'help'")
        self.refuse("json =\n", "tune.ini:1", "'json' has no value")
        self.refuse("quiet = perhaps\n", "tune.ini:1", "'quiet' is true or false")
        self.refuse("quiet = on\nlaunches = many\n", "tune.ini:2", "--launches", more=["add.cu"])
        self.refuse("launches = 3\nstrategy = sweep\n", "tune.ini:1", "--launches must be", more=["add.cu"])
        self.refuse("", "--config is given twice", more=["--config", "tune.ini"])
        done = self.run_tune("--config", "none.ini")
        self.assert_one_clear_error(done, 3, "none.ini")


class Backend(Case):
    def chosen(self, *arguments, **more):
        """What stands on standard error, and what the report and its JSON say as well."""
        done = self.run_tune("add.cu", *VECTOR_ADD_FLAGS, "--strategy", "sweep", "--launches", "6", "--report", "r.txt",
                             "--json", "r.json", *arguments, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads((self.folder / "r.json").read_text())
        noted = [n for n in result["notes"] if "back end" in n]
        if noted:
            self.assertIn(noted[0][:60], (self.folder / "r.txt").read_text())
        return done.stderr, "".join(noted), result["device"]["backend"]

    def test_no_gpu(self):
        said, noted, used = self.chosen("--backend", "auto")
        self.assertEqual(used, "host")
        self.assertIn("back end host: the CPU runs the kernels, as CUDA_VISIBLE_DEVICES hides every GPU", said)
        self.assertIn(noted, said)
        self.assertNotIn("WARNING", said)
        said, noted, used = self.chosen("--quiet")  # the default
        self.assertEqual((said, used), ("", "host"))
        self.assertIn("back end host", noted)

    def test_a_gpu_that_cannot_be_used_is_never_passed_over_silently(self):
        broken = {"LKT_CUDA_DRIVER": "/nowhere/libcuda.so.1", "CUDA_VISIBLE_DEVICES": "0"}
        said, noted, used = self.chosen("--quiet", env=broken)
        self.assertEqual(used, "host")
        for text in (said, noted):
            self.assertIn("WARNING: back end host: the CPU runs the kernels, because the NVIDIA GPU cannot be used", text)
            self.assertIn("/nowhere/libcuda.so.1", text)
            self.assertIn("to repair it: ", text)

    def test_one_that_is_named_is_not_remarked_on(self):
        said, noted, used = self.chosen("--backend", "host", "--quiet")
        self.assertEqual((said, noted, used), ("", "", "host"))

    def test_a_gpu_comes_before_the_cpu(self):
        if not HAS_GPU:
            self.skipTest("needs an NVIDIA GPU")
        said, noted, used = self.chosen(env={"CUDA_VISIBLE_DEVICES": "0"})
        self.assertEqual(used, "cuda")
        self.assertRegex(said, "back end cuda, on NVIDIA .*, which works")
        self.assertIn(noted, said)


if __name__ == "__main__":
    main()
