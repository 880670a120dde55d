#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""wgpu-native and its headers out of PyPI's wheel of its Python binding, which is what a machine gets them from most
easily. Called by setup.sh; pip fetches the wheel where it is installed, else Python's own urllib."""
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

NAME, VERSION = "wgpu", "0.32.0"  # wgpu-native 29.0.1.1
FILES = {  # in the wheel: in the folder
    "wgpu/resources/libwgpu_native-release.so": "lib/libwgpu_native.so",
    "wgpu/resources/webgpu.h": "include/wgpu/webgpu.h",
    "wgpu/resources/wgpu.h": "include/wgpu/wgpu.h",
}
SECONDS = 60  # without a byte


def with_pip(folder: pathlib.Path) -> bool:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
               "--disable-pip-version-check", "--retries", "1", "--timeout", str(SECONDS), "--dest", str(folder),
               f"{NAME}=={VERSION}"]
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode == 0


def has_pip() -> bool:
    probe = [sys.executable, "-m", "pip", "--version"]
    return subprocess.run(probe, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0


def with_urllib(folder: pathlib.Path) -> None:
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
    with urllib.request.urlopen(f"{index}/{NAME}/", timeout=SECONDS) as answer:
        page, base = answer.read().decode(), answer.geturl()
    links = re.findall(rf'href="([^"]*/{NAME}-{re.escape(VERSION)}-[^"]*manylinux[^"]*'
                       rf'{platform.machine()}\.whl#sha256=[0-9a-f]+)"', page)
    if not links:
        raise OSError(f"{index} has no wheel of {NAME} {VERSION} for {platform.machine()}")
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
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".wgpu-") as name:
        folder = pathlib.Path(name)
        (folder / "wheels").mkdir()
        try:
            if has_pip():
                if not with_pip(folder / "wheels"):
                    return 1
            else:
                with_urllib(folder / "wheels")
            wheel = next((folder / "wheels").iterdir())
            with zipfile.ZipFile(wheel) as archive:
                for inside, outside in FILES.items():
                    place = folder / "made" / outside
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(archive.read(inside))
        except (OSError, ValueError, KeyError, StopIteration, zipfile.BadZipFile) as problem:
            print(f"wgpu-native from PyPI: {problem}", file=sys.stderr)
            return 1
        shutil.rmtree(target, ignore_errors=True)
        (folder / "made").rename(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
