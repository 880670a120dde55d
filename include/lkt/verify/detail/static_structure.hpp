// SPDX-License-Identifier: BSL-1.0
// Where variables are declared that outlive a launch.
#pragma once

#include <lkt/lang/expanded_text.hpp>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::detail::statics {

/// A variable with static storage, as declared.
struct long_lived {
    std::size_t name = 0;  ///< index into the tokens
    bool constant = false; ///< cannot be written
    bool device = false;   ///< `__device__`: writing is looked for, reading alone is harmless
    bool array = false;    ///< its bare name is an address
    bool initialised = false;
    bool unfilled = false;    ///< constant memory without an initialiser
    bool in_constant = false; ///< constant memory
};

/// Follows the scopes of a text that may be hostile: anything that is not understood is skipped,
/// and where the nesting becomes senseless the walk ends.
class structure {
public:
    explicit structure(std::vector<expanded_token> const& tokens) : tokens_(tokens) {}

    [[nodiscard]] std::vector<long_lived> run() {
        for (at_ = 0; at_ < tokens_.size(); ++at_) {
            expanded_token const& t = tokens_[at_];
            if (t.mark != expanded_token::edge::none)
                follow(t.mark);
            else if (t.is("(") || t.is("["))
                ++now_.round, add();
            else if (t.is(")") || t.is("]"))
                now_.round -= now_.round > 0 ? 1 : 0, add();
            else if (t.is("{"))
                open();
            else if (t.is("}"))
                close();
            else if (t.is(";") && now_.round == 0)
                end_of_statement();
            else if (t.is(":") && now_.statement.size() == 1 && access())
                now_.clear();
            else
                add();
            if (now_.scopes.size() > max_depth) break;
        }
        return std::move(found_);
    }

private:
    static constexpr std::size_t max_statement = 128, max_depth = 256;
    enum class scope : unsigned char { space, record, function, initializer };
    struct place {
        std::vector<scope> scopes;
        std::vector<std::size_t> statement; ///< since the last one ended, without nested braces
        std::size_t round = 0;
        bool initialised = false; ///< a brace of this statement was an initialiser's

        void clear() {
            statement.clear();
            initialised = false;
        }
    };

    [[nodiscard]] bool is(std::size_t i, std::string_view text) const {
        return i < tokens_.size() && tokens_[i].is(text);
    }
    [[nodiscard]] bool access() const {
        std::size_t const i = now_.statement.front();
        return is(i, "public") || is(i, "private") || is(i, "protected");
    }
    void follow(expanded_token::edge e) {
        if (e == expanded_token::edge::open) {
            // Statements are short and scopes few where a text means something.
            if (saved_.size() < max_depth) saved_.push_back(now_);
        } else if (!saved_.empty()) {
            if (e == expanded_token::edge::next)
                next_branch(saved_.back());
            else
                saved_.pop_back();
        }
    }
    /// Each branch goes on from where the first began. But where branches are words of one
    /// declaration, all of them count: `#ifdef A`, `static`, `#endif`, `int calls;`.
    void next_branch(place const& begin) {
        auto const& s = begin.statement;
        bool const same = now_.scopes == begin.scopes && now_.round == begin.round &&
                          now_.statement.size() >= s.size() &&
                          std::equal(s.begin(), s.end(), now_.statement.begin());
        if (!same) now_ = begin;
    }
    [[nodiscard]] scope current() const {
        return now_.scopes.empty() ? scope::space : now_.scopes.back();
    }
    void add() {
        // A longer one means nothing, and what looks at it again and again has to stay linear.
        if (current() != scope::initializer && now_.statement.size() < max_statement)
            now_.statement.push_back(at_);
    }
    [[nodiscard]] bool has(std::string_view word) const {
        return std::any_of(now_.statement.begin(), now_.statement.end(), [&](std::size_t i) {
            return tokens_[i].is(word);
        });
    }

    void open() {
        scope const here = current();
        if (here == scope::initializer || now_.round > 0 || now_.initialised) {
            now_.scopes.push_back(scope::initializer);
            return;
        }
        scope inner = scope::function;
        if (here != scope::function)
            inner = kind_of_brace();
        else if (ends_in_declarator())
            inner = scope::initializer;
        now_.scopes.push_back(inner);
        now_.initialised = inner == scope::initializer;
        if (inner == scope::space || inner == scope::function) now_.clear();
        if (inner == scope::record) {
            outer_.push_back(std::move(now_.statement));
            now_.clear();
        }
    }
    /// `int x{1}` and `int x[] = {1}` within a function, where other braces are blocks.
    [[nodiscard]] bool ends_in_declarator() const { return has("static") && !has("("); }
    [[nodiscard]] scope kind_of_brace() const {
        auto const& s = now_.statement;
        if (has("namespace")) return scope::space;
        if (!s.empty() && tokens_[s.back()].tok.kind == token_kind::string && has("extern"))
            return scope::space;
        int angle = 0, round = 0;
        bool record = false, parameters = false;
        for (std::size_t k = 0; k < s.size(); ++k) {
            expanded_token const& t = tokens_[s[k]];
            if (t.is("(")) {
                if (round++ == 0 && angle <= 0 && !(k > 0 && attribute(s[k - 1])))
                    parameters = true;
            } else if (t.is(")")) {
                --round;
            } else if (round == 0 && t.is("<")) {
                ++angle;
            } else if (round == 0 && t.is(">")) {
                --angle;
            } else if (round == 0 && t.is(">>")) {
                angle -= 2;
            } else if (round == 0 && angle <= 0) {
                if (t.is("=") && !(k > 0 && is(s[k - 1], "operator"))) return scope::initializer;
                record = record || t.is("struct") || t.is("class") || t.is("union") || t.is("enum");
            }
        }
        if (parameters) return scope::function;
        return record ? scope::record : scope::initializer;
    }
    [[nodiscard]] bool attribute(std::size_t i) const {
        for (auto const word : {"__align__",
                                "alignas",
                                "__attribute__",
                                "decltype",
                                "__launch_bounds__",
                                "__declspec",
                                "explicit",
                                "requires"})
            if (is(i, word)) return true;
        return false;
    }

    [[nodiscard]] bool record_word(std::size_t i) const {
        return is(i, "struct") || is(i, "class") || is(i, "union") || is(i, "enum");
    }

    void close() {
        now_.round = 0;
        if (now_.scopes.empty()) return;
        scope const inner = now_.scopes.back();
        now_.scopes.pop_back();
        if (inner == scope::record && !outer_.empty()) {
            // `struct { ... } state;` goes on after its brace.
            now_.statement = std::move(outer_.back());
            outer_.pop_back();
            add();
        } else if (inner != scope::initializer) {
            now_.clear();
        }
    }

    void end_of_statement() {
        if (current() != scope::initializer) {
            declaration();
            now_.clear();
        }
    }
    void declaration() {
        auto& s = now_.statement;
        if (s.size() < 2) return;
        scope const here = current();
        bool const managed = has("__managed__"), is_static = has("static");
        bool const device = has("__device__"), constant = has("__constant__");
        if (has("__shared__") || has("typedef") || has("using") || has("friend") ||
            has("static_assert") || has("concept") || has("namespace"))
            return;
        if (here != scope::space && !is_static && !managed && !constant && !device) return;
        long_lived v;
        v.in_constant = constant;
        v.device = (device || constant) && !managed;
        declarators(s, v);
    }

    /// The names that a statement declares, unless it declares a function.
    void declarators(std::vector<std::size_t> const& s, long_lived v) {
        std::size_t k = 0;
        if (is(s[0], "template")) {
            if (!is(s[1], "<")) return; // an instantiation
            k = past_angles(s, 1);
        }
        if (k >= s.size() || is(s[k], "template")) return;
        if (is(s[k], "enum") && !has("}")) return;
        // `struct name;` and `enum name;` declare no variable.
        bool const elaborated = record_word(s[k]);
        bool const always_constant = has("constexpr"); // pointers too
        bool is_const = false, pointer = false, value = false, bound = false;
        std::size_t name = tokens_.size(), names = 0;
        int round = 0, angle = 0;
        auto const finish = [&] {
            if (name == tokens_.size() || (elaborated && names < 2)) return;
            v.name = name;
            v.constant = is_const || always_constant || v.in_constant;
            v.array = bound || pointer;
            v.initialised = value;
            v.unfilled = v.in_constant && !value && !is(s.front(), "extern");
            found_.push_back(v);
        };
        for (; k < s.size(); ++k) {
            expanded_token const& t = tokens_[s[k]];
            if (t.is("}")) { // what stands before belongs to the type
                name = tokens_.size();
                names = 1;
                is_const = has("const") && is_const;
            } else if (t.is("(") || t.is("[")) {
                if (round == 0 && t.is("[")) bound = true;
                if (round == 0 && t.is("(") && !value && !(k > 0 && attribute(s[k - 1])) &&
                    !declares_in_brackets(s, k))
                    return; // a function
                ++round;
            } else if (t.is(")") || t.is("]")) {
                --round;
            } else if (round == 0 && !value) {
                if (t.is("<")) ++angle;
                if (t.is(">")) --angle;
                if (t.is(">>")) angle -= 2;
                if (angle > 0) continue;
                if (t.is("=")) value = true;
                if (t.is("const")) is_const = true;
                if (t.is("*")) pointer = true, is_const = false; // what it points at was constant
                if (t.is(",")) {
                    finish();
                    name = tokens_.size();
                    bound = false;
                } else if (t.names() && !t.is("const") && !t.is("constexpr") && !t.is("volatile") &&
                           !attribute(s[k]) && !record_word(s[k])) {
                    name = s[k];
                    ++names;
                }
            } else if (round == 1 && !value && t.names() && name_in_brackets_) {
                name = s[k];
                name_in_brackets_ = false;
            } else if (round == 0 && t.is(",")) {
                finish();
                name = tokens_.size();
                value = bound = false;
            }
        }
        // An initialiser in braces left no tokens: its `=` did, or a brace follows the name.
        if (name < tokens_.size() && !value) value = braces_follow(name);
        finish();
    }
    /// `int (*name)[4]`, `int (name)`.
    bool declares_in_brackets(std::vector<std::size_t> const& s, std::size_t k) {
        if (k + 2 >= s.size() || k < 1) return false;
        bool const type_before = !tokens_[s[k - 1]].names() || is(s[k - 1], "int") ||
                                 is(s[k - 1], "float") || is(s[k - 1], "unsigned");
        name_in_brackets_ = is(s[k + 1], "*") || (type_before && is(s[k + 2], ")"));
        return name_in_brackets_;
    }
    [[nodiscard]] bool braces_follow(std::size_t name) const {
        for (std::size_t i = name + 1; i < std::min(name + 64, at_); ++i) {
            if (is(i, "{")) return true;
            if (is(i, ";")) return false;
        }
        return false;
    }
    [[nodiscard]] std::size_t past_angles(std::vector<std::size_t> const& s, std::size_t k) const {
        int depth = 0;
        for (; k < s.size(); ++k) {
            if (is(s[k], "<")) ++depth;
            if (is(s[k], ">")) --depth;
            if (is(s[k], ">>")) depth -= 2;
            if (depth <= 0) return k + 1;
        }
        return k;
    }

    std::vector<expanded_token> const& tokens_;
    std::size_t at_ = 0;
    place now_;
    std::vector<place> saved_;
    std::vector<std::vector<std::size_t>> outer_;
    bool name_in_brackets_ = false;
    std::vector<long_lived> found_;
};

} // namespace lkt::detail::statics
