# SPDX-License-Identifier: BSL-1.0
"""run.py PYTHON PROGRAM...: starts llama.cpp's server, litellm's proxy and an Ollama-compatible one with the Python
that has them; where there is a Python with transformers (LKT_TORCH_PYTHON, else python3), `transformers serve`; where
LKT_VLLM_PYTHON names one with vLLM, its server; and gives the Ollama at LKT_OLLAMA_URL, if there is one, a model. Tells
the programs where they listen (LKT_PEER_LLAMA, LKT_PEER_LITELLM, LKT_PEER_OLLAMA_PROXY, LKT_PEER_TRANSFORMERS,
LKT_PEER_VLLM, LKT_PEER_OLLAMA), and runs them one after the other."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).parent
KEY = "sk-of-the-test"
SERVERS = {
    "LKT_PEER_LLAMA": ["llama_server.py", KEY],
    "LKT_PEER_LITELLM": ["litellm_proxy.py"],
    "LKT_PEER_OLLAMA_PROXY": ["ollama_proxy_plus.py"],
}
SECONDS = 240  # to start: a proxy of a hundred packages on a busy machine


TRANSFORMERS = ["transformers", "torch", "fastapi", "uvicorn"]


def has_transformers(python: str) -> bool:
    code = f"import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, {TRANSFORMERS})))"
    return bool(shutil.which(python)) and subprocess.run([python, "-c", code], check=False).returncode == 0


def main() -> int:
    python, programs = sys.argv[1], sys.argv[2:]
    if not shutil.which(python):
        print(f"skipped: there is no {python}; scripts/test installs it from PyPI")
        return 77
    started = {}
    try:
        servers = {name: [python, *command] for name, command in SERVERS.items()}
        torch = os.environ.get("LKT_TORCH_PYTHON", "python3")
        if has_transformers(torch):
            servers["LKT_PEER_TRANSFORMERS"] = [torch, "transformers_server.py"]
        if vllm := os.environ.get("LKT_VLLM_PYTHON"):
            servers["LKT_PEER_VLLM"] = [vllm, "vllm_server.py"]
        if ollama := os.environ.get("LKT_OLLAMA_URL"):
            servers["LKT_PEER_OLLAMA"] = [python, "ollama_model.py", ollama]
        for name, command in servers.items():
            started[name] = subprocess.Popen(
                [command[0], str(HERE / command[1]), *command[2:]],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                errors="replace")
        environment = dict(os.environ, LKT_PEER_KEY=KEY)
        for name, server in started.items():
            patience = threading.Timer(SECONDS, server.kill)
            patience.start()
            address = server.stdout.readline().strip()
            patience.cancel()
            if not address:
                server.kill()
                print(f"{servers[name][1]} did not start:\n{server.communicate()[1][-4000:]}")
                return 1
            # Nobody reads what it logs, and a full pipe would stop it.
            threading.Thread(target=server.stderr.read, daemon=True).start()
            print(f"{servers[name][1]} listens at {address}", flush=True)
            environment[name] = address
        # For the example: nonsense, which has to leave the kernel as it is.
        environment["LKT_MODEL"] = f"llama.cpp:tiny@{environment['LKT_PEER_LLAMA']}/v1"
        environment["LKT_API_KEY"] = KEY
        failed = []
        for program in programs:
            with tempfile.TemporaryDirectory() as folder:
                if subprocess.run([program], env=environment, cwd=folder, check=False).returncode != 0:
                    failed.append(program)
        print("failed: " + ", ".join(failed) if failed else "all passed")
        return 1 if failed else 0
    finally:
        for server in started.values():
            server.stdin.close()
        for server in started.values():
            try:
                server.wait(15)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


if __name__ == "__main__":
    sys.exit(main())
