// SPDX-License-Identifier: BSL-1.0
// What saving a run costs: transitions a second with a state of 100 KB of which 1 KB changes, in a
// file with the default policy; and resuming from a journal of 10,000 such transitions.
#include <lkt/graph/dsl.hpp>
#include <lkt/graph/run.hpp>
#include <lkt/store/checkpoint.hpp>
#include <lkt/store/journal_file.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace lkt::dsl;

constexpr std::int64_t transitions = 10'000;

/// Something like a history: texts and times.
struct entry {
    std::string reply;
    std::vector<double> samples;
};
struct work {
    std::int64_t round = 0;
    std::vector<entry> history;
    std::string scratch;

    using state_fields = lkt::fields<&work::round, &work::history, &work::scratch>;
};
struct done {};

/// Overwrites 1 KB in the middle.
inline constexpr auto change = [](work& w) {
    auto& at = w.history[w.history.size() / 2].reply;
    std::fill_n(at.begin(), 1000, static_cast<char>('a' + ++w.round % 26));
};
struct machine {
    static constexpr auto graph =
        lkt::graph<work>(node<change>(limit<transitions>(stop<done>), to(change)));
};

work large() {
    work w;
    for (int i = 0; i < 60; ++i)
        w.history.push_back({std::string(1500, 'x'), std::vector<double>(16, 1e-3 * i)});
    return w;
}

template <class T>
T value_or_exit(lkt::result<T> r) {
    if (r) return std::move(*r);
    std::fprintf(stderr, "%s\n", to_string(r.error()).c_str());
    std::exit(1);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

int main() {
    constexpr int rounds = 5;
    std::array<double, rounds> saving{}, resuming{};
    auto const folder = std::filesystem::temp_directory_path() / "lkt-bench-journal";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    auto const path = (folder / "run.journal").string();
    std::size_t state_bytes = 0;
    for (std::size_t r = 0; r < rounds; ++r) {
        std::filesystem::remove(path);
        {
            auto file = value_or_exit(lkt::journal_file::open(path));
            auto journal = value_or_exit(lkt::journal::over(file));
            lkt::checkpoint checkpoint(journal);
            work w = large();
            state_bytes = lkt::encoded(w).size();
            auto const start = std::chrono::steady_clock::now();
            (void)value_or_exit(lkt::run<machine>(w, checkpoint));
            saving[r] = seconds_since(start);
        }
        auto const start = std::chrono::steady_clock::now();
        auto file = value_or_exit(lkt::journal_file::open(path));
        auto journal = value_or_exit(lkt::journal::over(file));
        work w;
        lkt::cursor<machine> at;
        if (!value_or_exit(lkt::resume<machine>(journal, w, at)) || w.round != transitions) {
            std::fprintf(stderr, "the journal lost something\n");
            return 1;
        }
        resuming[r] = seconds_since(start);
    }
    auto const bytes = static_cast<double>(std::filesystem::file_size(path));
    std::filesystem::remove_all(folder);
    std::sort(saving.begin(), saving.end());
    std::sort(resuming.begin(), resuming.end());
    std::printf("figure journal_state %.1f KB\n", static_cast<double>(state_bytes) / 1e3);
    std::printf("figure journal_checkpoints %.0f 1/s\n", transitions / saving[rounds / 2]);
    std::printf("figure journal_bytes_per_checkpoint %.0f B\n", bytes / transitions);
    std::printf("figure journal_resume %.4f s\n", resuming[rounds / 2]);
    // The bars of the library: 10,000 a second, 0.2 s.
    return transitions / saving[rounds / 2] < 10'000 || resuming[rounds / 2] > 0.2 ? 1 : 0;
}
