// SPDX-License-Identifier: BSL-1.0
#include <lkt/store/codec.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace {

enum class colour : unsigned char { red, green, blue };
enum flags : unsigned { none = 0, some = 300 };

struct inner {
    std::string name; ///< `lkt::name_of` would take it for the type's own
    std::optional<double> share;
    friend bool operator==(inner const&, inner const&) = default;
};
struct empty {
    friend bool operator==(empty, empty) = default;
};
struct everything {
    int number = 0;
    bool truth = false;
    double real = 0;
    colour paint = colour::red;
    flags bits = none;
    std::byte octet{};
    std::string text;
    std::vector<inner> list;
    std::vector<bool> truths;
    std::array<std::int64_t, 3> triple{};
    std::pair<std::string, float> pair;
    std::tuple<int, std::string> tuple;
    std::variant<empty, int, inner> variant;
    std::chrono::milliseconds time{};
    std::map<std::string, int> by_name;
    std::set<int> numbers;
    friend bool operator==(everything const&, everything const&) = default;
};
struct letters {
    int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z;
    friend bool operator==(letters const&, letters const&) = default;
};
struct more_than_letters {
    int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, another;
};
struct no_default {
    struct part {
        explicit part(int);
    };
    int before = 0;
    part needed;
    std::string beside;
};
struct tree {
    int value = 0;
    std::vector<tree> branches;
    friend bool operator==(tree const&, tree const&) = default;
};
struct listed {
    int kept = 0;
    std::function<void()> left_out;
    using state_fields = lkt::fields<&listed::kept>;
};

/// Its text is longer than its number has digits, so it is no sum of members.
class even {
public:
    even() = default;
    explicit even(int half) : half_(half) {}
    [[nodiscard]] int value() const { return 2 * half_; }

private:
    int half_ = 0;
};

template <class T>
void comes_back(T const& value) {
    auto const bytes = lkt::encoded(value);
    T back{};
    auto const ok = lkt::decode(bytes, back);
    CHECK(ok.has_value());
    CHECK(back == value);
    CHECK(lkt::encoded(back) == bytes);
    // Every beginning is refused, and nothing bad happens.
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        T part{};
        CHECK_FALSE(lkt::decode(std::string_view(bytes).substr(0, size), part).has_value());
    }
    T more{};
    CHECK_FALSE(lkt::decode(bytes + "x", more).has_value());
}

} // namespace

template <>
struct lkt::value_codec<even> {
    static void write(byte_writer& w, even const& e) { w.number(e.value()); }
    static void read(byte_reader& r, even& e) {
        int const value = r.number<int>();
        if (value % 2 != 0) return r.fail("it is odd");
        e = even(value / 2);
    }
    static std::uint64_t shape() { return 1; }
};

TEST_CASE("plain values of all kinds come back") {
    comes_back(everything{});
    everything e;
    e.number = -7;
    e.truth = true;
    e.real = -0.1;
    e.paint = colour::blue;
    e.bits = some;
    e.octet = std::byte{200};
    e.text = std::string("a\0b", 3);
    e.list = {{"one", 0.5}, {"two", {}}};
    e.truths = {true, false, true};
    e.triple = {1, -2, std::numeric_limits<std::int64_t>::max()};
    e.pair = {"x", 1.5f};
    e.tuple = {3, "t"};
    e.variant = inner{"held", 2.0};
    e.time = std::chrono::milliseconds(-12);
    e.by_name = {{"a", 1}, {"b", 2}};
    e.numbers = {5, 3};
    comes_back(e);
    e.variant = 5;
    comes_back(e);
    comes_back(tree{1, {{2, {}}, {3, {{4, {}}}}}});
    comes_back(letters{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                       14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26});
}

TEST_CASE("what is appended to changes at its end alone") {
    std::vector<inner> list{{"one", 0.5}, {"two", {}}};
    auto const before = lkt::encoded(list);
    list.push_back({"three", {}});
    auto const after = lkt::encoded(list);
    CHECK(after.starts_with(before.substr(0, before.size() - 1)));
}

TEST_CASE("the members of an aggregate are counted, also where one of them cannot be left out") {
    CHECK(lkt::detail::member_count<empty> == 0);
    CHECK(lkt::detail::member_count<inner> == 2);
    CHECK(lkt::detail::member_count<everything> == 16);
    CHECK(lkt::detail::member_count<letters> == 26);
    CHECK(lkt::detail::member_count<no_default> == 3);
}

TEST_CASE("members that are not listed are left out") {
    CHECK(lkt::encodable<listed>);
    CHECK(lkt::encoded(listed{3, {}}).size() == sizeof(int));
}

TEST_CASE("what has no form is known when it is compiled") {
    CHECK_FALSE(lkt::encodable<std::function<void()>>);
    CHECK_FALSE(lkt::encodable<int*>);
    CHECK_FALSE(lkt::encodable<std::vector<std::unique_ptr<int>>>);
    CHECK_FALSE(lkt::encodable<more_than_letters>);
    CHECK(lkt::encodable<letters>);
    CHECK(lkt::encodable<everything>);
    CHECK(lkt::encodable<tree>);
}

TEST_CASE("a type with invariants writes and checks itself") {
    auto const bytes = lkt::encoded(std::vector{even(2), even(-1)});
    std::vector<even> back;
    REQUIRE(lkt::decode(bytes, back).has_value());
    CHECK(back[0].value() == 4);
    CHECK(back[1].value() == -2);
    even e;
    auto const odd = lkt::decode(lkt::encoded(3), e);
    REQUIRE_FALSE(odd.has_value());
    CHECK(odd.error().code == "lkt.journal.value");
    CHECK(odd.error().message.find("it is odd") != std::string::npos);
}

TEST_CASE("numbers that stand for nothing are refused") {
    colour c{};
    auto const unknown = lkt::decode(std::string_view("\x03", 1), c);
    REQUIRE_FALSE(unknown.has_value());
    CHECK(unknown.error().message ==
          "the bytes are not a value of colour: a number does not match any enumerator, at byte 1");
    std::variant<int, empty> v;
    CHECK_FALSE(lkt::decode(std::string_view("\x02", 1), v).has_value());
    std::optional<int> o;
    CHECK_FALSE(lkt::decode(std::string_view("\x02", 1), o).has_value());
}

TEST_CASE("bytes that announce much get nothing") {
    // A text of 2^63 bytes, and trees within trees without end.
    std::string huge;
    lkt::byte_writer(huge).count(std::uint64_t{1} << 63);
    std::string text;
    CHECK_FALSE(lkt::decode(huge, text).has_value());
    CHECK(text.empty());
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += std::string("\0\0\0\0\1", 5);
    tree t;
    auto const nested = lkt::decode(deep, t);
    REQUIRE_FALSE(nested.has_value());
    CHECK(nested.error().message.find("nested too deeply") != std::string::npos);
}

namespace {
namespace other {
struct inner {
    std::string name;
    std::optional<float> share;
};
enum class colour : unsigned char { red, blue, green };
} // namespace other
} // namespace

TEST_CASE("the shape changes with types, names and order") {
    CHECK(lkt::shape_of<inner>() == lkt::shape_of<inner>());
    CHECK(lkt::shape_of<inner>() != lkt::shape_of<other::inner>());
    CHECK(lkt::shape_of<colour>() != lkt::shape_of<other::colour>());
    CHECK(lkt::shape_of<std::variant<int, bool>>() != lkt::shape_of<std::variant<bool, int>>());
    CHECK(lkt::shape_of<std::vector<int>>() != lkt::shape_of<std::optional<int>>());
    CHECK(lkt::shape_of<int>() != lkt::shape_of<unsigned>());
    CHECK(lkt::shape_of<tree>() != lkt::shape_of<empty>());
}

TEST_CASE("the checksum is CRC-32C") {
    CHECK(lkt::detail::crc32c("123456789") == 0xe3069283u);           // the catalogue's check value
    CHECK(lkt::detail::crc32c(std::string(32, '\0')) == 0x8a9136aau); // RFC 3720, B.4
    std::string const text(1000, 'x');
    std::string_view const view = text;
    CHECK(lkt::detail::crc32c(view.substr(333), lkt::detail::crc32c(view.substr(0, 333))) ==
          lkt::detail::crc32c(view));
    // With the processor's instruction and without.
    std::string mixed;
    for (int i = 0; i < 200; ++i) {
        CAPTURE(i);
        CHECK(lkt::detail::crc32c(mixed, 7) == lkt::detail::crc32c_by_table(mixed, 7));
        mixed += static_cast<char>(i * 37);
    }
}
