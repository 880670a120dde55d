// SPDX-License-Identifier: BSL-1.0
#include <lkt/search/search_policy.hpp>

#include <doctest/doctest.h>

#include "conformance.hpp"

namespace {

/// The least that a search policy needs: no default constructor, not movable, three members.
struct archetype {
    explicit archetype(int) {}
    archetype(archetype const&) = delete;
    void start(lkt::search_space const&) {}
    std::optional<lkt::configuration> ask() { return std::nullopt; }
    void tell(lkt::configuration const&, std::optional<lkt::seconds>) {}
};
struct without_start {
    std::optional<lkt::configuration> ask();
    void tell(lkt::configuration const&, std::optional<lkt::seconds>);
};
struct without_ask {
    void start(lkt::search_space const&);
    void tell(lkt::configuration const&, std::optional<lkt::seconds>);
};
struct without_tell {
    void start(lkt::search_space const&);
    std::optional<lkt::configuration> ask();
};
struct changes_the_space {
    void start(lkt::search_space&);
    std::optional<lkt::configuration> ask();
    void tell(lkt::configuration const&, std::optional<lkt::seconds>);
};
struct never_ends { // cannot say that the search is over
    void start(lkt::search_space const&);
    lkt::configuration ask();
    void tell(lkt::configuration const&, std::optional<lkt::seconds>);
};
/// The least that is asked for many.
struct batch_archetype : archetype {
    using archetype::archetype;
    using archetype::ask;
    std::vector<lkt::configuration> ask(std::size_t) { return {}; }
};
struct batch_without_one {
    void start(lkt::search_space const&);
    std::vector<lkt::configuration> ask(std::size_t);
    void tell(lkt::configuration const&, std::optional<lkt::seconds>);
};
struct knows_no_failure {
    void start(lkt::search_space const&);
    std::optional<lkt::configuration> ask();
    void tell(lkt::configuration const&, lkt::seconds);
};

/// A policy of a user's own: backwards, and no further than the first that works.
class last_one_that_works {
public:
    void start(lkt::search_space const& space) {
        left_.clear();
        for (auto cursor = space.configurations(); auto c = cursor.next();) left_.push_back(*c);
    }
    std::optional<lkt::configuration> ask() {
        if (left_.empty()) return std::nullopt;
        auto c = left_.back();
        left_.pop_back();
        return c;
    }
    void tell(lkt::configuration const&, std::optional<lkt::seconds> time) {
        if (time) left_.clear();
    }

private:
    std::vector<lkt::configuration> left_;
};

} // namespace

TEST_CASE("the concept asks for what it says, and for no more") {
    CHECK(lkt::search_policy<archetype>);
    CHECK(lkt::search_policy<last_one_that_works>);
    CHECK_FALSE(lkt::search_policy<without_start>);
    CHECK_FALSE(lkt::search_policy<without_ask>);
    CHECK_FALSE(lkt::search_policy<without_tell>);
    CHECK_FALSE(lkt::search_policy<changes_the_space>);
    CHECK_FALSE(lkt::search_policy<never_ends>);
    CHECK_FALSE(lkt::search_policy<knows_no_failure>);
    CHECK(lkt::batch_search_policy<batch_archetype>);
    CHECK_FALSE(lkt::batch_search_policy<archetype>);
    CHECK_FALSE(lkt::batch_search_policy<batch_without_one>);
    archetype minimal(0);
    minimal.start(test::ordinary_space());
    minimal.tell({}, std::nullopt);
    CHECK(!minimal.ask());
}

TEST_CASE("a user's own policy keeps the laws") {
    test::check_search_policy([] { return last_one_that_works(); });
    last_one_that_works policy;
    auto const all = test::asked(
        policy,
        test::ordinary_space(),
        [](lkt::configuration const& c) -> std::optional<lkt::seconds> {
            if (std::get<std::string>(*c.find("KIND")) == "tiles") return std::nullopt;
            return lkt::seconds{1};
        },
        100);
    CHECK(all.size() == 2);
}
