#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Every relative link of the Markdown pages leads to something, and every page of docs/ is linked from
docs/README.md or from a page that is."""
import argparse
import pathlib
import re
import sys
import tempfile

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^ *(`{3,})[^`]*\n.*?^ *\1`* *$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")


def anchors(text: str) -> set[str]:
    """As the common renderers make them of headings."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ +(.*)$", FENCED.sub("", text), re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", heading.strip().lower())
        found.add(plain.replace(" ", "-"))
    return found


def faults(root: pathlib.Path) -> list[str]:
    docs = root / "docs"
    pages = sorted([*root.glob("*.md"), *docs.rglob("*.md")])
    found, links = [], {}
    count = 0
    for page in pages:
        text = CODE.sub("", FENCED.sub("", page.read_text()))
        links[page] = set()
        for target in LINK.findall(text):
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            path, _, anchor = target.partition("#")
            goal = (page.parent / path).resolve() if path else page
            if not goal.exists():
                found.append(f"{page.relative_to(root)}: the link {target} leads nowhere")
            elif anchor and goal.suffix == ".md" and anchor not in anchors(goal.read_text()):
                found.append(f"{page.relative_to(root)}: {target}: there is no such heading")
            links[page].add(goal)
    if not count:
        found.append("there was no link to look at")
    reached, ahead = set(), [docs / "README.md"]
    while ahead:
        page = ahead.pop()
        if page in reached or page not in links:
            continue
        reached.add(page)
        for goal in links[page]:
            # A link to a folder shows what lies there.
            ahead += goal.glob("*.md") if goal.is_dir() else [goal]
    for page in pages:
        if docs in page.parents and page not in reached:
            found.append(f"{page.relative_to(root)}: is not reached from docs/README.md")
    return found


def self_test() -> list[str]:
    index = "# Index\n[a](a.md) [b](a.md#two-words) [out](https://example.org) `[no](link.md)`\n"
    cases = {
        "sound": ({"docs/README.md": index, "docs/a.md": "# Two words\n```\n[no](link.md)\n```\n"}, None),
        "dead": ({"docs/README.md": index}, "leads nowhere"),
        "no heading": ({"docs/README.md": index, "docs/a.md": "# Two\n"}, "no such heading"),
        "orphan": ({"docs/README.md": index, "docs/a.md": "# Two words\n", "docs/c.md": "# C\n"}, "not reached"),
        "nothing": ({"docs/README.md": "# Index\n"}, "no link to look at"),
    }
    wrong = []
    for name, (files, expected) in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            found = faults(root)
            if bool(found) != bool(expected) or expected and not any(expected in fault for fault in found):
                wrong.append(f"case '{name}': expected {expected!r}, found {found}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).parents[2])
    parser.add_argument("--self-test", action="store_true", help="show that each rule can fail")
    options = parser.parse_args()
    found = self_test() if options.self_test else faults(options.root.resolve())
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
