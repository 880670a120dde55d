// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/wgsl/wgsl.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/lang/wgsl/detail/wgsl_contents.hpp>
#include <lkt/lang/wgsl/detail/wgsl_parser.hpp>
#include <lkt/lang/wgsl/detail/wgsl_uses.hpp>

#include <algorithm>

namespace lkt::detail::lang {

/// From a module's syntax to what a host needs to know of it.
class wgsl_reflection {
public:
    wgsl_reflection(kernel_source const& source, wgsl_syntax const& syntax)
        : s_(syntax), constants_(source, syntax), types_(syntax, constants_), uses_(syntax),
          binding_of_(syntax.declarations.size()) {}

    result<wgsl_module> run() {
        m_.enables = s_.enables;
        m_.requirements = s_.requirements;
        for (std::string const& r : s_.requirements)
            standard_layout_ = standard_layout_ || r == "uniform_buffer_standard_layout";
        for (std::size_t i = 0; i < s_.declarations.size() && !defect_; ++i) {
            wgsl_declaration const& d = s_.declarations[i];
            if (d.what == wgsl_declaration::sort::override) read_override(d);
            if (d.what == wgsl_declaration::sort::variable) read_variable(i);
        }
        for (std::size_t i = 0; i < s_.declarations.size() && !defect_; ++i) {
            wgsl_declaration const& d = s_.declarations[i];
            if (d.what == wgsl_declaration::sort::function &&
                s_.attribute(d.attributes, "compute") != nullptr)
                read_entry_point(i);
        }
        if (defect_) return *defect_;
        return std::move(m_);
    }

private:
    /// What each entry point reaches is found anew, and the text is untrusted.
    static constexpr std::size_t max_entry_points = 128, max_members = 64;

    [[nodiscard]] int line(std::size_t token) const { return s_.tokens[token].where.line; }
    [[nodiscard]] std::string quoted(wgsl_declaration const& d) const {
        return in_backticks(s_.name(d), 40);
    }
    void fail(std::size_t token, char const* code, std::string message, std::string hint) {
        if (!defect_) defect_ = constants_.fail(token, code, std::move(message), std::move(hint));
    }
    /// The value, or a default after a defect.
    template <class T>
    T taken(result<T> r) {
        if (r) return std::move(*r);
        if (!defect_) defect_ = r.error();
        return T{};
    }

    // --- overrides -----------------------------------------------------------------------------
    void read_override(wgsl_declaration const& d) {
        wgsl_override o;
        o.name = s_.name(d);
        o.line = line(d.token);
        o.type = scalar_of(taken(constants_.override_type(d)));
        o.has_default = d.value != no_node;
        if (wgsl_attribute const* id = s_.attribute(d.attributes, "id")) o.id = number(*id, 65535);
        if (defect_) return;
        if (o.has_default)
            if (auto const v = constants_.initial(d))
                if (auto e = constants_.formula(*v, d.token)) o.value = std::move(*e);
        m_.overrides.push_back(std::move(o));
    }
    /// The number in `@binding(1)`.
    std::uint32_t number(wgsl_attribute const& a, std::int64_t most) {
        std::string const what = "@" + std::string(s_.tokens[a.token].text);
        if (a.arguments.size() != 1) {
            fail(
                a.token, "lkt.kernel.binding", what + " takes one number", "write " + what + "(0)");
            return 0;
        }
        std::int64_t const n = taken(constants_.fixed_integer(a.arguments[0], what));
        if (n < 0 || n > most)
            fail(a.token,
                 "lkt.kernel.binding",
                 what + "(" + std::to_string(n) + ") is not between 0 and " + std::to_string(most),
                 "count from 0");
        return static_cast<std::uint32_t>(n);
    }

    // --- bindings --------------------------------------------------------------------------------
    void read_variable(std::size_t index) {
        wgsl_declaration const& d = s_.declarations[index];
        std::string const space =
            d.templates.empty() ? "" : std::string(s_.tokens[s_.nodes[d.templates[0]].token].text);
        if (space == "workgroup" || space == "private") return;
        if (space != "storage" && space != "uniform") return not_a_buffer(d, space);
        wgsl_binding b;
        b.name = s_.name(d);
        b.line = line(d.token);
        b.spelling = s_.spelling(d.begin, d.end);
        b.space = space == "uniform" ? wgsl_space::uniform : wgsl_space::storage;
        if (d.templates.size() > 1) {
            wgsl_token const& access = s_.tokens[s_.nodes[d.templates[1]].token];
            b.writable = access.is("read_write");
            if ((!b.writable && !access.is("read")) ||
                (b.writable && b.space == wgsl_space::uniform))
                return fail(s_.nodes[d.templates[1]].token,
                            "lkt.kernel.type",
                            in_backticks(access.text, 40) + " is not an access mode of a " + space +
                                " buffer",
                            "write var<storage, read>, var<storage, read_write> or var<uniform>");
        }
        wgsl_attribute const* const group = s_.attribute(d.attributes, "group");
        wgsl_attribute const* const binding = s_.attribute(d.attributes, "binding");
        if (group == nullptr || binding == nullptr)
            return fail(d.token,
                        "lkt.kernel.binding",
                        "buffer " + quoted(d) + " has no " +
                            (group == nullptr ? "@group" : "@binding"),
                        "write @group(0) @binding(0) before var");
        b.group = number(*group, 1000);
        b.binding = number(*binding, 65535);
        if (!defect_) read_contents(d, b);
        if (defect_) return;
        binding_of_[index] = m_.bindings.size() + 1;
        m_.bindings.push_back(std::move(b));
    }
    void not_a_buffer(wgsl_declaration const& d, std::string const& space) {
        std::string const type =
            d.type == no_node ? "" : std::string(s_.tokens[s_.nodes[d.type].token].text);
        bool const image = type.starts_with("texture_") || type.starts_with("sampler");
        fail(d.token,
             image ? "lkt.kernel.type" : "lkt.kernel.text",
             image ? quoted(d) + " is a " + plain_line(type, 40) + ", but lkt passes only buffers"
             : space.empty()
                 ? "variable " + quoted(d) + " has no address space"
                 : in_backticks(space, 40) + " is not an address space of a module's variable",
             image ? "read from a buffer: var<storage, read> name: array<f32>"
                   : "write var<storage, read>, var<storage, read_write>, var<uniform>, "
                     "var<workgroup> or var<private>");
    }
    void read_contents(wgsl_declaration const& d, wgsl_binding& b) {
        if (d.type == no_node)
            return fail(d.token,
                        "lkt.kernel.text",
                        "buffer " + quoted(d) + " has no type",
                        "write its type, as in `" + plain_line(b.name, 40) + ": array<f32>`");
        wgsl_type_ptr const t = taken(types_.type(d.type));
        if (defect_) return;
        std::size_t const token = s_.nodes[d.type].token;
        bool const uniform = b.space == wgsl_space::uniform;
        std::string why;
        if ((t->scalars & 1U << static_cast<unsigned>(wgsl_scalar::boolean)) != 0)
            why = "a buffer cannot contain bool; use u32";
        else if (!t->formula.empty())
            why = "an override cannot be the length of a buffer's array; leave the count out";
        else if (uniform && t->runtime_sized())
            why = "a uniform buffer must have a fixed size; give the array a count, or use storage";
        else if (uniform && !standard_layout_)
            why = t->uniform_defect;
        if (!why.empty())
            return fail(token,
                        "lkt.kernel.type",
                        "buffer " + quoted(d) + ": " + why,
                        "see the address space and layout rules of WGSL");
        wgsl_view(*t, b);
        if (uniform && t->what == wgsl_type::sort::structure && t->leaves <= max_members)
            wgsl_flatten(s_, *t, 0, {}, {}, {}, b.members);
    }
    // --- entry points ----------------------------------------------------------------------------
    void read_entry_point(std::size_t index) {
        wgsl_declaration const& d = s_.declarations[index];
        wgsl_entry_point e;
        e.name = s_.name(d);
        e.line = line(d.token);
        if (m_.entry_points.size() >= max_entry_points)
            return fail(d.token,
                        "lkt.kernel.text",
                        "there are more than " + std::to_string(max_entry_points) + " entry points",
                        "leave out those that are not needed");
        read_workgroup_size(d, e);
        std::vector<bool> const reached = uses_.reachable(index);
        std::vector<direction> const flows = uses_.flows(reached);
        wgsl_value shared;
        for (std::size_t i = 0; i < reached.size() && !defect_; ++i) {
            if (!reached[i]) continue;
            wgsl_declaration const& u = s_.declarations[i];
            e.barriers = e.barriers || uses_.waits(i);
            if (u.what == wgsl_declaration::sort::override) e.overrides.emplace_back(s_.name(u));
            if (u.what == wgsl_declaration::sort::variable && binding_of_[i] != 0)
                add_binding(e, binding_of_[i] - 1, flows[i]);
            else if (u.what == wgsl_declaration::sort::variable)
                add_shared(u, shared);
        }
        e.num_workgroups = asks_for_groups(d);
        if (!defect_) e.workgroup_bytes = taken(constants_.formula(shared, d.token));
        std::sort(e.bindings.begin(), e.bindings.end(), [&](wgsl_use const& a, wgsl_use const& b) {
            return slot(a) < slot(b);
        });
        for (std::size_t i = 1; i < e.bindings.size() && !defect_; ++i)
            if (slot(e.bindings[i - 1]) == slot(e.bindings[i])) {
                auto const [group, binding] = slot(e.bindings[i]);
                fail(d.token,
                     "lkt.kernel.binding",
                     quoted(d) + " uses two buffers at @group(" + std::to_string(group) +
                         ") @binding(" + std::to_string(binding) + ")",
                     "number them differently");
            }
        if (!defect_) m_.entry_points.push_back(std::move(e));
    }
    [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> slot(wgsl_use const& u) const {
        return {m_.bindings[u.binding].group, m_.bindings[u.binding].binding};
    }
    void read_workgroup_size(wgsl_declaration const& d, wgsl_entry_point& e) {
        wgsl_attribute const* const a = s_.attribute(d.attributes, "workgroup_size");
        if (a == nullptr || a->arguments.empty() || a->arguments.size() > 3)
            return fail(a == nullptr ? d.token : a->token,
                        "lkt.kernel.text",
                        "entry point " + quoted(d) +
                            (a == nullptr ? " has no @workgroup_size"
                                          : " needs one to three extents in @workgroup_size"),
                        "write @compute @workgroup_size(256)");
        for (std::size_t k = 0; k < a->arguments.size(); ++k) {
            std::size_t const token = s_.nodes[a->arguments[k]].token;
            wgsl_value const v = taken(constants_.value(a->arguments[k]));
            if (defect_) return;
            if (!is_integer(v.type) || (v.fixed() && (v.whole() < 1 || v.whole() > 2147483647)))
                return fail(token,
                            "lkt.kernel.constant",
                            "an extent of @workgroup_size is " +
                                (is_integer(v.type) ? v.text() : std::string(to_string(v.type))),
                            "give whole numbers from 1");
            e.workgroup_size[k] = taken(constants_.formula(v, token));
        }
    }
    void add_binding(wgsl_entry_point& e, std::size_t index, direction flow) const {
        wgsl_binding const& b = m_.bindings[index];
        // A store to a struct need not store its padding, which the buffer's values hold.
        if (b.padded) flow = direction::inout;
        e.bindings.push_back({index, b.writable ? flow : direction::in});
    }
    void add_shared(wgsl_declaration const& d, wgsl_value& sum) {
        if (d.type == no_node || s_.tokens[s_.nodes[d.templates[0]].token].is("private")) return;
        wgsl_type_ptr const t = taken(types_.type(d.type));
        if (defect_) return;
        wgsl_value bytes{wgsl_scalar::abstract_int};
        if (t->formula.empty())
            bytes.number = static_cast<std::int64_t>((t->size + 15) / 16 * 16);
        else
            bytes.formula =
                "ceil_div(" + std::to_string(t->stride()) + " * " + t->formula + ", 16) * 16";
        if (sum.fixed() && sum.whole() == 0)
            sum = std::move(bytes);
        else if (sum.fixed() && bytes.fixed())
            sum.number = sum.whole() + bytes.whole();
        else
            sum.formula = sum.text() + " + " + bytes.text();
    }
    /// Among the parameters, or the members of structs among them.
    [[nodiscard]] bool asks_for_groups(wgsl_declaration const& d) const {
        for (wgsl_field const& f : d.fields) {
            if (is_group_count(f)) return true;
            if (f.type == no_node) continue;
            wgsl_declaration const* const t = s_.find(s_.tokens[s_.nodes[f.type].token].text);
            if (t == nullptr || t->what != wgsl_declaration::sort::structure) continue;
            for (wgsl_field const& inner : t->fields)
                if (is_group_count(inner)) return true;
        }
        return false;
    }
    [[nodiscard]] bool is_group_count(wgsl_field const& f) const {
        wgsl_attribute const* const a = s_.attribute(f.attributes, "builtin");
        return a != nullptr && a->arguments.size() == 1 &&
               s_.tokens[s_.nodes[a->arguments[0]].token].is("num_workgroups");
    }

    wgsl_syntax const& s_;
    wgsl_constants constants_;
    wgsl_types types_;
    wgsl_uses uses_;
    std::vector<std::size_t> binding_of_; ///< by declaration: the index of its binding plus one
    bool standard_layout_ = false;        ///< uniform memory has the rules of storage
    wgsl_module m_;
    std::optional<error> defect_;
};

} // namespace lkt::detail::lang

namespace lkt {

result<wgsl_module> reflect_wgsl(kernel_source const& source) {
    namespace dl = detail::lang;
    auto tokens = dl::wgsl_lexer(source).run();
    if (!tokens) return tokens.error();
    auto const syntax = dl::wgsl_parser(source, std::move(*tokens)).run();
    if (!syntax) return syntax.error();
    return dl::wgsl_reflection(source, *syntax).run();
}

} // namespace lkt
