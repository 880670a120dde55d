# SPDX-License-Identifier: BSL-1.0
"""`transformers serve` with a model of random weights, until its input ends."""
import sys

import torch_server


def command(folder: str, port: int) -> list[str]:
    return [torch_server.program("transformers"), "serve", folder, "--device", "cpu",
            "--host", "127.0.0.1", "--port", str(port)]


if __name__ == "__main__":
    sys.exit(torch_server.serve(command))
