# SPDX-License-Identifier: BSL-1.0
"""Where the system gives less than is needed: closed standard streams, full disks, limits, missing variables. Each ends
with one message and the right status, no journal loses anything, and nothing stays behind."""

import contextlib
import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest

from support import Case, PROGRAM, VECTOR_ADD_FLAGS, main, some

DONE, USAGE, ENVIRONMENT, INTERRUPTED = 0, 2, 3, 130
SWEEP = ["add.cu", "--strategy", "sweep", *VECTOR_ADD_FLAGS]
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "programs.md"
NOBODY = 65534
# For tests of what has nothing to do with compilers: they would compile one kernel thirty times.
COMPILED = tempfile.TemporaryDirectory(prefix="lkt-edges-cache-")


class Edges(Case):
    def setUp(self):
        super().setUp()
        self.scratch = self.folder / "scratch"
        self.scratch.mkdir()
        self.env = {"TMPDIR": str(self.scratch), "LKT_CACHE": COMPILED.name}

    def compile_anew(self):
        """Where a compiler may lack something, or be killed."""
        self.env["LKT_CACHE"] = "off"

    def left(self):
        return sorted(p.name for p in self.scratch.iterdir() if p.name.startswith("lkt-"))

    def shell(self, command, timeout=300, **more):
        """A shell's redirections and limits; `$TUNE` is the program."""
        return subprocess.run(["bash", "-c", command], cwd=self.folder, text=True, errors="replace", capture_output=True,
                              timeout=timeout, env={**os.environ, **self.env, "TUNE": str(PROGRAM), "SWEEP": " ".join(SWEEP), "FLAGS": " ".join(SWEEP[1:])}, **more)

    def tune(self, *more, **how):
        return self.run_tune(*SWEEP, "--quiet", *more, env={**self.env, **how.pop("env", {})}, **how)

    def assert_clear(self, done, status, *words):
        self.assert_one_clear_error(done, status, *words)
        self.assertEqual(self.left(), [])

    def assert_resumes(self, journal, **how):
        done = self.run_tune("--resume", journal, "--quiet", env=self.env, **how)
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn("add (add.cu)", done.stdout)

    # Standard streams.

    def test_closed_streams_do_not_end_in_files(self):
        for k, closed in enumerate(some((">&-", "<&- 2>&-", "<&- >&- 2>&-", "<&-", "2>&-", "<&- >&-", ">&- 2>&-"), 3)):
            with self.subTest(closed):
                flags = f"--journal j{k} --trace t{k}.jsonl --json o{k}.json --output k{k}.cu --log debug"
                done = self.shell(f"$TUNE $SWEEP {flags} {closed}")
                self.assertEqual(done.returncode, ENVIRONMENT if ">&-" in closed.replace("2>&-", "") else DONE, done.stderr)
                if "2>&-" not in closed and " >&-" in " " + closed:
                    self.assertIn("cannot write to standard output", done.stderr)
                    self.assertIn(f"--resume {self.folder}/j{k}", done.stderr)
                self.assertTrue((self.folder / f"j{k}" / "run.journal").read_bytes().startswith(b"lkt journal\n"))
                for line in (self.folder / f"t{k}.jsonl").read_text().splitlines():
                    json.loads(line)
                json.loads((self.folder / f"o{k}.json").read_text())
                self.assertRegex((self.folder / f"k{k}.cu").read_text(), r"^// add, tuned by lkt [\s\S]*\n__global__ void add")
                self.assertEqual(self.left(), [])
                self.assert_resumes(f"j{k}")

    def test_output_that_nobody_takes(self):
        for k, command in enumerate(("$TUNE $SWEEP --quiet --journal j >/dev/full", "$TUNE $SWEEP --quiet --journal j >&-")):
            done = self.shell(command.replace(" j ", f" j{k} "))
            self.assert_clear(done, ENVIRONMENT, "standard output", f"--resume {self.folder}/j{k}")
            self.assert_resumes(f"j{k}")
        read, write = os.pipe()
        os.close(read)
        with os.fdopen(write, "wb") as gone:
            for words in (["--help"], ["--default-steps"], [*SWEEP, "--quiet"]):
                done = subprocess.run([str(PROGRAM), *words], stdout=gone, stderr=subprocess.PIPE, text=True, cwd=self.folder)
                done.stdout = ""
                self.assert_clear(done, ENVIRONMENT, "standard output", "Broken pipe")
        done = self.shell("$TUNE --help | head -1; exit ${PIPESTATUS[0]}")
        self.assertIn(done.returncode, (DONE, ENVIRONMENT), done.stderr)

    # Limits.

    def test_files_that_may_not_grow(self):
        self.compile_anew()
        for blocks in (0, 1, 8, 40, 200):
            with self.subTest(blocks):
                done = self.shell(f"ulimit -f {blocks}; $TUNE $SWEEP --quiet")
                self.assertIn(done.returncode, (DONE, ENVIRONMENT), done.stderr)
                if done.returncode != DONE:
                    self.assert_clear(done, ENVIRONMENT, "\n  ")
                    self.assertNotIn("the original runs", done.stderr)  # it is not the kernel's fault

    def test_a_journal_that_may_not_grow(self):
        self.compile_anew()
        # The run begins where there is room, and goes on where there is none.
        begun = self.shell("$TUNE $SWEEP --quiet --journal j --journal-sync each")
        self.assertEqual(begun.returncode, DONE, begun.stderr)
        size = (self.folder / "j" / "run.journal").stat().st_size
        self.assertGreater(size, 2048)
        done = self.shell("ulimit -f 2; $TUNE $SWEEP --quiet --journal k")
        self.assertEqual(done.returncode, ENVIRONMENT, done.stderr)
        self.assert_clear(done, ENVIRONMENT)
        if (self.folder / "k" / "run.journal").stat().st_size > 0 and "--resume" in done.stderr:
            self.assert_resumes("k")

    def test_few_descriptors(self):
        self.compile_anew()
        for most in (5, 6, 8, 12, 16, 20, 24, 28, 32):
            with self.subTest(most):
                done = self.shell(f"ulimit -n {most}; $TUNE $SWEEP --quiet")
                self.assertIn(done.returncode, (DONE, ENVIRONMENT), done.stderr)
                if done.returncode != DONE:
                    self.assert_clear(done, ENVIRONMENT, "\n  ")

    def test_little_memory(self):
        self.compile_anew()
        for kilobytes in some((100_000, 200_000, 60_000, 150_000, 300_000), 2):
            with self.subTest(kilobytes):
                done = self.shell(f"ulimit -v {kilobytes}; $TUNE $SWEEP --quiet")
                if "error while loading" in done.stderr or done.returncode == 127:
                    continue  # before main
                self.assertIn(done.returncode, (DONE, ENVIRONMENT), done.stderr)
                if done.returncode != DONE:
                    self.assert_clear(done, ENVIRONMENT, "\n  ")

    def test_few_processes(self):
        self.compile_anew()
        if os.getuid() != 0:
            self.skipTest("the limit counts all processes of a user: one without any is needed")
        for path in (self.folder, self.scratch):
            path.chmod(0o777)
        (self.folder / "add.cu").chmod(0o644)
        reachable = subprocess.run(["test", "-x", str(PROGRAM)], user=NOBODY).returncode == 0
        if not reachable:
            self.skipTest("another user cannot start the program here")
        met = 0
        for most in some((1, 3, 5, 6, 8), 3):  # from 6 on the compiler itself waits, for 15 s each time
            with self.subTest(most):
                def limited():
                    resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
                    os.setgroups([])
                    os.setgid(NOBODY)
                    os.setuid(NOBODY)
                done = self.tune(preexec_fn=limited, cwd=self.folder, timeout=300)
                self.assertIn(done.returncode, (DONE, ENVIRONMENT), done.stderr)
                if done.returncode != DONE:
                    met += 1
                    self.assert_clear(done, ENVIRONMENT, "ulimit -u")
        self.assertGreater(met, 0)

    # The environment.

    def test_variables_that_are_missing(self):
        self.compile_anew()
        for gone in some((["PATH", "HOME", "TMPDIR", "LANG", "USER", "SHELL", "PWD"], ["PATH"], ["HOME"]), 1):
            with self.subTest(gone):
                done = self.shell("env " + " ".join(f"-u {name}" for name in gone) + " $TUNE $SWEEP --quiet")
                self.assertEqual(done.returncode, DONE, done.stderr)
        self.write("twice.py", "import numpy\ndef generate(sizes, rng):\n    return []\n")
        done = self.shell("env -i $TUNE $SWEEP --quiet --script twice.py")
        self.assertIn(done.returncode, (DONE, ENVIRONMENT), done.stderr)
        self.assertNotIn("cannot start", done.stderr)
        done = self.shell("PATH= $TUNE $SWEEP --quiet")
        self.assert_clear(done, ENVIRONMENT, "lkt.host.compiler", "LKT_CXX")

    def test_a_place_for_scratch_files(self):
        self.compile_anew()
        self.write("file", "")
        for wrong in ("/nowhere", "file", str(self.folder / "missing")):
            done = self.tune(env={"TMPDIR": wrong})
            self.assert_clear(done, ENVIRONMENT, "lkt.child.scratch", "TMPDIR")
        self.assertEqual(self.tune(env={"TMPDIR": ""}).returncode, DONE)

    def test_a_current_folder_that_is_gone(self):
        self.write("other/place/x", "")
        done = self.shell(f"mkdir gone; cd gone; rmdir ../gone; $TUNE {self.folder}/add.cu $FLAGS --quiet")
        self.assertEqual(done.returncode, DONE, done.stderr)
        done = self.shell(f"mkdir gone; cd gone; rmdir ../gone; $TUNE {self.folder}/add.cu $FLAGS --quiet --journal j")
        self.assert_clear(done, ENVIRONMENT, "j", "--journal")
        done = self.shell("mkdir gone; cd gone; rmdir ../gone; $TUNE add.cu $FLAGS --quiet")
        self.assert_clear(done, ENVIRONMENT, "add.cu")

    # Full disks.

    @contextlib.contextmanager
    def small_disk(self, kilobytes, *options):
        place = self.folder / "small"
        place.mkdir(exist_ok=True)
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join([f"size={kilobytes}k", *options]), "tmpfs", place],
                              capture_output=True)
        if made.returncode != 0:
            self.skipTest("no file system can be mounted here")
        try:
            yield place
        finally:
            subprocess.run(["umount", "-l", place], check=True)

    def fill(self, place, but=0):
        with open(place / "fill", "wb", buffering=0) as f, contextlib.suppress(OSError):
            while True:
                f.write(b"x" * 4096)
        os.truncate(place / "fill", (place / "fill").stat().st_size - but)

    def test_a_full_disk_for_what_is_written(self):
        with self.small_disk(64) as place:
            self.fill(place)
            for flag, name in some((("--trace", "t.jsonl"), ("--output", "k.cu"), ("--json", "o.json"), ("--report", "r.txt"),
                                    ("--trace", "t.json")), 2):
                with self.subTest(name):
                    done = self.tune(flag, f"small/{name}")
                    self.assert_clear(done, ENVIRONMENT, name, "No space left on device")
                    self.assertEqual({p.name for p in place.iterdir()} - {"fill", name}, set())
                    (place / name).unlink(missing_ok=True)
            done = self.tune("--journal", "small/j")
            self.assert_clear(done, ENVIRONMENT, "run.journal", "No space left on device")

    def test_a_disk_that_is_full_during_a_run(self):
        with self.small_disk(64) as place:
            self.fill(place, but=4096)
            done = self.tune("--journal", "small/j")
            self.assert_clear(done, ENVIRONMENT, "run.journal", "No space left on device")
            (place / "fill").unlink()
            self.assert_resumes("small/j")  # from where it was

    def test_a_full_disk_for_scratch_files(self):
        self.compile_anew()
        for room in (0, 16 * 1024, 128 * 1024):
            with self.subTest(room), self.small_disk(256) as place:
                self.fill(place, but=room)
                done = self.tune(env={"TMPDIR": str(place)})
                self.assert_clear(done, ENVIRONMENT, "No space left on device", "TMPDIR")
                self.assertNotIn("the original runs", done.stderr)
                self.assertEqual([p.name for p in place.iterdir()], ["fill"])

    def test_a_read_only_disk(self):
        with self.small_disk(64, "ro") as place:
            done = self.tune(env={"TMPDIR": str(place)})
            self.assert_clear(done, ENVIRONMENT, "Read-only file system", "TMPDIR")
            for flag in ("--journal", "--trace", "--json", "--report", "--output"):
                done = self.tune(flag, "small/x.json")
                self.assert_clear(done, ENVIRONMENT, "Read-only file system")

    # Files that say two things.

    def test_names_that_are_there_twice(self):
        self.assertEqual(self.run_tune(*SWEEP[:1], *VECTOR_ADD_FLAGS, "--declare", "p.json").returncode, DONE)
        text = (self.folder / "p.json").read_text()
        json.loads(text)
        name = '"KernelName"'
        at = text.index(name)
        self.write("twice.json", text[:at] + '"KernelName": "mul", ' + text[at:])
        done = self.run_tune("--problem", "twice.json", "--strategy", "sweep")
        self.assert_clear(done, ENVIRONMENT, "twice.json", "KernelName", "twice", "line ")
        self.write("steps.json", '{"steps": [{"id": "a", "prompt": "x", "id": "b"}]}')
        model = ["--model", "replay:none.jsonl"]
        done = self.run_tune("add.cu", *VECTOR_ADD_FLAGS, "--strategy", "explicit", "--steps", "steps.json", *model)
        self.assert_clear(done, USAGE, "steps.json", "id", "twice")
        self.write("prices.json", '{"models": {"m": {"input": 1, "output": 2, "input": 0}}}')
        done = self.tune("--prices", "prices.json")
        self.assert_clear(done, ENVIRONMENT, "prices.json", "input", "twice")
        self.write("tape.jsonl", '{"lkt_cassette": 1, "lkt_cassette": 1, "model": "x", "origin": "recorded"}\n')
        done = self.run_tune("add.cu", *VECTOR_ADD_FLAGS, "--model", "replay:tape.jsonl")
        self.assert_clear(done, ENVIRONMENT, "tape.jsonl", "lkt_cassette", "twice")

    # What stays behind.

    SLOW = ["add.cu", "--size", "n=65536", "--arg", "a=n", "--arg", "b=n", "--arg", "c=n", "--strategy", "sweep",
            "--tune", "BLOCK=" + ",".join(str(32 * i) for i in range(1, 17)), "--block", "BLOCK", "--grid", "ceil_div(n,BLOCK)"]

    def workers_of(self, process):
        return [int(p.name) for p in pathlib.Path("/proc").iterdir() if p.name.isdigit() and self.is_worker(p, process.pid)]

    @staticmethod
    def is_worker(entry, parent):
        with contextlib.suppress(OSError):
            rest = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            return int(rest[1]) == parent and b"lkt:worker" in (entry / "cmdline").read_bytes()
        return False

    def wait_until(self, condition, seconds=10):
        deadline = time.monotonic() + seconds
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.02)
        return condition()

    def test_scratch_folders_are_seen_by_this_test(self):
        self.compile_anew()
        process = self.start(*self.SLOW, "--quiet", env=self.env)
        try:
            self.assertTrue(self.wait_until(self.left, 60))
        finally:
            process.kill()
            process.communicate()

    def test_the_program_is_ended_at_any_moment(self):
        self.compile_anew()
        moments = random.Random(17)
        for k in some(range(16), 8):
            how = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL)[k % 4]
            process = self.start(*self.SLOW, "--quiet", "--journal", f"j{k}", env=self.env)
            delay = moments.uniform(0, 2.0)
            time.sleep(delay)
            process.send_signal(how)
            process.communicate(timeout=300)
            with self.subTest(how=how, delay=delay):
                self.assertIn(process.returncode, (DONE, INTERRUPTED, -how))
                self.assertTrue(self.wait_until(lambda: self.left() == []), self.left())

    def test_a_worker_is_killed(self):
        self.compile_anew()
        moments = random.Random(18)
        hit = 0
        for _ in some(range(6), 3):
            process = self.start(*SWEEP, "--quiet", env=self.env)
            self.wait_until(self.left)
            time.sleep(moments.uniform(0, 1.5))
            for pid in self.workers_of(process):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    hit += 1
            process.communicate(timeout=300)
            self.assertTrue(self.wait_until(lambda: self.left() == []), self.left())
        self.assertGreater(hit, 0)

    def test_everything_is_killed(self):
        self.compile_anew()
        for _ in range(20):  # until it leaves something
            process = self.start(*self.SLOW, "--quiet", env=self.env)
            self.wait_until(self.left)
            pids = self.workers_of(process)
            for pid in [*pids, process.pid]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.communicate()
            if self.left():
                break
        self.assertNotEqual(self.left(), [])
        # One that is in use stays.
        other = self.start(*self.SLOW, "--quiet", env=self.env)
        self.assertTrue(self.wait_until(lambda: len(self.left()) > 0))
        done = self.tune()
        self.assertEqual(done.returncode, DONE, done.stderr)
        other.send_signal(signal.SIGTERM)
        out, err = other.communicate(timeout=300)
        self.assertEqual(other.returncode, INTERRUPTED, err)
        self.assertEqual(self.left(), [])

    # What is documented.

    def test_the_statuses_are_documented(self):
        table = re.findall(r"^\| (\d+) \| (.*?) \| (.*?) \|$", PAGE.read_text(), re.M)
        self.assertEqual([int(row[0]) for row in table], [0, 1, 2, 3, 4, 5, 130])
        text = self.run_tune("--help").stdout
        said = text[text.index("Exit status:"):text.index("\n\n", text.index("Exit status:"))]
        for status, tune, _ in table:
            self.assertEqual(tune != "never", re.search(rf"\b{status}\b", said) is not None, (status, said))


if __name__ == "__main__":
    main()
