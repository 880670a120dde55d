# SPDX-License-Identifier: BSL-1.0
"""lkt-scan --from: what ckProfiler wrote, whole, torn, mixed, or something else altogether."""

import pathlib
import tempfile
import unittest

from support import DATA, DONE, SOME_FAILED, rows, run


class Recorded(unittest.TestCase):
    def test_recorded_output(self):
        done = run("--engine", "ckprofiler", "--from", DATA / "stock.txt", "--from", DATA / "fork.jsonl",
                   "--accelerator", "RX 7900 XTX")
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn("11 of 11 lines, 1 products", done.stderr)
        self.assertIn("128x1024x1024 bf16 rrr", done.stdout)
        with tempfile.NamedTemporaryFile("w") as torn:
            torn.write((DATA / "stock.txt").read_text().replace("TFlops, 72.0698", "TF"))
            torn.flush()
            done = run("--engine", "ckprofiler", "--from", torn.name)
            self.assertEqual(done.returncode, SOME_FAILED)
            self.assertIn(f"{torn.name}:5: ", done.stderr)
        for text in ("", "Warm up 1 time\n"):  # no results are no success
            with self.subTest(text), tempfile.NamedTemporaryFile("w") as empty:
                empty.write(text)
                empty.flush()
                done = run("--engine", "ckprofiler", "--from", empty.name)
                self.assertEqual(done.returncode, SOME_FAILED)
                self.assertIn(f"{empty.name}: it has no product", done.stderr)

    def test_a_device_that_the_table_does_not_know_has_no_roof(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("--engine", "ckprofiler", "--from", DATA / "stock.txt", "--device", "Radeon 1", "--jsonl", "a.jsonl",
                       "--html", "a.html", folder=folder)
            self.assertEqual(done.returncode, DONE, done.stderr)
            self.assertEqual({row["roof_share"] for row in rows(pathlib.Path(folder) / "a.jsonl")}, {None})
            self.assertNotIn("ridge", (pathlib.Path(folder) / "a.html").read_text())

    def read(self, content, *more):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "log").write_bytes(content)
            return run("--engine", "ckprofiler", "--from", "log", "--markdown", "-", *more, folder=folder)

    def test_what_is_no_text_of_ckprofiler_is_said_and_never_read_as_a_result(self):
        stock, fork = (DATA / "stock.txt").read_bytes(), (DATA / "fork.jsonl").read_bytes()
        for content in (stock.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + stock):
            done = self.read(content)
            self.assertEqual(done.returncode, DONE, done.stderr)
            self.assertIn("3840x4096x4096 f16 rcr", done.stdout)
        for content, words in ((stock.decode().encode("utf-16"), "this is UTF-16"),
                               (stock.replace(b"DeviceGemmXdl<", b"Device\0<", 1), "log:5: it has control characters"),
                               (stock.replace(b"1.3093 ms", b"1" * 400 + b" ms"), "log:5: no time in ms"),
                               (stock.replace(b"3840", b"9" * 18), "cannot be"),
                               (fork.replace(b'"M":128', b'"M":128.7'), "does not say its sizes"),
                               (b"".join(line + b"\n" for line in stock.splitlines() for _ in range(2)), "which are mixed"),
                               (stock[:len(stock) // 2], "does not say its data type")):
            with self.subTest(words):
                done = self.read(content)
                self.assertEqual(done.returncode, SOME_FAILED, done.stderr)
                self.assertIn(words, done.stderr)
        done = self.read(b"\x01\n" * 500)
        self.assertIn("log: and 400 more lines", done.stderr)
        self.assertLess(len(done.stderr.splitlines()), 110)


if __name__ == "__main__":
    unittest.main(verbosity=1)
