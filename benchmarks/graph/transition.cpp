// SPDX-License-Identifier: BSL-1.0
// What a transition costs, against a switch loop written by hand that calls the same nodes, keeps
// the same counter and polls the same token. Both run in turn, nine times; the medians count.
#include <lkt/graph/dsl.hpp>
#include <lkt/graph/run.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stop_token>

namespace {

using namespace lkt::dsl;

struct counters {
    std::uint32_t rounds = 0, rounds_wanted = 0, random = 1;
};
enum class side { left, right };
struct done {};
struct too_many {};

constexpr std::int64_t max_rounds = 2'000'000'000;

inline constexpr auto advance = [](counters& s) {
    ++s.rounds;
    s.random = s.random * 1664525u + 1013904223u;
};
inline constexpr auto choose = [](counters& s) {
    return (s.random & 0x10000u) != 0 ? side::left : side::right;
};
inline constexpr auto stir = [](counters& s) { s.random ^= 0x55u; };
inline constexpr auto check = [](counters& s) {
    return s.rounds < s.rounds_wanted ? side::left : side::right;
};

struct machine {
    static constexpr auto graph =
        lkt::graph<counters>(node<advance>(limit<max_rounds>(stop<too_many>), to(choose)),
                             node<choose>(on<side::left>(stir), on<side::right>(check)),
                             node<stir>(to(check)),
                             node<check>(on<side::left>(advance), on<side::right>(stop<done>)));
};

[[gnu::noinline]] int by_hand(counters& s, std::stop_token const& token) {
    int at = 0;
    std::int64_t visits = 0;
    for (;;) {
        if (token.stop_requested()) return 2;
        switch (at) {
        case 0:
            if (visits >= max_rounds) return 1;
            advance(s);
            ++visits;
            at = 1;
            break;
        case 1:
            at = choose(s) == side::left ? 2 : 3;
            break;
        case 2:
            stir(s);
            at = 3;
            break;
        case 3:
            if (check(s) == side::right) return 0;
            at = 0;
            break;
        default:
            return 3;
        }
    }
}

[[gnu::noinline]] int by_graph(counters& s, std::stop_token const& token) {
    auto const end = lkt::run<machine>(s, token);
    return end.has_value() ? static_cast<int>(end->index()) : 2;
}

/// Nanoseconds a transition, of which a round has three and a half.
template <class Loop>
double measure(Loop loop, std::stop_token const& token, std::uint32_t rounds) {
    counters s{.rounds_wanted = rounds};
    auto const start = std::chrono::steady_clock::now();
    loop(s, token);
    std::chrono::duration<double, std::nano> const spent = std::chrono::steady_clock::now() - start;
    if (s.rounds != rounds) std::abort();
    return spent.count() / (3.5 * rounds);
}

} // namespace

int main() {
    constexpr std::uint32_t rounds = 10'000'000;
    std::stop_source source;
    auto const token = source.get_token();
    std::array<double, 9> hand{}, graph{};
    for (std::size_t i = 0; i < hand.size(); ++i) {
        hand[i] = measure(by_hand, token, rounds);
        graph[i] = measure(by_graph, token, rounds);
    }
    std::sort(hand.begin(), hand.end());
    std::sort(graph.begin(), graph.end());
    std::printf("switch by hand  %.2f ns a transition (%.2f to %.2f)\n", hand[4], hand[0], hand[8]);
    std::printf(
        "lkt::run        %.2f ns a transition (%.2f to %.2f)\n", graph[4], graph[0], graph[8]);
    std::printf("figure transition_ns %.3f ns\n", graph[4]);
    std::printf("figure transition_ratio %.3f x\n", graph[4] / hand[4]);
}
