#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""lkt-verify --browser, by a client that plays the browser: what is served and to whom, the verdicts, what strangers get, and
how it ends. test_chromium.py has a real browser."""

import array
import http.client
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

CASES = pathlib.Path(__file__).resolve().parent / "cases"
PROBLEM, HONEST = CASES / "problems/vecadd.wgsl.json", CASES / "accept/stride-vecadd.wgsl"
OTHER = CASES / "accept/naive-vecadd.wgsl"
RENAMED = CASES / "reject/E00-renamed.wgsl"
DONE, REJECTED, USAGE, ENVIRONMENT, INTERRUPTED = 0, 1, 2, 3, 130
PROGRAM = None
SKIPPED = 77


class Served:
    """A program that waits for a browser."""

    def __init__(self, *words):
        self.folder = tempfile.TemporaryDirectory()
        self.json_file = pathlib.Path(self.folder.name) / "out.json"
        self.process = subprocess.Popen([PROGRAM, "--problem", PROBLEM, *map(str, words), "--browser", "--quick", "--seed", "7", "--json", self.json_file],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.said = ""
        for line in self.process.stderr:
            self.said += line
            if found := re.search(r"open http://(127\.0\.0\.1):(\d+)(/[0-9a-f]{32}/)$", line.rstrip()):
                self.host, self.port, self.path = found[1], int(found[2]), found[3]
                return
        raise AssertionError(f"no address: status {self.process.wait()}\n{self.said}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        self.folder.cleanup()

    def ask(self, path="", method="GET", body=None, whole=False, **headers):
        """Status and body; `path` is behind the address unless `whole`."""
        link = http.client.HTTPConnection(self.host, self.port, timeout=300)
        try:
            fields = {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
            if method == "POST" and "Origin" not in headers:
                fields["Origin"] = f"http://{headers.get('Host', f'{self.host}:{self.port}')}"
            link.request(method, path if whole else self.path + path, body, fields)
            answer = link.getresponse()
            self.headers = dict(answer.getheaders())
            return answer.status, answer.read()
        finally:
            link.close()

    def post(self, path, what):
        status, body = self.ask(path, "POST", what if isinstance(what, bytes) else json.dumps(what).encode())
        return status, json.loads(body) if status == 200 else body.decode()

    def job(self):
        status, body = self.ask("job", User_Agent="tester")
        assert status == 200, body
        return json.loads(body)

    def inputs(self, test, count):
        return [array.array("f", self.ask(f"data/{test}/{k}")[1]) for k in range(count)]

    def end(self):
        out, err = self.process.communicate(timeout=300)
        found = json.loads(self.json_file.read_text()) if self.json_file.exists() else None
        return self.process.returncode, out, self.said + err, found


def sums(served, test):
    a, b = served.inputs(test, 2)
    return array.array("f", [x + y for x, y in zip(a, b)])


class Browser(unittest.TestCase):
    def test_verdicts_and_times(self):
        with Served(HONEST, OTHER, RENAMED) as served:
            status, page = served.ask()
            self.assertEqual((status, page[:15]), (200, b"<!doctype html>"))
            self.assertIn("frame-ancestors 'none'", served.headers["Content-Security-Policy"])
            self.assertIn(served.headers["Content-Security-Policy"].split("'nonce-")[1][:32].encode(), page)
            self.assertEqual(served.headers["Cross-Origin-Opener-Policy"], "same-origin")
            job = served.job()
            files = [k["file"] for k in job["kernels"]]
            self.assertEqual([pathlib.Path(f).name for f in files], ["vecadd.wgsl", HONEST.name, OTHER.name, RENAMED.name])
            self.assertEqual([k["original"] for k in job["kernels"]], [True, False, False, False])
            self.assertIn("refused", job["kernels"][3])
            self.assertGreater(len(job["tests"]), 5)
            self.assertEqual(sorted(job["order"]), list(range(len(job["tests"]))))
            program = job["kernels"][1]["program"]
            self.assertEqual([b["type"] for b in program["bindings"]], ["read-only-storage", "read-only-storage", "storage", "uniform"])
            size = int(re.search(r"=(\d+)", job["tests"][0]["size"])[1])
            self.assertEqual(program["launches"][0]["values"][3], size.to_bytes(4, "little").hex().ljust(32, "0"))

            run = job["run"]
            for number in job["order"]:
                right = sums(served, number)
                for kernel in (0, 1):
                    self.assertEqual(served.post(f"{run}/outputs/{kernel}/{number}", right.tobytes())[1], {"right": True})
            wrong = sums(served, 0)
            wrong[len(wrong) // 2] += 1
            answer = served.post(f"{run}/outputs/2/0", wrong.tobytes())[1]
            self.assertFalse(answer["right"])
            self.assertIn(str(len(wrong) // 2), answer["why"])
            self.assertEqual(served.post(f"{run}/outputs/2/0", wrong.tobytes())[0], 400)  # it is known
            # What is timed is judged, too.
            self.assertTrue(served.post(f"{run}/outputs/1/0/timed", sums(served, 0).tobytes())[1]["right"])
            times = [{"launches": 3, "seconds": [4e-3 + k * 1e-6 for k in range(8)]}, {"launches": 5, "seconds": [1e-3 + k * 1e-6 for k in range(8)]}, None, None]
            status, last = served.post(f"{run}/result", {"adapter": "nobody's \u202e\x1b[31m GPU", "software": True, "clock": "none", "times": times})
            self.assertEqual(status, 200)
            status, out, said, found = served.end()
        self.assertEqual(status, REJECTED, said)
        self.assertEqual(out, last["report"])
        self.assertNotIn("\x1b", out)
        self.assertIn("not the times of a GPU", out)
        self.assertIn("tester", out)
        self.assertFalse(found["right"])
        self.assertEqual([(k["right"], k["verdict"]) for k in found["kernels"]],
                         [(True, None), (True, None), (False, found["kernels"][2]["verdict"]), (False, "wrong-signature")])
        self.assertIsNotNone(found["kernels"][2]["verdict"])
        self.assertEqual(found["kernels"][1]["tests"], found["tests"])
        self.assertAlmostEqual(found["kernels"][1]["speed_up"], 4, delta=0.02)
        self.assertEqual(found["seed"], 7)

    def test_strangers_and_what_is_malformed(self):
        with Served(HONEST) as served:
            job = served.job()
            run, right = job["run"], sums(served, 0).tobytes()
            port = served.port
            # Names that point here, pages of others, guesses.
            for host in ("evil.example", f"evil.example:{port}", f"127.0.0.1.evil.example:{port}", "", "localhost:80a", "127.0.0.2"):
                self.assertEqual(served.ask("job", Host=host)[0], 403, host)
            for host in ("localhost", f"localhost:{port}", "127.0.0.1:9", f"[::1]:{port}"):
                self.assertEqual(served.ask(Host=host)[0], 200, host)
            for origin in (None, "null", "http://evil.example", f"http://127.0.0.1:{port + 1}", f"https://127.0.0.1:{port}"):
                self.assertEqual(served.ask(f"{run}/outputs/1/0", "POST", right, Origin=origin)[0], 403, origin)
            for path in ("/", "/job", "/" + "0" * 32 + "/job", served.path[:-1], served.path[:-2] + "/job", "*"):
                self.assertEqual(served.ask(path, whole=True)[0], 404, path)
            for path in ("../job", "data/0", "data/0/2", "data/0/3", "data/0/9", "data/999/0", "data/-1/0", "data/0x0/0", "data/0/0/", "data//0",
                         "data/0/%2e%2e/%2e%2e/etc/passwd", "data/18446744073709551616/0", "job/", "page.html"):
                self.assertEqual(served.ask(path)[0], 404, path)
            for method in ("PUT", "DELETE", "OPTIONS", "HEAD"):
                self.assertEqual(served.ask("job", method)[0], 405, method)
            # Bodies.
            for path in (f"{run}", f"{run}/outputs/9/0", f"{run}/outputs/1/999", f"{run}/outputs/1/0/later", f"{run}/outputs/1/0/timed/x", f"x/result",
                         f"{run}/trouble/9", f"{run}/other"):
                self.assertEqual(served.post(path, b"{}")[0], 404, path)
            self.assertEqual(served.post(f"{run + 1}/outputs/1/0", right)[0], 409)
            self.assertEqual(served.post(f"{run}/outputs/1/0", right[:-4])[0], 400)
            self.assertEqual(served.ask(f"{run}/outputs/1/0", "POST", None, Content_Length=str(len(right) + 1))[0], 413)
            self.assertEqual(served.ask(f"{run}/result", "POST", None, Content_Length=str(1 << 40))[0], 413)
            for body in (b"", b"{", b"[]", b"\xff", b"[" * 10000, b'"' + b"a" * 1000 + b'"'):
                self.assertEqual(served.post(f"{run}/result", body)[0], 400, body[:9])
            for times in ({}, [], [None], [None] * 3, [None, 1], [None, {"launches": 0, "seconds": [1]}], [None, {"launches": 1, "seconds": [0]}],
                          [None, {"launches": 1, "seconds": [1e999]}], [None, {"launches": 1, "seconds": ["1"]}], [None, {"launches": 1, "seconds": [1] * 9999}]):
                self.assertEqual(served.post(f"{run}/result", {"times": times})[0], 400, times)
            self.assertEqual(served.post(f"{run}/trouble/1", {"kind": "boredom", "message": "x"})[0], 400)
            self.assertEqual(served.post(f"{run}/trouble/1", {"kind": "too-large", "test": 999})[0], 400)
            # Bytes that are no HTTP, a request that never ends, connections that say nothing.
            idle = [socket.create_connection((served.host, port)) for _ in range(8)]
            idle[0].sendall(b"\x16\x03\x01\x02\x00garbage\r\n\r\n")
            self.assertIn(b" 400 ", idle[0].recv(100))
            idle[1].sendall(b"GET " + b"/" * 20000)
            self.assertIn(b" 431 ", idle[1].recv(100))
            idle[2].sendall(f"POST {served.path}{run}/result HTTP/1.1\r\nHost: localhost\r\n".encode())
            # All of it left the run as it was; the tests that did not run are missed.
            self.assertEqual(served.post(f"{run}/outputs/1/0", right)[0], 200)
            self.assertEqual(served.post(f"{run}/result", {})[0], 200)
            status, out, said, found = served.end()
            for link in idle:
                link.close()
        self.assertEqual(status, ENVIRONMENT, said)
        self.assertIn("not judged: the page ended before all tests had run", out)
        self.assertFalse(found["kernels"][1]["judged"])

    def test_what_happens_in_a_browser_and_another_page(self):
        with Served(HONEST, OTHER) as served:
            first = served.job()["run"]
            served.post(f"{first}/page", {"message": "no WebGPU here"})
            job = served.job()  # another page: the first has lost the run
            self.assertEqual(served.post(f"{first}/result", {})[0], 409)
            run = job["run"]
            reply = served.post(f"{run}/trouble/1", {"kind": "compile-error", "message": "line 3:4: <script>alert(1)</script>"})[1]
            self.assertEqual((reply["right"], reply["verdict"]), (False, "compile-error"))
            served.post(f"{run}/trouble/2", {"kind": "unsupported", "message": "the kernel needs shader-f16"})
            served.post(f"{run}/result", {"remark": "it ended early"})
            status, out, said, found = served.end()
        self.assertEqual(status, REJECTED, said)
        self.assertIn("the page cannot run kernels: no WebGPU here", said)
        self.assertIn("line 3:4", out)
        self.assertIn("not judged: the kernel needs shader-f16", out)
        self.assertEqual([k["judged"] for k in found["kernels"]], [False, True, False])

    def test_interrupted(self):
        with Served(HONEST) as served:
            served.ask()
            served.process.send_signal(signal.SIGINT)
            status, _, said, found = served.end()
        self.assertEqual((status, found), (INTERRUPTED, None), said)

    def test_command_line(self):
        def refused(*words):
            done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=300, check=False)
            return done.returncode, done.stderr
        for words, sign in (((HONEST, "--port", "8080"), "--browser"), ((HONEST, "--browser", "--port", "65536"), "65535"),
                            ((HONEST, "--browser", "--require-checked"), "--require-checked"),
                            ((HONEST, "--browser", "--certificate", "/tmp/none.json"), "--certificate")):
            status, said = refused("--problem", PROBLEM, *words)
            self.assertEqual(status, USAGE, said)
            self.assertIn(sign, said)
        status, said = refused("--problem", CASES / "problems/vecadd.json", CASES / "problems/vecadd.cu", "--browser")
        self.assertEqual(status, USAGE, said)
        self.assertIn("--browser runs WGSL", said)
        with socket.create_server(("127.0.0.1", 0)) as taken:
            status, said = refused("--problem", PROBLEM, HONEST, "--browser", "--port", taken.getsockname()[1])
        if "[lkt.webgpu." not in said:
            self.assertEqual(status, ENVIRONMENT, said)
            self.assertIn("lkt.browser.port", said)


def has_device():
    try:
        with Served(HONEST):
            return True
    except AssertionError as why:
        if "[lkt.webgpu." not in str(why):
            raise
        print(f"skipped: {why}", file=sys.stderr)
        return False


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    if not has_device():
        sys.exit(SKIPPED)
    unittest.main()
