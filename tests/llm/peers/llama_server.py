# SPDX-License-Identifier: BSL-1.0
"""llama.cpp's own HTTP server with a model of random weights, until its input ends. Prints its address."""
import pathlib
import sys
import tempfile

import xllamacpp

import tiny_model


def start(folder: pathlib.Path, keys: list[str]) -> xllamacpp.Server:
    path = folder / "tiny.gguf"
    tiny_model.write(path)
    settings = xllamacpp.CommonParams()
    settings.model.path = str(path)
    settings.model_alias = {"tiny"}
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    settings.n_ctx = 4 * tiny_model.CONTEXT
    settings.n_parallel = 4
    settings.n_predict = 3500
    settings.warmup = False
    settings.cpuparams.n_threads = 1
    settings.n_threads_http = 8
    settings.api_keys = keys
    return xllamacpp.Server(settings)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = start(pathlib.Path(folder), sys.argv[1:])
        print(server.listening_address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
