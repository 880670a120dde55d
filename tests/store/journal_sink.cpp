// SPDX-License-Identifier: BSL-1.0
#include <lkt/store/journal_sink.hpp>

#include <doctest/doctest.h>

#include <lkt/store/journal_file.hpp>
#include <lkt/store/journal_memory.hpp>

namespace {

struct archetype {
    lkt::result<std::string> read() { return std::string(); }
    lkt::result<void> append(std::string_view) { return {}; }
    lkt::result<void> cut(std::uint64_t) { return {}; }
    lkt::result<void> sync() { return {}; }
    [[nodiscard]] std::string name() const { return "nowhere"; }
};
struct without_cut : archetype {
    void cut(std::uint64_t) = delete;
};
struct cannot_fail : archetype {
    void append(std::string_view) {}
};

} // namespace

TEST_CASE("the concept tells sinks from what is none") {
    CHECK(lkt::journal_sink<archetype>);
    CHECK(lkt::journal_sink<lkt::journal_file>);
    CHECK(lkt::journal_sink<lkt::journal_memory>);
    CHECK_FALSE(lkt::journal_sink<without_cut>);
    CHECK_FALSE(lkt::journal_sink<cannot_fail>);
    CHECK_FALSE(lkt::journal_sink<std::string>);
}
