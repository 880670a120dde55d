// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/guards.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace {

lkt::argument_data ints(std::vector<std::int32_t> const& values) {
    return lkt::make_buffer<std::int32_t>({lkt::scalar_type::int32, 1}, values);
}
lkt::mismatch wrong_at(std::vector<bool> const& marks) {
    lkt::mismatch m;
    m.wrong = lkt::element_set(marks.size());
    for (std::size_t k = 0; k < marks.size(); ++k)
        if (marks[k]) m.wrong.mark(k);
    m.count = m.wrong.count();
    return m;
}
using lkt::direction;

} // namespace

TEST_CASE("elements are the same when their bits are") {
    CHECK(lkt::same_element(ints({1, 2}), ints({0, 2}), 1));
    CHECK_FALSE(lkt::same_element(ints({1, 2}), ints({0, 2}), 0));
}

TEST_CASE("what changes with the poison alone was not written") {
    auto const zero = ints({0, 0, 0, 0});
    auto const m = wrong_at({true, false, true, true});
    CHECK(lkt::describe_rerun(m,
                              direction::out,
                              zero,
                              ints({11, 2, 13, 14}),
                              ints({11, 2, 13, 14}),
                              ints({91, 2, 93, 94})) ==
          "every wrong element was not written: it depends on what the buffer held before the "
          "launch");
    CHECK(lkt::describe_rerun(m,
                              direction::out,
                              zero,
                              ints({11, 2, 13, 14}),
                              ints({11, 2, 13, 14}),
                              ints({91, 2, 13, 14})) ==
          "1 of the 3 wrong elements was not written: it depends on what the buffer held before "
          "the launch");
    CHECK(lkt::describe_rerun(m,
                              direction::out,
                              zero,
                              ints({11, 2, 13, 14}),
                              ints({11, 2, 13, 14}),
                              ints({91, 2, 93, 14}))
              .starts_with("2 of the 3 wrong elements were not written: they depend on what"));
    CHECK(lkt::describe_rerun(m,
                              direction::out,
                              zero,
                              ints({11, 2, 13, 14}),
                              ints({11, 2, 13, 14}),
                              ints({11, 2, 13, 14})) == "");
}

TEST_CASE("what changes without the poison depends on the order of threads") {
    CHECK(lkt::describe_rerun(wrong_at({true, true}),
                              direction::out,
                              ints({0, 0}),
                              ints({1, 2}),
                              ints({3, 4}),
                              ints({1, 2})) ==
          "every wrong element differs from one launch to the next on the same inputs: threads "
          "race, or uninitialised memory is read");
}

TEST_CASE("an inout element that keeps its input was not written") {
    CHECK(lkt::describe_rerun(wrong_at({true, true}),
                              direction::inout,
                              ints({1, 7}),
                              ints({1, 2}),
                              ints({1, 2}),
                              ints({1, 2})) == "1 of the 2 wrong elements still holds its input");
}
