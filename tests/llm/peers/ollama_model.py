# SPDX-License-Identifier: BSL-1.0
"""ollama_model.py URL: gives the Ollama at that address a model of random weights, until its input ends. Prints the
address and the model's name."""
import hashlib
import json
import os
import pathlib
import sys
import tempfile
import urllib.error
import urllib.request

import tiny_model

NAME = f"lkt-test-{os.getpid()}"
# Without one, Ollama takes what it thinks is nearest to the file's own.
TEMPLATE = "{{ range .Messages }}{{ .Role }}: {{ .Content }}\n{{ end }}assistant: "


def ask(url: str, method: str, body: bytes) -> str:
    # Past the proxy that the environment may name.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(urllib.request.Request(url, body, method=method), timeout=120) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as refused:
        return json.dumps({"error": refused.read().decode()})


def main() -> int:
    url = sys.argv[1].rstrip("/")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "tiny.gguf"
        tiny_model.write(path)
        file = path.read_bytes()
    digest = "sha256:" + hashlib.sha256(file).hexdigest()
    ask(f"{url}/api/blobs/{digest}", "POST", file)
    about = {"model": NAME, "files": {"tiny.gguf": digest}, "template": TEMPLATE, "stream": False}
    made = json.loads(ask(f"{url}/api/create", "POST", json.dumps(about).encode()))
    if made.get("status") != "success":
        print(f"{url} makes no model: {made}", file=sys.stderr)
        return 1
    try:
        print(f"{url} {NAME}", flush=True)
        sys.stdin.read()
    finally:
        ask(f"{url}/api/delete", "DELETE", json.dumps({"model": NAME}).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
