# SPDX-License-Identifier: BSL-1.0
"""litellm's proxy before models that answer what is written here, until its input ends. Prints its address."""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

KEY = "sk-of-the-test"
ANSWER = "Tiled:\n```cuda\n__global__ void f() {}\n```\nna\u00efve \u2713"
MODELS = {
    "mock": ANSWER,
    "mock-json": '{"steps": ["tile", "unroll"], "valid": true}',
    "mock-busy": "litellm.RateLimitError",
    "mock-broken": "litellm.InternalServerError",
    "mock-too-long": "litellm.ContextWindowExceededError",
}


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def is_up(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/health/liveliness", timeout=2) as answer:
            return answer.status == 200
    except (OSError, urllib.error.URLError):
        return False


def main() -> int:
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    configuration = {
        "model_list": [
            {
                "model_name": name,
                "litellm_params": {"model": "openai/none", "api_key": "none", "mock_response": answer},
            }
            for name, answer in MODELS.items()
        ],
        "litellm_settings": {"num_retries": 0, "telemetry": False},
        "router_settings": {"num_retries": 0, "disable_cooldowns": True},
        "general_settings": {"master_key": KEY},
    }
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "configuration.yaml"
        file.write_text(json.dumps(configuration))  # JSON is YAML
        environment = dict(os.environ, LITELLM_LOCAL_MODEL_COST_MAP="True", LITELLM_TELEMETRY="False")
        command = [sys.executable, "-m", "litellm.proxy.proxy_cli", "--config", str(file)]
        command += ["--host", "127.0.0.1", "--port", str(port), "--telemetry", "False"]
        with open(pathlib.Path(folder) / "log", "w+") as log:
            server = subprocess.Popen(command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
            try:
                deadline = time.monotonic() + 240
                while not is_up(address):
                    if server.poll() is not None or time.monotonic() > deadline:
                        log.seek(0)
                        print(log.read()[-4000:], file=sys.stderr)
                        return 1
                    time.sleep(0.2)
                print(address, flush=True)
                sys.stdin.read()
            finally:
                server.terminate()
                try:
                    server.wait(10)
                except subprocess.TimeoutExpired:
                    server.kill()
                    server.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
