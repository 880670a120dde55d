#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""wgpu-native and its headers out of PyPI's wheel of its Python binding, which is what a machine gets them from most
easily. Called by setup.sh."""
import pathlib
import shutil
import sys

import wheels

WHEELS = {"wgpu": "0.32.0"}  # wgpu-native 29.0.1.1
FILES = {  # in the wheel: in the folder
    "libwgpu_native-release.so": "lib/libwgpu_native.so",
    "webgpu.h": "include/wgpu/webgpu.h",
    "wgpu.h": "include/wgpu/wgpu.h",
}


def arrange(site: pathlib.Path) -> None:
    """Of the Python package, these files alone are kept."""
    made = site.with_name("made")
    for inside, outside in FILES.items():
        place = made / outside
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(site / "wgpu/resources" / inside, place)
    shutil.rmtree(site)
    made.rename(site)


if __name__ == "__main__":
    sys.exit(wheels.unpack("wgpu-native", WHEELS, arrange))
