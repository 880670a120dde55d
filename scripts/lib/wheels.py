# SPDX-License-Identifier: BSL-1.0
"""Wheels of PyPI unpacked into a folder, for fetch_nvrtc.py and fetch_wgpu.py. pip fetches them where it is installed,
else Python's own urllib."""
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
from typing import Callable

SECONDS = 60  # without a byte


def has_pip() -> bool:
    probe = [sys.executable, "-m", "pip", "--version"]
    return subprocess.run(probe, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0


def with_pip(wheels: dict[str, str], folder: pathlib.Path) -> bool:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
               "--disable-pip-version-check", "--retries", "1", "--timeout", str(SECONDS), "--dest", str(folder)]
    command += [f"{name}=={version}" for name, version in wheels.items()]
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode == 0


def with_urllib(wheels: dict[str, str], folder: pathlib.Path) -> None:
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
    for name, version in wheels.items():
        with urllib.request.urlopen(f"{index}/{name}/", timeout=SECONDS) as answer:
            page, base = answer.read().decode(), answer.geturl()
        links = re.findall(rf'href="([^"]*/{name.replace("-", "_")}-{re.escape(version)}-[^"]*manylinux[^"]*'
                           rf'{platform.machine()}\.whl#sha256=[0-9a-f]+)"', page)
        if not links:
            raise OSError(f"{index} has no wheel of {name} {version} for {platform.machine()}")
        url, _, digest = html.unescape(urllib.parse.urljoin(base, links[0])).partition("#sha256=")
        wheel = folder / url.rsplit("/", 1)[1]
        with urllib.request.urlopen(url, timeout=SECONDS) as answer, wheel.open("wb") as out:
            shutil.copyfileobj(answer, out)
        if hashlib.sha256(wheel.read_bytes()).hexdigest() != digest:
            raise OSError(f"{wheel.name} is damaged")


def unpack(what: str, wheels: dict[str, str], arrange: Callable[[pathlib.Path], None]) -> int:
    """The exit status of a program that is called with the folder to make. `arrange` sorts out what was unpacked; it
    raises an OSError where something is missing."""
    if len(sys.argv) != 2:
        print(f"usage: {sys.argv[0]} FOLDER", file=sys.stderr)
        return 2
    target = pathlib.Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as name:
        folder = pathlib.Path(name)
        (folder / "wheels").mkdir()
        site = folder / "site"
        try:
            if has_pip():
                if not with_pip(wheels, folder / "wheels"):
                    return 1
            else:
                with_urllib(wheels, folder / "wheels")
            for wheel in sorted((folder / "wheels").iterdir()):
                with zipfile.ZipFile(wheel) as archive:
                    archive.extractall(site)
            arrange(site)
        except (OSError, ValueError, zipfile.BadZipFile) as problem:
            print(f"{what} from PyPI: {problem}", file=sys.stderr)
            return 1
        shutil.rmtree(target, ignore_errors=True)
        site.rename(target)
    return 0
