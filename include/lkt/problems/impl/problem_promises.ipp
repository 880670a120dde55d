// SPDX-License-Identifier: BSL-1.0
// What the lkt object of a problem file says of sizes, tests, promises and the oracle.
#pragma once

#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/problems/detail/problem_reader.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::detail::problems {

/// Before the kernel is read.
void problem_reader::read_lkt() {
    lkt_->only({"sizes",
                "size_names",
                "size_constraints",
                "scalars",
                "scratch",
                "domain",
                "fills",
                "tests",
                "tolerance",
                "properties",
                "bindings",
                "oracle",
                "operation",
                "work",
                "notes"});
    for (auto const& list : {lkt_->find("sizes"), lkt_->find("size_names")})
        if (list && task_.size.empty() && !list->items().empty())
            reject("field",
                   "KernelSpecification.ProblemSize is missing, and " + list->path() + " is there",
                   "add it: the extents at which the kernel is timed");
    if (auto const f = lkt_->find("notes")) task_.notes = f->text();
    if (auto const f = lkt_->find("size_constraints"))
        for (json_field const& item : f->items()) {
            if (!item.value().is_string()) item.wrong_type("an expression over ProblemSize");
            expression const constraint = formula(item);
            if (!constraint.names().empty())
                item.wrong_value("unknown name " + in_backticks(constraint.names().front(), 40) +
                                     "; constraints are over ProblemSize alone",
                                 right_name(constraint.names().front()));
            check_constraint(item, constraint, task_.size);
            task_.size_constraints.push_back(constraint);
        }
    if (auto const f = lkt_->find("sizes"))
        for (json_field const& item : f->items()) {
            problem_size size = extents(item);
            if (size.size() != task_.size.size())
                item.wrong_value("a size must have " + std::to_string(task_.size.size()) +
                                 " extents, like KernelSpecification.ProblemSize");
            for (expression const& constraint : task_.size_constraints)
                check_constraint(item, constraint, size);
            task_.further_sizes.push_back(std::move(size));
        }
}

void problem_reader::read_work(json_field const& f) {
    f.only({"flops", "bytes", "type"});
    auto const amount = [&](std::string_view name) -> std::optional<expression> {
        auto const member = f.find(name);
        if (!member) return std::nullopt;
        expression e = formula(*member);
        if (!e.names().empty())
            member->wrong_value("unknown name " + in_backticks(e.names().front(), 40) +
                                    "; the work of a launch is over ProblemSize alone",
                                right_name(e.names().front()));
        auto const value = e.evaluate_integer(scope_of(task_.size, {}));
        if (!value) member->wrong_value(value.error().message);
        if (*value < 0 || (*value == 0 && name == "bytes"))
            member->wrong_value("it is " + std::to_string(*value) +
                                " at KernelSpecification.ProblemSize; it must be " +
                                (name == "bytes" ? "above 0" : "0 or above"));
        return e;
    };
    task_.work.operations = amount("flops");
    task_.work.bytes = amount("bytes");
    auto const type = f.find("type");
    if (!type) return;
    if (!task_.work.operations)
        type->wrong_value("the type of operations needs their number, flops");
    task_.work.type = arithmetic_called(
        choice(*type, {"float64", "float32", "tf32", "float16", "bfloat16", "float8", "int8"}, {}));
}

void problem_reader::check_constraint(json_field const& f,
                                      expression const& constraint,
                                      problem_size const& size) {
    auto const holds = constraint.evaluate_condition(scope_of(size, {}));
    if (!holds) f.wrong_value(holds.error().message);
    if (*holds) return;
    std::string extents;
    for (auto const& [name, extent] : size)
        extents += (extents.empty() ? "" : ", ") + std::to_string(extent);
    f.wrong_value("the size [" + extents + "] breaks the constraint " +
                  in_backticks(constraint.text(), 80));
}

/// After the arguments are read.
void problem_reader::read_promises() {
    if (auto const f = lkt_->find("scratch")) read_scratch(*f);
    if (auto const f = lkt_->find("domain")) read_domain(*f);
    if (auto const f = lkt_->find("fills")) read_fills(*f);
    if (auto const f = lkt_->find("tolerance")) read_tolerance(*f);
    if (auto const f = lkt_->find("tests"))
        for (json_field const& item : f->items()) read_test(item);
    if (auto const f = lkt_->find("properties")) read_properties(*f);
    if (auto const f = lkt_->find("oracle")) read_oracle(*f);
    if (auto const f = lkt_->find("work")) read_work(*f);
}

void problem_reader::read_scratch(json_field const& list) {
    for (json_field const& item : list.items()) {
        std::size_t const i = declared_index(item, item.text());
        argument const& a = task_.signature.arguments[i];
        if (!a.pointer || a.is_const || a.constant_count > 0)
            item.wrong_value("the kernel declares " + in_backticks(a.spelling) +
                             ", which is not a writable buffer");
        task_.arguments[i].scratch = true;
    }
}

/// The position of a buffer that the kernel reads.
std::size_t problem_reader::input_buffer(json_field const& f) const {
    std::size_t const i = declared_index(f, f.text());
    if (!task_.signature.arguments[i].pointer)
        f.wrong_value(f.text() + " is a scalar, not a buffer");
    if (task_.flow(i) == direction::out) f.wrong_value(f.text() + " is not an input");
    return i;
}

void problem_reader::read_properties(json_field const& f) {
    f.only({"deterministic",
            "atomics",
            "fast_math",
            "nonfinite",
            "in_place",
            "accuracy",
            "linear",
            "permutation_invariant"});
    kernel_properties& p = task_.properties;
    auto const truth = [&](std::string_view name, bool& value) {
        auto const member = f.find(name);
        if (member && !member->value().is_bool()) member->wrong_type("a truth value");
        if (member) value = member->value().get_bool();
    };
    truth("deterministic", p.deterministic);
    truth("fast_math", p.fast_math);
    using atomic_use = kernel_properties::atomic_use;
    if (auto const m = f.find("atomics")) {
        std::string const use = choice(*m, {"none", "integer", "float"}, {});
        p.atomics = use == "none"      ? atomic_use::none
                    : use == "integer" ? atomic_use::integer
                                       : atomic_use::floating;
    }
    if (auto const m = f.find("nonfinite"))
        p.propagates = choice(*m, {"unspecified", "propagate"}, {}) == "propagate";
    if (auto const m = f.find("accuracy"))
        p.compensated = choice(*m, {"plain", "compensated"}, {}) == "compensated";
    if (auto const m = f.find("in_place"))
        for (json_field const& item : m->items()) {
            std::size_t const i = declared_index(item, item.text());
            if (!task_.signature.arguments[i].pointer)
                item.wrong_value(item.text() + " is a scalar, not a buffer");
            p.in_place.push_back(i);
        }
    if (auto const m = f.find("linear")) p.linear = sets_of_inputs(*m, true);
    if (auto const m = f.find("permutation_invariant"))
        for (auto const& set : sets_of_inputs(*m, false))
            p.permutation_invariant.insert(p.permutation_invariant.end(), set.begin(), set.end());
}

/// `true`: all inputs together (the floating ones, where that is asked for); a name: alone; a list
/// of names: together.
std::vector<std::vector<std::size_t>> problem_reader::sets_of_inputs(json_field const& f,
                                                                     bool floating) const {
    std::vector<std::vector<std::size_t>> sets;
    if (f.value().is_bool()) {
        std::vector<std::size_t> all;
        for (std::size_t i = 0; i < task_.arguments.size(); ++i) {
            argument const& a = task_.signature.arguments[i];
            if (a.pointer && (is_floating(a.type.scalar) || !floating) &&
                task_.flow(i) != direction::out)
                all.push_back(i);
        }
        if (f.value().get_bool() && all.empty()) f.wrong_value("the kernel has no such input");
        if (f.value().get_bool()) sets.push_back(std::move(all));
        return sets;
    }
    if (!f.value().is_array()) f.wrong_type("a truth value or a list of arguments");
    for (json_field const& item : f.items()) {
        std::vector<std::size_t> set;
        if (item.value().is_array())
            for (json_field const& each : item.items()) set.push_back(input_buffer(each));
        else
            set.push_back(input_buffer(item));
        if (set.empty()) item.wrong_value("it contains no arguments");
        sets.push_back(std::move(set));
    }
    return sets;
}

void problem_reader::read_oracle(json_field const& f) {
    f.only({"numpy", "torch", "recorded"});
    auto const members = f.members();
    if (members.size() != 1) f.wrong_value("it must name one of numpy, torch, recorded");
    if (at_hand_) f.wrong_value("a problem that is not read from a file cannot name an oracle");
    auto const& [kind, where] = members.front();
    std::string const text = where.text();
    oracle_source source;
    source.from = kind == "numpy"   ? oracle_source::kind::numpy
                  : kind == "torch" ? oracle_source::kind::torch
                                    : oracle_source::kind::recorded;
    if (source.from == oracle_source::kind::recorded) {
        source.path = inside_folder(where, text);
    } else {
        std::size_t const colon = text.rfind(':');
        if (colon == std::string::npos || !is_identifier(text.substr(colon + 1)))
            where.wrong_value(in_backticks(text, 60) + " is not FILE:FUNCTION");
        source.path = inside_folder(where, text.substr(0, colon));
        source.function = text.substr(colon + 1);
    }
    task_.oracle = std::move(source);
}

} // namespace lkt::detail::problems
