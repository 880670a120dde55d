// SPDX-License-Identifier: BSL-1.0
// Nodes and graphs that several tests share.
#pragma once

#include <lkt/graph/dsl.hpp>

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <vector>

namespace machines {

using namespace lkt::dsl;

struct state {
    int rounds = 0;
    int fixes = 0;
    int max_fixes = 3;
    [[nodiscard]] unsigned max_rounds() const { return 8; }
};

enum class built { ok, rejected };
enum class verdict { correct, wrong, crashed };
struct tuned {};
struct gave_up {};
struct broke {};

inline constexpr auto propose = [](state& s) -> void { ++s.rounds; };
inline constexpr auto build = [](state& s) -> built {
    return s.rounds % 2 == 1 ? built::rejected : built::ok;
};
inline constexpr auto repair = [](state& s) -> void {
    ++s.fixes;
    ++s.rounds;
};
inline constexpr auto verify = [](state& s) -> verdict {
    return s.rounds < 5 ? verdict::wrong : verdict::correct;
};

/// Neither fallible nor in need of tools; runs in constant expressions.
struct refine {
    static constexpr auto graph =
        lkt::graph<state>(node<propose>(limit<8>(stop<gave_up>), to(build)),
                          node<build>(on<built::ok>(verify), on<built::rejected>(repair)),
                          node<repair>(limit<&state::max_fixes>(stop<gave_up>), to(build)),
                          node<verify>(on<verdict::correct>(stop<tuned>),
                                       on<verdict::wrong>(propose),
                                       on<verdict::crashed>(stop<broke>)));
};

/// Fails with the conditions that it is given, in turn; then succeeds. Null: success.
struct script {
    std::vector<lkt::condition const*> failures;
    std::size_t calls = 0;

    lkt::result<void> next() {
        auto const at = calls++;
        if (at >= failures.size() || failures[at] == nullptr) return {};
        return lkt::error{*failures[at], "lkt.test.scripted", "scripted", {}};
    }
};
inline constexpr auto transient = lkt::condition::transient;
inline constexpr auto exhausted = lkt::condition::exhausted;
inline constexpr auto unavailable = lkt::condition::unavailable;

inline constexpr auto ask = [](state& s, auto& tools) -> lkt::result<void> {
    auto r = tools.next();
    if (r) ++s.rounds;
    return r;
};
inline constexpr auto enough = [](state& s) -> built {
    return s.rounds % 3 == 0 ? built::ok : built::rejected;
};

/// Asks until three answers have come.
struct asking {
    static constexpr auto graph =
        lkt::graph<state>(node<ask>(limit<10>(stop<gave_up>), to(enough)),
                          node<enough>(on<built::ok>(stop<tuned>), on<built::rejected>(ask)));
};

struct campaign_state {
    state tile = {};
    int left = 2;
};
enum class queue { more, empty };
struct finished {};
inline constexpr auto next_kernel = [](campaign_state& s) -> queue {
    return s.left-- > 0 ? queue::more : queue::empty;
};

/// A graph nested in a graph, on a part of its state.
struct campaign {
    static constexpr auto tune = focus<&campaign_state::tile>(asking{});
    static constexpr auto graph = lkt::graph<campaign_state>(
        node<next_kernel>(
            limit<64>(stop<finished>), on<queue::more>(tune), on<queue::empty>(stop<finished>)),
        node<tune>(on<tuned>(next_kernel), on<gave_up>(stop<gave_up>)));
};

/// Takes note of the delays and waits for none.
struct noting_waiter {
    std::vector<long long> delays;
    bool wait(std::chrono::milliseconds delay, std::stop_token const& stop) {
        delays.push_back(delay.count());
        return !stop.stop_requested();
    }
};

} // namespace machines
