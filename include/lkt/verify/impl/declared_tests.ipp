// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/declared_tests.hpp>

#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/detail/test_inputs.hpp>
#include <lkt/verify/random.hpp>
#include <lkt/verify/test_check.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <variant>

namespace lkt {

namespace detail::menu_parts {

bool is_unsigned(scalar_type t) { return !is_floating(t) && limits_of(t).low == 0; }
bool has(scalar_type t, value_bounds fair, double value) {
    return fair.holds(value) && (value >= 0 || !is_unsigned(t));
}
declared_fill only(distribution d) { return {std::move(d), {}, 0}; }

std::optional<declared_fill>
normal_values(scalar_type t, value_bounds fair, kernel_properties const&) {
    if (!is_floating(t)) return std::nullopt;
    bool const below = std::isfinite(fair.min), above = std::isfinite(fair.max);
    if (below && above)
        return only(normal{fair.min + (fair.max - fair.min) / 2, (fair.max - fair.min) / 4});
    if (below) return only(normal{fair.min + 2, 1});
    if (above) return only(normal{fair.max - 2, 1});
    return only(normal{});
}
std::optional<declared_fill>
zeros_and_ones(scalar_type t, value_bounds fair, kernel_properties const&) {
    if (!has(t, fair, 0) || !has(t, fair, 1)) return std::nullopt;
    return only(indices{2});
}
std::optional<declared_fill> one_one(scalar_type t, value_bounds fair, kernel_properties const&) {
    if (!has(t, fair, 0) || !has(t, fair, 1)) return std::nullopt;
    return only(one_hot{});
}
std::optional<declared_fill>
what_cancels(scalar_type t, value_bounds fair, kernel_properties const& properties) {
    if (!is_floating(t) || !(fair.min < 0 && fair.max > 0)) return std::nullopt;
    // A sum in another order errs by the magnitude, and a plain one may.
    double const magnitude = properties.compensated ? large_value(t) : 4;
    return only(cancellation{magnitude, -1, 1});
}
std::optional<declared_fill>
large_values(scalar_type t, value_bounds fair, kernel_properties const&) {
    double const low = std::fmax(fair.min, -large_value(t)),
                 high = std::fmin(fair.max, large_value(t));
    if (!is_floating(t) || low >= high || std::fmax(-low, high) <= 1) return std::nullopt;
    return only(uniform{low, high});
}
/// What a fixed point, or a constant added for safety, loses.
std::optional<declared_fill>
small_values(scalar_type t, value_bounds fair, kernel_properties const&) {
    bool const narrow = t == scalar_type::float16 || is_float8(t);
    double const far = t == scalar_type::float4_e2m1 ? 1 : narrow ? 0x1p-5 : 0x1p-20;
    double const low = std::fmax(fair.min, -far), high = std::fmin(fair.max, far);
    if (!is_floating(t) || low >= high || low > 0 || high < 0) return std::nullopt;
    return only(uniform{low, high});
}
std::optional<declared_fill> spiked(scalar_type t, value_bounds fair, kernel_properties const&) {
    // Apart enough that the exponential function of the difference overflows.
    double const far = std::fmin(large_value(t), 100);
    double const low = std::fmax(fair.min, -far), high = std::fmin(fair.max, far);
    if (!is_floating(t) || low >= high) return std::nullopt;
    return only(spikes{low, high});
}
std::optional<declared_fill> at_the_ends(scalar_type, value_bounds, kernel_properties const&) {
    return only(extremes{});
}
std::optional<declared_fill> few(scalar_type t, value_bounds fair, kernel_properties const&) {
    if (!has(t, fair, 0) || !(fair.max > 0 || fair.min < 0)) return std::nullopt;
    return only(sparse{});
}
/// Not of floating types: what is normalised would be noise around 0, which honest kernels differ
/// in.
std::optional<declared_fill> all_ones(scalar_type t, value_bounds fair, kernel_properties const&) {
    if (is_floating(t) || !has(t, fair, 1)) return std::nullopt;
    return only(constant{1});
}
std::optional<declared_fill> all_zeros(scalar_type t, value_bounds fair, kernel_properties const&) {
    if (!has(t, fair, 0)) return std::nullopt;
    if (!is_floating(t)) return only(constant{0});
    return declared_fill{constant{0}, {special_value::minus_zero}, 0.5};
}
std::optional<declared_fill>
not_finite(scalar_type t, value_bounds fair, kernel_properties const& properties) {
    if (!properties.propagates || !is_floating(t) || fair != value_bounds{}) return std::nullopt;
    return declared_fill{
        uniform{},
        {special_value::nan, special_value::infinity, special_value::minus_infinity},
        0.01};
}

/// The bounds of what a distribution draws; nothing where it is a structure.
std::optional<value_bounds> drawn_by(distribution const& fill, expression_scope const& scope) {
    if (auto const* u = std::get_if<uniform>(&fill)) return value_bounds{u->low, u->high};
    if (auto const* n = std::get_if<normal>(&fill))
        return value_bounds{n->mean - 8 * n->stddev, n->mean + 8 * n->stddev};
    if (auto const* i = std::get_if<indices>(&fill)) {
        auto const end = i->below.evaluate_integer(scope);
        if (!end || *end < 1) return std::nullopt;
        return value_bounds{0, static_cast<double>(*end - 1)};
    }
    if (std::holds_alternative<sparse>(fill) || std::holds_alternative<alternating>(fill))
        return value_bounds{-1, 1};
    if (std::holds_alternative<one_hot>(fill)) return value_bounds{0, 1};
    if (auto const* s = std::get_if<spikes>(&fill)) return value_bounds{s->low, s->high};
    if (std::holds_alternative<extremes>(fill)) return value_bounds{};
    if (auto const* c = std::get_if<cancellation>(&fill)) {
        double const far = std::fmax(c->magnitude, std::fmax(-c->residual_low, c->residual_high));
        return value_bounds{-far, far};
    }
    return std::nullopt;
}

/// The fills of one test of the menu for each argument that they suit.
std::vector<input_fill>
fills_of(menu_item const& item, problem const& task, expression_scope const& scope) {
    std::vector<input_fill> fills;
    bool updated = false;
    for (std::size_t k = 0; k < task.arguments.size(); ++k) {
        argument const& declared = task.signature.arguments[k];
        if (!declared.pointer || task.flow(k) == direction::out) continue;
        auto fair = fair_values(declared, task.arguments[k], scope);
        if (!fair) continue;
        scalar_type const t = declared.type.scalar;
        if (item.regime) {
            bool const inout = task.flow(k) == direction::inout;
            argument_data one{{t, 1}, true, byte_buffer(size_of(t))};
            if (!draw_regime(one,
                             {.what = *item.regime,
                              .fair = *fair,
                              .updated = inout,
                              .denormals = keeps_denormals(task),
                              .decides = decides(task),
                              .exact = judged_by_function(task)}))
                continue;
            updated = updated || inout;
            fills.push_back({k, {}, *fair, item.regime});
        } else if (auto fill = item.fill(t, *fair, task.properties)) {
            fills.push_back({k, std::move(*fill), *fair});
        }
    }
    // These say something of several arguments.
    bool const several =
        item.regime == value_regime::shared || item.regime == value_regime::opposite;
    if (several && fills.size() < 2) fills.clear();
    if (item.regime == value_regime::rest && (!updated || fills.size() < 2)) fills.clear();
    return fills;
}

/// The sizes of tests of the menu, by its turns: the one that is usual, then in a drawn order all
/// that are small and have more than a few elements.
class menu_sizes {
public:
    menu_sizes(problem const& task, std::uint64_t seed, int hidden, std::uint64_t small)
        : usual_(small_size(task, seed, hidden, small)) {
        for (named_size& s : sizes_to_test(task, seed, hidden)) {
            auto const elements = elements_at(task, s.size);
            if (elements && *elements >= 64 && *elements <= small) all_.push_back(std::move(s));
        }
        random_stream const order{seed, first_declared_test, 0};
        for (std::size_t k = all_.size(); k > 1; --k)
            std::swap(all_[k - 1], all_[below(k, order.bits(k))]);
        std::uint64_t most = 0;
        for (std::size_t k = 0; k < all_.size(); ++k) {
            auto const elements = elements_at(task, all_[k].size).value_or(0);
            if (elements > most) most = elements, largest_ = k;
        }
    }
    [[nodiscard]] named_size const& usual() const { return usual_; }
    [[nodiscard]] named_size const& at(std::size_t turn) const {
        return all_.empty() ? usual_ : all_[turn % all_.size()];
    }
    /// With the most elements: sums and counts come to their largest there.
    [[nodiscard]] named_size const& largest() const {
        return largest_ < all_.size() ? all_[largest_] : usual_;
    }
    [[nodiscard]] std::vector<named_size> const& all() const { return all_; }

private:
    named_size usual_;
    std::vector<named_size> all_;
    std::size_t largest_ = 0;
};

} // namespace detail::menu_parts

std::optional<value_bounds>
fair_values(argument const& declared, argument_spec const& spec, expression_scope const& scope) {
    bool const real = is_floating(declared.type.scalar);
    if (std::holds_alternative<permutation>(spec.fill) ||
        std::holds_alternative<ascending>(spec.fill))
        return std::nullopt;
    if (spec.min || spec.max) {
        value_bounds const domain = bounds_of(spec);
        // Whole numbers may be positions: any finite one is not fair.
        if (real || domain != value_bounds{}) return domain;
    }
    if (real && spec.fill == distribution(uniform{})) return value_bounds{};
    return detail::menu_parts::drawn_by(spec.fill, scope);
}

std::optional<value_bounds> fair_scalar(problem const& task, std::size_t argument) {
    lkt::argument const& declared = task.signature.arguments[argument];
    argument_spec const& spec = task.arguments[argument];
    if (declared.pointer || spec.random || !spec.value.names().empty() ||
        spec.value.text().find("ProblemSize") != std::string::npos)
        return std::nullopt;
    auto const value = spec.value.evaluate_integer({});
    if (spec.min || spec.max) {
        value_bounds fair = bounds_of(spec);
        if (is_floating(declared.type.scalar)) return fair;
        // What is a count may be large, but each value is to take no more than its time.
        double const end = spec.min ? *spec.min : *spec.max;
        double const usual = value ? std::fabs(static_cast<double>(*value)) : 1;
        double const far = 64 * std::max({usual, std::fabs(end), 1.0});
        auto const limits = detail::limits_of(declared.type.scalar);
        if (!spec.min) fair.min = std::max(end - far, static_cast<double>(limits.low));
        if (!spec.max) fair.max = std::min(end + far, static_cast<double>(limits.high));
        return fair;
    }
    if (is_floating(declared.type.scalar)) return value_bounds{};
    if (declared.type.scalar == scalar_type::boolean) return value_bounds{0, 1};
    if (!value || *value < 2) return std::nullopt;
    // A number that the problem has elsewhere is no choice of the caller's.
    std::vector<std::int64_t> taken;
    std::int64_t product = 1;
    for (auto const& [name, extent] : task.size) {
        taken.push_back(extent);
        if (__builtin_mul_overflow(product, extent, &product)) product = 0;
        taken.push_back(product);
    }
    auto const scope = scope_of(task.size, default_configuration(task.parameters));
    auto const add = [&](expression const& e) {
        if (auto const n = e.evaluate_integer(scope)) taken.push_back(*n);
    };
    for (argument_spec const& a : task.arguments) add(a.count);
    for (auto const* const axes : {&task.launch.grid, &task.launch.block})
        for (expression const& e : *axes) add(e);
    if (std::find(taken.begin(), taken.end(), *value) != taken.end()) return std::nullopt;
    return value_bounds{1, static_cast<double>(*value)};
}

std::vector<menu_item> const& input_menu() {
    using namespace detail::menu_parts;
    using enum menu_item::reach;
    using detail::value_regime;
    static std::vector<menu_item> const menu{
        {"normal values", all, normal_values},
        {"zeros and ones", all, zeros_and_ones},
        {"one-hot", each, one_one},
        {"cancellation", all, what_cancels},
        {"large values", all, large_values},
        {"small values", all, small_values},
        {"vanishing products", all, {}, value_regime::vanishing},
        {"equal inputs", all, {}, value_regime::shared},
        {"wide exponents", all, {}, value_regime::exponents},
        {"offset", all, {}, value_regime::offset},
        {"scales", all, {}, value_regime::scaled},
        {"cancelling rows", all, {}, value_regime::cancelling},
        {"spikes", all, spiked},
        {"regular rows", all, {}, value_regime::regular},
        {"ranks far apart", all, {}, value_regime::ranked},
        {"extremes", all, at_the_ends},
        {"upper bounds", all, {}, value_regime::upper_bounds},
        {"opposite ends", all, {}, value_regime::opposite_ends},
        {"lower bounds", all, {}, value_regime::lower_bounds},
        {"alternating ends", all, {}, value_regime::alternating_ends},
        {"negative values", all, {}, value_regime::negative},
        {"ties", all, {}, value_regime::ties},
        {"opposite inputs", all, {}, value_regime::opposite},
        {"all exponents", all, {}, value_regime::all_exponents},
        {"at rest", all, {}, value_regime::rest},
        {"denormals", all, {}, value_regime::denormals},
        {"sparse values", all, few},
        {"ones", one, all_ones},
        {"signed zeros", one, all_zeros},
        {"NaN and infinity", all, not_finite}};
    return menu;
}

result<std::vector<test_case>> declared_tests::generate(problem const& task,
                                                        call_context const& context) const {
    using namespace detail::menu_parts;
    using detail::input_fill;
    using detail::value_regime;
    if (auto ok = check_problem(task); !ok) return ok.error();
    std::vector<test_case> tests;
    if (task.tests.empty() && !menu) return tests;
    menu_sizes const sizes(task, seed, hidden_sizes, small);
    std::uint32_t number = detail::first_declared_test;
    auto const make = [&](detail::named_size const& at,
                          std::string const& what,
                          std::vector<input_fill> fills,
                          bool other_scalars) {
        auto test = detail::inputs_at(
            task, at.size, {seed, number++, limit, std::move(fills), other_scalars}, context);
        if (test) test->name = at.name + ", " + what;
        return test;
    };
    for (declared_test const& declared : task.tests) {
        std::vector<input_fill> fills;
        for (auto const& [k, fill] : declared.arguments) {
            if (k >= task.arguments.size())
                return error{condition::rejected,
                             "lkt.verify.test",
                             "test `" + declared.name + "` fills argument " + std::to_string(k) +
                                 ", but the kernel has " + std::to_string(task.arguments.size()),
                             "Count the arguments from 0, in the kernel's order."};
            fills.push_back({k, fill, bounds_of(task.arguments[k])});
        }
        auto test = make(sizes.usual(), declared.name, std::move(fills), false);
        if (!test) {
            error e = test.error();
            if (e.kind != condition::cancelled)
                e.message = "test `" + declared.name + "`: " + e.message;
            return e;
        }
        tests.push_back(std::move(*test));
    }
    if (!menu) return tests;
    std::uint64_t made = 0;
    auto const add = [&](detail::named_size const& at,
                         std::string const& what,
                         std::vector<input_fill> fills) -> result<void> {
        std::uint64_t const each = detail::elements_at(task, at.size).value_or(small);
        if (fills.empty() || (made > 0 && made + each > menu_elements)) return {};
        auto test = make(at, what, std::move(fills), true);
        if (!test && detail::lacks_values(test.error())) return {};
        if (!test) return test.error();
        made += each;
        test->origin = test_origin::menu;
        tests.push_back(std::move(*test));
        return {};
    };
    std::size_t turn = 0, item_number = 0;
    for (menu_item const& item : input_menu()) {
        // The first ones are for every configuration, so at a size that was named.
        // In long sums ends overflow, and what vanishes counts.
        bool const far = item.regime == value_regime::upper_bounds ||
                         item.regime == value_regime::opposite_ends ||
                         item.regime == value_regime::lower_bounds ||
                         item.regime == value_regime::alternating_ends ||
                         item.regime == value_regime::vanishing;
        detail::named_size const& at = item_number < 2 ? sizes.usual()
                                       : far           ? sizes.largest()
                                                       : sizes.at(item_number);
        ++item_number;
        auto const fills = fills_of(item, task, scope_of(at.size, {}));
        std::string const what(item.name);
        if (item.inputs == menu_item::reach::all) {
            if (auto ok = add(at, what, fills); !ok) return ok.error();
            continue;
        }
        bool const one = item.inputs == menu_item::reach::one;
        std::size_t const chosen = one && !fills.empty() ? turn++ % fills.size() : 0;
        for (std::size_t f = 0; f < fills.size(); ++f) {
            if (one && f != chosen) continue;
            std::string const& name = task.signature.arguments[fills[f].argument].name;
            if (auto ok = add(at, what + " in `" + name + "`", {fills[f]}); !ok) return ok.error();
        }
    }
    // At the largest size regular rows once more, then at each all kinds of values, side by side.
    auto const add_all = [&](detail::named_size const& at, menu_item const& item) {
        return add(at, std::string(item.name), fills_of(item, task, scope_of(at.size, {})));
    };
    using enum menu_item::reach;
    if (sizes.all().size() > 1)
        if (auto ok =
                add_all(sizes.largest(), {"regular rows (2)", all, {}, value_regime::regular});
            !ok)
            return ok.error();
    menu_item const mixed{"mixed values", all, {}, value_regime::patches};
    for (detail::named_size const& at : sizes.all())
        if (auto ok = add_all(at, mixed); !ok) return ok.error();
    return tests;
}

} // namespace lkt
