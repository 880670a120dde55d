// SPDX-License-Identifier: BSL-1.0
#include <lkt/process/service.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

lkt::result<lkt::worker_message> twice(lkt::worker_message m) {
    return lkt::worker_message{m.bytes + m.bytes, {}};
}
lkt::service_entry const first{{"test.service.one", 1}, &twice};
lkt::service_entry const second{{"test.service.two", 2}, &twice};

} // namespace

TEST_CASE("an entry is found by its name") {
    auto const* const entry = lkt::find_service("test.service.one");
    REQUIRE(entry == &first);
    CHECK(entry->key().layout == 1);
    CHECK(entry->call()({"ab", {}})->bytes == "abab");
    CHECK(lkt::find_service("test.service.two") == &second);
    CHECK(lkt::find_service("test.service") == nullptr);
}

TEST_CASE("the layout hash is FNV-1a") {
    static_assert(lkt::layout_hash("") == 0xcbf29ce484222325U);
    CHECK(lkt::layout_hash("a") == 0xaf63dc4c8601ec8cU); // from the algorithm's reference
    CHECK(lkt::layout_hash("run 1") != lkt::layout_hash("run 2"));
}
