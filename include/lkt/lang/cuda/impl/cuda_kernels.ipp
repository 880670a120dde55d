// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/cuda/cuda_kernels.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/lang/cuda/detail/argument_type.hpp>
#include <lkt/lang/cuda/detail/constants.hpp>
#include <lkt/lang/cuda/detail/flow.hpp>
#include <lkt/lang/cuda/detail/preprocessor.hpp>
#include <lkt/lang/cuda/detail/record_arguments.hpp>
#include <lkt/lang/cuda/detail/record_layout.hpp>
#include <lkt/lang/cuda/detail/template_arguments.hpp>
#include <lkt/lang/cuda/detail/tensor_map_lines.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail::lang {

/// A text with its kernels, ready to be asked for signatures.
class kernel_text {
public:
    explicit kernel_text(kernel_source const& source) : source_(source) {}
    kernel_text(kernel_text const&) = delete; // its parts refer to each other
    kernel_text& operator=(kernel_text const&) = delete;

    [[nodiscard]] std::optional<error> load() {
        auto tokens = tokenize(source_.text);
        if (!tokens) return located(tokens.error());
        tokens_ = std::move(*tokens);
        preprocessor_.emplace(tokens_, preprocessor::conditions::decide);
        if (!preprocessor_->run()) return located(*preprocessor_->defect());
        for (auto const& [name, m] : preprocessor_->macros())
            if (m.ambiguous) unclear_.insert(name);
        text_.emplace(preprocessor_->pieces());
        if (!text_->run()) return located(*text_->defect());
        load_all_branches();
        if (auto e = maps_.read(source_.text, tokens_)) return located(*e);
        return {};
    }

    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (declaration const& d : text_->kernels)
            if (std::ranges::find(all, d.qualified) == all.end()) all.push_back(d.qualified);
        return all;
    }

    [[nodiscard]] error none() const {
        std::string why = "there is no __global__ function", hint;
        if (!text_->functions.empty()) {
            why += " with a body; found only";
            for (std::size_t i = 0; i < text_->functions.size() && i < 5; ++i)
                why += (i == 0 ? " " : ", ") + in_backticks(text_->functions[i], 40);
        }
        for (token const& t : tokens_) {
            if (t.directive && t.is("__global__"))
                hint = "the macro at line " + std::to_string(t.where.line) +
                       " would define a kernel, but it is not used; write the kernel out";
            if (t.is("__kernel") || t.is("get_global_id"))
                hint = "this looks like OpenCL, which lkt does not support; port it to CUDA or HIP";
        }
        if (hint.empty())
            hint = "declare a kernel as `__global__ void name(...)`, with its body in this text";
        return {condition::rejected, "lkt.kernel.none", place({}) + why, hint};
    }

    /// `wanted` may be empty, `k`, `ns::k`, `k<float, 16>` and `ns::k<float>`.
    [[nodiscard]] result<signature> find(std::string_view wanted, type_names types) const {
        std::string_view const base = trimmed(wanted.substr(0, wanted.find('<')));
        std::vector<declaration const*> found;
        for (declaration const& d : text_->kernels)
            if (base.empty() || d.qualified == base || d.name == base) found.push_back(&d);
        std::vector<std::string> const all = names();
        if (all.empty()) return none();
        std::string list;
        for (std::string const& n : all) list += (list.empty() ? "" : ", ") + plain_line(n, 60);
        list = plain_line(list, 400);
        if (found.empty())
            return error{condition::rejected,
                         "lkt.kernel.unknown",
                         place({}) + "there is no kernel " + in_backticks(base) + "; found " + list,
                         "choose one, for example --kernel " + all.front()};
        for (declaration const* d : found)
            if (d->qualified != found.front()->qualified)
                return error{condition::rejected,
                             "lkt.kernel.several",
                             place({}) + "there are several kernels: " + list,
                             "choose one, for example --kernel " + all.front()};
        auto first = read(*found.front(), wanted, types);
        for (std::size_t i = 1; first && i < found.size(); ++i) {
            auto const other = read(*found[i], wanted, types);
            if (!other || !same_arguments(*first, *other) ||
                first->tensor_maps != other->tensor_maps)
                return error{condition::rejected,
                             "lkt.kernel.several",
                             place(found[i]->where) + "the parameters of kernel " +
                                 in_backticks(found[i]->qualified) + " here differ from those at " +
                                 to_string(found.front()->where),
                             "keep one of the two, or give them different names"};
            for (std::size_t k = 0; k < first->arguments.size(); ++k)
                if (first->arguments[k].flow != other->arguments[k].flow)
                    first->arguments[k].flow = direction::inout;
        }
        return first;
    }

private:
    /// `matmul.cu:12: `, or what of it is known.
    [[nodiscard]] std::string place(text_location where) const {
        std::string text = plain_line(source_.origin, 200);
        if (where.line > 0) text += (text.empty() ? "line " : ":") + std::to_string(where.line);
        return text.empty() ? text : text + ": ";
    }
    [[nodiscard]] error located(error e) const {
        if (!source_.origin.empty()) e.message = place({}) + e.message;
        return e;
    }

    /// Directions are read from all branches of all conditions: a tunable parameter may choose a
    /// branch that the text's own definitions do not.
    void load_all_branches() {
        branches_.emplace(tokens_, preprocessor::conditions::keep_all);
        if (!branches_->run()) return;
        branch_unclear_ = branches_->mentioned();
        branch_text_.emplace(branches_->pieces());
        if (!branch_text_->run()) branch_text_.reset();
    }

    [[nodiscard]] direction
    flow(declaration const& d, std::size_t argument, bool points_to_const) const {
        if (!branch_text_) return points_to_const ? direction::in : direction::inout;
        std::optional<direction> all;
        for (declaration const& b : branch_text_->kernels) {
            if (b.qualified != d.qualified || b.parameters.size() != d.parameters.size()) continue;
            std::string const name = parameter_name(b.parameters[argument]);
            direction const one =
                flow_reader(*branch_text_, branch_unclear_).of(b.body, name, points_to_const);
            all = all && *all != one ? direction::inout : one;
        }
        return all.value_or(points_to_const ? direction::in : direction::inout);
    }
    /// The last name outside of brackets and before a default value.
    [[nodiscard]] std::string parameter_name(extent e) const {
        std::vector<piece> const& p = branch_text_->pieces();
        std::string name;
        for (std::size_t i = e.begin; i < e.end && !p[i].is("=") && !p[i].is("[");
             i = p[i].is("(") ? branch_text_->past_bracket(i, e.end) : i + 1)
            if (p[i].names() && !p[i].is("const") && !p[i].is("__restrict__") &&
                !p[i].is("__restrict"))
                name = p[i].tok.text;
        return name;
    }

    /// The text of [begin, end) as written, comments and line ends gone.
    [[nodiscard]] std::string spelling(extent e) const {
        if (e.empty()) return {};
        std::vector<piece> const& p = text_->pieces();
        std::size_t const first = p[e.begin].source, last = p[e.end - 1].source;
        std::string text;
        for (std::size_t i = first; i <= last && i < tokens_.size() && text.size() < 400; ++i) {
            if (i > first && tokens_[i].begin > tokens_[i - 1].end) text += ' ';
            text += tokens_[i].text;
        }
        return text;
    }

    [[nodiscard]] result<signature>
    read(declaration const& d, std::string_view wanted, type_names types) const {
        signature s;
        s.name = d.qualified;
        s.line = d.where.line;
        for (extent const& e : d.template_parameters) s.template_parameters.push_back(spelling(e));
        type_table given;
        for (auto const& [name, meaning] : types) {
            auto const tokens = tokenize(meaning);
            if (!tokens) return tokens.error();
            for (token const& t : *tokens) given[name].push_back({t, 0});
        }
        bool const has_arguments = wanted.find('<') != std::string_view::npos;
        if (d.is_template) {
            if (auto e = instantiate(d, wanted, s, given)) return *e;
        } else if (has_arguments) {
            return error{condition::rejected,
                         "lkt.kernel.template",
                         place(d.where) + "kernel " + in_backticks(d.qualified) +
                             " is not a template",
                         "pass --kernel " + d.qualified};
        }
        type_reader const reader(*text_, unclear_, std::move(given));
        record_reader const records(*text_, reader, packs());
        std::map<std::size_t, std::string> paths; // of members
        for (std::size_t i = 0; i < d.parameters.size(); ++i) {
            extent const e = d.parameters[i];
            auto const parts =
                std::span<piece const>(text_->pieces()).subspan(e.begin, e.end - e.begin);
            if (maps_.declares(parts, *text_)) {
                auto map = maps_.described(parts, i, s.tensor_maps);
                if (auto const* const why = std::get_if<std::string>(&map))
                    return map_error(d, *why);
                s.tensor_maps.push_back(std::get<tensor_map>(std::move(map)));
                continue;
            }
            argument_type const t = reader.read(parts);
            if (!t.why.empty()) return unknown_type(d, i, t);
            argument a;
            a.name = t.name.empty() ? "argument_" + std::to_string(i + 1) : t.name;
            if (!t.record.empty()) {
                a.is_const = t.value_const;
                a.spelling = spelling(e);
                record_layout const layout = records.read(t.record);
                if (!layout.why.empty()) return unknown_record(d, i, t.record, layout.why);
                flatten(a, layout, s.arguments, paths);
                continue;
            }
            a.type = t.type;
            a.pointer = t.pointers == 1;
            a.is_const = t.value_const;
            a.is_restrict = t.is_restrict;
            a.spelling = spelling(e);
            if (a.pointer) a.flow = t.is_volatile ? direction::inout : flow(d, i, t.value_const);
            for (argument const& before : s.arguments)
                if (before.name == a.name && !before.within)
                    return error{condition::rejected,
                                 "lkt.kernel.type",
                                 place(d.where) + "kernel " + in_backticks(d.qualified) +
                                     " has two parameters called " + in_backticks(a.name),
                                 {}};
            s.arguments.push_back(std::move(a));
        }
        auto constants = constant_reader(*text_, reader).read([this](text_location where) {
            return place(where);
        });
        if (!constants) return constants.error();
        for (argument& a : *constants) s.arguments.push_back(std::move(a));
        settle_names(s.arguments, paths);
        for (tensor_map const& map : s.tensor_maps)
            if (std::string const why = fault_in_map(map, s.arguments); !why.empty())
                return map_error(d, in_backticks(map.name) + ": " + why);
        return s;
    }

    [[nodiscard]] error map_error(declaration const& d, std::string const& what) const {
        return {condition::rejected,
                "lkt.kernel.tensor-map",
                place(d.where) + "kernel " + in_backticks(d.qualified) + ": the tensor map " + what,
                std::string(tensor_map_form)};
    }

    [[nodiscard]] error
    unknown_type(declaration const& d, std::size_t index, argument_type const& t) const {
        std::string const name = plain_line(t.type_name, 60);
        error e{
            condition::rejected,
            "lkt.kernel.type",
            place(d.where) + "parameter " + std::to_string(index + 1) + " of kernel " +
                in_backticks(d.qualified) + ", " + in_backticks(spelling(d.parameters[index])) +
                ": " + in_backticks(t.type_name, 60) + " " + t.why,
            "lkt supports the arithmetic types, half, __nv_bfloat16 and vectors such as float4, as "
            "values and as pointers"};
        bool const nameable = !name.empty() && name.find_first_of(" *&<>()[]:=") == name.npos;
        if (nameable)
            e.hint +=
                "; if " + name + " is another name of one of them, pass --type " + name + "=float";
        if (d.is_template) e.hint = template_hint(d);
        return e;
    }

    [[nodiscard]] error unknown_record(declaration const& d,
                                       std::size_t index,
                                       std::string const& record,
                                       std::string const& why) const {
        return {condition::rejected,
                "lkt.kernel.type",
                place(d.where) + "parameter " + std::to_string(index + 1) + " of kernel " +
                    in_backticks(d.qualified) + ", " + in_backticks(spelling(d.parameters[index])) +
                    ": the struct " + in_backticks(record, 60) + " " + why,
                "a struct passed by value may contain only numbers, vectors such as float4, "
                "structs of them and arrays of up to 64; pass buffers as separate parameters"};
    }
    /// Whether a pragma may change where the members of structs lie.
    [[nodiscard]] bool packs() const {
        for (std::size_t i = 0; i + 1 < tokens_.size(); ++i)
            if ((tokens_[i].is("pragma") && tokens_[i].directive && tokens_[i + 1].is("pack")) ||
                tokens_[i].is("_Pragma"))
                return true;
        return false;
    }

    /// Binds the template's parameters to the arguments in `wanted`, or to their defaults. Without
    /// arguments the rest may get their values from tunable parameters: they stay unbound.
    [[nodiscard]] std::optional<error> instantiate(declaration const& d,
                                                   std::string_view wanted,
                                                   signature& s,
                                                   type_table& given) const {
        bool const named = wanted.find('<') != std::string_view::npos;
        std::vector<template_argument> arguments;
        if (named) {
            auto read = template_arguments(wanted);
            if (!read) return read.error();
            arguments = std::move(*read);
        }
        auto const refuse = [&](std::string why) {
            return error{condition::rejected,
                         "lkt.kernel.template",
                         place(d.where) + "kernel " + in_backticks(d.qualified) +
                             " is a template; " + std::move(why),
                         template_hint(d)};
        };
        if (arguments.size() > d.template_parameters.size())
            return refuse("it takes " + std::to_string(d.template_parameters.size()) +
                          " arguments, not " + std::to_string(arguments.size()));
        std::vector<piece> const& p = text_->pieces();
        std::string list;
        for (std::size_t i = 0; i < d.template_parameters.size(); ++i) {
            extent const e = d.template_parameters[i];
            std::size_t equals = e.begin;
            std::string name;
            for (; equals < e.end && !p[equals].is("="); ++equals) {
                if (p[equals].is("...")) return refuse("parameter packs are not supported");
                if (p[equals].names()) name = p[equals].tok.text;
            }
            template_argument a;
            if (i < arguments.size())
                a = std::move(arguments[i]);
            else if (equals + 1 < e.end) {
                a.text = spelling({equals + 1, e.end});
                for (std::size_t k = equals + 1; k < e.end; ++k) a.pieces.push_back(p[k]);
            }
            if (named && a.pieces.empty())
                return refuse("its parameter " + in_backticks(spelling(e)) + " has no value");
            list += (i == 0 ? "" : ", ") + a.text;
            given[name] = std::move(a.pieces);
        }
        if (named) {
            s.name += "<" + list + ">";
            s.template_parameters.clear();
        }
        return {};
    }
    [[nodiscard]] std::string template_hint(declaration const& d) const {
        std::string example;
        for (extent const& e : d.template_parameters)
            example += (example.empty() ? "" : ", ") + std::string(takes_type(e) ? "float" : "16");
        return "pass its arguments, for example --kernel '" + d.qualified + "<" + example + ">'";
    }
    [[nodiscard]] bool takes_type(extent e) const {
        return !e.empty() &&
               (text_->pieces()[e.begin].is("typename") || text_->pieces()[e.begin].is("class"));
    }

    kernel_source const& source_;
    std::vector<token> tokens_;
    std::optional<preprocessor> preprocessor_, branches_;
    std::optional<declarations> text_, branch_text_;
    std::set<std::string> unclear_, branch_unclear_;
    tensor_map_lines maps_;
};

} // namespace lkt::detail::lang

namespace lkt {

result<std::vector<std::string>> cuda_kernel_names(kernel_source const& source) {
    detail::lang::kernel_text text(source);
    if (auto e = text.load()) return *e;
    return text.names();
}

result<signature>
find_cuda_kernel(kernel_source const& source, std::string_view name, type_names types) {
    detail::lang::kernel_text text(source);
    if (auto e = text.load()) return *e;
    return text.find(name, types);
}

result<std::vector<signature>> find_cuda_kernels(kernel_source const& source, type_names types) {
    detail::lang::kernel_text text(source);
    if (auto e = text.load()) return *e;
    std::vector<signature> all;
    for (std::string const& name : text.names()) {
        auto one = text.find(name, types);
        if (!one) return one.error();
        all.push_back(std::move(*one));
    }
    if (all.empty()) return text.none();
    return all;
}

} // namespace lkt
