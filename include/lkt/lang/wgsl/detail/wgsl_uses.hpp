// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/argument.hpp>
#include <lkt/lang/wgsl/detail/wgsl_syntax.hpp>

namespace lkt::detail::lang {

/// Which declarations a declaration refers to. A function's body is read token by token, with the
/// scopes of its local names: a local variable hides a buffer of its name.
class wgsl_uses {
public:
    /// A name in a function's body that means something at module scope.
    struct mention {
        std::size_t declaration = 0;
        std::size_t token = 0;
    };

    explicit wgsl_uses(wgsl_syntax const& syntax)
        : s_(syntax), mentions_(syntax.declarations.size()), waits_(syntax.declarations.size()) {
        for (std::size_t i = 0; i < s_.declarations.size(); ++i) read(i);
    }

    /// All that `start` needs, itself included: a flag for each declaration.
    [[nodiscard]] std::vector<bool> reachable(std::size_t start) const {
        std::vector<bool> seen(s_.declarations.size());
        std::vector<std::size_t> open{start};
        seen[start] = true;
        while (!open.empty()) {
            std::size_t const d = open.back();
            open.pop_back();
            for (mention const& m : mentions_[d])
                if (!seen[m.declaration]) {
                    seen[m.declaration] = true;
                    open.push_back(m.declaration);
                }
        }
        return seen;
    }
    [[nodiscard]] bool waits(std::size_t declaration) const { return waits_[declaration]; }

    /// Which way data flows through each variable in the functions of `reached`: `out` only if each
    /// mention is the target of a plain store to a whole element at the start of a statement, or
    /// asks for the array's length. An address, a member, a compound assignment make it `inout`.
    [[nodiscard]] std::vector<direction> flows(std::vector<bool> const& reached) const {
        std::vector<bool> stores(reached.size()), others(reached.size());
        for (std::size_t d = 0; d < reached.size(); ++d)
            for (mention const& m : mentions_[d])
                if (reached[d] && !is_length(m.token))
                    (is_store(m.token) ? stores : others)[m.declaration] = true;
        std::vector<direction> all(reached.size(), direction::inout);
        for (std::size_t d = 0; d < reached.size(); ++d)
            if (stores[d] && !others[d]) all[d] = direction::out;
        return all;
    }

private:
    using sort = wgsl_declaration::sort;

    [[nodiscard]] bool is_length(std::size_t i) const {
        return i >= 3 && s_.tokens[i - 1].is("&") && s_.tokens[i - 2].is("(") &&
               s_.tokens[i - 3].is("arrayLength") && s_.tokens[i + 1].is(")") &&
               s_.find("arrayLength") == nullptr;
    }
    /// `name[...] = ` or `name = `.
    [[nodiscard]] bool is_store(std::size_t i) const {
        wgsl_token const& before = s_.tokens[i - 1];
        if (!before.is(";") && !before.is("{") && !before.is("}")) return false;
        ++i;
        if (s_.tokens[i].is("[")) {
            std::size_t depth = 0;
            for (; !s_.tokens[i].is(";") && !s_.tokens[i].is("{") && i + 1 < s_.tokens.size();
                 ++i) {
                if (s_.tokens[i].is("[")) ++depth;
                if (s_.tokens[i].is("]") && --depth == 0) break;
            }
            if (s_.tokens[i].is("]")) ++i;
        }
        return s_.tokens[i].is("=");
    }

    void mention_of(std::size_t from, std::size_t token) {
        auto const found = s_.by_name.find(s_.tokens[token].text);
        if (found != s_.by_name.end()) mentions_[from].push_back({found->second, token});
    }
    void walk(std::size_t from, wgsl_node_id id) {
        if (id == no_node) return;
        wgsl_node const& n = s_.nodes[id];
        if (n.what == wgsl_node::sort::name) mention_of(from, n.token);
        for (wgsl_node_id const t : n.templates) walk(from, t);
        for (wgsl_node_id const o : n.operands) walk(from, o);
    }
    void walk(std::size_t from, std::vector<wgsl_attribute> const& attributes) {
        for (wgsl_attribute const& a : attributes) {
            // Their arguments are words of their own.
            std::string_view const name = s_.tokens[a.token].text;
            if (name == "builtin" || name == "interpolate" || name == "diagnostic") continue;
            for (wgsl_node_id const id : a.arguments) walk(from, id);
        }
    }
    void read(std::size_t index) {
        wgsl_declaration const& d = s_.declarations[index];
        walk(index, d.attributes);
        walk(index, d.type);
        walk(index, d.value);
        for (wgsl_field const& f : d.fields) {
            walk(index, f.attributes);
            walk(index, f.type);
        }
        if (d.what == sort::function) read_body(index, d);
    }

    struct scope {
        std::vector<std::string_view> names;
        bool loop_head = false; ///< of a for: ends with the loop's body
    };
    void read_body(std::size_t index, wgsl_declaration const& d) {
        std::unordered_map<std::string_view, int> hidden;
        std::vector<scope> scopes(1);
        std::optional<std::string_view> declared; ///< takes effect behind its statement
        auto const hide = [&](std::string_view name) {
            scopes.back().names.push_back(name);
            ++hidden[name];
        };
        auto const leave = [&] {
            for (std::string_view const name : scopes.back().names) --hidden[name];
            scopes.pop_back();
        };
        for (wgsl_field const& f : d.fields) hide(s_.tokens[f.token].text);
        for (std::size_t i = d.body_begin; i < d.body_end; ++i) {
            wgsl_token const& t = s_.tokens[i];
            if (t.is(";") && declared) hide(*std::exchange(declared, std::nullopt));
            if (t.is("{")) scopes.emplace_back();
            if (t.is("}") && scopes.size() > 1) {
                leave();
                if (scopes.size() > 1 && scopes.back().loop_head) leave();
            }
            if (!t.names() || s_.tokens[i - 1].is(".") || s_.tokens[i - 1].is("@")) continue;
            if (t.is("for")) scopes.push_back({{}, true});
            if (t.is("let") || t.is("const") || t.is("var")) {
                std::size_t name = i + 1;
                if (s_.tokens[name].what == wgsl_token::sort::open)
                    while (name < d.body_end && s_.tokens[name++].what != wgsl_token::sort::close) {
                    }
                if (name < d.body_end) declared = s_.tokens[name].text;
                i = name;
                continue;
            }
            auto const local = hidden.find(t.text);
            if (local != hidden.end() && local->second > 0) continue;
            mention_of(index, i);
            if (s_.find(t.text) != nullptr) continue;
            for (std::string_view const wait : {"workgroupBarrier",
                                                "storageBarrier",
                                                "textureBarrier",
                                                "subgroupBarrier",
                                                "workgroupUniformLoad"})
                if (t.is(wait)) waits_[index] = true;
        }
    }

    wgsl_syntax const& s_;
    std::vector<std::vector<mention>> mentions_; ///< by declaration
    std::vector<bool> waits_;                    ///< by declaration: a barrier in its body
};

} // namespace lkt::detail::lang
