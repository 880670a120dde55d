// SPDX-License-Identifier: BSL-1.0
// One text, looked through by all rules but the one that needs the problem.
#pragma once

#include <lkt/kernel/source.hpp>
#include <lkt/lang/cuda/inline_ptx.hpp>
#include <lkt/lang/expanded_text.hpp>
#include <lkt/verify/detail/static_assembly.hpp>
#include <lkt/verify/detail/static_environment.hpp>
#include <lkt/verify/detail/static_structure.hpp>
#include <lkt/verify/detail/static_tensor_maps.hpp>
#include <lkt/verify/detail/static_use.hpp>
#include <lkt/verify/detail/static_words.hpp>
#include <lkt/verify/static_checks.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail::statics {

/// Untrusted words for a message.
[[nodiscard]] inline std::string shown(std::string_view text) {
    std::string kept;
    for (char const c : text.substr(0, 60)) kept += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    return text.size() > 60 ? kept + "..." : kept;
}

class scanner {
public:
    /// `known`: names besides the text's own that its conditions may ask for. `ptx` holds for
    /// assembly whose strings are not among `own`.
    scanner(expanded_text const& text,
            language written_in,
            std::set<std::string> const& known,
            ptx_policy ptx,
            std::set<std::string> own = {})
        : text_(text), wgsl_(written_in == language::wgsl), known_(known), ptx_(ptx),
          own_assembly_(std::move(own)), conditions_(text.written), maps_(text.seen) {}

    std::vector<static_finding> findings;
    std::set<std::string> unfilled_memory;  ///< constant memory without an initialiser
    std::set<std::string> assembly_strings; ///< of each statement of assembly, joined
    /// Names that the text's own lines define.
    [[nodiscard]] std::set<std::string> const& defined() const { return conditions_.defined(); }

    void run() {
        if (!wgsl_) {
            lines();
            for (token const& t : text_.written)
                if (t.kind == token_kind::identifier && t.disguised)
                    find(static_rule::disguise, t.where, t.text, no_disguise);
        }
        words(text_.seen);
        if (wgsl_) return;
        for (tensor_map_use::fault const& f : maps_.faults())
            find(static_rule::assembly, text_.seen[f.token], f.why);
        hidden_words();
        variables();
    }
    [[nodiscard]] bool has_tensor_maps() const { return !maps_.types().empty(); }
    void find(static_rule rule, text_location where, std::string what, std::string_view why) {
        what = shown(what);
        // So many a rule that nobody drowns an error in warnings.
        if (found_of_[static_cast<std::size_t>(rule)] >= 100 || !seen_.emplace(rule, what).second)
            return;
        ++found_of_[static_cast<std::size_t>(rule)];
        findings.push_back({rule, static_severity::off, where, std::move(what), std::string(why)});
    }

private:
    using tokens = std::vector<expanded_token>;

    /// As written, and what a macro makes of it.
    [[nodiscard]] std::string spelling(expanded_token const& t) const {
        std::string const& written = text_.written[t.source].text;
        return t.expanded && written != t.tok.text ? shown(written) + " (" + shown(t.tok.text) + ")"
                                                   : t.tok.text;
    }
    void find(static_rule rule, expanded_token const& t, std::string_view why) {
        find(rule, t.tok.where, spelling(t), why);
    }
    static bool is(tokens const& in, std::size_t i, std::string_view text) {
        return i < in.size() && in[i].is(text);
    }

    // --- preprocessor lines ---------------------------------------------------------------------
    void lines() {
        std::vector<bool> dead; // of each open #if, whether this branch is literally `#if 0`
        auto const& all = text_.written;
        std::size_t skipped = 0;
        for (std::size_t i = 0; i + 1 < all.size(); ++i) {
            token const& t = all[i];
            if (skipped == 0 && t.kind == token_kind::identifier && t.text.starts_with("__has_") &&
                (t.text.starts_with("__has_include") || t.text == "__has_embed"))
                find(static_rule::include, t.where, t.text, no_question);
            if (!t.directive || !t.first) continue;
            token const& name = all[i + 1];
            bool const defines = name.is("define") || name.is("undef");
            if (skipped == 0 && defines && i + 2 < all.size() && !all[i + 2].first &&
                means_the_same_everywhere(all[i + 2].text))
                find(static_rule::environment, name.where, all[i + 2].text, no_environment);
            if (name.text.starts_with("if")) {
                bool const zero = name.is("if") && i + 2 < all.size() && all[i + 2].is("0") &&
                                  (i + 3 >= all.size() || all[i + 3].first);
                dead.push_back(zero);
                skipped += zero ? 1 : 0;
            } else if (name.text.starts_with("el") && !dead.empty() && dead.back()) {
                dead.back() = false;
                --skipped;
            } else if (name.is("endif") && !dead.empty()) {
                skipped -= dead.back() ? 1 : 0;
                dead.pop_back();
            } else if (skipped == 0 && (name.is("include") || name.is("include_next") ||
                                        name.is("import") || name.is("embed"))) {
                include(i);
            }
            // Behind the rest, since `#elif` may end a dead branch.
            if (skipped == 0 && (name.text.starts_with("if") || name.text.starts_with("elif")))
                conditions_.look(i, known_, [&](token const& word, std::string_view why) {
                    find(static_rule::environment, word.where, word.text, why);
                });
        }
    }
    void include(std::size_t i) {
        auto const& all = text_.written;
        token const* const header = i + 2 < all.size() && !all[i + 2].first ? &all[i + 2] : nullptr;
        std::string const shape = "#" + all[i + 1].text + (header ? " " + header->text : "");
        if (!header || header->text.size() < 3 || !all[i + 1].is("include") ||
            (header->kind != token_kind::header_name && header->kind != token_kind::string))
            return find(static_rule::include, all[i].where, shape, no_path);
        std::string const name = header->text.substr(1, header->text.size() - 2);
        if (!header_allowed(name)) find(static_rule::include, all[i].where, shape, no_header);
    }

    // --- words ----------------------------------------------------------------------------------
    static suspicious_word const* look_up(std::string_view name, bool wgsl) {
        auto const table_of = [](auto const& words) {
            std::unordered_map<std::string_view, suspicious_word const*> all;
            for (suspicious_word const& w : words) all.emplace(w.name, &w);
            return all;
        };
        static auto const cpp_words = table_of(suspicious_words);
        static auto const wgsl_words = table_of(suspicious_wgsl_words);
        auto const& table = wgsl ? wgsl_words : cpp_words;
        auto const found = table.find(name);
        return found == table.end() ? nullptr : found->second;
    }
    void words(tokens const& in) {
        std::unordered_set<std::string_view> integers; // names of variables that hold them
        for (std::size_t i = 0; i < in.size(); ++i) {
            expanded_token const& t = in[i];
            if (!wgsl_) address(in, i, integers);
            if (!wgsl_ && t.is("<<<")) find(static_rule::host_code, t, no_launches);
            if (t.names()) word(in, i);
        }
    }
    void word(tokens const& in, std::size_t i) {
        expanded_token const& t = in[i];
        std::string_view const name = t.tok.text;
        bool const member = i > 0 && (is(in, i - 1, ".") || is(in, i - 1, "->"));
        bool const call = is(in, i + 1, "(") && !member;
        if (auto const* w = look_up(name, wgsl_); w && (!w->call || call)) find(w->rule, t, w->why);
        if (wgsl_) return;
        if (tells_of_the_environment(name) && !known_.contains(std::string(name)))
            find(static_rule::environment, t, no_environment);
        if (begins_asm(name)) assembly(in, i);
        if (declares_in_library(in, i)) find(static_rule::state, t, no_library);
        if (name == "__attribute__" || name == "__attribute") attributes(in, i);
        if (name == "half" && is_type(in, i)) find(static_rule::precision, t, no_narrowing);
        if (call && (host_api(name) || name == "main") && !look_up(name, wgsl_))
            find(static_rule::host_code, t, no_host_code);
    }
    /// Those by which code runs, or lies, elsewhere than in the launch.
    void attributes(tokens const& in, std::size_t i) {
        for (std::size_t k = i + 1; k < std::min(in.size(), i + 12); ++k)
            for (auto const name : {"constructor", "destructor", "section", "ifunc", "alias"})
                if (in[k].is(name) || in[k].is("__" + std::string(name) + "__"))
                    find(static_rule::host_code, in[k], no_host_code);
    }
    /// `half` is a type, and what people call half of something.
    static bool is_type(tokens const& in, std::size_t i) {
        return (i + 1 < in.size() && in[i + 1].names()) || (i > 0 && is(in, i - 1, "const")) ||
               (i > 0 && is(in, i - 1, "<") && is(in, i + 1, ">"));
    }
    /// Where a macro means two things, the words of its bodies are looked at as they stand.
    void hidden_words() {
        std::unordered_set<std::string_view> const hidden(text_.hidden.begin(), text_.hidden.end());
        if (hidden.empty()) return;
        tokens bodies;
        auto const& all = text_.written;
        bool body = false;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].first)
                body = all[i].directive && i + 1 < all.size() && all[i + 1].is("define");
            if (!body) continue;
            expanded_token t;
            t.tok = all[i];
            t.source = i;
            bodies.push_back(std::move(t));
        }
        for (std::size_t i = 0; i < bodies.size(); ++i)
            if (bodies[i].names() && hidden.contains(bodies[i].tok.text)) {
                word(bodies, i);
                if (maps_.concerns(bodies[i].tok.text))
                    find(static_rule::assembly, bodies[i], no_map_use);
                if (bodies[i].is("__managed__")) find(static_rule::state, bodies[i], no_state);
            }
    }

    void assembly(tokens const& in, std::size_t i) {
        if (read_assembly_.first == in.data() && i < read_assembly_.second) return;
        // Up to the parenthesis that closes it, in one branch of every condition.
        std::vector<token> plain;
        int depth = 0;
        std::string strings, written;
        std::string_view no_way;
        for (std::size_t k = i; k < in.size(); ++k) {
            read_assembly_ = {in.data(), k + 1};
            written += in[k].tok.text;
            written += ' ';
            if (in[k].mark != expanded_token::edge::none || in[k].stringized)
                no_way = no_built_assembly;
            else if (k > i && in[k].names() && begins_asm(in[k].tok.text))
                no_way = no_nested_assembly;
            plain.push_back(in[k].tok);
            if (in[k].tok.kind == token_kind::string) strings += meaning_of_string(in[k].tok.text);
            depth += is(in, k, "(") ? 1 : is(in, k, ")") ? -1 : 0;
            if (depth == 0 && is(in, k, ")")) break;
            if (depth == 0 && (is(in, k, ";") || is(in, k, "{"))) break;
        }
        if (!no_way.empty()) {
            assembly_strings.insert(written); // as a whole: what is built of it is not known
            if (!own_assembly_.contains(written)) find(static_rule::assembly, in[i], no_way);
            return;
        }
        for (suspicious_part const& part : suspicious_in_assembly)
            if (strings.find(part.text) != strings.npos)
                find(part.rule, in[i].tok.where, std::string(part.text), part.why);
        assembly_strings.insert(strings);
        // Of the original's own, too: the same string may have another map.
        bool const own = own_assembly_.contains(strings);
        if (own && strings.find("tensor") == strings.npos) return;
        auto const refuse = [&](ptx_refusal const& no) {
            find(static_rule::assembly, in[i].tok.where, shown(no.what), no.why);
        };
        auto const statement = read_asm(plain, 0);
        if (auto const* const no = std::get_if<ptx_refusal>(&statement)) return refuse(*no);
        auto const code =
            read_ptx(std::get<asm_statement>(statement), own ? ptx_policy::listed : ptx_);
        if (auto const* const no = std::get_if<ptx_refusal>(&code)) return refuse(*no);
        for (ptx_instruction const& one : std::get<ptx_code>(code).instructions) {
            auto const map = one.tensor_map();
            if (map && !names_map(in, i, std::get<asm_statement>(statement).operands[*map]))
                refuse({one.spelt(), std::string(no_map_operand)});
            for (ptx_operand const& o : one.operands)
                if (o.kind == ptx_operand::kinds::memory &&
                    o.parts[0].kind == ptx_operand::kinds::value)
                    address(plain, std::get<asm_statement>(statement).operands[o.parts[0].index]);
        }
    }
    /// `"l"(&A_map)`, whatever it is cast to. `i`: where the statement begins.
    bool names_map(tokens const& in, std::size_t i, asm_statement::operand const& o) const {
        if (&in != &text_.seen) return false;
        int names = 0;
        for (auto k = i + o.tokens.first; k < i + o.tokens.second; ++k) {
            if (in[k].names() && !integer_word(in[k].tok.text) && !in[k].is("const") &&
                !in[k].is("void")) {
                if (!maps_.is_map(k) || !is(in, k - 1, "&")) return false;
                ++names;
            } else if (!in[k].names() && !is(in, k, "(") && !is(in, k, ")") && !is(in, k, "<") &&
                       !is(in, k, ">") && !is(in, k, "*") && !is(in, k, "&")) {
                return false;
            }
        }
        return names == 1;
    }
    /// `"l"(0x7f0000000000)`: a number, whatever it is cast to.
    void address(std::vector<token> const& in, asm_statement::operand const& o) {
        token const* number = nullptr;
        for (auto k = o.tokens.first; k < o.tokens.second; ++k) {
            bool const name = in[k].kind == token_kind::identifier;
            if (name && !integer_word(in[k].text)) return;
            if (in[k].kind == token_kind::number &&
                in[k].text.find_first_not_of("0xXuUlL'") != std::string::npos)
                number = &in[k];
        }
        if (number != nullptr)
            find(static_rule::address, number->where, shown(number->text), no_address);
    }
    static bool integer_word(std::string_view word) {
        for (auto const name : {"unsigned",
                                "long",
                                "int",
                                "size_t",
                                "uint64_t",
                                "uintptr_t",
                                "uint32_t",
                                "static_cast",
                                "reinterpret_cast"})
            if (word == name) return true;
        return false;
    }

    // --- addresses ------------------------------------------------------------------------------
    static bool integer_type(expanded_token const& t) {
        for (auto const name : {"uintptr_t", "intptr_t", "uint64_t", "int64_t", "size_t", "long"})
            if (t.is(name)) return true;
        return false;
    }
    void address(tokens const& in, std::size_t i, std::unordered_set<std::string_view>& integers) {
        if (integer_type(in[i]) && i + 1 < in.size() && in[i + 1].names())
            integers.insert(in[i + 1].tok.text);
        if (!is(in, i, ")") && !is(in, i, ">")) return;
        std::size_t type = i;
        while (type > 0 && (is(in, type - 1, "const") || is(in, type - 1, "__restrict__") ||
                            is(in, type - 1, "volatile")))
            --type;
        if (type == 0 || !is(in, type - 1, "*")) return;
        bool const named = is(in, i, ">"); // reinterpret_cast<float*>( , bit_cast<float*>(
        std::size_t k = i + 1;
        if (named && !is(in, k, "(")) return;
        while (k < in.size() &&
               (is(in, k, "(") || is(in, k, "-") || is(in, k, "~") || is(in, k, "+")) && k < i + 16)
            ++k;
        if (k >= in.size()) return;
        if (in[k].mark == expanded_token::edge::none && in[k].tok.kind == token_kind::number) {
            if (in[k].tok.text.find_first_not_of("0xXuUlL'") != std::string::npos)
                find(static_rule::address, in[k], no_address);
            return;
        }
        bool integer = in[k].names() && integers.contains(in[k].tok.text);
        std::size_t depth = 0;
        for (std::size_t j = i + 1; j < std::min(in.size(), i + 64) && !integer; ++j) {
            depth += is(in, j, "(") ? 1 : 0;
            if (depth == 0) break;
            // A size that counts elements is no address: only a cast of it is.
            integer = is(in, j, "uintptr_t") || is(in, j, "intptr_t") ||
                      (integer_type(in[j]) && (is(in, j + 1, ")") || is(in, j + 1, ">")));
            if (is(in, j, ")") && --depth == 0) break;
        }
        if (integer) find(static_rule::computed_address, in[k], no_computed_address);
    }

    // --- variables ------------------------------------------------------------------------------
    void variables() {
        std::vector<long_lived> const all = structure(text_.seen).run();
        std::unordered_map<std::string_view, long_lived const*> written_only_if_used;
        for (long_lived const& v : all) {
            expanded_token const& t = text_.seen[v.name];
            if (v.in_constant) {
                if (v.unfilled) unfilled_memory.insert(t.tok.text);
                if (v.unfilled) find(static_rule::constant_memory, t, no_constant_memory);
            } else if (!v.constant && !v.device) {
                find(rule_of(v), t, no_state);
            } else if (!v.constant) {
                written_only_if_used.emplace(t.tok.text, &v);
            }
        }
        if (written_only_if_used.empty()) return;
        for (std::size_t i = 0; i < text_.seen.size(); ++i) {
            if (!text_.seen[i].names()) continue;
            auto const found = written_only_if_used.find(text_.seen[i].tok.text);
            if (found == written_only_if_used.end() || found->second->name == i) continue;
            long_lived const& v = *found->second;
            // One without an initialiser has nothing to be read until somebody writes it.
            if (!v.initialised || !only_read(text_.seen, i, v.array))
                find(rule_of(v), text_.seen[v.name], no_state);
        }
    }
    /// An array has room for outputs, a single value for a count or a key.
    static static_rule rule_of(long_lived const& v) {
        return v.array ? static_rule::replay : static_rule::state;
    }

    expanded_text const& text_;
    bool wgsl_;
    std::set<std::string> const& known_;
    ptx_policy ptx_;
    std::set<std::string> own_assembly_;
    std::pair<expanded_token const*, std::size_t> read_assembly_; ///< of which tokens; up to where
    conditions conditions_;
    tensor_map_use maps_;
    std::set<std::pair<static_rule, std::string>> seen_;
    std::array<std::size_t, static_rule_codes.size()> found_of_{};
};

} // namespace lkt::detail::statics
