// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/tensor_map.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using numbers = std::vector<std::uint64_t>;

std::string fault_in(std::string const& text) {
    auto const map = lkt::tensor_map::parse(text);
    if (map) return {};
    CHECK(map.error().code == "lkt.kernel.tensor-map");
    return map.error().message;
}
bool has(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

lkt::expression_scope const scope{{{"M", std::int64_t{100}},
                                   {"K", std::int64_t{64}},
                                   {"lda", std::int64_t{72}},
                                   {"BK", std::int64_t{32}}},
                                  {}};
/// Over a buffer of `elements` elements.
std::variant<lkt::tensor_layout, std::string> layout(std::string const& text,
                                                     std::uint64_t elements = 6400,
                                                     lkt::value_type type = {
                                                         lkt::scalar_type::float16, 1}) {
    return layout_of(lkt::tensor_map::parse(text).value(), type, elements * type.bytes(), scope);
}
std::string why(std::string const& text,
                std::uint64_t elements = 6400,
                lkt::value_type type = {lkt::scalar_type::float16, 1}) {
    auto const made = layout(text, elements, type);
    auto const* const fault = std::get_if<std::string>(&made);
    return fault == nullptr ? "" : *fault;
}

} // namespace

TEST_CASE("tensor maps: a line is read, and is the same when it is written") {
    auto const map = lkt::tensor_map::parse(
        "  A_map=A[ M ][K // 2], swizzle 128B, box [128] [BK], stride [lda], if K % 8 == 0 ");
    REQUIRE(map.has_value());
    CHECK(map->name == "A_map");
    CHECK(map->buffer == "A");
    CHECK(map->extent.size() == 2);
    CHECK(map->swizzle == 128);
    CHECK(map->condition.has_value());
    CHECK(map->expressions().size() == 6);
    auto const text =
        "A_map = A[M][K // 2], stride [lda], box [128][BK], swizzle 128B, if K % 8 == 0";
    CHECK(to_string(*map) == text);
    CHECK(lkt::tensor_map::parse(text).value() == *map);
    CHECK(lkt::tensor_map::parse("m = A[2 if K in [1, 2] else 3], box [8], swizzle none")
              .value()
              .extent.at(0)
              .text() == "2 if K in [1, 2] else 3");
}

TEST_CASE("tensor maps: what is wrong with a line is said") {
    CHECK(has(fault_in("A_map A[M], box [1]"), "`=` and a buffer"));
    CHECK(has(fault_in("2 = A[M], box [1]"), "`2` is not a name"));
    CHECK(has(fault_in("m = [M], box [1]"), "`` is not a name"));
    CHECK(has(fault_in("m = A, box [1]"), "an extent in brackets is missing"));
    CHECK(has(fault_in("m = A[M, box [1]"), "a bracket is not closed"));
    CHECK(has(fault_in("m = A[M +], box [1]"), "m = A[M +]"));
    CHECK(has(fault_in("m = A[M]"), "the box is missing"));
    CHECK(has(fault_in("m = A[M][K], box [1]"), "the box has 1 dimensions, the buffer 2"));
    CHECK(has(fault_in("m = A[M], box [1], stride [4]"), "there are 1 strides for 1 dimensions"));
    CHECK(has(fault_in("m = A[1][1][1][1][1][1], box [1][1][1][1][1][1]"), "6 dimensions"));
    CHECK(has(fault_in("m = A[M], box [1], swizzle 256B"), "32B, 64B, 128B or none, not `256B`"));
    CHECK(has(fault_in("m = A[M], box [1], box [2]"), "`box` is said twice"));
    CHECK(has(fault_in("m = A[M], box [1], fill nan"), "but no `fill`"));
    CHECK(has(fault_in("m = A[M], box [1] junk"), "nothing can be made of `junk`"));
    CHECK(has(fault_in(""), "`` is not a name") == false); // the missing `=` comes first
    CHECK(!fault_in("").empty());
    CHECK(!fault_in(std::string(100'000, '[')).empty());
    CHECK(!fault_in("m = A" + std::string(100'000, '[')).empty());
}

TEST_CASE("tensor maps: the driver's numbers, the last dimension first") {
    auto const made = layout("m = A[M][K], box [64][BK], swizzle 64B");
    auto const& l = std::get<lkt::tensor_layout>(made);
    CHECK(l.type == lkt::scalar_type::float16);
    CHECK(l.extent == numbers{64, 100});
    CHECK(l.stride == numbers{128});
    CHECK(l.box == std::vector<std::uint32_t>{32, 64});
    CHECK(l.swizzle == 64);
    auto const deep = layout("m = A[2][10][K], box [1][10][64]");
    CHECK(std::get<lkt::tensor_layout>(deep).stride == numbers{128, 1280});
    auto const wide = layout("m = A[80][K], stride [lda], box [8][8]");
    CHECK(std::get<lkt::tensor_layout>(wide).stride == numbers{144});
    // Vectors count as their scalars, small types as bytes.
    auto const four = layout("m = A[M][K], box [8][4]", 1600, {lkt::scalar_type::float32, 4});
    CHECK(std::get<lkt::tensor_layout>(four).extent == numbers{64, 100});
    auto const bytes = layout("m = A[M][K], box [8][16]", 6400, {lkt::scalar_type::float8_e4m3, 1});
    CHECK(std::get<lkt::tensor_layout>(bytes).type == lkt::scalar_type::uint8);
    // No map is wanted, whatever else is wrong.
    auto const none = layout("m = A[M][K + 1], box [8][8], if K % 8 != 0");
    CHECK(std::get<lkt::tensor_layout>(none).extent.empty());
}

TEST_CASE("tensor maps: a map that the hardware would not take, or that leaves its buffer") {
    CHECK(has(why("m = A[M][K], box [8][8], if N == 0"), "`N`"));
    CHECK(has(why("m = A[N][K], box [8][8]"), "the tensor map `m`: the extent of dimension 1: "));
    CHECK(has(why("m = A[M - 100][K], box [8][8]"), "is 0, which is not between 1 and 4294967296"));
    CHECK(has(why("m = A[M][K], box [257][8]"), "the box in dimension 1 = `257` is 257"));
    CHECK(has(why("m = A[M][K], box [8][0]"), "the box in dimension 2 = `0` is 0"));
    CHECK(has(why("m = A[M][K - 1], box [8][8]"), "126 bytes, which is not a multiple of 16"));
    CHECK(has(why("m = A[M][K], box [8][4]"), "8 bytes, which is not a multiple of 16"));
    CHECK(has(why("m = A[M][K], box [8][64], swizzle 64B"), "swizzle 64B allows at most 64"));
    CHECK(has(why("m = A[M][K], box [8][8]", 6399), "covers 12800 bytes, but the buffer `A` has"));
    CHECK(why("m = A[M][K], box [8][8]", 6400).empty());
    CHECK(why("m = A[89][K], stride [lda], box [8][8]", 88 * 72 + 64).empty());
    CHECK_FALSE(why("m = A[89][K], stride [lda], box [8][8]", 88 * 72 + 63).empty());
    // No product wraps.
    CHECK_FALSE(why("m = A[4294967296][8], stride [2 ** 38], box [1][8]").empty());
    CHECK_FALSE(why("m = A[4294967296][4294967296], box [1][8]").empty());
    CHECK_FALSE(why("m = A[2][8], stride [2 ** 40], box [1][8]").empty());
    CHECK_FALSE(why("m = A[2][2 ** 32][2 ** 32], box [1][1][8]").empty());
    CHECK_FALSE(why("m = A[M][K], stride [-72], box [1][8]").empty());
}
