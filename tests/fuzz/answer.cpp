// SPDX-License-Identifier: BSL-1.0
// Any text as the answer that a struct is read from.
#include "support/property.hpp"

#include <lkt/llm/from_json.hpp>

#include <cmath>

namespace {

using lkt_fuzz::require;

enum class shade { dark, light, auto_ };
enum spread { narrow = -4, wide = 100 };

} // namespace

template <>
inline constexpr auto lkt::enum_names<spread> =
    std::array{lkt::named{narrow, "narrow"}, lkt::named{wide, "wide"}};

namespace {

struct leaf {
    std::string name;
    std::int8_t small = 1;
    std::uint64_t large{};
    float share{};
    using state_fields = lkt::fields<&leaf::name, &leaf::small, &leaf::large, &leaf::share>;
    static constexpr auto notes = lkt::notes(lkt::note<&leaf::name>("", lkt::length{1, 8}),
                                             lkt::note<&leaf::small>("", lkt::range{-100, 50}),
                                             lkt::note<&leaf::share>("", lkt::range{0, 1}));
};
struct branch {
    std::optional<shade> tone;
    std::vector<leaf> leaves;
    using state_fields = lkt::fields<&branch::tone, &branch::leaves>;
    static constexpr auto notes = lkt::notes(lkt::note<&branch::leaves>("", lkt::items{1, 3}));
};
struct tree {
    std::variant<leaf, branch> first;
    std::map<std::string, std::vector<std::int64_t>> sizes;
    std::array<std::optional<bool>, 2> flags;
    std::vector<bool> bits;
    spread width = narrow;
    double number{};
    using state_fields = lkt::
        fields<&tree::first, &tree::sizes, &tree::flags, &tree::bits, &tree::width, &tree::number>;
    static constexpr auto notes =
        lkt::notes(lkt::note<&tree::sizes>("", lkt::items{0, 2}, lkt::range{.min = 0}),
                   lkt::note<&tree::bits>("", lkt::items{.max = 4}));
};

void check(leaf const& one, std::string_view text) {
    auto const characters = std::count_if(one.name.begin(), one.name.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    });
    require(characters >= 1 && characters <= 8, "a text is as long as it may be", text);
    require(one.small >= -100 && one.small <= 50, "a whole number is in range", text);
    require(one.share >= 0 && one.share <= 1, "a number is in range", text);
}

void check(branch const& one, std::string_view text) {
    require(
        one.leaves.size() >= 1 && one.leaves.size() <= 3, "a list is as long as it may be", text);
    require(!one.tone || *one.tone <= shade::auto_, "an enum has an enumerator", text);
    for (leaf const& each : one.leaves) check(each, text);
}

void check(tree const& one, std::string_view text) {
    std::visit([&](auto const& first) { check(first, text); }, one.first);
    require(one.sizes.size() <= 2, "a map is as large as it may be", text);
    for (auto const& [key, values] : one.sizes)
        for (std::int64_t const value : values) require(value >= 0, "each one is in range", text);
    require(one.bits.size() <= 4, "a list of bits is as long as it may be", text);
    require(one.width == narrow || one.width == wide, "an enum has one of its names", text);
    require(std::isfinite(one.number), "a number is finite", text);
}

} // namespace

lkt_fuzz::target const here("answer", [](std::uint8_t const* data, std::size_t size) {
    auto const text = lkt_fuzz::text_of(data, size);
    auto const strict = lkt::read_answer<tree>(text);
    auto const lenient =
        lkt::read_answer<tree>(text, {.unknown_members = true, .near_misses = true});
    for (auto const* read : {&strict, &lenient}) {
        if (*read) {
            check(**read, text);
            continue;
        }
        lkt_fuzz::require_error(read->error());
        require(read->error().code == "lkt.answer.invalid", "the code is documented", text);
        require(read->error().message.size() < 8000, "a message is bounded", text);
    }
    require(!strict || lenient, "what passes the strict reader passes the lenient one", text);
    return 0;
});
