# SPDX-License-Identifier: BSL-1.0
"""What replies cost: by the library's prices, by a table of one's own; and runs that end at a limit of money, calls or
time."""

import http.server
import json
import threading
import time

from support import Case, VECTOR_ADD_FLAGS, main

USAGE, ENVIRONMENT = 2, 3


class Server(http.server.BaseHTTPRequestHandler):
    """Says the same to whoever asks, and has it that a million tokens went in and as many out; lets nobody through."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked += 1
        reply = json.dumps({
            "model": "tiny-1", "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "No."}}],
            "usage": {"prompt_tokens": 1_000_000, "completion_tokens": 1_000_000}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def do_CONNECT(self):
        self.send_error(403)

    def log_message(self, *_):
        pass


class Cost(Case):
    def setUp(self):
        super().setUp()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        self.server.asked = 0
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = "http://127.0.0.1:%d" % self.server.server_port
        self.tiny = f"openai:tiny@{self.address}/v1"

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()
        super().tearDown()

    def tune(self, model, *arguments, **more):
        return self.run_tune("add.cu", *VECTOR_ADD_FLAGS, "--model", model, "--attempts", "5", *arguments, **more)

    def prices(self, **models):
        return self.write("prices.json", json.dumps({"models": models}))

    def test_limits_that_are_none(self):
        for wrong in ("0", "-1", "nan", "much"):
            self.assert_one_clear_error(self.tune(self.tiny, f"--max-cost={wrong}"), USAGE, "max-cost")
        done = self.sweep(*VECTOR_ADD_FLAGS, "--max-cost", "1")
        self.assert_one_clear_error(done, USAGE, "--max-cost needs a model")

    def test_a_limit_needs_a_price(self):
        keys = {"ANTHROPIC_API_KEY": "k"}
        done = self.tune("anthropic:claude-unheard-of", "--max-cost", "5", env=keys)
        self.assert_one_clear_error(done, USAGE, "claude-unheard-of", "--prices", '"models"')
        # Another server may ask for something else.
        self.prices(other={"input": 1, "output": 1})
        done = self.tune("openai:gpt-4o@https://gateway.invalid/v1", "--max-cost", "5", "--prices", "prices.json")
        self.assert_one_clear_error(done, USAGE, "gpt-4o at gateway.invalid", "--prices")
        self.assertEqual(self.server.asked, 0)

    def test_prices_are_there_and_are_named(self):
        through = {"OPENAI_API_KEY": "k", "HTTPS_PROXY": self.address, "NO_PROXY": ""}
        done = self.tune("openai:gpt-4o", "--max-cost", "5", env=through)
        self.assertNotIn("needs a price", done.stderr)
        self.assertRegex(done.stderr, r"costs use the prices of 20\d\d-\d\d, litellm [\d.]+; --prices FILE replaces them")
        self.prices(**{"gpt-4o": {"input": 1, "output": 1}})
        done = self.tune("openai:gpt-4o", "--max-cost", "5", "--prices", "prices.json", env=through)
        self.assertNotIn("costs use the prices", done.stderr)

    def test_this_machine_costs_nothing(self):
        done = self.tune(self.tiny, "--max-cost", "0.01")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.server.asked, 5)
        self.assertNotIn("$", done.stderr)

    def test_the_limit_ends_the_run_and_keeps_what_there_is(self):
        self.prices(tiny={"input": 1, "output": 2})
        done = self.tune(self.tiny, "--max-cost", "5", "--prices", "prices.json", "--output", "best.cu")
        self.assertEqual(self.server.asked, 2)  # 3 USD, and the one that goes beyond
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the budget of 5 USD is used up: 2 calls, 4000000 tokens, 6 USD", done.stderr)
        self.assertNotIn("prices of 20", done.stderr)
        self.assertIn("$3.00", done.stderr)
        self.assertIn("c[i] = a[i] + b[i]", (self.folder / "best.cu").read_text())

    # Calls and time.

    def result(self):
        return json.loads((self.folder / "out.json").read_text())

    def test_limits_of_calls_and_time_that_are_none(self):
        for wrong in ("0", "-1", "many", "99999999999999999999"):
            self.assert_one_clear_error(self.tune(self.tiny, f"--max-calls={wrong}"), USAGE, "max-calls")
        self.assert_one_clear_error(self.sweep(*VECTOR_ADD_FLAGS, "--max-calls", "1"), USAGE, "--max-calls needs a model")
        for wrong in ("90", "0s", "-1m", "10x", "m", "1h30", "nans", "400d"):
            done = self.sweep(*VECTOR_ADD_FLAGS, f"--max-time={wrong}")
            self.assert_one_clear_error(done, USAGE, f"--max-time '{wrong}' is not a time", "--max-time 90s")
        for right in ("90s", "10m", "1h30m", "0.5h", "2d"):
            done = self.run_tune("none.cu", "--strategy", "sweep", "--max-time", right)
            self.assert_one_clear_error(done, ENVIRONMENT, "none.cu")

    def test_calls_end_the_run_which_is_kept_and_goes_on(self):
        done = self.tune(self.tiny, "--max-calls", "2", "--json", "out.json", "--journal", "run")
        self.assertEqual((done.returncode, self.server.asked), (0, 2), done.stderr)
        self.assertIn("--max-calls 2 ended the run: the budget of 2 calls is used up", done.stderr)
        self.assertIn("--resume", done.stderr)
        self.assertEqual(self.result()["stopped_by"]["code"], "lkt.budget.calls")
        self.assertEqual(len(self.result()["history"]), 2)
        done = self.run_tune("--resume", "run", "--max-calls", "1", "--json", "more.json")
        self.assertEqual((done.returncode, self.server.asked), (0, 3), done.stderr)
        self.assertEqual(len(json.loads((self.folder / "more.json").read_text())["history"]), 3)

    def test_calls_made_at_once_are_held_to_the_limit(self):
        done = self.run_tune("add.cu", *VECTOR_ADD_FLAGS, "--model", self.tiny, "--strategy", "sample-n", "--samples", "5",
                             "--max-calls", "3", "--json", "out.json", "--journal", "run")
        self.assertEqual((done.returncode, self.server.asked), (0, 3), done.stderr)
        self.assertIn("--max-calls 3 cut the run short: only 3 of 5 proposals were asked for", done.stderr)
        self.assertEqual(len(self.result()["history"]), 3)
        done = self.run_tune("--resume", "run", "--json", "more.json")
        self.assertEqual((done.returncode, self.server.asked), (0, 5), done.stderr)
        self.assertEqual(len(json.loads((self.folder / "more.json").read_text())["history"]), 5)

    def test_time_ends_a_sweep_with_what_it_found(self):
        # Compiled one by one: more than fit into the time, however fast the machine.
        many = ["--size", "n=65536", "--arg", "a=n", "--arg", "b=n", "--arg", "c=n", "--tune",
                "BLOCK=" + ",".join(map(str, range(32, 1025))), "--block", "BLOCK", "--grid", "ceil_div(n,BLOCK)"]
        begun = time.monotonic()
        done = self.sweep(*many, "--launches", "6", "--max-time", "3s", "--json", "out.json", "--output", "best.cu",
                          "--journal", "run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(time.monotonic() - begun, 60)
        self.assertRegex(done.stderr, r"--max-time 3s (cut the run short|ended the run): ")
        self.assertRegex(done.stderr, "(resume the run, or|to search further,) raise --max-time")
        self.assertIn("--max-time 3s", json.dumps(self.result()))
        self.assertIn("c[i] = a[i] + b[i]", (self.folder / "best.cu").read_text())
        # The rest is left to whoever resumes it, for as long again.
        self.assertIn("to resume it: lkt-tune --resume", done.stderr)
        tried = lambda: [c["configuration"] for a in self.result()["history"] for c in a["configurations"]]
        sessions = [tried()]
        while len({len(s) for s in sessions if s}) < 2 and len(sessions) < 12:
            # A busy machine gets nowhere in 3 s: then as the message says.
            more = ["--max-time", f"{3 * len(sessions)}s"] if len(sessions) > 1 else []
            done = self.run_tune("--resume", "run", "--json", "out.json", "--quiet", *more)
            self.assertEqual(done.returncode, 0, done.stderr)
            sessions.append(tried())
            self.assertEqual(sessions[-1][:len(sessions[-2])], sessions[-2])
        self.assertGreater(len(sessions[-1]), len(sessions[0]))

    def test_time_ends_a_call_that_nobody_answers(self):
        done = self.tune("mailbox:mail", "--max-time", "2s", "--json", "out.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--max-time 2s ended the run", done.stderr)
        self.assertIn("--journal FOLDER", done.stderr)
        self.assertEqual(self.result()["stopped_by"]["code"], "lkt.budget.time")
        # Before there is a kernel to fall back on, there is no result.
        done = self.run_tune("add.cu", "--size", "n=64", "--model", "mailbox:mail", "--max-time", "1s", "--quiet")
        self.assert_one_clear_error(done, ENVIRONMENT, "the time limit of 1 s is reached", "--max-time")


if __name__ == "__main__":
    main()
