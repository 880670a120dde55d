// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/cuda/preprocess.hpp>

#include <lkt/lang/cuda/detail/condition.hpp>
#include <lkt/lang/cuda/detail/macro_expander.hpp>
#include <lkt/lang/cuda/tokens.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace lkt::detail::lang {

constexpr std::string_view no_such_question =
    "the answer depends on the compiler, its files or the time, but a kernel must mean the same "
    "everywhere";

/// Names by which compilers tell of themselves, of files or of the time whenever they meet them.
bool tells_of_the_compiler(std::string_view name) {
    for (std::string_view const n : {"__COUNTER__",
                                     "__DATE__",
                                     "__TIME__",
                                     "__TIMESTAMP__",
                                     "__BASE_FILE__",
                                     "__FILE_NAME__",
                                     "__INCLUDE_LEVEL__"})
        if (name == n) return true;
    return name.starts_with("__has_") || name.starts_with("__is_target_") ||
           name == "__is_identifier" || name == "__building_module";
}

class whole_preprocessor {
public:
    whole_preprocessor(std::string_view text, std::vector<token> const& tokens)
        : text_(text), tokens_(tokens) {
        macro_definition line;
        line.asks = macro_definition::about::line;
        macros_.macros.emplace("__LINE__", std::move(line));
        define("__FILE__", "\"kernel\"");
        macros_.source.next = [this](bool in_call) { return source(in_call); };
        macros_.source.call_follows = [this] { return call_follows(); };
    }
    void define(std::string const& name, std::string const& body, bool fixed = false) {
        if (auto const tokens = tokenize(body)) {
            macro_definition m;
            for (auto const& t : *tokens)
                m.body.push_back({t, t.begin > 0 && !m.body.empty(), false, true, true});
            for (auto& t : m.body) t.tok.directive = t.tok.first = false;
            if (fixed) fixed_.insert(name);
            macros_.macros.insert_or_assign(name, std::move(m));
        }
    }

    std::variant<preprocessed_text, failure> run() {
        // In dead branches, too: a literal's end decides what the lines after it are.
        for (auto const& t : tokens_)
            if (t.directive && t.text.find('\n') != std::string::npos) {
                macros_.refuse(t, "a raw string of several lines is in a preprocessor line");
                break;
            } else if (t.kind != token_kind::identifier && !agreed_on(t)) {
                break;
            }
        while (auto t = macros_.next()) {
            if (asks_the_compiler(t->tok)) break;
            emit(*t);
        }
        if (!macros_.defect() && !frames_.empty())
            macros_.fail(frames_.back().where, "an #if lacks its #endif");
        if (macros_.defect()) return *macros_.defect();
        if (column_ > 1) out_.text += '\n';
        return std::move(out_);
    }

private:
    struct frame {
        text_location where;
        bool outer_skips = false, skips = false, taken = false, last = false;
    };

    bool asks_the_compiler(token const& t) {
        if (t.kind != token_kind::identifier || !tells_of_the_compiler(t.text)) return false;
        macros_.refuse(t, std::string(no_such_question));
        return true;
    }

    // --- the text, line by line
    // -------------------------------------------------------------------
    [[nodiscard]] bool blank_before(std::size_t i) const {
        if (i == 0 || tokens_[i].first) return true;
        auto gap = text_.substr(tokens_[i - 1].end, tokens_[i].begin - tokens_[i - 1].end);
        while (!gap.empty()) { // a line splice is nothing
            if (gap.front() != '\\') return true;
            auto const end = gap.find('\n');
            if (end == gap.npos) return true;
            gap.remove_prefix(end + 1);
        }
        return false;
    }
    [[nodiscard]] pp_token token_at(std::size_t i) const {
        return {tokens_[i], blank_before(i), false, false, false};
    }
    [[nodiscard]] bool skipping() const { return !frames_.empty() && frames_.back().skips; }
    [[nodiscard]] std::size_t end_of_line(std::size_t i) const {
        do ++i;
        while (i < tokens_.size() && tokens_[i].directive && !tokens_[i].first);
        return i;
    }
    std::optional<pp_token> source(bool in_call) {
        while (at_ < tokens_.size() && !macros_.defect()) {
            if (tokens_[at_].directive) {
                if (in_call) {
                    macros_.refuse(tokens_[at_], "a preprocessor line is inside a macro's call");
                    return {};
                }
                auto const begin = at_;
                at_ = end_of_line(at_);
                directive(begin, at_);
            } else if (skipping()) {
                if (tokens_[at_].text.find('\n') != std::string::npos)
                    macros_.refuse(
                        tokens_[at_],
                        "a raw string of several lines is in a branch that is not taken");
                ++at_;
            } else {
                auto t = token_at(at_++);
                // Two question marks begin a trigraph for older standards, and nothing in C++.
                if (t.tok.is("?") && at_ < tokens_.size() && tokens_[at_].is("?") &&
                    tokens_[at_].begin == t.tok.end)
                    macros_.refuse(t.tok, "trigraphs are not allowed");
                if (!macros_.spend(t.tok) || !agreed_on(t.tok)) return {};
                return t;
            }
        }
        return {};
    }
    bool agreed_on(token const& t) {
        if (auto const why = disagreed_on(t); !why.empty()) {
            macros_.refuse(t, std::string(why));
            return false;
        }
        return true;
    }
    bool call_follows() {
        auto k = at_;
        while (k < tokens_.size() && tokens_[k].directive) ++k;
        bool const follows = k < tokens_.size() && tokens_[k].is("(");
        if (follows && k != at_)
            macros_.refuse(tokens_[at_], "a preprocessor line is inside a macro's call");
        return follows && k == at_;
    }

    // --- preprocessor lines ---------------------------------------------------------------------
    [[nodiscard]] std::string spelt(std::size_t begin, std::size_t end) const {
        std::string line;
        for (auto k = begin; k < end; ++k) line += (k > begin + 1 ? " " : "") + tokens_[k].text;
        return line;
    }
    void directive(std::size_t begin, std::size_t end) {
        if (begin + 1 >= end) return;
        token const& name = tokens_[begin + 1];
        std::vector<pp_token> rest;
        for (auto k = begin + 2; k < end; ++k) rest.push_back(token_at(k));
        if (conditional(name, rest) || skipping()) return;
        for (auto k = begin; k < end; ++k)
            if (!agreed_on(tokens_[k])) return;
        if (name.is("define")) {
            auto d = read_define(rest);
            if (!d.defect.empty()) return macros_.fail(name.where, d.defect);
            if (fixed(rest[0].tok)) return;
            macros_.macros.insert_or_assign(d.name, std::move(d.macro));
        } else if (name.is("undef")) {
            if (rest.empty() || rest[0].tok.kind != token_kind::identifier)
                return macros_.fail(name.where, "#undef lacks a name");
            if (fixed(rest[0].tok)) return;
            if (auto const m = macros_.macros.find(rest[0].tok.text); m != macros_.macros.end())
                macros_.macros.erase(m);
        } else if (name.is("include") && rest.size() == 1 &&
                   (rest[0].tok.kind == token_kind::header_name ||
                    rest[0].tok.text.starts_with('"'))) {
            out_.includes.push_back(rest[0].tok.text);
        } else if (name.is("error")) {
            macros_.fail(name.where, spelt(begin, end));
        } else if (name.is("pragma")) {
            pragma(begin, std::move(rest));
        } else if (!name.is("warning")) {
            macros_.refuse(line_of(begin, end), "this directive reaches outside the kernel's text");
        }
    }
    [[nodiscard]] token line_of(std::size_t begin, std::size_t end) const {
        token line = tokens_[begin + 1];
        line.text = spelt(begin, end).substr(0, 120);
        return line;
    }
    /// What is defined before the text, and what the preprocessor means by itself.
    bool fixed(token const& name) {
        if (!fixed_.contains(name.text) && !belongs_to_the_preprocessor(name.text) &&
            !tells_of_the_compiler(name.text))
            return false;
        macros_.refuse(name, "a kernel's text must not change what this name means");
        return true;
    }
    void pragma(std::size_t begin, std::vector<pp_token> rest) {
        if (!rest.empty() && rest[0].tok.is("once")) return;
        bool const unrolls =
            !rest.empty() && (rest[0].tok.is("unroll") || rest[0].tok.is("nounroll"));
        if (unrolls) {
            auto const word = rest.front();
            rest.erase(rest.begin());
            rest = macros_.expanded(std::move(rest));
            rest.insert(rest.begin(), word);
        }
        if (macros_.defect()) return;
        move_to({tokens_[begin].where.line, 1});
        if (column_ > 1) out_.text += '\n', ++line_;
        out_.text += "#pragma";
        for (auto const& t : rest) {
            if (asks_the_compiler(t.tok)) return;
            out_.text += ' ' + t.tok.text;
        }
        out_.text += '\n';
        ++line_;
        column_ = 1;
    }

    // --- conditions
    // -------------------------------------------------------------------------------
    bool conditional(token const& name, std::vector<pp_token> const& rest) {
        bool const opens = name.is("if") || name.is("ifdef") || name.is("ifndef");
        bool const goes_on = name.is("elif") || name.is("elifdef") || name.is("elifndef");
        if (!opens && !goes_on && !name.is("else") && !name.is("endif")) return false;
        if (opens) {
            if (frames_.size() >= 200) {
                macros_.fail(name.where, "conditionals are nested more than 200 deep");
                return true;
            }
            frames_.push_back({name.where, skipping(), true, false, false});
        } else if (frames_.empty()) {
            macros_.fail(name.where, "#" + name.text + " without an #if");
            return true;
        }
        frame& f = frames_.back();
        if (name.is("endif")) {
            frames_.pop_back();
            return true;
        }
        if (f.last) macros_.fail(name.where, "#" + name.text + " behind #else");
        f.last = name.is("else");
        bool const open = !f.outer_skips && !f.taken;
        bool const holds = open && (name.is("else") || condition(name, rest));
        frames_.back().skips = !holds;
        frames_.back().taken = frames_.back().taken || holds;
        return true;
    }
    bool condition(token const& name, std::vector<pp_token> const& rest) {
        if (name.is("if") || name.is("elif")) return evaluate(name, rest);
        if (rest.empty() || rest[0].tok.kind != token_kind::identifier) {
            macros_.fail(name.where, "#" + name.text + " lacks a name");
            return false;
        }
        return is_defined(rest[0].tok) != (name.is("ifndef") || name.is("elifndef"));
    }
    bool is_defined(token const& name) {
        if (asks_the_compiler(name)) return false;
        // Compilers differ in which of these are names at all.
        if (name.text.find('\\') != name.text.npos)
            macros_.fail(name.where, "a condition tests a name that is spelt with an escape");
        bool const known = macros_.macros.contains(name.text);
        if (!known) out_.asked.push_back({name.text, name.where});
        return known;
    }
    bool evaluate(token const& name, std::vector<pp_token> const& rest) {
        std::vector<pp_token> in;
        for (std::size_t k = 0; k < rest.size(); ++k) {
            auto t = rest[k];
            if (t.tok.is("defined")) { // what it asks about is not expanded
                bool const round = k + 1 < rest.size() && rest[k + 1].tok.is("(");
                auto const which = k + (round ? 2 : 1);
                if (which >= rest.size() || rest[which].tok.kind != token_kind::identifier ||
                    (round && (which + 1 >= rest.size() || !rest[which + 1].tok.is(")")))) {
                    macros_.fail(name.where, "`defined` is not followed by a name");
                    return false;
                }
                t.tok.text = is_defined(rest[which].tok) ? "1" : "0";
                t.tok.kind = token_kind::number;
                k = which + (round ? 1 : 0);
            }
            in.push_back(std::move(t));
        }
        auto const out = macros_.expanded(std::move(in));
        std::vector<token> words;
        for (auto const& t : out) {
            if (asks_the_compiler(t.tok)) return false;
            if (t.tok.is("defined") || t.tok.is("__VA_OPT__")) {
                macros_.refuse(t.tok, "it comes from a macro, and compilers disagree on that");
                return false;
            }
            bool const word = t.tok.kind == token_kind::identifier;
            if (word && !is_operator_word(t.tok.text) && !t.tok.is("true") && !t.tok.is("false"))
                out_.asked.push_back({t.tok.text, t.tok.where});
            words.push_back(t.tok);
        }
        if (macros_.defect()) return false;
        condition_value value(words);
        auto const holds = value.run();
        if (!holds) macros_.fail(name.where, value.why);
        return holds.value_or(false);
    }

    // --- what comes out
    // ---------------------------------------------------------------------------
    void move_to(text_location where) {
        for (; line_ < where.line; ++line_) {
            out_.text += '\n';
            column_ = 1;
        }
    }
    void emit(pp_token const& t) {
        if (out_.text.size() > 4 * max_kernel_bytes)
            return macros_.fail(t.tok.where, "the macros expand to more than 4 MiB");
        // A `#` that a macro made must not begin a line of what is compiled.
        if (t.tok.kind == token_kind::other || t.tok.is("#") || t.tok.is("##"))
            return macros_.fail(t.tok.where, "stray `" + t.tok.text.substr(0, 60) + "`");
        move_to(t.tok.where);
        // In its column where that is possible: messages of compilers name it.
        bool const touches = !t.from_macro && t.tok.begin == last_end_;
        if (column_ > 1 && !touches) out_.text += ' ', ++column_;
        if (!t.from_macro)
            for (; column_ < t.tok.where.column && !touches; ++column_) out_.text += ' ';
        out_.text += t.tok.text;
        auto const end = t.tok.text.rfind('\n');
        line_ += static_cast<int>(std::count(t.tok.text.begin(), t.tok.text.end(), '\n'));
        column_ = end == std::string::npos ? column_ + static_cast<int>(t.tok.text.size())
                                           : static_cast<int>(t.tok.text.size() - end);
        last_end_ = t.from_macro ? none : t.tok.end;
    }

    std::string_view text_;
    std::vector<token> const& tokens_;
    std::size_t at_ = 0;
    macro_expander macros_;
    std::set<std::string> fixed_;
    std::vector<frame> frames_;
    preprocessed_text out_;
    int line_ = 1, column_ = 1;
    static constexpr std::size_t none = ~std::size_t{0};
    std::size_t last_end_ = none; ///< of the token before, if it stands in the text
};

} // namespace lkt::detail::lang

namespace lkt {

std::variant<preprocessed_text, failure> preprocess(std::string_view text,
                                                    std::span<predefined_macro const> names) {
    auto const tokens = tokenize(text);
    if (!tokens) return failure(refused{"the text", tokens.error().message, {}});
    detail::lang::whole_preprocessor all(text, *tokens);
    for (auto const& n : names) all.define(n.name, n.body, n.fixed);
    return all.run();
}

} // namespace lkt
