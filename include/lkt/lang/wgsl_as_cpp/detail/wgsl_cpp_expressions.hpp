// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/wgsl/detail/wgsl_expression_reader.hpp>
#include <lkt/lang/wgsl_as_cpp/detail/wgsl_cpp_words.hpp>

#include <map>
#include <set>

namespace lkt::detail::lang {

/// Writes types and expressions as C++. C++ infers their types, with the overloads of the shim:
/// literals are of types that turn into others as WGSL's abstract numbers do.
class wgsl_cpp_expressions : protected wgsl_expression_reader {
protected:
    using sort = wgsl_declaration::sort;

    wgsl_cpp_expressions(kernel_source const& source, wgsl_syntax syntax)
        : wgsl_expression_reader(source, std::move(syntax)) {
        for (wgsl_declaration const& d : s_.declarations)
            if (d.what == sort::structure)
                for (wgsl_field const& f : d.fields) member_names_.insert(s_.tokens[f.token].text);
    }

    // --- output ----------------------------------------------------------------------------------
    void put(std::string_view text) {
        if (out_.size() > max_written) return fail_at(0, "the text", "becomes too long in C++");
        out_ += text;
    }
    /// What follows belongs to the line of this token.
    void place(std::size_t token) {
        int const line = s_.tokens[token].where.line;
        if (line == line_) return;
        put("\n#line " + std::to_string(line) + " \"kernel\"\n");
        line_ = line;
    }
    void fail_at(std::size_t token, std::string const& what, std::string const& why) {
        if (!defect_)
            defect_ = wgsl_error(source_,
                                 "lkt.kernel.untranslated",
                                 s_.tokens[token].where,
                                 what + " " + why,
                                 "the kernel may be correct; it is only not checked for races");
        at_ = s_.tokens.size() - 1;
    }
    void untranslated(std::size_t token, std::string const& why) {
        fail_at(token, in_backticks(s_.tokens[token].text, 40), why);
    }

    // --- names -----------------------------------------------------------------------------------
    [[nodiscard]] std::string_view spelled(wgsl_node const& n) const {
        return s_.tokens[n.token].text;
    }
    [[nodiscard]] std::string const* local(std::string_view name) const {
        for (std::size_t k = scopes_.size(); k-- > 0;)
            if (auto const found = scopes_[k].find(name); found != scopes_[k].end())
                return &found->second;
        return nullptr;
    }
    /// A fresh name for a local variable, which is known from now on.
    std::string declare(std::size_t token) {
        std::string_view const name = s_.tokens[token].text;
        std::string made = wgsl_cpp_name("l_", name) + "_" + std::to_string(++locals_);
        scopes_.back()[name] = made;
        return made;
    }

    // --- types -----------------------------------------------------------------------------------
    /// The type that a node names; nothing, and no defect, where it is none.
    [[nodiscard]] bool names_type(wgsl_node const& n) const {
        std::string_view const name = spelled(n);
        if (local(name) != nullptr) return false;
        if (auto const* const d = s_.find(name))
            return d->what == sort::alias || d->what == sort::structure;
        return wgsl_cpp_type(name).has_value() || name == "array" || name == "atomic" ||
               name == "ptr";
    }
    void type(wgsl_node_id id) {
        if (defect_) return;
        if (id == no_node) return fail_at(0, "a variable", "has no explicit type");
        wgsl_node const& n = s_.nodes[id];
        std::string_view const name = spelled(n);
        if (n.what != node::sort::name) return untranslated(n.token, "is not a type");
        if (auto const* const d = s_.find(name)) {
            if (d->what != sort::alias && d->what != sort::structure)
                return untranslated(n.token, "is not a type");
            return put(wgsl_cpp_name("t_", name));
        }
        auto const known = wgsl_cpp_type(name);
        auto const templates = n.templates; // nodes move when more are read
        std::size_t const token = n.token;
        auto const parts = [&](std::size_t least, std::size_t most) {
            bool const fits = templates.size() >= least && templates.size() <= most;
            if (!fits) untranslated(token, "has the wrong number of parts");
            return fits;
        };
        if (known && known->complete) {
            if (parts(0, 0)) put(known->text);
        } else if (known) {
            if (!parts(1, 1)) return;
            put(known->text);
            type(templates[0]);
            put(known->rest);
        } else if (name == "array") {
            if (!parts(1, 2)) return;
            put(templates.size() == 1 ? "lkt_span<" : "lkt_array<");
            type(templates[0]);
            if (templates.size() == 2) {
                put(", (unsigned)lkt_to<long>(");
                expression(templates[1]);
                put(")");
            }
            put(">");
        } else if (name == "atomic") {
            if (!parts(1, 1)) return;
            put("lkt_atomic<");
            type(templates[0]);
            put(">");
        } else if (name == "ptr") {
            if (!parts(2, 3)) return;
            type(templates[1]);
            put("*");
        } else {
            untranslated(token, "is not a type that is translated");
        }
    }

    // --- expressions -----------------------------------------------------------------------------
    void expression(wgsl_node_id id) {
        if (defect_ || id == no_node) return;
        node const n = s_.nodes[id];
        switch (n.what) {
        case node::sort::literal:
            return put(wgsl_cpp_literal(spelled(n)));
        case node::sort::name:
            return name(n);
        case node::sort::call:
            return call(n);
        case node::sort::unary:
            put("(");
            put(spelled(n));
            expression(n.operands[0]);
            return put(")");
        case node::sort::binary:
            return binary(n);
        case node::sort::index:
            place(n.token);
            put("lkt_at(");
            list(n.operands, 0);
            return put(")");
        case node::sort::member:
            return member(n);
        }
    }
    void list(std::vector<wgsl_node_id> const& all, std::size_t from) {
        for (std::size_t k = from; k < all.size(); ++k) {
            if (k > from) put(", ");
            expression(all[k]);
        }
    }
    /// `id` as a value of the type `to`.
    void converted(wgsl_node_id to, wgsl_node_id id) {
        put("lkt_to<");
        type(to);
        put(">(");
        expression(id);
        put(")");
    }

    std::string out_;
    int line_ = 0;
    std::vector<std::map<std::string_view, std::string>> scopes_;
    std::size_t locals_ = 0;
    bool waits_ = false, atomics_ = false, subgroups_ = false;

private:
    static constexpr std::size_t max_written = std::size_t{4} << 20;

    void name(wgsl_node const& n) {
        std::string_view const word = spelled(n);
        if (!n.templates.empty()) return untranslated(n.token, "is where a value is expected");
        if (auto const* const l = local(word)) return put(*l);
        auto const* const d = s_.find(word);
        if (d == nullptr) return untranslated(n.token, "is not declared");
        if (d->what != sort::constant && d->what != sort::override && d->what != sort::variable)
            return untranslated(n.token, "is not a value");
        put(wgsl_cpp_name("g_", word));
    }
    void binary(wgsl_node const& n) {
        std::string_view const sign = spelled(n);
        std::string_view const function = wgsl_cpp_operation(sign);
        put(function.empty() ? "(" : function);
        if (!function.empty()) put("(");
        expression(n.operands[0]);
        if (function.empty()) {
            put(" ");
            put(sign);
            put(" ");
        } else {
            put(", ");
        }
        expression(n.operands[1]);
        put(")");
    }
    void member(wgsl_node const& n) {
        std::string_view const word = spelled(n);
        std::string lanes = member_names_.contains(word) ? "" : wgsl_cpp_swizzle(word);
        if (lanes.size() > 1) {
            put("lkt_swizzle<");
            for (std::size_t k = 0; k < lanes.size(); ++k) {
                if (k > 0) put(", ");
                put(std::to_string(std::string_view("xyzw").find(lanes[k])));
            }
            put(">(");
            expression(n.operands[0]);
            return put(")");
        }
        place(n.token);
        put("lkt_ref(");
        expression(n.operands[0]);
        put(").");
        put(lanes.empty() ? wgsl_cpp_name("m_", word) : "m_" + lanes);
    }

    void call(wgsl_node const& n) {
        node const callee = s_.nodes[n.operands[0]];
        std::string_view const word = spelled(callee);
        if (callee.what != node::sort::name || local(word) != nullptr)
            return untranslated(n.token, "cannot be called");
        place(callee.token);
        auto const* const d = s_.find(word);
        if (d != nullptr && d->what == sort::function) return call(n, *d);
        if (names_type(callee)) return construct(n, callee);
        if (d != nullptr) return untranslated(callee.token, "cannot be called");
        auto const* const known = wgsl_cpp_function(word);
        if (known == nullptr)
            return untranslated(callee.token, "is not a function that is translated");
        waits_ = waits_ || known->kind == wgsl_cpp_kind::waits;
        atomics_ = atomics_ || known->kind == wgsl_cpp_kind::atomic;
        subgroups_ = subgroups_ || known->kind == wgsl_cpp_kind::subgroup;
        put("lkt_");
        put(word);
        if (known->kind == wgsl_cpp_kind::typed) {
            if (callee.templates.size() != 1)
                return untranslated(callee.token, "does not name a type");
            put("<");
            type(callee.templates[0]);
            put(">");
        } else if (!callee.templates.empty()) {
            return untranslated(callee.token, "takes no type");
        }
        put("(");
        list(n.operands, 1);
        put(")");
    }
    void call(wgsl_node const& n, wgsl_declaration const& d) {
        put(wgsl_cpp_name("f_", s_.name(d)));
        arguments(n, d);
    }
    /// Of a call, as the parameters or members of `d` ask for them.
    void arguments(wgsl_node const& n, wgsl_declaration const& d) {
        if (d.fields.size() + 1 != n.operands.size())
            return untranslated(n.token, "is called with another number of arguments");
        put("(");
        for (std::size_t k = 0; k < d.fields.size(); ++k) {
            if (k > 0) put(", ");
            converted(d.fields[k].type, n.operands[k + 1]);
        }
        put(")");
    }
    [[nodiscard]] wgsl_declaration const* structure_of(wgsl_declaration const* d) const {
        for (int steps = 0; d != nullptr && d->what == sort::alias && steps < 64; ++steps)
            d = s_.find(spelled(s_.nodes[d->type]));
        return d != nullptr && d->what == sort::structure ? d : nullptr;
    }
    /// `vec3<f32>(1, 2, 3)`, `Particle(here, 0)`, and `vec3(1, 2, 3)`, whose scalars are inferred.
    void construct(wgsl_node const& n, wgsl_node const& callee) {
        std::string_view const word = spelled(callee);
        auto const* const d = s_.find(word);
        auto const known = wgsl_cpp_type(word);
        bool const open = d == nullptr && callee.templates.empty() &&
                          ((known && !known->complete) || word == "array");
        if (auto const* const s = structure_of(d); s != nullptr && n.operands.size() > 1) {
            type(n.operands[0]);
            put("::make");
            return arguments(n, *s);
        }
        if (open) {
            put(known ? known->inferred : "lkt_make_array");
        } else {
            put("lkt_construct<");
            type(n.operands[0]);
            put(">");
        }
        put("(");
        list(n.operands, 1);
        put(")");
    }

    std::set<std::string_view> member_names_; ///< of any struct
};

} // namespace lkt::detail::lang
