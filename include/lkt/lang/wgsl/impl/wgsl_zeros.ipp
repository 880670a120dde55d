// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/wgsl/wgsl_zeros.hpp>

#include <lkt/core/string_tools.hpp>
#include <lkt/lang/wgsl/detail/wgsl_parser.hpp>
#include <lkt/lang/wgsl/detail/wgsl_uses.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace lkt::detail::lang {

/// Writes what sets variables to zero. Types are followed by their tokens: what is written is WGSL
/// again, and an array's count may be any expression.
class wgsl_zeros {
public:
    wgsl_zeros(kernel_source const& source, wgsl_syntax const& syntax)
        : text_(source.text), s_(syntax) {}

    /// Nothing: the variables unfold to more than is written.
    [[nodiscard]] std::optional<std::string> run(std::size_t entry) {
        auto const reached = wgsl_uses(s_).reachable(entry);
        std::string statements;
        for (std::size_t i = 0; i < reached.size(); ++i) {
            auto const& d = s_.declarations[i];
            if (reached[i] && is_workgroup(d))
                statements += variable(std::string(s_.name(d)), type_at(d.type));
        }
        if (too_much_) return std::nullopt;
        if (statements.empty()) return std::string(text_);

        auto const& d = s_.declarations[entry];
        std::map<std::size_t, std::string> insertions; // by place in the text
        std::string index = index_of(d);
        if (index.empty()) {
            index = "lkt_local_index";
            std::size_t const open = s_.tokens[d.token + 1].begin + 1;
            insertions[open] = "@builtin(local_invocation_index) " + index + ": u32" +
                               (d.fields.empty() ? "" : ", ");
        }
        insertions[s_.tokens[d.body_begin - 1].begin + 1] =
            " lkt_zero_workgroup(" + index + "); workgroupBarrier();";
        std::string made;
        std::size_t at = 0;
        for (auto const& [place, what] : insertions) {
            made += text_.substr(at, place - at);
            made += what;
            at = place;
        }
        made += text_.substr(at);
        return made +
               "\nfn lkt_zero_workgroup(lkt_index: u32) {\n  let lkt_threads = " + threads(d) +
               ";\n" + statements + "}\n";
    }

private:
    /// Tokens from `begin` to before `end`.
    struct range {
        std::size_t begin = 0, end = 0;
    };

    [[nodiscard]] bool is_workgroup(wgsl_declaration const& d) const {
        return d.what == wgsl_declaration::sort::variable && !d.templates.empty() &&
               d.type != no_node && s_.tokens[s_.nodes[d.templates[0]].token].is("workgroup");
    }
    /// A type's name with its template list.
    [[nodiscard]] range type_at(wgsl_node_id id) const {
        std::size_t const begin = s_.nodes[id].token;
        std::size_t end = begin + 1, depth = 0;
        if (s_.tokens[end].what != wgsl_token::sort::open) return {begin, end};
        for (; end < s_.tokens.size(); ++end) {
            if (s_.tokens[end].what == wgsl_token::sort::open) ++depth;
            if (s_.tokens[end].what == wgsl_token::sort::close && --depth == 0) break;
        }
        return {begin, end + 1};
    }
    /// Token by token, so that comments stay out.
    [[nodiscard]] std::string spelled(range r) const {
        std::string made;
        for (std::size_t i = r.begin; i < r.end; ++i) {
            if (i > r.begin) made += ' ';
            made += s_.tokens[i].text;
        }
        return made;
    }
    /// What stands between brackets at `open`, at the commas.
    [[nodiscard]] std::vector<range> parts(std::size_t open) const {
        std::vector<range> found;
        std::size_t depth = 0, begin = open + 1;
        for (std::size_t i = open; i < s_.tokens.size(); ++i) {
            auto const& t = s_.tokens[i];
            bool const opens = t.what == wgsl_token::sort::open || t.is("(") || t.is("[");
            bool const closes = t.what == wgsl_token::sort::close || t.is(")") || t.is("]");
            if (opens) ++depth;
            if (closes) --depth;
            if ((t.is(",") && depth == 1) || depth == 0) {
                if (i > begin) found.push_back({begin, i});
                begin = i + 1;
            }
            if (depth == 0) break;
        }
        return found;
    }
    /// The declaration that a type's name stands for, or null.
    [[nodiscard]] wgsl_declaration const* declared(range type) const {
        return s_.find(s_.tokens[type.begin].text);
    }
    [[nodiscard]] range without_aliases(range type) const {
        for (int depth = 0; depth < 64; ++depth) {
            auto const* const d = declared(type);
            if (d == nullptr || d->what != wgsl_declaration::sort::alias || d->type == no_node)
                break;
            type = type_at(d->type);
        }
        return type;
    }
    [[nodiscard]] bool is_array(range type) const {
        return declared(type) == nullptr && s_.tokens[type.begin].is("array") &&
               parts(type.begin + 1).size() == 2;
    }
    [[nodiscard]] bool holds_atomics(range type, int depth = 0) {
        type = without_aliases(type);
        if (depth > 64) return false;
        auto const* const d = declared(type);
        if (d == nullptr && s_.tokens[type.begin].is("atomic")) return true;
        if (is_array(type)) return holds_atomics(parts(type.begin + 1)[0], depth + 1);
        if (d == nullptr || d->what != wgsl_declaration::sort::structure) return false;
        // Each struct is looked at once: a text may nest them so that they unfold 2^40 times.
        auto const [known, is_new] = atomics_in_.emplace(d, false);
        if (!is_new) return known->second;
        for (auto const& f : d->fields)
            if (f.type != no_node && holds_atomics(type_at(f.type), depth + 1))
                return atomics_in_[d] = true;
        return false;
    }

    /// Sets `place`, of `type`, to zero, by one thread.
    [[nodiscard]] std::string zero(std::string const& place, range type, int depth = 0) {
        std::string const whole = spelled(type);
        type = without_aliases(type);
        too_much_ = too_much_ || depth > 64 || ++written_ > max_written;
        if (too_much_) return {};
        auto const* const d = declared(type);
        if (d == nullptr && s_.tokens[type.begin].is("atomic"))
            return "atomicStore(&" + place + ", 0);";
        if (!holds_atomics(type)) return place + " = " + whole + "();";
        if (is_array(type)) {
            auto const element = parts(type.begin + 1);
            std::string const i = "lkt_i" + std::to_string(depth);
            return "for (var " + i + " = 0u; " + i + " < u32(" + spelled(element[1]) + "); " + i +
                   "++) { " + zero(place + "[" + i + "]", element[0], depth + 1) + " }";
        }
        std::string all;
        for (auto const& f : d->fields)
            if (f.type != no_node)
                all += zero(place + "." + std::string(s_.tokens[f.token].text),
                            type_at(f.type),
                            depth + 1) +
                       " ";
        return all;
    }
    /// The same by all threads: arrays, and arrays of them, are shared out element by element.
    [[nodiscard]] std::string variable(std::string const& name, range type) {
        std::vector<std::string> counts;
        type = without_aliases(type);
        while (is_array(type)) {
            auto const element = parts(type.begin + 1);
            counts.push_back("u32(" + spelled(element[1]) + ")");
            range const inner = without_aliases(element[0]);
            type = is_array(inner) ? inner : element[0];
        }
        if (counts.empty()) return "  if (lkt_index == 0u) { " + zero(name, type) + " }\n";
        std::string place = name, total, behind;
        for (auto const& count : counts) total += (total.empty() ? "" : " * ") + count;
        for (std::size_t k = 0; k < counts.size(); ++k) {
            std::string rest; // elements of what one step of this index covers
            for (std::size_t j = k + 1; j < counts.size(); ++j)
                rest += (rest.empty() ? "" : " * ") + counts[j];
            place += "[lkt_i" + (rest.empty() ? "" : " / (" + rest + ")") +
                     (k == 0 ? "" : " % " + counts[k]) + "]";
        }
        return "  for (var lkt_i = lkt_index; lkt_i < " + total + "; lkt_i += lkt_threads) { " +
               zero(place, type) + " }\n";
    }

    [[nodiscard]] bool is_index(wgsl_field const& f) const {
        auto const* const a = s_.attribute(f.attributes, "builtin");
        return a != nullptr && a->arguments.size() == 1 &&
               s_.tokens[s_.nodes[a->arguments[0]].token].is("local_invocation_index");
    }
    /// How the entry point calls its thread's number, if it asks for it: it may ask only once.
    [[nodiscard]] std::string index_of(wgsl_declaration const& d) const {
        for (auto const& f : d.fields) {
            std::string const name(s_.tokens[f.token].text);
            if (is_index(f)) return name;
            if (f.type == no_node) continue;
            auto const* const t = declared(without_aliases(type_at(f.type)));
            if (t == nullptr || t->what != wgsl_declaration::sort::structure) continue;
            for (auto const& inner : t->fields)
                if (is_index(inner)) return name + "." + std::string(s_.tokens[inner.token].text);
        }
        return {};
    }
    [[nodiscard]] std::string threads(wgsl_declaration const& d) const {
        std::string product;
        if (auto const* const a = s_.attribute(d.attributes, "workgroup_size"))
            for (auto const& extent : parts(a->token + 1))
                product += (product.empty() ? "" : " * ") + ("u32(" + spelled(extent) + ")");
        return product.empty() ? "1u" : product;
    }

    static constexpr int max_written = 4096;
    std::string_view text_;
    wgsl_syntax const& s_;
    std::map<wgsl_declaration const*, bool> atomics_in_;
    int written_ = 0;
    bool too_much_ = false; ///< atomics nested too deep, or too many of them
};

} // namespace lkt::detail::lang

namespace lkt {

result<std::string> with_workgroup_zeros(kernel_source const& source, std::string_view entry) {
    namespace dl = detail::lang;
    auto tokens = dl::wgsl_lexer(source).run();
    if (!tokens) return tokens.error();
    auto const syntax = dl::wgsl_parser(source, std::move(*tokens)).run();
    if (!syntax) return syntax.error();
    auto const found = syntax->by_name.find(entry);
    if (found == syntax->by_name.end() ||
        syntax->declarations[found->second].what != dl::wgsl_declaration::sort::function)
        return error{condition::rejected,
                     "lkt.kernel.unknown",
                     "there is no kernel " + in_backticks(entry),
                     "name an entry point of the text"};
    auto made = dl::wgsl_zeros(source, *syntax).run(found->second);
    if (!made)
        return error{condition::rejected,
                     "lkt.kernel.type",
                     "the workgroup variables contain thousands of atomics outside arrays, or nest "
                     "them more than 64 types deep",
                     "put them into an array"};
    return std::move(*made);
}

} // namespace lkt
