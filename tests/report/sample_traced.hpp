// SPDX-License-Identifier: BSL-1.0
// A run whose traces are looked at: retries, an error's edge, a limit, and a nested graph.
#pragma once

#include <lkt/core/files.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/graph/run.hpp>

#include <cstdlib>
#include <stop_token>
#include <string>
#include <unistd.h>
#include <utility>

namespace traced {

using namespace lkt::dsl;

struct part {
    int worked = 0;
};
struct state {
    int asked = 0, rounds = 0;
    part tile;
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
inline constexpr auto work = [](part& p) -> lkt::result<void> {
    if (++p.worked == 2) return lkt::error{lkt::condition::exhausted, "t.full", "no more", {}};
    return {};
};
struct inner {
    static constexpr auto graph = lkt::graph<part>(node<work>(limit<9>(stop<tuned>), to(work)));
};
struct sample {
    static constexpr auto tune = focus<&state::tile>(inner{});
    static constexpr auto graph = lkt::graph<state>(
        node<ask>(retrying<lkt::fixed{.attempts = 2, .delay_ms = 5}>(), to(build)),
        node<build>(limit<2>(tune), on<built::ok>(tune), on<built::rejected>(build)),
        node<tune>(on<tuned>(stop<tuned>), on_error<lkt::condition::exhausted>(stop<gave_up>)));
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
