#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The scripts themselves: they parse, they explain themselves, they refuse what they do not know, and
the set-up says what is missing where it may not install it."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = sorted(path for path in (ROOT / "scripts").iterdir() if path.is_file())
SHELL = [path for path in [*SCRIPTS, *(ROOT / "scripts" / "lib").glob("*.sh"), ROOT / ".ci" / "run"]
         if path.suffix == ".sh" or path.read_text().startswith("#!/usr/bin/env bash")]


def run(*command: object, **options) -> subprocess.CompletedProcess:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=300, **options)


class Scripts(unittest.TestCase):
    def test_there_are_some(self):
        self.assertGreaterEqual({path.name for path in SCRIPTS}, {"test", "demo", "bench", "check-layers", "format"})
        self.assertGreaterEqual(len(SHELL), 7)

    def test_they_parse(self):
        for path in SHELL:
            with self.subTest(path.name):
                self.assertEqual(run("bash", "-n", path).returncode, 0)

    def test_they_may_be_run(self):
        for path in [*SCRIPTS, ROOT / ".ci" / "run"]:
            with self.subTest(path.name):
                self.assertTrue(os.access(path, os.X_OK))

    def test_help(self):
        for path in SCRIPTS:
            with self.subTest(path.name):
                result = run(path, "--help")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn(f"usage: ", result.stdout)
                self.assertIn(path.name, result.stdout)
                self.assertIn("exit status:", result.stdout)

    def test_unknown_argument(self):
        for path in SCRIPTS:
            with self.subTest(path.name):
                result = run(path, "--teleport")
                self.assertEqual(result.returncode, 2, result.stdout)
                self.assertIn("--teleport", result.stderr)

    def test_unknown_group(self):
        result = run(ROOT / "scripts" / "bench", "teleport")
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn("there is no group 'teleport'", result.stderr)


class SetUp(unittest.TestCase):
    """scripts/lib/setup.sh in a tree without build/deps, with a PATH that holds what a case wants."""

    BASICS = ("bash", "sh", "env", "dirname", "basename", "awk", "sed", "sort", "head", "tail", "mkdir", "rm",
              "mv", "tee", "uname", "nproc", "grep", "cat", "true", "false", "touch")

    def set_up(self, system: str, tools: dict[str, str], what: str = "test",
               boost: bool = False) -> tuple[int, str, str]:
        """(status, output, what apt-get was asked) of `lkt_setup` as an ordinary user."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            shutil.copytree(ROOT / "scripts", folder / "scripts")
            (folder / "os-release").write_text(system)
            (folder / "bin").mkdir()
            if boost:
                (folder / "build" / "deps" / "usr").mkdir(parents=True)
            for tool in self.BASICS:
                if found := shutil.which(tool):
                    (folder / "bin" / tool).symlink_to(found)
            for tool, text in tools.items():
                (folder / "bin" / tool).write_text(f"#!{shutil.which('bash')}\n{text}\n")
                (folder / "bin" / tool).chmod(0o755)
            script = folder / "scripts" / "probe"
            # EUID cannot be assigned; as_root and may_be_root are the only ones to read it.
            script.write_text(
                "set -euo pipefail\n"
                'source "$(dirname "$0")/lib/common.sh"\nsource "$(dirname "$0")/lib/setup.sh"\n'
                'as_root() { sudo "$@"; }\n'
                "may_be_root() { command -v sudo >/dev/null 2>&1 && sudo -n true >/dev/null 2>&1; }\n"
                "has_boost() { [[ -e $lkt_deps/usr ]]; }\n"
                "has_doctest() { command -v doctest >/dev/null 2>&1; }\n"
                "has_nvrtc() { [[ ! -e $FOLDER/bin/no-nvrtc || -e $lkt_deps/cuda ]]; }\n"
                "has_rocm() { :; }\n"
                "has_amdgcn() { :; }\n"
                "has_wgpu() { [[ ! -e $FOLDER/bin/no-wgpu || -e $lkt_deps/wgpu ]]; }\n"
                "has_peers() { [[ ! -e $FOLDER/bin/no-peers || -e $lkt_deps/peers ]]; }\n"
                "has_vulkan() { [[ ! -e $FOLDER/bin/no-vulkan || -e $FOLDER/bin/vulkan ]]; }\n"
                f"lkt_setup {what}\n"
                "lkt_setup_end\n"
                'printf "left out: %s\\n" "${lkt_skipped[@]}"\n')
            result = run(shutil.which("bash"), script, cwd=folder,
                         env={"PATH": str(folder / "bin"), "LKT_OS_RELEASE": str(folder / "os-release"),
                              "FOLDER": str(folder)})
            asked = folder / "asked"
            return (result.returncode, result.stdout + result.stderr,
                    asked.read_text() if asked.exists() else "")

    DEBIAN = 'ID=debian\nVERSION_ID="12"\n'
    UBUNTU = 'ID=ubuntu\nVERSION_ID="24.04"\n'
    FEDORA = 'ID=fedora\nVERSION_ID="40"\n'
    SUDO = {"sudo": 'while [[ "$1" == -* || "$1" == *=* ]]; do shift; done; exec "$@"'}
    COMPLETE = {"g++": "echo 12.2.0", "cmake": "echo cmake version 3.25.1", "ninja": "", "strace": "", "python3": "",
                "doctest": "", "clang++-16": "", "clang++-19": "", "clang-format-19": "", "doxygen": ""}
    # An archive that knows everything, and whose packages are the commands that they bring.
    APT = {
        "apt-cache": 'echo "  Candidate: 1.0"',
        "apt-get": """
            echo "$*" >>"$FOLDER/asked"
            give() { printf '#!%s\\n%s\\n' "$BASH" "$2" >"$FOLDER/bin/$1"; /bin/chmod 755 "$FOLDER/bin/$1"; }
            for word; do
                case "$word" in
                    g++) give g++ 'echo 12.2.0' ;; cmake) give cmake 'echo cmake version 3.25.1' ;;
                    ninja-build) give ninja : ;; python3) give python3 : ;; doctest-dev) give doctest : ;;
                    clang-16) give clang++-16 : ;; clang-19) give clang++-19 : ;;
                    clang-format-19) give clang-format-19 : ;; doxygen) give doxygen : ;;
                    mesa-vulkan-drivers) give vulkan : ;;
                    libboost*) >"$word.deb" ;;
                esac
            done""",
        "dpkg": 'mkdir -p "$3/usr"',
    }

    def test_nothing_is_asked_when_everything_is_there(self):
        for system in (self.DEBIAN, self.UBUNTU, self.FEDORA):
            status, output, asked = self.set_up(system, self.COMPLETE | self.APT, boost=True)
            self.assertEqual((status, asked), (0, ""), output)
            self.assertIn("everything is there", output)

    def test_boost_needs_no_rights(self):
        status, output, asked = self.set_up(self.DEBIAN, self.COMPLETE | self.APT)
        self.assertEqual(status, 0, output)
        self.assertIn("download libboost1.81-dev", asked)
        self.assertNotIn("install", asked)

    def test_a_bare_debian(self):
        status, output, asked = self.set_up(self.DEBIAN, self.APT | self.SUDO)
        self.assertEqual(status, 0, output)
        install = [line for line in asked.splitlines() if " install " in line]
        self.assertEqual(len(install), 1, asked)
        for word in ("--no-remove", "--no-install-recommends", "-y", "g++", "clang-16", "doctest-dev"):
            self.assertIn(f" {word}", install[0])
        self.assertNotIn("boost", install[0])
        self.assertIn("download libboost1.81-dev", asked)

    def test_a_bare_ubuntu(self):
        status, output, asked = self.set_up(self.UBUNTU, self.APT | self.SUDO)
        self.assertEqual(status, 0, output)
        self.assertIn("download libboost1.83-dev", asked)

    def test_a_build_needs_no_clang(self):
        status, output, asked = self.set_up(self.DEBIAN, self.APT | self.SUDO, "build")
        self.assertEqual(status, 0, output)
        self.assertNotIn("clang", asked)
        self.assertNotIn("doctest", asked)

    def test_a_package_that_the_archive_lacks_is_left_out_by_name(self):
        lacks = {"apt-cache": '[[ $2 == clang-16 ]] || echo "  Candidate: 1.0"'}
        status, output, asked = self.set_up(self.UBUNTU, self.APT | self.SUDO | lacks)
        self.assertEqual(status, 0, output)
        self.assertIn("left out: clang++-16", output)
        self.assertNotIn(" clang-16", "".join(line for line in asked.splitlines() if " install " in line))

    def test_what_the_archive_lacks_is_not_asked_for_again(self):
        tools = {name: text for name, text in self.COMPLETE.items() if name != "clang++-16"}
        lacks = {"apt-cache": '[[ $2 == clang-16 ]] || echo "  Candidate: 1.0"'}
        status, output, asked = self.set_up(self.UBUNTU, tools | self.APT | self.SUDO | lacks, boost=True)
        self.assertEqual((status, asked), (0, ""), output)
        self.assertIn("left out: clang++-16", output)

    def test_no_list_yet(self):
        empty = {"apt-cache": '[[ ! -e "$FOLDER/fresh" ]] || echo "  Candidate: 1.0"',
                 "apt-get": '[[ "$*" != *update* ]] || touch "$FOLDER/fresh"\n' + self.APT["apt-get"]}
        status, output, asked = self.set_up(self.DEBIAN, self.APT | self.SUDO | empty)
        self.assertEqual(status, 0, output)
        self.assertEqual(sum(" update" in line for line in asked.splitlines()), 1, asked)

    def test_a_stale_list_is_renewed_once(self):
        stale = {"apt-get": '[[ "$*" == *update* ]] && touch "$FOLDER/fresh"\n'
                            '[[ "$*" != *install* || -e "$FOLDER/fresh" ]] || exit 100\n' + self.APT["apt-get"]}
        status, output, asked = self.set_up(self.DEBIAN, self.APT | self.SUDO | stale)
        self.assertEqual(status, 0, output)

    def test_no_rights(self):
        status, output, asked = self.set_up(self.DEBIAN, self.APT)
        self.assertEqual(status, 3, output)
        self.assertIn("needs root, or sudo", output)
        for word in ("g++ >= 12", "cmake >= 3.25", "ninja", "Boost >= 1.81", "clang++-16", "doctest"):
            self.assertIn(word, output)
        self.assertEqual(asked, "")

    def test_another_system(self):
        status, output, asked = self.set_up(self.FEDORA, self.APT | self.SUDO)
        self.assertEqual(status, 3, output)
        self.assertIn("this is fedora 40", output)
        self.assertIn("g++ >= 12", output)
        self.assertEqual(asked, "")

    def test_nvrtc_is_fetched_by_python(self):
        fetch = {"no-nvrtc": "", "python3": '[[ $1 != *fetch_nvrtc.py ]] || mkdir -p "$2"'}
        status, output, asked = self.set_up(self.FEDORA, self.COMPLETE | fetch, boost=True)
        self.assertEqual((status, asked), (0, ""), output)
        self.assertIn("build/deps/cuda", output)
        self.assertNotIn("NVRTC >= 12", output)

    def test_nvrtc_can_be_done_without(self):
        fails = {"no-nvrtc": "", "python3": "[[ $1 != *fetch_nvrtc.py ]]"}
        status, output, asked = self.set_up(self.DEBIAN, self.COMPLETE | fails, boost=True)
        self.assertEqual((status, asked), (0, ""), output)
        self.assertIn("could not be downloaded", output)
        self.assertIn("left out: NVRTC >= 12", output)

    def test_wgpu_is_fetched_by_python_and_mesa_installed(self):
        fetch = {"no-wgpu": "", "no-vulkan": "", "python3": '[[ $1 != *fetch_wgpu.py ]] || mkdir -p "$2"'}
        status, output, asked = self.set_up(self.UBUNTU, self.COMPLETE | self.APT | self.SUDO | fetch, boost=True)
        self.assertEqual(status, 0, output)
        self.assertIn("build/deps/wgpu", output)
        self.assertIn(" mesa-vulkan-drivers libvulkan1\n", asked)
        self.assertNotIn("left out: w", output)
        self.assertNotIn("left out: a Vulkan", output)

    def test_the_servers_can_be_done_without(self):
        fails = {"no-peers": "", "python3": '[[ "$*" != *"-m venv"* ]]'}
        status, output, asked = self.set_up(self.FEDORA, self.COMPLETE | fails, boost=True)
        self.assertEqual((status, asked), (0, ""), output)
        self.assertIn("the servers could not be installed", output)
        self.assertEqual(output.count("left out: llama.cpp's server"), 1, output)

    def test_wgpu_can_be_done_without(self):
        fails = {"no-wgpu": "", "no-vulkan": "", "python3": "[[ $1 != *fetch_wgpu.py ]]"}
        status, output, asked = self.set_up(self.FEDORA, self.COMPLETE | fails, boost=True)
        self.assertEqual((status, asked), (0, ""), output)
        self.assertIn("left out: wgpu-native", output)
        self.assertIn("left out: a Vulkan driver", output)

    def test_versions_are_compared(self):
        old = self.COMPLETE | {"g++": "echo 11.4.0", "cmake": "echo cmake version 3.22.1"}
        status, output, asked = self.set_up(self.FEDORA, old)
        self.assertEqual(status, 3, output)
        self.assertIn("g++ >= 12", output)
        self.assertIn("cmake >= 3.25", output)
        self.assertNotIn("clang++-19", output)

    def test_apt_fails(self):
        status, output, asked = self.set_up(
            self.DEBIAN, self.APT | self.SUDO | {"apt-get": "echo E: no room left; exit 100"})
        self.assertEqual(status, 3, output)
        self.assertIn("could not be installed", output)


if __name__ == "__main__":
    unittest.main()
