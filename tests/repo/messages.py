# SPDX-License-Identifier: BSL-1.0
"""messages.txt holds every sentence that lkt's code can print or send: errors with their codes and next steps, notes of
reports, the options' help, what does not compile. They are read together there, and a change of one is seen in a diff.

    messages.py --check     fails where messages.txt is not what the sources say
    messages.py --update    writes it
    messages.py --self-test
"""

import argparse
import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/repo/messages.txt"

TOKEN = re.compile(
    r'(?P<skip>//[^\n]*|/\*.*?\*/|\s+|^[ \t]*\#(?:[^\n\\]|\\.)*)'
    r'|(?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\ ]{0,16})\(.*?\)(?P=mark)")'
    r'|(?P<text>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*")(?:sv|s)?'
    r"|(?P<char>'(?:[^'\\\n]|\\.)+')"
    r"|(?P<word>[A-Za-z_]\w*|\.?\d(?:'?[\w.]|[eEpP][+-])*)"
    r'|(?P<sign>::|->|<<=?|>>=?|&&|\|\||[=!<>+*/%&|^-]=|.)',
    re.DOTALL | re.MULTILINE)
ESCAPES = {"n": "\\n", "t": "\\t", '"': '"', "'": "'", "\\": "\\"}
OPENING, CLOSING = {"(": ")", "{": "}", "[": "]"}, {")", "}", "]"}
# What ends one expression and begins another, beside commas.
ENDS = {",", ";", "?", ":", "=", "+=", "==", "!=", "<<", "&&", "||", "return", "else", "case"}
CODE = re.compile(r"^lkt(\.[a-z0-9-]+)+$")
PROSE = re.compile(r"[A-Za-z]{2,}[,:;]? (.* )?[a-z]{2,}|^\[lkt\.")


def tokens(text):
    at = 0
    while at < len(text):
        found = TOKEN.match(text, at)
        at = found.end()
        if found.lastgroup == "skip":
            continue
        if found["text"]:
            inside = found["text"][found["text"].index('"') + 1:-1]
            yield "text", re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], m[0]), inside)
        else:
            yield ("raw" if found["raw"] else "other"), found[0]


def render(parts):
    """One expression: its literals joined, and a mark for each value between them."""
    said = "".join(text if kind == "text" else "{}" for kind, text in parts)
    return re.sub(r"(\{\})+", "{}", said)


def group(stream, into):
    """The expressions up to the closing bracket; those of brackets inside are groups of their own."""
    expressions, parts = [], []

    def end():
        nonlocal parts
        if any(kind == "text" for kind, _ in parts):
            expressions.append(render(parts))
        parts = []

    for kind, text in stream:
        if kind == "text":
            parts.append((kind, text))
        elif text in OPENING:
            group(stream, into)
            if parts and parts[-1][0] == "value":
                pass
            else:
                parts.append(("value", ""))
        elif text in CLOSING:
            break
        elif text in ENDS:
            end()
        elif text != "+" and not (parts and parts[-1][0] == "value"):
            parts.append(("value", ""))
    end()
    code = next((e for e in expressions if CODE.match(e)), None)
    told = [e for e in expressions if PROSE.search(e)]
    if code:
        into.append(f"[{code}] " + " | ".join(told or ["{}"]))
    else:
        into.extend(told)


def messages_of(text):
    found = []
    stream = tokens(text)
    before = -1
    while before != len(found):  # a closing bracket too many ends a group early
        before = len(found)
        group(stream, found)
    return found


def section_of(path):
    parts = path.relative_to(ROOT).parts
    return "/".join(parts[:2] if parts[0] == "apps" else parts[1:3] if len(parts) > 3 else ("lkt",))


def everything():
    sections = {}
    for folder in ("include", "apps"):
        for path in sorted((ROOT / folder).rglob("*")):
            # What is compiled for a device is the kernels', not ours to say; nor are tables and pieces of code.
            if path.suffix in (".hpp", ".ipp", ".cpp") and not path.name.startswith(
                    ("shim_", "ptx_instructions", "ptx_values", "ptx_table")):
                found = messages_of(path.read_text())
                sections.setdefault(section_of(path), set()).update(found)
    lines = []
    for name, found in sorted(sections.items()):
        if found:
            lines += ["", f"# {name}"] + sorted(found, key=lambda m: (not m.startswith("["), m))
    return "\n".join(lines[1:]) + "\n"


def self_test():
    cases = {
        'return error{condition::usage, "lkt.a.b", "no file " + path + " here", "name one"};':
            ["[lkt.a.b] no file {} here | name one"],
        'say("one thing"); // "not this one"': ["one thing"],
        'notes.push_back("it took " + std::to_string(n) + " s for " + f("inner words"));':
            ["inner words", "it took {} s for {}"],
        'auto x = R"(raw text here)"; auto y = "word"; auto z = u8"two words";': ["two words"],
        '#define A "defined words here"\nf(many ? "several of them" : "only one");': ["several of them", "only one"],
        'f("one line\\n"\n  "and \\"another\\"");': ['one line\\nand "another"'],
        'static_assert(ok<T>, "[lkt.x] T is wrong");': ["[lkt.x] T is wrong"],
    }
    wrong = [f"{source}\n  {messages_of(source)} instead of {expected}"
             for source, expected in cases.items() if messages_of(source) != expected]
    print("\n".join(wrong) or f"{len(cases)} cases")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    chosen = parser.add_mutually_exclusive_group(required=True)
    for name in ("check", "update", "self-test"):
        chosen.add_argument(f"--{name}", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    now = everything()
    if options.update:
        GOLDEN.write_text(now)
        return 0
    before = GOLDEN.read_text() if GOLDEN.exists() else ""
    changed = list(difflib.unified_diff(before.splitlines(), now.splitlines(), "messages.txt", "the sources", n=0,
                                        lineterm=""))
    print("\n".join(changed))
    if changed:
        print("messages have changed: read them, then run `python3 tests/repo/messages.py --update`")
    print(f"{sum(1 for line in now.splitlines() if line and line[0] != '#')} messages")
    return 1 if changed or not now.strip() else 0


if __name__ == "__main__":
    sys.exit(main())
