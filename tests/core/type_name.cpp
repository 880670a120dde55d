// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/type_name.hpp>

#include <doctest/doctest.h>

namespace {

enum class hidden { a, b = 5 };
template <class T>
struct holder {
    enum class kind { p, q };
    struct tag {};
};

} // namespace

namespace names {

enum class letters : char { x, comma = ',', paren = ')' };
enum class answer : bool { no, yes };
enum class sparse { first = 3, forty = 40, last = 63 };
enum class outside { below = -1, beyond = 64 };
enum class none {};
enum class full {
    // Exactly as long as `(full)10`, which is what a list is skipped by.
    x12 = 10,
    y12 = 11
};
enum class many {
    v0,
    v1,
    v2,
    v3,
    v4,
    v5,
    v6,
    v7,
    v8,
    v9,
    v10,
    v11,
    v12,
    v13,
    v14,
    v15,
    v16,
    v17,
    v18,
    v19,
    v20,
    v21,
    v22,
    v23,
    v24,
    v25,
    v26,
    v27,
    v28,
    v29,
    v30,
    v31,
    v32,
    v33,
    v34,
    v35,
    v36,
    v37,
    v38,
    v39,
    v40,
    v41,
    v42,
    v43,
    v44,
    v45,
    v46,
    v47,
    v48,
    v49,
    v50,
    v51,
    v52,
    v53,
    v54,
    v55,
    v56,
    v57,
    v58,
    v59,
    v60,
    v61,
    v62,
    v63
};
enum unscoped { red };

struct tuned {};
struct renamed {
    static constexpr auto name = "other";
};
struct state {
    int rounds;
    int left() const { return rounds; }
    static constexpr auto inside = [](int&) -> void {};
};
void free_function(int&) {}
inline constexpr auto lambda = [](int&) -> void {};
template <int N>
inline constexpr auto family = [](int& n) -> void { n = N; };

} // namespace names

TEST_CASE("types are named without their scopes, or by their own name") {
    CHECK(lkt::name_of<names::tuned> == "tuned");
    CHECK(lkt::qualified_name_of<names::tuned> == "names::tuned");
    CHECK(lkt::name_of<holder<names::tuned>::tag> == "tag");
    CHECK(lkt::name_of<holder<names::tuned>> == "holder<names::tuned>");
    CHECK(lkt::name_of<names::renamed> == "other");
    CHECK(lkt::name_of<int> == "int");
}

TEST_CASE("variables are named by themselves, lambdas included") {
    CHECK(lkt::object_name<names::lambda> == "lambda");
    CHECK(lkt::object_name<names::state::inside> == "inside");
    CHECK(lkt::object_name<names::family<3>> == "family");
}

TEST_CASE("pointers are named by what they point at") {
    CHECK(lkt::pointee_name<&names::state::rounds> == "rounds");
    CHECK(lkt::pointee_name<&names::state::left> == "left");
    CHECK(lkt::pointee_name<&names::free_function> == "free_function");
}

TEST_CASE("enumerators are found with their values, wherever the enum is") {
    CHECK(lkt::enumerators<hidden>::count == 2);
    CHECK(lkt::enumerators<hidden>::values[1] == 5);
    CHECK(lkt::enumerators<hidden>::names[1] == "b");
    using inner = lkt::enumerators<holder<int>::kind>;
    CHECK(inner::count == 2);
    CHECK(inner::names[1] == "q");
    enum class local { one };
    CHECK(lkt::enumerators<local>::count == 1);
    CHECK(lkt::enumerators<local>::names[0] == "one");
}

TEST_CASE("values that look like syntax, gaps and the ends of the range are found") {
    using letters = lkt::enumerators<names::letters>;
    REQUIRE(letters::count == 3);
    CHECK(letters::names[0] == "x");
    CHECK(letters::names[1] == "paren"); // ')' is 41 and ',' is 44
    CHECK(letters::names[2] == "comma");
    using sparse = lkt::enumerators<names::sparse>;
    REQUIRE(sparse::count == 3);
    CHECK(sparse::values[0] == 3);
    CHECK(sparse::values[1] == 40);
    CHECK(sparse::values[2] == 63);
    CHECK(lkt::enumerators<names::full>::count == 2);
    CHECK(lkt::enumerators<names::many>::count == 64);
    CHECK(lkt::enumerators<names::many>::names[63] == "v63");
    CHECK(lkt::enumerators<names::answer>::count == 2);
    CHECK(lkt::enumerators<names::none>::count == 0);
    CHECK(lkt::enumerators<names::outside>::count == 0);
}

TEST_CASE("the index of a value is its position, -1 for an unknown one") {
    static_assert(lkt::enumerators<names::sparse>::index(40) == 1);
    CHECK(lkt::enumerators<names::sparse>::index(63) == 2);
    CHECK(lkt::enumerators<names::sparse>::index(4) == -1);
}

TEST_CASE("only scoped enums count") {
    CHECK(lkt::scoped_enum<hidden>);
    CHECK_FALSE(lkt::scoped_enum<names::unscoped>);
    CHECK_FALSE(lkt::scoped_enum<int>);
}
