#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""NVRTC and the CUDA headers from PyPI's wheels, for tests on machines without a CUDA toolkit. Called
by setup.sh; pip fetches them where it is installed, else Python's own urllib."""
import hashlib
import html
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
import zipfile

WHEELS = {
    "nvidia-cuda-nvrtc": "13.0.88",
    "nvidia-cuda-runtime": "13.0.96",
    "nvidia-cuda-crt": "13.0.88",
    "nvidia-cuda-cccl": "13.0.85",
}
SECONDS = 60  # without a byte


def with_pip(folder: pathlib.Path) -> bool:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
               "--disable-pip-version-check", "--retries", "1", "--timeout", str(SECONDS), "--dest", str(folder)]
    command += [f"{name}=={version}" for name, version in WHEELS.items()]
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode == 0


def has_pip() -> bool:
    probe = [sys.executable, "-m", "pip", "--version"]
    return subprocess.run(probe, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0


def with_urllib(folder: pathlib.Path) -> None:
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
    for name, version in WHEELS.items():
        with urllib.request.urlopen(f"{index}/{name}/", timeout=SECONDS) as answer:
            page, base = answer.read().decode(), answer.geturl()
        links = re.findall(rf'href="([^"]*/{name.replace("-", "_")}-{re.escape(version)}-[^"]*'
                           rf'{platform.machine()}\.whl#sha256=[0-9a-f]+)"', page)
        if not links:
            raise OSError(f"{index} has no wheel of {name} {version} for {platform.machine()}")
        url, _, digest = html.unescape(urllib.parse.urljoin(base, links[0])).partition("#sha256=")
        wheel = folder / url.rsplit("/", 1)[1]
        with urllib.request.urlopen(url, timeout=SECONDS) as answer, wheel.open("wb") as out:
            shutil.copyfileobj(answer, out)
        if hashlib.sha256(wheel.read_bytes()).hexdigest() != digest:
            raise OSError(f"{wheel.name} is damaged")


def main() -> int:
    if len(sys.argv) != 2:
        print(f"usage: {sys.argv[0]} FOLDER", file=sys.stderr)
        return 2
    target = pathlib.Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".nvrtc-") as name:
        folder = pathlib.Path(name)
        (folder / "wheels").mkdir()
        try:
            if has_pip():
                if not with_pip(folder / "wheels"):
                    return 1
            else:
                with_urllib(folder / "wheels")
            for wheel in sorted((folder / "wheels").iterdir()):
                with zipfile.ZipFile(wheel) as archive:
                    archive.extractall(folder / "site")
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as problem:
            print(f"NVRTC from PyPI: {problem}", file=sys.stderr)
            return 1
        if not list((folder / "site").glob("nvidia/*/lib/libnvrtc.so.*")):
            print("NVRTC from PyPI: the wheels hold no libnvrtc.so", file=sys.stderr)
            return 1
        shutil.rmtree(target, ignore_errors=True)
        (folder / "site").rename(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
