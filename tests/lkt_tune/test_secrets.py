# SPDX-License-Identifier: BSL-1.0
"""What a model replies cannot read a file: no later request, report, log, journal, JSON or terminal has a byte of it."""

import json
import pathlib
import tempfile

from support import VECTOR_ADD, VECTOR_ADD_FLAGS, Case, main

CANARY = "c4n4ry7f3a9e51"
# In a file that a kernel would like to read: an identifier, a string, an error, and bytes that are no text.
SECRET = f'{CANARY}_name "{CANARY}_string"\n#error {CANARY}_error\n'.encode() + b"\xff\x1b[31m" + CANARY.encode()


def hostile(path):
    """Kernels that try to get the file's text into what a compiler says of them."""
    kernel = VECTOR_ADD.replace("__global__ void add", "extern \"C\" __global__ void add")
    behind = kernel.rstrip()[:-1]  # before the last brace
    quoted = f'"{path}"'
    spliced = f"#incl\\\nude {quoted}\n"
    yield f"#include {quoted}\n" + VECTOR_ADD
    yield spliced + VECTOR_ADD
    yield f"// a comment, for who takes no carriage return for the end of a line\r#include {quoted}\n" + VECTOR_ADD
    yield f"\r#include {quoted}\r" + VECTOR_ADD
    yield f"/*\r*/#include {quoted}\n" + VECTOR_ADD
    yield f"int x;\r#include {quoted}\r\n" + VECTOR_ADD
    yield f"%:include {quoted}\n" + VECTOR_ADD
    yield f"#define P {quoted}\n#include P\n" + VECTOR_ADD
    yield f"#line 1 {quoted}\nint x = nothing;\n" + VECTOR_ADD
    yield f"# 1 {quoted}\nint x = nothing;\n" + VECTOR_ADD
    yield f"static_assert(false,\n#include {quoted}\n);\n" + VECTOR_ADD
    yield VECTOR_ADD.replace("int i", f'asm(".include \\"{path}\\""); int i')
    yield VECTOR_ADD.replace("int i", f'__asm__ __volatile__(".incbin \\"{path}\\""); int i')
    yield f'__attribute__((section(".x\\n.include \\"{path}\\"\\n#"))) int x = 1;\n' + VECTOR_ADD
    yield (f'#define B [[gnu::section(".x,\\"aw\\"\\n.include \\"{path}\\"\\n#")]]\n' + "B int x = 1;\n" + VECTOR_ADD)
    yield (f'#define A __attribute__((\n#define Z ))\nA section(".x\\n.include \\"{path}\\"\\n#") Z int x = 1;\n'
           + VECTOR_ADD)
    yield f'_Pragma("GCC dependency \\"{path}\\"")\n' + VECTOR_ADD
    yield f'#if __has_include({quoted})\n#error it is there\n#endif\n' + VECTOR_ADD
    yield f'#define J(a, b) a##b\n#if J(__has_, include)({quoted})\n#error it is there\n#endif\n' + VECTOR_ADD
    yield f"R\"(\n)\";\n#include {quoted}\n" + VECTOR_ADD
    yield f"#pragma R\"(\n#include {quoted}\n)\"\n" + VECTOR_ADD
    yield behind + "nothing_such();\n}\n" + spliced
    yield "\x1b]0;owned\x07\x1b[2J" + VECTOR_ADD + "\u202e// \u0085\n"


class Secrets(Case):
    def setUp(self):
        super().setUp()
        self._elsewhere = tempfile.TemporaryDirectory(prefix="lkt-elsewhere-")
        self.secret = pathlib.Path(self._elsewhere.name) / "secret.h"
        self.secret.write_bytes(SECRET)

    def tearDown(self):
        self._elsewhere.cleanup()
        super().tearDown()

    def assert_kept(self, *texts):
        """No byte of the secret is in what was printed, nor in any file that the program wrote."""
        files = [p for p in self.folder.rglob("*") if p.is_file()]
        self.assertGreater(len(files), 3)
        for name, data in [*((str(p), p.read_bytes()) for p in files), *(("printed", t.encode()) for t in texts)]:
            self.assertNotIn(CANARY.encode(), data, name)

    def assert_plain(self, text, name):
        for c in text:
            self.assertTrue(c in "\n\t" or (ord(c) >= 32 and not 0x7F <= ord(c) < 0xA0 and c != "\u202e"),
                            f"{name}: {c!r} in {text!r}")

    def test_a_chain_of_replies(self):
        replies = list(hostile(self.secret))
        asked = ["add.cu", *VECTOR_ADD_FLAGS, "--tune", "BLOCK=64", "--launches", "6", "--strategy", "one-prompt",
                 "--attempts", str(len(replies)), "--model", "mailbox:mail", "--suspend", "--journal", "run",
                 "--json", "out.json", "--report", "out.txt", "--trace", "trace.jsonl", "--record", "tape.jsonl",
                 "--log", "debug"]
        asked.remove("BLOCK=64,128"), asked.remove("--tune")  # one configuration is enough
        done = self.run_tune(*asked)
        said = [done.stdout, done.stderr]
        answered = 0
        while done.returncode == 4 and answered < len(replies):
            waiting = [q for q in (self.folder / "mail").glob("*.request.md")
                       if not q.with_name(q.name.replace("request", "reply")).exists()]
            question, = waiting
            self.assert_plain(question.read_text(), question.name)
            reply = question.with_name(question.name.replace("request", "reply"))
            # The model's own reply must not bring the secret in by itself: it names the file, no more.
            reply.write_bytes(("```cuda\n" + replies[answered] + "```\n").encode())
            answered += 1
            done = self.run_tune("--resume", "run", timeout=300)
            said += [done.stdout, done.stderr]
        self.assertEqual(done.returncode in (0, 1), True, done.stderr)
        self.assertEqual(answered, len(replies), done.stdout + done.stderr)
        self.assert_kept(*said)
        for text in said:
            self.assert_plain(text, "printed")
        self.assert_plain((self.folder / "out.txt").read_text(), "report")
        report = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(len(report["history"]), len(replies))
        for name in ("out.json", "trace.jsonl", "tape.jsonl"):
            data = (self.folder / name).read_bytes()
            data.decode()  # UTF-8
            self.assertNotIn(b"\x1b", data, name)
            self.assertNotIn("\u202e".encode(), data, name)
        again = self.run_tune("--resume", "run", "--json", "again.json")
        self.assert_kept(again.stdout, again.stderr)

    def test_a_hostile_problem_and_name_reach_no_terminal(self):
        self.write("bad\x1b[2J.cu", VECTOR_ADD.replace("a[i]", "nothing\u202e\x1b[31m"))
        done = self.run_tune("bad\x1b[2J.cu", *VECTOR_ADD_FLAGS, "--strategy", "sweep")
        self.assertNotEqual(done.returncode, 0)
        self.assert_plain(done.stdout + done.stderr, "printed")
        self.write("p.json", b'{"kernel": {"file": "no\\u001b[31mthing.cu"}, "\xff\x1b": 1}')
        done = self.run_tune("--problem", "p.json", "--strategy", "sweep")
        self.assertNotEqual(done.returncode, 0)
        self.assert_plain(done.stdout + done.stderr, "printed")


if __name__ == "__main__":
    main()
