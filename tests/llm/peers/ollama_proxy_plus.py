# SPDX-License-Identifier: BSL-1.0
"""ollama-proxy-plus, which speaks Ollama's protocol, before llama.cpp's server with a model of random weights, until
its input ends. Prints its address. tiny/tiny is the model, locked/tiny the same with a key that is wrong."""
import os
import pathlib
import sys
import tempfile
import threading
import time

import uvicorn

import llama_server
from litellm_proxy import KEY, free_port


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        behind = llama_server.start(pathlib.Path(folder), [KEY])
        for name, key in {"TINY": KEY, "LOCKED": "sk-wrong"}.items():
            os.environ[f"PROVIDERS_{name}_BASE_URL"] = f"{behind.listening_address}/v1"
            os.environ[f"PROVIDERS_{name}_API_KEY"] = key
        from ollama_proxy.server import app  # reads the environment

        port = free_port()
        server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning"))
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            if not thread.is_alive():
                return 1
            time.sleep(0.05)
        print(f"http://127.0.0.1:{port}", flush=True)
        sys.stdin.read()
        server.should_exit = True
        thread.join(10)
    return 0


if __name__ == "__main__":
    sys.exit(main())
