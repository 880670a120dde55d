# SPDX-License-Identifier: BSL-1.0
"""--describe and --dry-run: what is said before anything is spent is true, and nothing is spent."""

import http.server
import json
import re
import threading

from support import Case, VECTOR_ADD_FLAGS, main

USAGE = 2


class Server(http.server.BaseHTTPRequestHandler):
    """A model that never has anything to say."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked += 1
        reply = json.dumps({"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "No."}}],
                            "usage": {"prompt_tokens": 10, "completion_tokens": 1}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


class Preview(Case):
    def rows(self, text):
        return {m[1]: m[2] for m in re.finditer(r"^([a-z]+) +(.*(?:\n +.*)*)", text, re.M)}

    def described(self, *arguments):
        done = self.run_tune("add.cu", *arguments, "--describe")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.rows(done.stdout)

    def test_the_problem_as_it_is_understood(self):
        rows = self.described(*VECTOR_ADD_FLAGS, "--also-size", "n=100")
        self.assertIn("add (add.cu, line 1), CUDA", rows["kernel"])
        self.assertIn("c: float32 buffer, out (by the text), n = 4096 elements, 16 KiB", rows["arguments"])
        self.assertIn("a: float32 buffer, in (by the text)", rows["arguments"])
        self.assertIn("n: int32 = n = 4096", rows["arguments"])
        self.assertIn("verified: n=100", rows["sizes"])
        self.assertIn("by default: grid 64, block 64", rows["launch"])
        self.assertIn("2 configurations", rows["parameters"])
        self.assertIn("operations are not given", rows["work"])
        self.assertIn("size_constraints", rows["missing"])
        self.assertNotIn("one size alone", rows["missing"])
        rows = self.described(*VECTOR_ADD_FLAGS, "--flops", "3 * n:tf32")
        self.assertEqual(rows["work"], "3 * n operations = 12288 in tf32 a launch")
        self.assertEqual(self.described(*VECTOR_ADD_FLAGS, "--flops", "0")["work"].split()[0], "0")
        for wrong in (["--flops", "n:half"], ["--flops", "q"], ["--flops", "-n"], ["--flops", "n / 0"],
                      ["--flops", "n * 10 ** 18 * 10 ** 18"], ["--flops", "n * BLOCK"], ["--until-roof", "5x"]):
            self.assertEqual(self.run_tune("add.cu", *VECTOR_ADD_FLAGS, *wrong).returncode, USAGE, wrong)

    def test_what_a_run_would_refuse_is_refused(self):
        sizes, block = ["--size", "n=100"], ["--block", "64", "--grid", "ceil_div(n,64)"]
        buffers = ["--arg", "a=n", "--arg", "b=n", "--arg", "c=n", "--backend", "host"]
        for flags, words in (
            ([*block[:3], "n/0"], "grid.x: column 2 of `n/0`: division by zero"),
            ([*block, "--shared", "-8"], "shared memory = `-8` is -8"),
            (["--block", "4096", *block[2:]], "the block has 4096 threads, but host CPU"),
            ([*block, "--arg", "n=5000000000"], "the value of argument `n`: 5000000000 does not fit int32"),
        ):
            done = self.run_tune("add.cu", *sizes, *buffers, *flags, "--describe")
            self.assert_one_clear_error(done, 3, words)
        done = self.run_tune("add.cu", *sizes, *buffers[2:], *block, "--arg", "a=n/0", "--describe")
        self.assert_one_clear_error(done, 3, "the element count of argument `a` at n=100: column 2 of `n/0`")
        for extra, words in ((["--arg", "z=5"], "has no argument `z`"), (["--arg", "c=n"], "`c` is given twice"),
                             (["--checked-time", "inf"], "--checked-time must be 0 to 86400 seconds")):
            done = self.run_tune("add.cu", *sizes, *buffers, *block, *extra, "--describe")
            self.assert_one_clear_error(done, USAGE, words)
            self.assertNotIn("--model", done.stderr)

    def test_what_is_missing(self):
        rows = self.described()
        for word in ("--size NAME=VALUE", "--arg c=ELEMENTS", "--arg n=VALUE"):
            self.assertIn(word, rows["missing"])
        self.write("add.cu", "__global__ void look(float const* a, int const* at) { }\n")
        rows = self.described("--size", "n=8", "--arg", "a=n", "--arg", "at=n")
        for word in ("no argument is written", "the integers of `at`", "one size alone"):
            self.assertIn(word, rows["missing"])
        rows = self.described("--size", "n=8", "--arg", "a=n", "--arg", "at=n:indices(n)", "--tune", "B=1,2,3",
                              "--restrict", "B > 3")
        self.assertNotIn("`at`", rows["missing"])
        self.assertIn("none: ", rows["parameters"])

    def test_a_dry_run_spends_nothing_and_writes_nothing(self):
        self.write("old.json", "{}")
        before = {p.name for p in self.folder.iterdir()}
        done = self.run_tune("add.cu", *VECTOR_ADD_FLAGS, "--dry-run", "--model", "openai:gpt-4o", "--json", "old.json",
                             "--journal", "run", "--record", "tape.jsonl", "--cache", "kept", "--trace", "t.json",
                             "--max-cost", "5", env={"OPENAI_API_KEY": ""})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = self.rows(done.stdout)
        self.assertIn("back end host", rows["device"])
        self.assertIn("OPENAI_API_KEY is not set", rows["missing"])
        self.assertIn("at most 3 calls", rows["calls"])
        self.assertRegex(rows["cost"], r"about \$0\.\d\d, if every call is made \(prices of 20")
        self.assertIn("old.json: the result as JSON, which is there and is replaced", rows["writes"])
        for file in ("run", "tape.jsonl", "kept", "t.json"):
            self.assertIn(file, rows["writes"])
        self.assertEqual({p.name for p in self.folder.iterdir()}, before)
        done = self.run_tune("add.cu", *VECTOR_ADD_FLAGS, "--dry-run", "--model", "mailbox:mail")
        self.assertEqual({p.name for p in self.folder.iterdir()}, before)
        done = self.run_tune("add.cu", *VECTOR_ADD_FLAGS, "--dry-run", "--strategy", "sweep")
        self.assertIn("none is asked", self.rows(done.stdout)["model"])
        self.assertTrue(done.stdout.endswith("Nothing was asked, measured or written.\n"), done.stdout)

    def test_no_strategy_asks_more_than_the_bound(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = ["add.cu", *VECTOR_ADD_FLAGS, "--launches", "6", "--quiet",
                "--model", f"openai:tiny@http://127.0.0.1:{server.server_port}/v1"]
        for strategy, exact in (("one-prompt", True), ("sample-n", True), ("refine", False), ("beam", False),
                                ("evolve", False), ("escalate", False), ("explicit", False), ("autonomous", False)):
            with self.subTest(strategy):
                server.asked = 0
                done = self.run_tune(*base, "--strategy", strategy, "--dry-run")
                self.assertEqual((done.returncode, server.asked), (0, 0), done.stderr)
                bound = int(re.search(r"at most (\d+) call", self.rows(done.stdout)["calls"])[1])
                done = self.run_tune(*base, "--strategy", strategy)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertGreater(server.asked, 0)
                (self.assertEqual if exact else self.assertLessEqual)(server.asked, bound)
        server.shutdown()
        server.server_close()

    def test_they_are_for_new_runs(self):
        for flag in ("--describe", "--dry-run"):
            self.assert_one_clear_error(self.run_tune("--resume", "run", flag), USAGE, "--resume")


if __name__ == "__main__":
    main()
