// SPDX-License-Identifier: BSL-1.0
// A run whose traces are looked at: retries, an error's edge, a limit, and branches.
#pragma once

#include <lkt/core/files.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/graph/run.hpp>
#include <lkt/graph/visit_cache.hpp>

#include <cstdlib>
#include <stop_token>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace traced {

using namespace lkt::dsl;

struct part {
    int n = 0;
};
struct state {
    int asked = 0, rounds = 0;
    std::vector<part> parts{{0}, {1}};
    std::vector<lkt::branch_failure> lost;
    lkt::visit_cache<int> seen;
};
enum class built { ok, rejected };
struct tuned {};
struct gave_up {};

inline constexpr auto ask = [](state& s) -> lkt::result<void> {
    if (++s.asked == 1) return lkt::error{lkt::condition::transient, "t.slow", "say \"hi\"\n", {}};
    return {};
};
inline constexpr auto build = [](state& s) -> built {
    ++s.rounds;
    return built::rejected;
};
inline constexpr auto one = [](state const&) { return 1; };
inline constexpr auto work = [](part& p) -> lkt::result<void> {
    if (p.n == 1) return lkt::error{lkt::condition::exhausted, "t.full", "no more", {}};
    return {};
};
struct inner {
    static constexpr auto graph = lkt::graph<part>(node<work>(to(stop<tuned>)));
};
struct sample {
    static constexpr auto each = fan_out_over<&state::parts, 1>(inner{}, failures<&state::lost>());
    static constexpr auto graph = lkt::graph<state>(
        node<ask>(retrying<lkt::fixed{.attempts = 2, .delay_ms = 5}>(), to(build)),
        node<build>(cached<&state::seen>(one),
                    limit<2>(each),
                    on<built::ok>(each),
                    on<built::rejected>(build)),
        node<each>(on<lkt::joined::all>(stop<tuned>),
                   on<lkt::joined::some>(stop<gave_up>),
                   on<lkt::joined::none>(stop<gave_up>)));
};

struct no_wait {
    static bool wait(std::chrono::milliseconds, std::stop_token const&) { return true; }
};

/// Each look at it is a quarter of a second later.
struct quarters {
    int looks = 0;
    lkt::seconds operator()() { return lkt::seconds(0.25 * looks++); }
};

/// A file that is gone in the end.
struct temporary {
    std::string path;
    temporary() {
        std::string name = "/tmp/lkt-trace-XXXXXX";
        int const fd = ::mkstemp(name.data());
        ::close(fd);
        path = name;
    }
    temporary(temporary const&) = delete;
    ~temporary() { ::unlink(path.c_str()); }
    [[nodiscard]] std::string text() const { return lkt::read_text_file(path).value(); }
};

} // namespace traced
