# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# What a build needs, found or installed. Sourced after common.sh; `lkt_setup build|bench|gpu|test|fuzz` is the door.
#
# Debian 12 and Ubuntu 24.04 are set up by themselves: compilers and tools through apt-get, which may
# remove nothing; Boost, whose -dev packages exclude each other by version, is unpacked into build/deps
# and leaves the system's own alone. NVRTC, which the tests of the CUDA back end compile with, comes from PyPI's wheels
# into build/deps/cuda if there is no CUDA toolkit; so does wgpu-native, for the WebGPU back end, which Mesa's software
# driver runs without a GPU; so do three servers of language models, into build/deps/peers. Those tests say so where it is
# not to be had. Elsewhere, and without the rights, the missing things are listed.
# Nothing is asked of apt or the network when everything is there.

lkt_deps="$lkt_root/build/deps"
lkt_setup_log="$lkt_root/build/log/setup.log"

os_release() {
    # shellcheck disable=SC1091
    (. "${LKT_OS_RELEASE:-/etc/os-release}" 2>/dev/null && printf '%s' "${!1:-}")
}

# --- What is there --------------------------------------------------------------------------------
has_compiler() { [[ -n "$(find_compiler)" ]]; }
has_cmake() {
    command -v cmake >/dev/null 2>&1 &&
        version_at_least "$(cmake --version | awk 'NR == 1 { print $3 }')" 3.25
}
has_ninja() { command -v ninja >/dev/null 2>&1; }
has_strace() { command -v strace >/dev/null 2>&1; }
has_wrk() { command -v wrk >/dev/null 2>&1; }
has_python() {
    command -v python3 >/dev/null 2>&1 &&
        python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null
}
# Where the library looks for it.
has_numpy() {
    local python
    for python in "${LKT_PYTHON:-python3}" /usr/bin/python3; do
        ! command -v "$python" >/dev/null 2>&1 || ! "$python" -c 'import numpy' 2>/dev/null || return 0
    done
    return 1
}
# Looking for it is enough: to import it takes a second.
has_torch() {
    local python
    for python in "${LKT_PYTHON:-python3}" /usr/bin/python3; do
        ! command -v "$python" >/dev/null 2>&1 || ! "$python" - 2>/dev/null <<<'
import importlib.util as u, sys
sys.exit(not (u.find_spec("torch") and u.find_spec("numpy")))' || return 0
    done
    return 1
}
has_openssl() {
    [[ -n "${CXX:-$(find_compiler)}" ]] &&
        "${CXX:-$(find_compiler)}" -x c++ -fsyntax-only - <<<'#include <openssl/ssl.h>' >/dev/null 2>&1
}
has_doctest() { [[ -f /usr/include/doctest/doctest.h || -f /usr/local/include/doctest/doctest.h ]]; }
# Installed is not enough: clang takes the libstdc++ of the newest g++ that it sees a trace of.
has_clang() {
    command -v "clang++-$1" >/dev/null 2>&1 &&
        "clang++-$1" -std=c++20 -x c++ -fsyntax-only - <<<'#include <vector>' >/dev/null 2>&1
}
# clang brings its sanitizers in a package of their own.
has_fuzzer() {
    "clang++-$1" -fsanitize=fuzzer,address,undefined -x c++ -o /dev/null - >/dev/null 2>&1 \
        <<<'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, decltype(sizeof 0)) { return 0; }'
}
has_some_fuzzer() { has_fuzzer 16 || has_fuzzer 19; }
has_clang_16() { has_clang 16; }
has_clang_19() { has_clang 19; }
has_doxygen() { command -v doxygen >/dev/null 2>&1; }
has_format() { command -v clang-format-19 >/dev/null 2>&1; }

# boost_in PREFIX: prints the version if it is new enough and its archives and CMake files are there.
boost_in() {
    local prefix=$1 number library folder
    number=$(awk '$1 == "#define" && $2 == "BOOST_VERSION" { print $3 }' \
        "$prefix/include/boost/version.hpp" 2>/dev/null) || return 1
    [[ -n "$number" && "$number" -ge 108100 ]] || return 1
    for folder in "$prefix"/lib/*-linux-gnu "$prefix/lib64" "$prefix/lib"; do
        [[ -d "$folder/cmake" ]] || continue
        for library in json context container system program_options url; do
            [[ -f "$folder/libboost_$library.a" ]] || continue 2
        done
        compgen -G "$folder/cmake/Boost-*/BoostConfig.cmake" >/dev/null || continue
        echo "$((number / 100000)).$((number / 100 % 1000))"
        return 0
    done
    return 1
}
has_boost() {
    local prefix prefixes
    IFS=':;' read -r -a prefixes <<<"${CMAKE_PREFIX_PATH:-}"
    for prefix in "$lkt_deps/usr" "${prefixes[@]}" /usr/local /usr; do
        [[ -n "$prefix" ]] && boost_in "$prefix" >/dev/null && return 0
    done
    return 1
}

# A libnvrtc.so of CUDA 12 or newer in one of these folders.
nvrtc_in() {
    local folder
    for folder; do
        ! compgen -G "$folder/libnvrtc.so.1[2-9]*" >/dev/null || return 0
    done
    return 1
}
has_nvrtc() {
    local root roots=() site sites
    [[ -z "${LKT_NVRTC:-}" ]] || { [[ -f "$LKT_NVRTC" ]]; return; }
    for root in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda /usr/local/cuda-* /opt/cuda; do
        [[ -z "$root" ]] || roots+=("$root/lib64" "$root/lib" "$root/targets/"*/lib)
    done
    IFS=':' read -r -a sites <<<"${LKT_CUDA_WHEELS:-}"
    for site in "$lkt_deps/cuda" "${sites[@]}"; do
        roots+=("$site"/nvidia/*/lib)
    done
    nvrtc_in "${roots[@]}" && return 0
    command -v ldconfig >/dev/null 2>&1 && ldconfig -p 2>/dev/null | grep -q 'libnvrtc\.so\.1[2-9]'
}

# A HIPRTC, of an installation or of build/deps/rocm.
has_rocm() {
    [[ -z "${LKT_HIP:-}${LKT_HIPRTC:-}" ]] || return 0
    compgen -G "$lkt_deps/rocm/usr/lib/*/libamdhip64.so.*" >/dev/null ||
        compgen -G '/opt/rocm*/lib/libamdhip64.so.*' >/dev/null ||
        compgen -G '/usr/lib/*/libamdhip64.so.*' >/dev/null
}

has_amdgcn() {
    [[ -f "$lkt_deps/amdgcn/usr/include/hip/hip_runtime.h" ]] &&
        compgen -G "$lkt_deps/amdgcn/usr/lib/*/amdgcn/bitcode/ocml.bc" >/dev/null
}

has_venv() { has_python && python3 -c 'import ensurepip' 2>/dev/null; }
# Servers of language models, which the tests of lkt::http talk to.
has_peers() {
    "$lkt_deps/peers/bin/python" - 2>/dev/null <<'END'
import importlib.util, sys
sys.exit(not all(map(importlib.util.find_spec, ["xllamacpp", "gguf", "litellm", "uvicorn", "ollama_proxy"])))
END
}

has_wgpu() { [[ -n "${LKT_WGPU:-}" ]] || [[ -f "$lkt_deps/wgpu/lib/libwgpu_native.so" ]]; }
has_vulkan() {
    command -v ldconfig >/dev/null 2>&1 && ldconfig -p 2>/dev/null | grep 'libvulkan\.so\.1' >/dev/null || return 1
    [[ -n "${VK_DRIVER_FILES:-}${VK_ICD_FILENAMES:-}" ]] ||
        compgen -G '/usr/share/vulkan/icd.d/*.json' >/dev/null || compgen -G '/etc/vulkan/icd.d/*.json' >/dev/null
}

# --- The list: check | what a person calls it | Debian and Ubuntu package | must it be there --------
lkt_needs_build=(
    "compiler|g++ >= 12|g++|yes"
    "cmake|cmake >= 3.25|cmake|yes"
    "ninja|ninja|ninja-build|yes"
    "openssl|OpenSSL >= 3 with headers, for models behind HTTP|libssl-dev|no"
    "boost|Boost >= 1.81: headers, json, context, container, system, program_options, url (static)|(build/deps)|yes"
)
lkt_needs_python="python|python3 >= 3.9|python3|yes"
lkt_needs_bench=(
    "${lkt_needs_build[@]}"
    "$lkt_needs_python"
    "wrk|wrk, which benchmarks/http compares with|wrk|no"
)
lkt_needs_gpu=(
    "${lkt_needs_build[@]}"
    "$lkt_needs_python"
    "doctest|doctest >= 2.4 (doctest/doctest.h)|doctest-dev|yes"
    "nvrtc|NVRTC >= 12: a CUDA toolkit, or its wheels from PyPI (95 MB)|(build/deps/cuda)|no"
    "rocm|HIPRTC, of ROCm, or Debian's packages of it (19 MB)|(build/deps/rocm)|no"
    "wgpu|wgpu-native v29: its wheel from PyPI (4 MB)|(build/deps/wgpu)|no"
    "vulkan|a Vulkan driver, if need be Mesa's for the processor|mesa-vulkan-drivers libvulkan1|no"
)
lkt_needs_test=(
    "${lkt_needs_gpu[@]}"
    "strace|strace, which shows what a confined compiler opens|strace|no"
    "clang_16|clang++-16|clang-16|no"
    "clang_19|clang++-19|clang-19|no"
    "amdgcn|HIP's headers and AMD's device libraries, with which clang 19 compiles for more GPUs than HIPRTC: Debian's packages (0.7 MB)|(build/deps/amdgcn)|no"
    "format|clang-format-19|clang-format-19|no"
    "doxygen|Doxygen, for the reference of options|doxygen|no"
    "numpy|NumPy, for tests of oracles in Python|python3-numpy|no"
    "torch|PyTorch, for tests of operations and modules: Debian's packages (143 MB)|python3-torch|no"
    "venv|Python's venv, for the next|python3-venv|no"
    "peers|llama.cpp's server, litellm's and an Ollama-compatible proxy: wheels of PyPI (850 MB)|(build/deps/peers)|no"
)

lkt_needs_fuzz=(
    "${lkt_needs_build[@]}"
    "$lkt_needs_python"
    "doctest|doctest >= 2.4 (doctest/doctest.h)|doctest-dev|yes"
    "some_fuzzer|clang 16 or 19 with libFuzzer and sanitizers|clang-16 libclang-rt-16-dev|yes"
)

# --- Making it so ---------------------------------------------------------------------------------
as_root() {
    if [[ $EUID -eq 0 ]]; then "$@"; else sudo "$@"; fi
}
may_be_root() {
    [[ $EUID -eq 0 ]] && return 0
    command -v sudo >/dev/null 2>&1 || return 1
    # A password can be asked for where somebody is there to type it.
    sudo -n true >/dev/null 2>&1 || [[ -t 0 ]]
}

apt() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q \
        -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" </dev/null
}
# Everything into the log, and a line a package for whoever waits.
apt_shown() {
    apt "$@" 2>&1 | tee -a "$lkt_setup_log" | sed -nuE 's/^(Need to get|Setting up|E: )/  \1/p'
}
lkt_updated=no
apt_update() {
    [[ $lkt_updated == no ]] || return 0
    lkt_updated=yes
    say "apt-get update"
    apt update >>"$lkt_setup_log" 2>&1
}
has_candidate() {
    local candidate
    candidate=$(apt-cache policy "$1" 2>/dev/null | awk '$1 == "Candidate:" { print $2 }')
    [[ -n "$candidate" && "$candidate" != "(none)" ]]
}

# The packages of the Boost that this system offers at 1.81 or newer, and its version.
boost_packages() {
    local version=$1 library
    echo "libboost$version-dev"
    for library in json context container system program-options url; do
        echo "libboost-$library$version-dev"
    done
}
unpack_boost() {
    local version packages=() fresh="$lkt_deps.fresh"
    case "$(os_release ID)" in
        debian) version=1.81 ;;
        *) version=1.83 ;;
    esac
    mapfile -t packages < <(boost_packages "$version")
    if ! has_candidate "${packages[0]}"; then
        may_be_root && apt_update
    fi
    say "Boost $version: unpacking ${#packages[@]} packages into build/deps"
    rm -rf "$fresh"
    mkdir -p "$fresh/debs"
    # Downloading needs no rights; apt's own warning about a folder that its user cannot enter is moot.
    if ! (cd "$fresh/debs" && apt-get -q -o APT::Sandbox::User=root download "${packages[@]}" \
        </dev/null) >>"$lkt_setup_log" 2>&1; then
        tail -n 5 "$lkt_setup_log" >&2
        return 1
    fi
    local archive
    for archive in "$fresh"/debs/*.deb; do
        dpkg -x "$archive" "$fresh" || return 1
    done
    # There are archives only: whoever asks CMake for Boost is not to be sent to libraries that are not here.
    find "$fresh/usr/lib" -name '*-variant-shared.cmake' -delete
    find "$fresh/usr/lib" -xtype l -delete
    rm -rf "$fresh/debs" "$fresh/usr/share" "$lkt_deps/usr"
    mkdir -p "$lkt_deps"
    mv "$fresh/usr" "$lkt_deps/usr"
    # So that the folder is a prefix for CMake, as it stands.
    ln -sfn usr/lib "$lkt_deps/lib"
    ln -sfn usr/include "$lkt_deps/include"
    rm -rf "$fresh"
}

fetch_nvrtc() {
    has_python || return 1
    say "NVRTC: unpacking wheels of PyPI into build/deps/cuda"
    python3 "$lkt_root/scripts/lib/fetch_nvrtc.py" "$lkt_deps/cuda" </dev/null >>"$lkt_setup_log" 2>&1
}

fetch_wgpu() {
    has_python || return 1
    say "wgpu-native: unpacking a wheel of PyPI into build/deps/wgpu"
    python3 "$lkt_root/scripts/lib/fetch_wgpu.py" "$lkt_deps/wgpu" </dev/null >>"$lkt_setup_log" 2>&1
}

fetch_rocm() {
    local fresh=$lkt_deps/rocm.fresh package
    local packages=(libamdhip64-5 libhiprtc-builtins5 libamd-comgr2 libhsa-runtime64-1 libhsakmt1)
    command -v apt-get >/dev/null 2>&1 && command -v dpkg >/dev/null 2>&1 || return 1
    say "HIPRTC: unpacking Debian's packages into build/deps/rocm"
    rm -rf "$fresh"
    mkdir -p "$fresh"
    (
        cd "$fresh"
        apt-get download "${packages[@]}" </dev/null >>"$lkt_setup_log" 2>&1 || exit 1
        for package in *.deb; do dpkg -x "$package" . || exit 1; done
        rm -f ./*.deb
        # What these need themselves is there where Mesa is; otherwise they are of no use.
        for package in usr/lib/*/libamd*.so.*; do
            ! LD_LIBRARY_PATH=$(dirname "$package") ldd "$package" | grep 'not found' || exit 1
        done >>"$lkt_setup_log" 2>&1
    ) || {
        rm -rf "$fresh"
        return 1
    }
    rm -rf "$lkt_deps/rocm"
    mv "$fresh" "$lkt_deps/rocm"
}

fetch_amdgcn() {
    local fresh=$lkt_deps/amdgcn.fresh package
    command -v apt-get >/dev/null 2>&1 && command -v dpkg >/dev/null 2>&1 || return 1
    say "HIP's headers and AMD's device libraries: unpacking Debian's packages into build/deps/amdgcn"
    rm -rf "$fresh"
    mkdir -p "$fresh"
    (
        cd "$fresh"
        apt-get download libamdhip64-dev rocm-device-libs </dev/null >>"$lkt_setup_log" 2>&1 || exit 1
        for package in *.deb; do dpkg -x "$package" . || exit 1; done
        rm -f ./*.deb
    ) || {
        rm -rf "$fresh"
        return 1
    }
    rm -rf "$lkt_deps/amdgcn"
    mv "$fresh" "$lkt_deps/amdgcn"
}

fetch_peers() {
    has_venv || return 1
    say "llama.cpp's server, litellm's and an Ollama-compatible proxy: wheels of PyPI into build/deps/peers"
    rm -rf "$lkt_deps/peers"
    python3 -m venv "$lkt_deps/peers" </dev/null >>"$lkt_setup_log" 2>&1 &&
        "$lkt_deps/peers/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary=:all: \
            --requirement "$lkt_root/scripts/lib/peers.txt" </dev/null >>"$lkt_setup_log" 2>&1
}

# Prints the entries of list $1 whose check fails.
missing_of() {
    local -n needs=$1
    local need
    for need in "${needs[@]}"; do
        "has_${need%%|*}" || printf '%s\n' "$need"
    done
}

list_missing() {
    local reason=$1 need what package
    shift
    {
        printf '%s: these are missing, and %s:\n' "$lkt_name" "$reason"
        for need in "$@"; do
            IFS='|' read -r _ what package _ <<<"$need"
            [[ $package != "(build/deps)" ]] || package="libboost1.81-dev and -json, -context, ... or newer"
            [[ $package != "(build/deps/cuda)" ]] || package="nvidia-cuda-toolkit; not needed without"
            [[ $package != "(build/deps/rocm)" ]] || package="libamdhip64-5; not needed without"
            [[ $package != "(build/deps/wgpu)" ]] || package="none; not needed without"
            [[ $package != "(build/deps/peers)" ]] || package="none; not needed without"
            printf '  %-28s  on Debian and Ubuntu: %s\n' "$what" "$package"
        done
        printf 'Install them, and run %s again. A Boost elsewhere: CMAKE_PREFIX_PATH=/its/prefix\n' "$lkt_name"
    } >&2
    exit 3
}

# Waits for what lkt_setup left running. To be called before tests are.
lkt_fetching= lkt_fetched=
lkt_setup_end() {
    [[ -z $lkt_fetching ]] || wait "$lkt_fetching" || {
        say "the servers could not be installed; the words of pip are in build/log/setup.log"
        lkt_skipped+=("$lkt_fetched is not to be had here")
    }
    lkt_fetching=
}

# lkt_setup build|bench|gpu|test|fuzz. Fills lkt_skipped with what is not to be had here and can be done without.
lkt_skipped=()
lkt_setup() {
    local list="lkt_needs_$1" missing=() required=() packages=() need check what package must
    mkdir -p "$lkt_root/build/log"
    mapfile -t missing < <(missing_of "$list")
    if [[ ${#missing[@]} -eq 0 ]]; then
        say "everything is there"
        return 0
    fi

    local system
    system="$(os_release ID) $(os_release VERSION_ID)"
    for need in "${missing[@]}"; do
        [[ ${need##*|} == yes ]] && required+=("$need")
    done
    case "$system" in
        "debian 12" | "ubuntu 24.04") ;;
        *)
            [[ ${#required[@]} -eq 0 ]] ||
                list_missing "only Debian 12 and Ubuntu 24.04 are set up by this script (this is ${system:-unknown})" \
                    "${missing[@]}"
            ;;
    esac

    for need in "${missing[@]}"; do
        IFS='|' read -r check what package must <<<"$need"
        # One entry may take several packages.
        # shellcheck disable=SC2206
        [[ $package == \(* ]] || packages+=($package)
    done
    if [[ ${#packages[@]} -gt 0 && "$system" =~ ^(debian 12|ubuntu 24\.04)$ ]]; then
        if may_be_root; then
            # A list that knows g++ and not one of these is a list of a system that does not have it.
            has_candidate g++ || apt_update || true
            local known=()
            for package in "${packages[@]}"; do
                # What no archive offers is missed below, by name.
                ! has_candidate "$package" || known+=("$package")
            done
            if [[ ${#known[@]} -gt 0 ]]; then
                say "installing: ${known[*]}"
                if ! apt_shown install -y --no-install-recommends --no-remove "${known[@]}"; then
                    apt_update || true
                    apt_shown install -y --no-install-recommends --no-remove "${known[@]}" ||
                        say "apt-get did not succeed; its words are in build/log/setup.log"
                fi
            fi
        elif [[ ${#required[@]} -gt 1 || "${required[0]:-}" != boost* ]]; then
            [[ ${#required[@]} -eq 0 ]] ||
                list_missing "installing them needs root, or sudo" "${missing[@]}"
        fi
        hash -r
    fi
    if ! has_boost; then
        unpack_boost || say "Boost could not be downloaded; the words of apt-get are in build/log/setup.log"
    fi

    if [[ "$(missing_of "$list")" == *"nvrtc|"* ]]; then
        fetch_nvrtc || say "NVRTC could not be downloaded; the words of pip are in build/log/setup.log"
    fi

    if [[ "$(missing_of "$list")" == *"rocm|"* ]]; then
        fetch_rocm || say "HIPRTC could not be downloaded; the words of apt-get are in build/log/setup.log"
    fi

    if [[ "$(missing_of "$list")" == *"amdgcn|"* ]]; then
        fetch_amdgcn ||
            say "AMD's device libraries could not be downloaded; the words of apt-get are in build/log/setup.log"
    fi

    if [[ "$(missing_of "$list")" == *"wgpu|"* ]]; then
        fetch_wgpu || say "wgpu-native could not be downloaded; the words of pip are in build/log/setup.log"
    fi

    mapfile -t missing < <(missing_of "$list")
    required=()
    for need in "${missing[@]}"; do
        IFS='|' read -r check what package must <<<"$need"
        if [[ $check == peers ]]; then
            lkt_fetched=$what
        elif [[ $must == yes ]]; then
            required+=("$need")
        else
            lkt_skipped+=("$what is not to be had here")
        fi
    done
    [[ ${#required[@]} -eq 0 ]] || list_missing "could not be installed" "${required[@]}"
    if [[ -n $lkt_fetched ]]; then
        # Only tests need them, so they are fetched while other things are built. Ctrl-C ends that, too.
        (
            trap - INT
            fetch_peers
        ) &
        lkt_fetching=$!
    fi
}
