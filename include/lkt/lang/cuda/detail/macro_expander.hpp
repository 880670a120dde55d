// SPDX-License-Identifier: BSL-1.0
// The macros of a text, expanded as compilers do it: token by token, with what is being expanded
// left alone.
#pragma once

#include <lkt/kernel/failure.hpp>
#include <lkt/lang/cuda/detail/macro_definition.hpp>
#include <lkt/lang/cuda/tokens.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail::lang {

/// Where tokens come from that are not yet expanded.
class token_source {
public:
    /// The next token, or none: at the end, and, while `in_call`, before a preprocessor line.
    std::function<std::optional<pp_token>(bool in_call)> next;
    /// Whether the next token of the text is `(`, however many lines further on.
    std::function<bool()> call_follows;
};

class macro_expander {
public:
    std::map<std::string, macro_definition, std::less<>> macros;
    token_source source;

    /// The next token after expansion; none at the end, or after a defect.
    std::optional<pp_token> next() {
        while (!defect_) {
            auto t = read(false);
            if (!t || t->tok.kind != token_kind::identifier || t->painted) return t;
            auto const found = macros.find(t->tok.text);
            if (found == macros.end()) return t;
            if (found->second.busy > 0) {
                t->painted = true;
                return t;
            }
            if (!enter(*t, found->second)) return t;
        }
        return {};
    }
    /// All of `in`, with nothing behind it.
    std::vector<pp_token> expanded(std::vector<pp_token> in) {
        std::vector<pp_token> out;
        if (++depth_ > max_depth) {
            fail(in.empty() ? text_location{} : in.front().tok.where,
                 "macros are nested more than 100 deep");
            return out;
        }
        auto const floor = std::exchange(floor_, stack_.size());
        ++isolated_;
        stack_.push_back({std::move(in), 0, nullptr});
        while (auto t = next()) out.push_back(std::move(*t));
        --isolated_;
        floor_ = floor;
        --depth_;
        return out;
    }

    void fail(text_location where, std::string what) {
        if (!defect_)
            defect_ = compile_failed{"kernel:" + std::to_string(where.line) + ":" +
                                         std::to_string(where.column) + ": error: " + what,
                                     where};
    }
    void refuse(token const& t, std::string why) {
        if (!defect_) defect_ = refused{t.text, std::move(why), t.where};
    }
    [[nodiscard]] std::optional<failure> const& defect() const { return defect_; }

    /// Ten lines of macros can ask for 2^100 tokens, or for one of 2^100 characters.
    bool spend(token const& t) {
        work_ += 1 + t.text.size() / 16;
        if (work_ > max_work) fail(t.where, "the macros expand to too much text");
        return work_ <= max_work;
    }

private:
    static constexpr std::size_t max_depth = 100, max_work = 2'000'000, max_open = 2000;
    struct context {
        std::vector<pp_token> tokens;
        std::size_t at = 0;
        macro_definition* owner = nullptr; ///< whose expansion this is
    };
    using argument = std::vector<pp_token>;
    struct call_arguments {
        std::vector<argument> all{1};
        bool rest_left_out = false; ///< of a variadic macro: not even a comma stands there
    };

    void drop_finished() {
        while (stack_.size() > floor_ && stack_.back().at >= stack_.back().tokens.size()) {
            if (stack_.back().owner != nullptr) --stack_.back().owner->busy;
            stack_.pop_back();
        }
    }
    std::optional<pp_token> read(bool in_call) {
        drop_finished();
        if (stack_.size() > floor_) {
            auto& c = stack_.back();
            auto t = std::move(c.tokens[c.at++]);
            if (!spend(t.tok)) return {};
            return t;
        }
        if (isolated_ > 0) return {};
        return source.next(in_call);
    }
    bool call_follows() {
        drop_finished();
        if (stack_.size() > floor_) return stack_.back().tokens[stack_.back().at].tok.is("(");
        return isolated_ == 0 && source.call_follows();
    }

    /// Puts what `m` stands for before what is to come; false if `name` is no use of it.
    bool enter(pp_token const& name, macro_definition& m) {
        if (stack_.size() >= max_open) {
            fail(name.tok.where, "macros are nested too deep");
            return true;
        }
        std::vector<pp_token> made;
        if (m.asks == macro_definition::about::line) {
            pp_token number = name;
            number.tok.kind = token_kind::number;
            number.tok.text = std::to_string(name.tok.where.line);
            made.push_back(std::move(number));
        } else if (!m.function_like) {
            made = pasted_object(m, name);
        } else {
            if (!call_follows()) return false;
            (void)read(true);
            auto arguments = collect(name, m);
            if (defect_) return true;
            made = substituted(m, arguments, name);
        }
        for (auto& t : made) {
            t.tok.where = name.tok.where;
            t.from_macro = true;
        }
        if (!made.empty()) made.front().blank = name.blank;
        ++m.busy;
        stack_.push_back({std::move(made), 0, &m});
        return true;
    }

    call_arguments collect(pp_token const& name, macro_definition& m) {
        call_arguments found;
        auto& all = found.all;
        for (int round = 0;;) {
            auto t = read(true);
            if (!t) {
                if (!defect_)
                    fail(name.tok.where,
                         "the call of the macro " + name.tok.text +
                             " is not closed before the end of the text or the next preprocessor "
                             "line");
                return found;
            }
            if (t->tok.kind == token_kind::identifier) {
                auto const known = macros.find(t->tok.text);
                if (known != macros.end() && known->second.busy > 0) t->painted = true;
            }
            if (t->tok.is("(")) ++round;
            if (t->tok.is(")") && round-- == 0) break;
            bool const rest = m.variadic && all.size() == m.parameters.size();
            if (t->tok.is(",") && round == 0 && !rest)
                all.emplace_back();
            else
                all.back().push_back(std::move(*t));
        }
        auto const wanted = m.parameters.size();
        if (wanted == 0 && all.size() == 1 && all[0].empty()) all.clear();
        found.rest_left_out =
            m.variadic && (all.size() + 1 == wanted || (wanted == 1 && all[0].empty()));
        if (m.variadic && all.size() + 1 == wanted) all.emplace_back();
        if (all.size() != wanted)
            fail(name.tok.where,
                 "the macro " + name.tok.text + " takes " + std::to_string(wanted) +
                     " arguments, not " + std::to_string(all.size()));
        return found;
    }

    // --- what a macro stands for
    // ------------------------------------------------------------------
    void paste(pp_token& left, pp_token const& right) {
        if (right.tok.text.empty()) return;
        if (left.tok.text.empty()) {
            bool const blank = left.blank;
            left = right;
            left.blank = blank;
            return;
        }
        auto text = left.tok.text + right.tok.text;
        if (!spend(left.tok) || !spend(right.tok)) return;
        auto const again = tokenize(text);
        bool const one = again && again->size() == 1 && again->front().end == text.size() &&
                         again->front().kind != token_kind::other &&
                         disagreed_on(again->front()).empty() && !again->front().disguised &&
                         text != "<<<" && text.find_first_of("\n\r") == text.npos;
        if (!one)
            return fail(left.tok.where,
                        "pasting `" + left.tok.text + "` and `" + right.tok.text +
                            "` does not make one token");
        left.tok.kind = again->front().kind;
        left.tok.text = std::move(text);
        left.painted = false;
        left.literal_hash = true; // a ## or # that was pasted is no operator
    }
    std::vector<pp_token> pasted_object(macro_definition const& m, pp_token const& name) {
        std::vector<pp_token> out;
        for (std::size_t k = 0; k < m.body.size() && !defect_; ++k) {
            if (k > 0 && m.is_paste(k)) {
                auto right = m.body[++k];
                out.back().tok.where = name.tok.where;
                paste(out.back(), right);
            } else {
                out.push_back(m.body[k]);
            }
        }
        return out;
    }

    static std::string spelt_as_string(argument const& tokens) {
        std::string text = "\"";
        for (std::size_t k = 0; k < tokens.size(); ++k) {
            auto const& t = tokens[k].tok;
            if (k > 0 && tokens[k].blank) text += ' ';
            bool const quoted = t.kind == token_kind::string || t.kind == token_kind::character;
            for (char const c : t.text) {
                if (quoted && (c == '"' || c == '\\')) text += '\\';
                text += c;
            }
        }
        return text + "\"";
    }

    std::vector<pp_token>
    substituted(macro_definition const& m, call_arguments const& call, pp_token const& name) {
        auto const& arguments = call.all;
        std::vector<std::optional<argument>> ready(arguments.size());
        std::vector<pp_token> out;
        bool pastes = false; // to what stands before
        for (std::size_t k = 0; k < m.body.size() && !defect_; ++k) {
            if (m.is_paste(k)) {
                pastes = true;
                continue;
            }
            bool const stringizes = m.body[k].tok.is("#") && !m.body[k].literal_hash;
            pp_token const here = m.body[k];
            if (stringizes) ++k;
            bool const is_pasted_to = m.is_paste(k + 1);
            auto const index = m.parameter(m.body[k].tok);
            std::vector<pp_token> these;
            if (stringizes) {
                for (auto const& t : arguments[*index])
                    if (t.tok.disguised && t.tok.kind == token_kind::punctuator)
                        return refuse(t.tok, "a digraph becomes a macro's text"), out;
                    else if (t.tok.text.find('\n') != std::string::npos)
                        return refuse(t.tok,
                                      "a raw string of several lines becomes a macro's text"),
                               out;
                pp_token text = here;
                text.tok.kind = token_kind::string;
                text.tok.text = spelt_as_string(arguments[*index]);
                auto const one = tokenize(text.tok.text);
                if (!one || one->size() != 1 || one->front().kind != token_kind::string)
                    fail(name.tok.where, "`#` cannot make a string of " + text.tok.text);
                these.push_back(std::move(text));
            } else if (index) {
                bool const raw = pastes || is_pasted_to;
                if (!raw && !ready[*index]) ready[*index] = expanded(arguments[*index]);
                if (defect_) return out;
                these = raw ? arguments[*index] : *ready[*index];
                for (auto const& t : these)
                    if (!spend(t.tok)) return out;
                // `, ## __VA_ARGS__`: the comma goes if the call ends before it, and is not pasted.
                bool const rest = m.variadic && *index + 1 == m.parameters.size();
                if (pastes && rest && k >= 2 && m.body[k - 2].tok.is(",") && !out.empty()) {
                    if (call.rest_left_out) out.pop_back();
                    pastes = false;
                    if (these.empty()) continue;
                }
                if (these.empty() && raw) these.push_back(placemarker(here));
                if (!these.empty()) these.front().blank = here.blank;
            } else {
                these.push_back(here);
            }
            if (pastes && !out.empty() && !these.empty()) {
                paste(out.back(), these.front());
                these.erase(these.begin());
            }
            pastes = false;
            out.insert(out.end(), these.begin(), these.end());
        }
        std::erase_if(out, [](pp_token const& t) { return t.tok.text.empty(); });
        return out;
    }
    static pp_token placemarker(pp_token const& like) {
        pp_token p = like;
        p.tok.text.clear();
        p.tok.kind = token_kind::other;
        return p;
    }

    std::vector<context> stack_;
    std::size_t floor_ = 0, depth_ = 0, work_ = 0;
    int isolated_ = 0;
    std::optional<failure> defect_;
};

} // namespace lkt::detail::lang
