// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/step_list.hpp>

#include <doctest/doctest.h>

#include <lkt/nodes/detail/default_step_table.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using list = std::vector<lkt::optimization_step>;

lkt::optimization_step step(std::string id, std::vector<std::string> depends_on = {}) {
    lkt::optimization_step s;
    s.id = std::move(id);
    s.prompt = "Do it.";
    s.depends_on = std::move(depends_on);
    return s;
}

/// A list of one whose parameter is `p`.
list with(lkt::step_parameter p) {
    list l{step("a")};
    l[0].tune_params.push_back(std::move(p));
    return l;
}
std::int64_t operator""_v(unsigned long long v) { return static_cast<std::int64_t>(v); }

/// The same function in a constant expression, on another type of list.
template <std::size_t N>
constexpr lkt::step_fault fault_of(std::array<lkt::detail::constant_step, N> const& l) {
    return lkt::find_step_defect(l).kind;
}
constexpr lkt::detail::constant_step a{"a", "Do it."}, b{"b", "Do it.", {}, {"a"}};
constexpr lkt::detail::constant_step a_after_b{"a", "Do it.", {}, {"b"}};
constexpr lkt::detail::constant_step no_neutral{"c", "Do it.", {{"X", {2, 4}, 1}}};
static_assert(fault_of(std::array{a, b}) == lkt::step_fault::none);
static_assert(fault_of(std::array<lkt::detail::constant_step, 0>{}) == lkt::step_fault::no_steps);
static_assert(fault_of(std::array{a, a}) == lkt::step_fault::duplicate_id);
static_assert(fault_of(std::array{a_after_b, b}) == lkt::step_fault::cycle);
static_assert(fault_of(std::array{a, no_neutral}) == lkt::step_fault::not_neutral);

} // namespace

TEST_CASE("What is wrong with a list is found, with the offending part") {
    auto const refused =
        [](list const& l, lkt::step_fault kind, std::string const& offending_part) {
            auto const defect = lkt::find_step_defect(l);
            CHECK(defect.kind == kind);
            auto const checked = lkt::check_steps(l);
            REQUIRE(checked.has_error());
            CHECK(checked.error().code == "lkt.strategies.steps");
            CHECK_FALSE(checked.error().hint.empty());
            CHECK_MESSAGE(checked.error().message.find(offending_part) != std::string::npos,
                          checked.error().message);
        };
    using enum lkt::step_fault;
    refused({}, no_steps, "empty");
    refused({step("a"), step("")}, no_id, "step 2");
    refused({step("a"), step("b"), step("a")}, duplicate_id, "`a`");
    list silent{step("a")};
    silent[0].prompt = " \n";
    refused(silent, no_prompt, "`a`");
    list old{step("a")};
    old[0].prompt = "Optimise ${kernel}.";
    refused(old, placeholder, "`a`");
    refused({step("a", {"c"}), step("b")}, unknown_dependency, "`c`");
    refused({step("a", {"a"})}, cycle, "`a`");
    refused({step("x"), step("a", {"x", "c"}), step("b", {"a"}), step("c", {"b"})}, cycle, "`a`");
    refused(with({"1X", {1_v}, {}}), bad_name, "`1X`");
    refused(with({"", {1_v}, {}}), bad_name, "is not an identifier");
    refused(with({"X", {}, {}}), no_values, "`X`");
    refused(with({"X", {1_v, 2_v, 1_v}, {}}), duplicate_value, "`X`");
    refused(with({"X", {2_v, 4_v}, 1_v}), not_neutral, "`X`");
    refused(with({"X", {2_v, 1_v}, 1_v}), not_neutral, "`X`"); // the default has to be neutral
    auto twice = with({"X", {1_v}, {}});
    twice[0].tune_params.push_back(twice[0].tune_params[0]);
    refused(twice, bad_name, "`X`");
}

TEST_CASE("A sound list passes, in whatever order its dependencies are") {
    list l{step("c", {"a", "b"}), step("b", {"a"}), step("a")};
    l[0].tune_params = {{"X", {1_v, 2_v}, 1_v}, {"Y", {16_v}, {}}};
    CHECK(lkt::check_steps(l).has_value());
}

TEST_CASE("A request names the step, its own parameters and what the kernel lacks") {
    auto s = step("wide");
    s.tune_params = {{"WIDTH", {1_v, 2_v, 4_v}, 1_v}, {"BLOCK", {32_v}, {}}};
    std::string const text = lkt::step_request(s);
    CHECK(text.starts_with("wide: Do it.\n"));
    CHECK(text.find("- `WIDTH`: 1, 2, 4; with 1 the kernel does what it does without") !=
          std::string::npos);
    CHECK(text.ends_with("- `BLOCK`: 32"));
    CHECK(lkt::step_request(step("a")) == "a: Do it.");
    std::vector<std::string> const lacking{"b (failed)"};
    CHECK(lkt::step_request(step("a"), lacking).ends_with("as well:\n- b (failed)"));
}
