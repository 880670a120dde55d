# SPDX-License-Identifier: BSL-1.0
"""A server that stalls or fails, and how often and how late lkt-tune asks it again."""

import json
import socket
import subprocess
import threading
import time

from support import Case, VECTOR_ADD, VECTOR_ADD_FLAGS, main, some

DONE, USAGE, ENVIRONMENT = 0, 2, 3


class Server:
    """Answers each request as the next of `acts` says, and the last of them from then on."""

    def __init__(self, *acts):
        self.acts, self.times, self.lock = list(acts), [], threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.open = True
        self.connections = []
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def model(self):
        return "openai:tiny@http://127.0.0.1:%d/v1" % self.listener.getsockname()[1]

    @property
    def name(self):
        return "tiny at 127.0.0.1:%d" % self.listener.getsockname()[1]

    def accept(self):
        while self.open:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            while self.read_request(connection):
                with self.lock:
                    act = self.acts[min(len(self.times), len(self.acts) - 1)]
                    self.times.append(time.monotonic())
                act(connection)
        except OSError:
            pass

    def read_request(self, connection):
        data = b""
        while b"\r\n\r\n" not in data:
            more = connection.recv(65536)
            if not more:
                return False
            data += more
        head, body = data.split(b"\r\n\r\n", 1)
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
        while len(body) < length:
            body += connection.recv(65536)
        self.body = json.loads(body)
        return True

    def close(self):
        self.open = False
        try:
            self.listener.shutdown(socket.SHUT_RDWR)  # or the thread that accepts keeps it open
        except OSError:
            pass
        self.listener.close()
        for connection in self.connections:
            connection.close()

    def pauses(self):
        return [b - a for a, b in zip(self.times, self.times[1:])]


def answer(status, body, *headers):
    text = body if isinstance(body, str) else json.dumps(body)
    head = [f"HTTP/1.1 {status} X", "Content-Type: application/json", f"Content-Length: {len(text)}", *headers]
    return lambda connection: connection.sendall(("\r\n".join(head) + "\r\n\r\n" + text).encode())


def says(text):
    return answer(200, {"model": "tiny-1", "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
                        "usage": {"prompt_tokens": 10, "completion_tokens": 10}})


GOOD = says("```cuda\n" + VECTOR_ADD + "```")
ADVICE = says(json.dumps({"bottleneck": "memory", "fix": "use wider loads", "why": "the kernel has no arithmetic"}))
BUSY = answer(503, {"error": {"message": "busy"}})
STREAM = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def silent(_):
    time.sleep(30)


def only_the_head(connection):
    connection.sendall(STREAM.encode())
    time.sleep(30)


def piece(text):
    data = "data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": text}}]}) + "\n\n"
    return f"{len(data):x}\r\n{data}\r\n".encode()


def stops_in_the_middle(connection):
    connection.sendall(STREAM.encode() + piece("a") + piece("b"))
    time.sleep(30)


def drips(connection):
    """Never silent for long, and never at an end."""
    connection.sendall(STREAM.encode())
    for _ in range(300):
        connection.sendall(piece("x"))
        time.sleep(0.1)


class Servers(Case):
    def ask(self, *acts, flags=(), timeout=300):
        self.server = Server(*acts)
        self.addCleanup(self.server.close)
        once = () if "--strategy" in flags else ("--attempts", "1")
        done = self.run_tune("add.cu", *VECTOR_ADD_FLAGS, "--model", self.server.model, "--json", "out.json", *once, *flags,
                             timeout=timeout)
        path = self.folder / "out.json"
        self.report = json.loads(path.read_text()) if path.exists() else None
        return done

    def test_a_server_that_stalls(self):
        for name, act, limit in some((
            ("no byte", silent, "first-byte"),
            ("the head alone", only_the_head, "idle"),
            ("no end", drips, "total"),
            ("a part", stops_in_the_middle, "idle"),
            ("no byte, in all", silent, "total"),
        ), 3):
            with self.subTest(name):
                done = self.ask(act, flags=("--quiet", "--timeout-" + limit, "0.4"))
                self.assertEqual(done.returncode, ENVIRONMENT, done.stderr)
                self.assertIn(f"[lkt.http.{limit}]", done.stderr)
                self.assertIn("--timeout-" + limit, done.stderr)
                self.assertIn("(after 4 attempts)", done.stderr)
                self.assertEqual(len(self.server.times), 4)  # not 12
                self.assertGreater(min(self.server.pauses()), 0.35)
                self.assertEqual(self.report["model"]["requests"], 4)
                self.assertEqual(self.report["model"]["calls"], 0)
                self.assertIn("4 requests", done.stdout)

    def test_a_stall_that_is_short_enough(self):
        def late(connection):
            time.sleep(0.5)
            GOOD(connection)
        done = self.ask(late, flags=("--quiet", "--timeout-first-byte", "0", "--timeout-idle", "0", "--timeout-total", "20"))
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertEqual((self.report["model"]["calls"], self.report["model"]["requests"]), (1, 1))

    def test_limits_that_are_none(self):
        for flag in ("--timeout-first-byte", "--timeout-idle", "--timeout-total"):
            for wrong in ("-1", "nan", "inf", "soon", "1e9"):
                done = self.run_tune("add.cu", *VECTOR_ADD_FLAGS, "--model", "openai:x@http://127.0.0.1:9", f"{flag}={wrong}")
                self.assert_one_clear_error(done, USAGE, flag.lstrip("-"))
            done = self.sweep(*VECTOR_ADD_FLAGS, flag, "3")
            self.assert_one_clear_error(done, USAGE, flag, "--model")
            self.assertIn(flag, self.run_tune("--help").stdout)

    def test_what_was_tried_again_is_counted(self):
        done = self.ask(BUSY, BUSY, GOOD, flags=("--temperature", "0.25", "--max-tokens", "900", "--effort", "low"))
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertEqual((self.server.body["temperature"], self.server.body["max_tokens"], self.server.body["reasoning_effort"]),
                         (0.25, 900, "low"))
        self.assertEqual((self.report["model"]["calls"], self.report["model"]["requests"]), (1, 3))
        self.assertEqual(len(self.server.times), 3)
        self.assertIn("3 requests", done.stdout)
        self.assertIn("3 requests", done.stderr)  # the progress display

    def test_the_server_says_when(self):
        def a_date(connection):  # whole seconds, so up to one of the three is lost
            then = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 3))
            answer(503, {"error": {"message": "slow"}}, "Retry-After: " + then)(connection)
        retry_info = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "2s"}]
        for name, act in (
            ("seconds", answer(429, {"error": {"message": "slow"}}, "Retry-After: 2")),
            ("a date", a_date),
            ("Google's", answer(429, [{"error": {"message": "slow", "details": retry_info}}])),
            ("a member", answer(429, {"error": {"message": "slow", "retry_after": 2}})),
            ("of an answer that is fine", answer(200, {"error": {"message": "slow", "code": 429}}, "Retry-After: 2")),
        ):
            with self.subTest(name):
                done = self.ask(act, GOOD, flags=("--quiet",))
                self.assertEqual(done.returncode, DONE, done.stderr)
                self.assertEqual(len(self.server.times), 2)
                self.assertGreater(self.server.pauses()[0], 1.9)

    def test_steps_that_ask_for_several_replies(self):
        # One of the calls fails for good: it is neither asked for again by the step, nor does it end the run.
        lock = threading.Lock()
        seen = {"good": 0}

        def moody(connection):
            with lock:
                seen["good"] += 1
                first = seen["good"] == 1
            (GOOD if first else BUSY)(connection)
        done = self.ask(moody, flags=("--quiet", "--strategy", "sample-n", "--samples", "2"))
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertEqual(len(self.server.times), 5)  # one, and four attempts at the other
        self.assertEqual((self.report["model"]["calls"], self.report["model"]["requests"]), (1, 5))
        self.assertIn("only 1 of 2", json.dumps(self.report["notes"]))

    def test_a_wait_that_is_too_long(self):
        done = self.ask(answer(429, {"error": {"message": "slow"}}, "Retry-After: 90000"), flags=("--quiet",))
        self.assertEqual(done.returncode, ENVIRONMENT, done.stderr)
        self.assertEqual(len(self.server.times), 1)
        asked = self.report["model"]
        self.assertEqual((asked["requests"], asked["origin"]), (1, "live"))
        self.assertRegex(asked["name"], "^[^ ]+ at 127[.]0[.]0[.]1:")
        self.assertIn(asked["name"], done.stdout)


def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as gone:
        return gone.getsockname()[1]


class Unreachable(Case):
    """Noticed before anything is compiled or measured, and without a word to the server."""

    def begin(self, model, *flags, env=None):
        return self.start("add.cu", *VECTOR_ADD_FLAGS, "--backend", "host", "--model", model, "--attempts", "1", "--quiet",
                          *flags, env={"LKT_CACHE": str(self.folder / "compiled"), **(env or {})})

    def end(self, process):
        out, err = process.communicate(timeout=300)
        return subprocess.CompletedProcess([], process.returncode, out, err)

    def refused(self, process, *words):
        done = self.end(process)
        self.assert_one_clear_error(done, ENVIRONMENT, *words)
        self.assertEqual(done.stdout, "")
        self.assertFalse((self.folder / "compiled").exists())

    def test_nothing_is_compiled(self):
        mute = socket.create_server(("127.0.0.1", 0))  # accepts, and never answers the handshake
        self.addCleanup(mute.close)
        slow = self.begin("openai:x@https://127.0.0.1:%d/v1" % mute.getsockname()[1])
        port = closed_port()
        url = f"http://127.0.0.1:{port}/v1"
        self.refused(self.begin("openai:x@" + url), url, "Connection refused", "start the server", "lkt.http.connect")
        # No name begins with a hyphen, so nobody is asked for it.
        self.refused(self.begin("openai:x@https://-nowhere-.invalid/v1"), "-nowhere-.invalid", "lkt.http.name", "spelling")
        proxy = {"HTTPS_PROXY": f"http://127.0.0.1:{port}", "https_proxy": "", "NO_PROXY": "", "no_proxy": "", "OPENAI_API_KEY": "k"}
        self.refused(self.begin("openai:x", env=proxy), "https://api.openai.com/v1", f"the proxy 127.0.0.1:{port}", "HTTPS_PROXY")
        plain = Server(GOOD)
        self.addCleanup(plain.close)
        self.refused(self.begin(plain.model, "--strategy", "refine", "--reviewer", "openai:y@" + url), "--reviewer openai:y", url)
        self.refused(self.begin("openai:x@" + url, "--fallback", "openai:y@" + url), "--model openai:x")
        self.refused(slow, "TLS handshake", "lkt.http.connect-timeout")
        # This one keeps what it learns of the compiler.
        dry = self.end(self.begin("openai:x@" + url, "--dry-run"))
        self.assertEqual(dry.returncode, DONE, dry.stderr)
        self.assertRegex(dry.stdout, "missing +the server of --model openai:x .*Connection refused")
        self.assertEqual(len(plain.times), 0)

    def test_it_goes_on_where_another_one_may_answer(self):
        other = Server(GOOD)
        self.addCleanup(other.close)
        down = f"openai:x@http://127.0.0.1:{closed_port()}/v1"
        both = (down, "--fallback", other.model, "--cache", "kept")
        done = self.end(self.begin(*both, "--journal", "run"))
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn("warning: the server of --model openai:x", done.stderr)
        self.assertEqual(len(other.times), 1)
        other.close()
        # A reply that is kept, and a run that is over, need nobody.
        done = self.end(self.begin(*both))
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn("kept are used as far as they go", done.stderr)
        done = self.run_tune("--resume", "run")
        self.assertEqual((done.returncode, done.stderr), (DONE, ""))


class Several(Case):
    """--fallback, --reviewer, --cache and --requests-per-minute."""

    def server(self, *acts):
        made = Server(*acts)
        self.addCleanup(made.close)
        return made

    def tune(self, model, *flags):
        return self.run_tune("add.cu", *VECTOR_ADD_FLAGS, "--model", model, "--attempts", "1", "--json", "out.json", *flags)

    def prices(self, **models):
        return self.write("prices.json", json.dumps({"models": models}))

    def model(self):
        return json.loads((self.folder / "out.json").read_text())["model"]

    def test_another_model_answers_and_nobody_is_asked_twice(self):
        down, up = self.server(BUSY), self.server(GOOD)
        flags = ("--fallback", up.model, "--cache", "kept")
        done = self.tune(down.model, *flags)
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertEqual((len(down.times), len(up.times)), (4, 1))
        self.assertIn("0 replies came from kept, 1 from the model", done.stderr)
        self.assertEqual((self.model()["calls"], self.model()["requests"]), (1, 5))
        self.assertIn("else", self.model()["remark"])
        # The same question, but for the times that were measured.
        done = self.tune(down.model, *flags)
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertEqual((len(down.times), len(up.times)), (4, 1))
        self.assertIn("1 replies came from kept, 0 from the model", done.stderr)
        self.assertEqual(self.model()["requests"], 0)

    def test_one_model_writes_and_another_judges(self):
        writer, judge = self.server(GOOD), self.server(ADVICE)
        self.prices(**{writer.name: {"input": 0, "output": 1e6}, judge.name: {"input": 0, "output": 3e6}})
        done = self.tune(writer.model, "--reviewer", judge.model, "--strategy", "refine", "--rounds", "1", "--no-evidence", "--prices", "prices.json",
                         "--record", "said.jsonl")
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertEqual((len(writer.times), len(judge.times)), (1, 1))
        said = self.model()
        self.assertIn("reviewed by", said["remark"])
        self.assertEqual([(m["source"], m["calls"]) for m in said["models"]], [(judge.name, 1), (writer.name, 1)])
        written, judged = (m["output_tokens"] for m in reversed(said["models"]))
        self.assertAlmostEqual(said["cost_usd"], written + 3 * judged)
        self.assertIn(f"{judge.name}: 1 call", done.stdout)
        self.assertIn("$", done.stdout)
        # What they said is one conversation, and plays again as one.
        again = self.tune("replay:said.jsonl", "--strategy", "refine", "--rounds", "1", "--no-evidence")
        self.assertEqual(again.returncode, DONE, again.stderr)
        self.assertEqual(self.model()["calls"], 2)

    def test_all_of_them_are_down(self):
        one, two, three = self.server(BUSY), self.server(BUSY), self.server(BUSY)
        done = self.tune(one.model, "--fallback", two.model, "--fallback", three.model, "--quiet")
        self.assertEqual(done.returncode, ENVIRONMENT, done.stderr)
        self.assertIn("busy", done.stderr)
        for each in (one, two, three):
            self.assertGreater(len(each.times), 0)

    def test_requests_have_their_turn(self):
        server = self.server(GOOD)
        done = self.run_tune("add.cu", *VECTOR_ADD_FLAGS, "--model", server.model, "--strategy", "sample-n", "--samples", "7",
                             "--requests-per-minute", "60", "--quiet")
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertEqual(len(server.times), 7)
        # Six may go at once, what six seconds allow; the seventh waits for a second.
        self.assertGreater(server.times[6] - server.times[0], 0.8)

    def test_what_makes_no_sense(self):
        model = "openai:x@http://127.0.0.1:9"
        for words, said in ((("--fallback", "mailbox:x"), "mailbox:x"), (("--fallback", model), "twice"),
                            (("--fallback", "openai:y", "--fallback", "openai:y"), "openai:y"),
                            (("--fallback", "nobody:y"), "nobody"), (("--requests-per-minute", "0"), "--requests-per-minute"),
                            (("--requests-per-minute", "nan"), "--requests-per-minute"), (("--temperature", "3"), "--temperature"),
                            (("--max-tokens", "0"), "--max-tokens"), (("--effort", "hihg"), "did you mean high?")):
            self.assert_one_clear_error(self.tune(model, *words), USAGE, said)
        for words, said in ((("--reviewer", "mailbox:x", "--strategy", "refine"), "mailbox:x"),
                            (("--reviewer", "openai:y"), "refine"), (("--reviewer", "nobody:y", "--strategy", "refine"), "nobody")):
            self.assert_one_clear_error(self.tune(model, *words), USAGE, said)
        self.write("file", "")
        self.assert_one_clear_error(self.tune(model, "--cache", "file"), ENVIRONMENT, "file")
        for flag, value in (("--fallback", model), ("--reviewer", model), ("--cache", "kept"), ("--requests-per-minute", "3")):
            wanted = "refine" if flag == "--reviewer" else "--model"
            self.assert_one_clear_error(self.sweep(*VECTOR_ADD_FLAGS, flag, value), USAGE, flag, wanted)
            self.assertIn(flag, self.run_tune("--help").stdout)


if __name__ == "__main__":
    main()
