// SPDX-License-Identifier: BSL-1.0
// Arguments of a problem file.
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/problems/detail/problem_reader.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lkt::detail::problems {

void problem_reader::read_arguments(json_field const& kernel) {
    std::vector<argument> const& declared = task_.signature.arguments;
    std::vector<std::optional<json_field>> given(declared.size());
    if (auto const list = kernel.find("Arguments")) assign(*list, given);
    std::optional<json_field> const scalars = lkt_ ? lkt_->find("scalars") : std::nullopt;
    if (scalars)
        for (auto const& [name, f] : scalars->members())
            if (declared[declared_index(f, name)].pointer)
                f.wrong_value(name + " is a buffer, not a scalar");
    std::vector<std::uint64_t> const counts = fixed_counts(task_.reference, task_.signature);
    for (std::size_t i = 0; i < declared.size(); ++i) {
        argument const& a = declared[i];
        std::optional<json_field> const value =
            scalars && !a.pointer ? scalars->find(a.name) : std::nullopt;
        argument_spec spec;
        if (given[i]) task_.signature.arguments[i].type = type_of(a, *given[i]);
        if (given[i])
            spec = a.pointer ? buffer(a, counts[i], *given[i]) : scalar(a, *given[i], value);
        else if (value)
            spec.value = formula_or_number(*value);
        else if (counts[i] > 0)
            spec.count = static_cast<std::int64_t>(counts[i]);
        else
            reject("field",
                   "KernelSpecification.Arguments has no entry for " +
                       (a.within ? in_backticks(a.name, 60) + " of " : "") +
                       in_backticks(a.spelling),
                   a.pointer ? "give its number of elements with Size"
                             : "give its value with FillValue or in lkt.scalars");
        task_.arguments.push_back(std::move(spec));
    }
}

std::size_t problem_reader::declared_index(json_field const& f, std::string_view name) const {
    std::vector<argument> const& declared = task_.signature.arguments;
    std::string list;
    for (std::size_t i = 0; i < declared.size(); ++i) {
        if (declared[i].name == name) return i;
        list += (list.empty() ? "" : ", ") + declared[i].name;
    }
    f.wrong_value("kernel " + task_.signature.name + " has no argument " + in_backticks(name, 40) +
                  "; it has " + (list.empty() ? "none" : list));
}

/// By name; where no name at all fits, by position, as older tools match them.
void problem_reader::assign(json_field const& list,
                            std::vector<std::optional<json_field>>& given) const {
    std::vector<json_field> const items = list.items();
    std::vector<argument> const& declared = task_.signature.arguments;
    bool const any_name = std::any_of(items.begin(), items.end(), [&](json_field const& item) {
        auto const name = item.find("Name");
        return name && std::any_of(declared.begin(), declared.end(), [&](argument const& a) {
                   return a.name == name->text();
               });
    });
    bool const by_position = !any_name && items.size() == declared.size();
    for (std::size_t k = 0; k < items.size(); ++k) {
        std::size_t const i =
            by_position ? k : declared_index(items[k], items[k].at("Name").text());
        if (given[i])
            items[k].wrong_value("there are two entries for " + in_backticks(declared[i].name, 40));
        given[i] = items[k];
    }
}

/// That of the kernel; where this takes integers, the file may say that they hold half bytes or
/// floats of 8 bits.
value_type problem_reader::type_of(argument const& a, json_field const& item) const {
    auto const f = item.find("Type");
    if (!f) return a.type;
    std::string name = f->text();
    if (name == "custom") f->unsupported(name);
    value_type type{scalar_type::float32, 0};
    // `float32` and `uint8` are scalars of that many bits, `float4` is a vector.
    for (int t = 0; t <= static_cast<int>(scalar_type::float64); ++t) {
        auto const scalar = static_cast<scalar_type>(t);
        for (unsigned const lanes : {1U, 2U, 4U, 8U}) {
            value_type const one{scalar, lanes};
            bool const has =
                is_half_byte(scalar) ? lanes > 1 : lanes == 1 || (is_float8(scalar) && lanes < 8);
            if (has && name == to_string(one)) type = one;
        }
    }
    if (type.lanes == 0) {
        static constexpr std::pair<std::string_view, scalar_type> spelled[] = {
            {"half", scalar_type::float16},
            {"float", scalar_type::float32},
            {"double", scalar_type::float64},
            {"int", scalar_type::int32},
            {"uint", scalar_type::uint32}};
        for (auto const& [word, scalar] : spelled) {
            if (!name.starts_with(word)) continue;
            std::string_view const lanes = std::string_view(name).substr(word.size());
            if (lanes == "8" || lanes == "16") f->unsupported(name);
            if (lanes.empty() || lanes == "2" || lanes == "3" || lanes == "4") {
                type.scalar = scalar;
                type.lanes = lanes.empty() ? 1U : static_cast<unsigned>(lanes[0] - '0');
            }
        }
    }
    if (type.lanes == 0) f->wrong_value(in_backticks(name, 40) + " is not a type that lkt knows");
    if (!(a.pointer ? same_bytes(type, a.type) : type == a.type) ||
        (type != a.type && !is_floating(type.scalar) && !is_half_byte(type.scalar)))
        f->wrong_value("the kernel declares " + in_backticks(a.spelling) + ", which is " +
                       to_string(a.type) + ", not " + name);
    return type;
}

void problem_reader::check_memory(argument const& a, json_field const& item) const {
    auto const f = item.find("MemoryType");
    for (auto const& mark : {f, item.find("MemType")})
        if (mark && mark->text() != "Scalar" && mark->text() != "Vector" && a.constant_count == 0)
            mark->wrong_value("the kernel declares " + in_backticks(a.spelling) +
                              ", which is not in constant memory");
    if (f && (f->text() == "Constant" || f->text() == "Symbol")) return;
    if (f && (f->text() == "Vector") != a.pointer)
        f->wrong_value("the kernel declares " + in_backticks(a.spelling) + ", which is a " +
                       (a.pointer ? "pointer" : "value"));
}

expression problem_reader::formula_or_number(json_field const& f) {
    if (f.value().is_bool()) return f.value().get_bool() ? 1 : 0;
    if (f.value().is_double() || f.value().is_uint64()) {
        auto e = expression::parse(real_text(f.number()));
        if (!e) f.wrong_value(e.error().message);
        return *e;
    }
    return formula(f);
}

argument_spec problem_reader::scalar(argument const& a,
                                     json_field const& item,
                                     std::optional<json_field> const& value) const {
    check_memory(a, item);
    argument_spec spec;
    if (a.type.lanes != 1) item.unsupported("a vector by value");
    bool const random = item.find("FillType") && item.at("FillType").text() == "Random";
    if (value) {
        spec.value = formula_or_number(*value);
    } else if (random) {
        spec.random = true;
        spec.fill = random_fill(item);
    } else {
        json_field const f = item.at("FillValue");
        spec.value = formula_or_number(f);
        auto const v = spec.value.evaluate(scope_of(task_.size, {}));
        if (!v) f.wrong_value(v.error().message);
        auto const fits = scalar_argument(a.type.scalar, *v);
        if (!fits) f.wrong_value(fits.error().message);
    }
    return spec;
}

distribution problem_reader::random_fill(json_field const& item) {
    double const bound = item.find("FillValue") ? item.at("FillValue").number() : 1.0;
    return uniform{std::min(0.0, bound), std::max(0.0, bound)};
}

/// `fixed`: the elements that the text says it has, 0 where it does not.
argument_spec
problem_reader::buffer(argument const& a, std::uint64_t fixed, json_field const& item) const {
    check_memory(a, item);
    argument_spec spec;
    if (fixed > 0) {
        spec.count = static_cast<std::int64_t>(fixed);
        if (auto const size = item.find("Size")) check_length(a, fixed, *size);
    } else {
        spec.count = count(item.at("Size"));
    }
    if (item.find("FillType") && item.at("FillType").text() == "Constant")
        spec.fill = constant{item.find("FillValue") ? item.at("FillValue").number() : 0.0};
    else if (item.find("FillType"))
        spec.fill = random_fill(item);
    else if (item.find("FillValue"))
        spec.fill = constant{item.at("FillValue").number()};
    // T1's fill is what times are taken with; what is fair to test is `lkt.domain`'s to say. Whole
    // numbers may be positions, so they stay.
    if (is_floating(a.type.scalar)) {
        spec.min = -std::numeric_limits<double>::infinity();
        spec.max = std::numeric_limits<double>::infinity();
    }
    // All of their values are numbers, and none of them a position.
    if (is_half_byte(a.type.scalar)) {
        bool const real = a.type.scalar == scalar_type::float4_e2m1;
        spec.min = real ? -6 : a.type.scalar == scalar_type::int4 ? -8 : 0;
        spec.max = real ? 6 : *spec.min + 15;
        if (!item.find("FillType") && !item.find("FillValue"))
            spec.fill = uniform{*spec.min, *spec.max};
    }
    if (auto const f = item.find("AccessType")) {
        std::string const access = f->text();
        spec.flow = access == "ReadOnly"    ? direction::in
                    : access == "WriteOnly" ? direction::out
                                            : direction::inout;
        if (spec.flow != direction::in && a.is_const)
            f->wrong_value("the kernel declares " + in_backticks(a.spelling) +
                           ", which cannot be written");
    }
    return spec;
}

void problem_reader::check_length(argument const& a,
                                  std::uint64_t fixed,
                                  json_field const& size) const {
    auto const n = count(size).evaluate_integer(scope_of(task_.size, {}));
    if (n && *n != static_cast<std::int64_t>(fixed))
        size.wrong_value("the kernel declares " + in_backticks(a.spelling) + ", which has " +
                         std::to_string(fixed) + " elements, not " + std::to_string(*n));
}

/// T1 evaluates sizes with each parameter's list of values: `max(block_size_x)` is its largest.
/// lkt's sizes do not depend on a configuration, so the number is put in here.
expression problem_reader::count(json_field const& f) const {
    expression e = f.value().is_string() ? substituted(f) : formula(f);
    if (!e.names().empty())
        f.wrong_value(parameter(e.names().front()) != nullptr
                          ? "a size cannot depend on the configuration; write max(" +
                                e.names().front() + ")"
                          : "unknown name " + in_backticks(e.names().front(), 40),
                      parameter(e.names().front()) != nullptr ? "" : right_name(e.names().front()));
    for (std::size_t k = 0; k <= task_.further_sizes.size(); ++k) {
        auto const n =
            e.evaluate_integer(scope_of(k == 0 ? task_.size : task_.further_sizes[k - 1], {}));
        if (!n) f.wrong_value(n.error().message);
        if (*n < 1 || *n > (std::int64_t{1} << 40))
            f.wrong_value(std::to_string(*n) + " elements are not between 1 and 2^40");
    }
    return e;
}

expression problem_reader::substituted(json_field const& f) const {
    std::string text = f.text();
    for (tunable_parameter const& p : task_.parameters) {
        if (!std::holds_alternative<std::int64_t>(p.values.front())) continue;
        auto const [low, high] = std::minmax_element(p.values.begin(), p.values.end());
        for (auto const& [call, value] :
             {std::pair{"min(" + p.name + ")", *low}, std::pair{"max(" + p.name + ")", *high}})
            for (std::size_t at = text.find(call); at != std::string::npos;
                 at = text.find(call, at + 1))
                if (at == 0 || !is_identifier(text.substr(at - 1, 1)))
                    text.replace(at, call.size(), "(" + value_text(value) + ")");
    }
    auto e = expression::parse(text);
    if (!e) f.wrong_value(e.error().message);
    return *e;
}

void problem_reader::read_domain(json_field const& domain) {
    for (auto const& [name, f] : domain.members()) {
        f.only({"min", "max"});
        argument_spec& spec = task_.arguments[declared_index(f, name)];
        auto const* now = std::get_if<uniform>(&spec.fill);
        uniform bounds = now != nullptr ? *now : uniform{};
        double const width = bounds.high - bounds.low;
        auto const low = f.find("min"), high = f.find("max");
        spec.min = spec.max = std::nullopt;
        if (low) spec.min = bounds.low = low->number();
        if (high) spec.max = bounds.high = high->number();
        // What one bound excludes altogether moves behind it.
        if (low && !high && bounds.low > bounds.high) bounds.high = bounds.low + width;
        if (high && !low && bounds.low > bounds.high) bounds.low = bounds.high - width;
        if (bounds.low > bounds.high)
            f.wrong_value("min " + significant(bounds.low) + " is above max " +
                          significant(bounds.high));
        // A constant stays one, within its bounds.
        if (auto const* c = std::get_if<constant>(&spec.fill);
            c != nullptr && (c->value < bounds.low || c->value > bounds.high))
            f.wrong_value("FillValue " + significant(c->value) + " is out of bounds");
        else if (c == nullptr)
            spec.fill = bounds;
    }
}

void problem_reader::read_tolerance(json_field const& tolerances) {
    for (auto const& [name, f] : tolerances.members()) {
        f.only({"rtol", "atol", "share"});
        std::size_t const i = declared_index(f, name);
        if (task_.flow(i) == direction::in) f.wrong_value(name + " is not an output");
        tolerance bound;
        if (auto const r = f.find("rtol")) bound.relative = r->number();
        if (auto const a = f.find("atol")) bound.absolute = a->number();
        if (auto const s = f.find("share")) bound.share = s->number();
        if (!(bound.relative >= 0 && bound.absolute >= 0) || !std::isfinite(bound.relative) ||
            !std::isfinite(bound.absolute))
            f.wrong_value("a tolerance must be finite and not negative");
        if (bound.share < 0 || bound.share > 1)
            f.at("share").wrong_value("a share must be between 0 and 1");
        if (bound.relative >= 1)
            out_.warnings.push_back(f.path() +
                                    ": with rtol at 1 or more, zeros pass for any result");
        if (bound.share >= 0.5)
            out_.warnings.push_back(f.path() + ": with this share, half of the elements or more "
                                               "may be wrong");
        task_.arguments[i].bound = bound;
    }
}

} // namespace lkt::detail::problems
