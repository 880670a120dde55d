#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""NVRTC and the CUDA headers from PyPI's wheels, for tests on machines without a CUDA toolkit. Called by setup.sh."""
import pathlib
import sys

import wheels

WHEELS = {
    "nvidia-cuda-nvrtc": "13.0.88",
    "nvidia-cuda-runtime": "13.0.96",
    "nvidia-cuda-crt": "13.0.88",
    "nvidia-cuda-cccl": "13.0.85",
}


def arrange(site: pathlib.Path) -> None:
    if not list(site.glob("nvidia/*/lib/libnvrtc.so.*")):
        raise OSError("the wheels hold no libnvrtc.so")


if __name__ == "__main__":
    sys.exit(wheels.unpack("NVRTC", WHEELS, arrange))
