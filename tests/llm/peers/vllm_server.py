# SPDX-License-Identifier: BSL-1.0
"""vLLM's server, of its build for processors, with a model of random weights, until its input ends."""
import sys

import torch_server


def command(folder: str, port: int) -> list[str]:
    return [torch_server.program("vllm"), "serve", folder, "--host", "127.0.0.1", "--port", str(port),
            "--max-model-len", str(torch_server.CONTEXT), "--max-num-seqs", "4", "--enforce-eager",
            "--dtype", "float32", "--enable-auto-tool-choice", "--tool-call-parser", "hermes"]


if __name__ == "__main__":
    sys.exit(torch_server.serve(
        command, VLLM_NO_USAGE_STATS="1", VLLM_CPU_KVCACHE_SPACE="1", VLLM_CPU_OMP_THREADS_BIND="nobind",
        OMP_NUM_THREADS="1"))
