# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# Shared by the scripts: where things are, progress, the compiler, and configuring a preset.

lkt_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
lkt_name="scripts/$(basename "$0")"
lkt_started=$SECONDS
lkt_step=0
lkt_steps=0

# step TITLE: a line that says how far we are, and how long it took to get here.
step() {
    lkt_step=$((lkt_step + 1))
    local elapsed=$((SECONDS - lkt_started))
    printf '\n[%d/%d  %02d:%02d] %s\n' \
        "$lkt_step" "$lkt_steps" $((elapsed / 60)) $((elapsed % 60)) "$1"
}

say() { printf '  %s\n' "$*"; }

die() {
    local status=$1
    shift
    printf '%s: %s\n' "$lkt_name" "$*" >&2
    exit "$status"
}

usage_error() {
    die 2 "$* (see $lkt_name --help)"
}

# As many jobs as there are processors, and gigabytes for them: a template-heavy file can take one.
lkt_jobs() {
    local cores memory
    cores=$(nproc 2>/dev/null || echo 2)
    memory=$(awk '/^MemAvailable:/ { print int($2 / 1500000) }' /proc/meminfo 2>/dev/null || echo 2)
    [[ ${memory:-0} -ge 1 ]] || memory=1
    echo $((cores < memory ? cores : memory))
}

# True if version $1 is at least $2.
version_at_least() {
    [[ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" == "$2" ]]
}

# The C++ compiler that the presets dev, release and asan-ubsan are given: $CXX, or a g++ >= 12.
find_compiler() {
    local candidate
    if [[ -n "${CXX:-}" ]]; then
        command -v "$CXX" >/dev/null 2>&1 && echo "$CXX"
        return
    fi
    for candidate in g++ g++-12 g++-13 g++-14 g++-15; do
        if command -v "$candidate" >/dev/null 2>&1 &&
            version_at_least "$("$candidate" -dumpfullversion 2>/dev/null || echo 0)" 12.0; then
            echo "$candidate"
            return
        fi
    done
}

# configure PRESET [CMAKE-ARGUMENT...]: output goes to a log, and is shown if it ends badly.
configure() {
    local preset=$1
    shift
    local folder="$lkt_root/build/$preset"
    local log="$lkt_root/build/log/configure-$preset.log"
    # A build folder that was copied along with the tree belongs to another place.
    if [[ -f "$folder/CMakeCache.txt" ]] &&
        ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$lkt_root" "$folder/CMakeCache.txt"; then
        rm -rf "$folder"
    fi
    mkdir -p "$lkt_root/build/log"
    if ! (cd "$lkt_root" && cmake --preset "$preset" "$@") >"$log" 2>&1; then
        cat "$log"
        return 1
    fi
}

# build PRESET [TARGET...]: goes on after an error, so that one run shows all of them.
build() {
    local preset=$1
    shift
    local targets=()
    [[ $# -eq 0 ]] || targets=(--target "$@")
    NINJA_STATUS='  [%f/%t %es] ' cmake --build "$lkt_root/build/$preset" --parallel "$(lkt_jobs)" \
        "${targets[@]}" -- -k 0
}
