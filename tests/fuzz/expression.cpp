// SPDX-License-Identifier: BSL-1.0
// Expressions of problem files, command lines and replies.
#include "support/property.hpp"

#include <lkt/lang/expression/expression.hpp>

#include <cmath>
#include <set>

namespace {

bool same(lkt::parameter_value const& a, lkt::parameter_value const& b) {
    auto const* x = std::get_if<double>(&a);
    auto const* y = std::get_if<double>(&b);
    if (x != nullptr && y != nullptr && std::isnan(*x) && std::isnan(*y)) return true;
    return a == b;
}

} // namespace

lkt_fuzz::target const here("expression", [](std::uint8_t const* data, std::size_t size) {
    using namespace lkt_fuzz;
    auto const text = text_of(data, size);
    auto const e = lkt::expression::parse(text);
    if (!e) {
        require_error(e.error());
        return 0;
    }
    require(size <= lkt::expression::max_length, "no expression is longer than it may be");
    std::set<std::string> const names(e->names().begin(), e->names().end());
    require(names.size() == e->names().size(), "each name is listed once", text);
    require(!names.contains("ProblemSize"), "ProblemSize is no name", text);

    auto const again = lkt::expression::parse(e->text());
    require(again.has_value(), "what is printed can be read", e->text());
    require(*again == *e && again->names() == e->names(), "it reads back as the same", e->text());

    lkt::expression_scope scope;
    scope.problem_size = {7, 4096, 1};
    lkt::parameter_value const values[] = {std::int64_t{16}, 0.5, true, std::string("row")};
    for (std::size_t k = 0; k < e->names().size(); ++k)
        scope.values.emplace_back(e->names()[k], values[k % 4]);
    auto const value = e->evaluate(scope);
    auto const other = again->evaluate(scope);
    require(value.has_value() == other.has_value(), "it evaluates as the same", text);
    if (!value) {
        require_error(value.error());
        require(value.error().code == "lkt.expression.evaluate", "the code is documented", text);
        return 0;
    }
    require(same(*value, *other), "it evaluates to the same", text);
    // A value printed is an expression of that value.
    if (auto const* d = std::get_if<double>(&*value); d != nullptr && !std::isfinite(*d)) return 0;
    if (auto const* s = std::get_if<std::string>(&*value); s != nullptr) return 0;
    auto const printed = lkt::expression::parse(lkt::value_text(*value));
    require(printed.has_value(), "a value that is printed can be read", lkt::value_text(*value));
    auto const back = printed->evaluate({});
    require(back.has_value() && same(*back, *value), "it has that value", lkt::value_text(*value));
    return 0;
});
