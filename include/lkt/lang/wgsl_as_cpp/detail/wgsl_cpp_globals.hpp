// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/wgsl/detail/wgsl_types.hpp>
#include <lkt/lang/wgsl/wgsl.hpp>
#include <lkt/lang/wgsl_as_cpp/detail/wgsl_cpp_statements.hpp>

#include <cstdio>

namespace lkt::detail::lang {

/// Writes what all invocations have in common: types, constants, workgroup variables.
class wgsl_cpp_globals : protected wgsl_cpp_statements {
protected:
    wgsl_cpp_globals(kernel_source const& source,
                     wgsl_syntax syntax,
                     wgsl_module const& module,
                     override_values const& values)
        : wgsl_cpp_statements(source, std::move(syntax)), module_(module), constants_(source, s_),
          types_(s_, constants_), values_(values), written_(s_.declarations.size()) {}

    [[nodiscard]] std::string_view space(wgsl_declaration const& d) const {
        return d.templates.empty() ? "" : spelled(s_.nodes[d.templates[0]]);
    }
    /// Once, after all that it needs.
    void global(std::size_t index) {
        wgsl_declaration const& d = s_.declarations[index];
        if (defect_ || written_[index] || d.what == sort::function) return;
        written_[index] = true;
        level const guard(*this);
        needs(d.type);
        needs(d.value);
        for (wgsl_field const& f : d.fields) needs(f.type);
        if (defect_) return;
        place(d.token);
        std::string const name(s_.name(d));
        switch (d.what) {
        case sort::alias:
            put("using " + wgsl_cpp_name("t_", name) + " = ");
            type(d.type);
            return put("; ");
        case sort::structure:
            return structure(d);
        case sort::constant:
            put("static constexpr ");
            if (d.type != no_node)
                type(d.type);
            else
                put("auto");
            put(" " + wgsl_cpp_name("g_", name) + " = ");
            if (d.type != no_node)
                converted(d.type, d.value);
            else
                expression(d.value);
            return put("; ");
        case sort::override:
            return override_constant(d);
        case sort::variable:
            if (space(d) != "workgroup") return;
            put("LKT_SHARED ");
            type(d.type);
            put(" " + wgsl_cpp_name("g_", name) + "; ");
            behind_ += "lkt_zero(" + wgsl_cpp_name("g_", name) + "); ";
            return;
        case sort::function:
            return;
        }
    }
    void needs(wgsl_node_id id) {
        if (id == no_node || defect_) return;
        wgsl_node const& n = s_.nodes[id];
        if (n.what == node::sort::name)
            if (auto const found = s_.by_name.find(spelled(n)); found != s_.by_name.end())
                global(found->second);
        for (wgsl_node_id const t : n.templates) needs(t);
        for (wgsl_node_id const o : n.operands) needs(o);
    }
    void override_constant(wgsl_declaration const& d) {
        std::string const name(s_.name(d));
        auto const scalar = constants_.override_type(d);
        if (!scalar) return untranslated(d.token, "has a type that lkt does not read");
        static constexpr std::string_view spellings[] = {
            "bool", "int", "float", "int", "unsigned", "lkt_half", "float"};
        std::string const cpp(spellings[static_cast<std::size_t>(*scalar)]);
        put("static constexpr " + cpp + " " + wgsl_cpp_name("g_", name) + " = ");
        for (wgsl_override const& o : module_.overrides)
            for (auto const& [key, value] : values_)
                if (o.name == name && o.key() == key) {
                    char text[64];
                    std::snprintf(text, sizeof text, is_real(*scalar) ? "%a" : "%.0f", value);
                    return put("(" + cpp + ")" + text + "; ");
                }
        if (d.value == no_node) return untranslated(d.token, "has no value");
        put("lkt_to<" + cpp + ">(");
        expression(d.value);
        put("); ");
    }
    /// Members lie where WGSL has them; one that holds truth values lies in no buffer.
    void structure(wgsl_declaration const& d) {
        auto const made = types_.declared_type(d);
        if (!made) {
            defect_ = made.error();
            return;
        }
        wgsl_type const& t = **made;
        bool const exact = (t.scalars & 1U << static_cast<unsigned>(wgsl_scalar::boolean)) == 0;
        std::string const name = wgsl_cpp_name("t_", s_.name(d));
        put("struct " + name + " { ");
        std::uint64_t end = 0;
        std::size_t gaps = 0;
        auto const fill = [&](std::uint64_t to) {
            if (exact && to > end)
                put("char lkt_gap" + std::to_string(++gaps) + "[" + std::to_string(to - end) +
                    "]; ");
        };
        for (std::size_t k = 0; k < d.fields.size(); ++k) {
            wgsl_field const& f = d.fields[k];
            fill(t.members[k].offset);
            if (t.members[k].type->runtime_sized())
                tail(f.type);
            else
                type(f.type);
            put(" " + wgsl_cpp_name("m_", s_.tokens[f.token].text) + "; ");
            end = t.members[k].offset + t.members[k].type->size;
        }
        if (t.runtime_sized()) return put("}; ");
        fill(t.size);
        put("static constexpr " + name + " make(");
        for (std::size_t k = 0; k < d.fields.size(); ++k) {
            if (k > 0) put(", ");
            type(d.fields[k].type);
            put(" a" + std::to_string(k));
        }
        put(") { " + name + " made{}; ");
        for (std::size_t k = 0; k < d.fields.size(); ++k)
            put("made." + wgsl_cpp_name("m_", s_.tokens[d.fields[k].token].text) + " = a" +
                std::to_string(k) + "; ");
        put("return made; } }; ");
    }
    /// What an array without a count is made of; `no_node` for any other type.
    [[nodiscard]] wgsl_node_id element(wgsl_node_id id) const {
        for (int steps = 0; id != no_node && steps < 64; ++steps) {
            wgsl_node const& n = s_.nodes[id];
            auto const* const d = s_.find(spelled(n));
            if (d == nullptr) return n.templates.empty() ? no_node : n.templates[0];
            if (d->what != sort::alias) return no_node;
            id = d->type;
        }
        return no_node;
    }
    void tail(wgsl_node_id id) {
        put("lkt_tail<");
        if (auto const e = element(id); e != no_node) type(e);
        put(">");
    }

    wgsl_module const& module_;
    wgsl_constants constants_;
    wgsl_types types_;
    std::string behind_; ///< sets workgroup variables to zero

private:
    override_values const& values_;
    std::vector<bool> written_; ///< by declaration
};

} // namespace lkt::detail::lang
