# SPDX-License-Identifier: BSL-1.0
"""run.py PYTHON PROGRAM...: starts llama.cpp's server and litellm's proxy with the Python that has them, tells the
programs where they listen (LKT_PEER_LLAMA, LKT_PEER_LITELLM), and runs them one after the other."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).parent
KEY = "sk-of-the-test"
SERVERS = {"LKT_PEER_LLAMA": ["llama_server.py", KEY], "LKT_PEER_LITELLM": ["litellm_proxy.py"]}
SECONDS = 240  # to start: a proxy of a hundred packages on a busy machine


def main() -> int:
    python, programs = sys.argv[1], sys.argv[2:]
    if not shutil.which(python):
        print(f"skipped: there is no {python}; scripts/test installs it from PyPI")
        return 77
    started = {}
    try:
        for name, command in SERVERS.items():
            started[name] = subprocess.Popen(
                [python, str(HERE / command[0]), *command[1:]],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        environment = dict(os.environ, LKT_PEER_KEY=KEY)
        for name, server in started.items():
            patience = threading.Timer(SECONDS, server.kill)
            patience.start()
            address = server.stdout.readline().strip()
            patience.cancel()
            if not address:
                server.kill()
                print(f"{SERVERS[name][0]} did not start:\n{server.communicate()[1][-4000:]}")
                return 1
            # Nobody reads what it logs, and a full pipe would stop it.
            threading.Thread(target=server.stderr.read, daemon=True).start()
            print(f"{SERVERS[name][0]} listens at {address}", flush=True)
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
