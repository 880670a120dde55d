// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/lang/cuda/detail/piece.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lkt::detail::lang {

struct macro {
    std::vector<token> body;
    std::vector<std::string> parameters;
    bool function_like = false, variadic = false;
    bool ambiguous = false; ///< means different things under different conditions
    bool uncertain = false; ///< defined under a condition that cannot be decided
};

/// The macros that a text defines itself, and what they expand to.
class text_macros {
public:
    explicit text_macros(std::vector<token> const& tokens) : tokens_(tokens) {}

    /// A `#define` line behind that word. `uncertain`: under a condition that cannot be decided.
    void define(std::span<token const> rest, bool uncertain) {
        if (rest.empty() || rest.front().kind != token_kind::identifier) return;
        macro m;
        m.uncertain = uncertain;
        std::size_t at = 1;
        if (rest.size() > 1 && rest[1].is("(") && rest[1].begin == rest[0].end) {
            m.function_like = true;
            for (at = 2; at < rest.size() && !rest[at].is(")"); ++at) {
                if (rest[at].kind == token_kind::identifier) m.parameters.push_back(rest[at].text);
                if (rest[at].is("...")) m.variadic = true;
            }
            if (m.variadic) m.parameters.emplace_back("__VA_ARGS__");
            if (at < rest.size()) ++at;
        }
        m.body.assign(rest.begin() + static_cast<std::ptrdiff_t>(at), rest.end());
        auto const [place, fresh] = macros_.try_emplace(rest.front().text);
        macro& known = place->second;
        if (m.uncertain && !fresh && (known.ambiguous || !same_body(known, m))) {
            mention(known);
            mention(m);
            known.ambiguous = true;
        } else {
            known = std::move(m);
        }
    }

    void undefine(std::string const& name, bool uncertain) {
        auto const found = macros_.find(name);
        if (found == macros_.end()) return;
        if (uncertain) {
            mention(found->second);
            found->second.ambiguous = true;
        } else {
            macros_.erase(found);
        }
    }

    void expand(std::span<piece const> in, std::vector<piece>& out) {
        if (active_.size() + depth_ > max_depth)
            return fail("macros are nested more than 100 deep", tokens_[here_].where);
        for (std::size_t i = 0; i < in.size() && !defect_; ++i) {
            if (!spend(in[i].tok)) return;
            macro const* m = find(in[i]);
            if (m == nullptr) {
                out.push_back(in[i]);
                continue;
            }
            std::string const name = in[i].tok.text;
            here_ = in[i].source;
            if (!m->function_like) {
                std::vector<piece> result;
                rescan(name, m->body, in[i].source, result);
                // `#define F G` and then F(x): the name that comes out may be called.
                bool const callable = result.size() == 1 && i + 1 < in.size() && in[i + 1].is("(");
                macro const* inner = callable ? find(result.front()) : nullptr;
                if (inner == nullptr || !inner->function_like) {
                    append(out, result);
                    continue;
                }
                std::size_t const end = call(result.front(), *inner, in, i + 1, out);
                if (end == 0)
                    append(out, result);
                else
                    i = end;
                continue;
            }
            bool const called = i + 1 < in.size() && in[i + 1].is("(");
            std::size_t const end = called ? call(in[i], *m, in, i + 1, out) : 0;
            if (end != 0) {
                i = end;
            } else {
                if (called) mention(*m);
                out.push_back(in[i]);
            }
        }
    }

    /// Where in the text what follows stands.
    void place(std::size_t token) { here_ = token; }
    [[nodiscard]] std::size_t place() const { return here_; }

    [[nodiscard]] std::map<std::string, macro> const& all() const { return macros_; }
    /// Identifiers in the bodies of macros that were left alone: who knows what happens to them.
    [[nodiscard]] std::set<std::string> const& mentioned() const { return mentioned_; }

    void fail(std::string why, text_location where) {
        if (!defect_) defect_ = error{condition::rejected, "lkt.kernel.macro", std::move(why), {}};
        if (where.line > 0 && defect_->message.find("line ") != 0)
            defect_->message = to_string(where) + ": " + defect_->message;
    }
    [[nodiscard]] std::optional<error> const& defect() const { return defect_; }

private:
    static constexpr int max_depth = 100;

    static bool same_body(macro const& a, macro const& b) {
        if (a.function_like != b.function_like || a.parameters != b.parameters ||
            a.body.size() != b.body.size())
            return false;
        for (std::size_t i = 0; i < a.body.size(); ++i)
            if (a.body[i].text != b.body[i].text) return false;
        return true;
    }
    void mention(macro const& m) {
        for (token const& t : m.body)
            if (t.kind == token_kind::identifier) mentioned_.insert(t.text);
    }

    /// Ten lines of macros can ask for 2^100 tokens, or for one of 2^100 characters.
    bool spend(token const& t) {
        work_ += 1 + t.text.size() / 16;
        std::size_t const most = 200'000 + 2 * tokens_.size();
        if (work_ > most) fail("the macros expand to too much text", tokens_[here_].where);
        return work_ <= most;
    }
    [[nodiscard]] bool hidden(std::string const& name) const {
        for (std::string const& active : active_)
            if (active == name) return true;
        return false;
    }
    [[nodiscard]] macro const* find(piece const& p) const {
        if (!p.names()) return nullptr;
        auto const found = macros_.find(p.tok.text);
        if (found == macros_.end() || found->second.ambiguous || hidden(p.tok.text)) return nullptr;
        return &found->second;
    }

    static void append(std::vector<piece>& out, std::vector<piece> const& more) {
        out.insert(out.end(), more.begin(), more.end());
    }
    void rescan(std::string const& name,
                std::vector<token> const& body,
                std::size_t source,
                std::vector<piece>& out) {
        std::vector<piece> in;
        in.reserve(body.size());
        for (token const& t : body) {
            in.push_back({t, source, piece::edge::none, true});
            in.back().tok.where = tokens_[source].where;
        }
        active_.push_back(name);
        expand(in, out);
        active_.pop_back();
    }

    /// Expands the call whose `(` is at `open`; the index of its `)`, or 0 if it is not a call of
    /// `m` after all.
    std::size_t call(piece const& name,
                     macro const& m,
                     std::span<piece const> in,
                     std::size_t open,
                     std::vector<piece>& out) {
        std::vector<std::vector<piece>> arguments(1);
        std::size_t end = open + 1;
        for (int brackets = 0; end < in.size(); ++end) {
            if (!spend(in[end].tok)) return 0;
            if (in[end].is("(")) ++brackets;
            if (in[end].is(")") && brackets-- == 0) break;
            bool const rest = m.variadic && arguments.size() == m.parameters.size();
            if (in[end].is(",") && brackets == 0 && !rest)
                arguments.emplace_back();
            else
                arguments.back().push_back(in[end]);
        }
        if (end >= in.size()) return 0;
        if (m.parameters.empty() && arguments.size() == 1 && arguments[0].empty())
            arguments.clear();
        if (m.variadic && arguments.size() + 1 == m.parameters.size()) arguments.emplace_back();
        if (arguments.size() != m.parameters.size()) return 0;

        auto const parameter = [&](token const& t) -> std::vector<piece> const* {
            if (t.kind != token_kind::identifier) return nullptr;
            for (std::size_t k = 0; k < m.parameters.size(); ++k)
                if (m.parameters[k] == t.text) return &arguments[k];
            return nullptr;
        };
        std::vector<std::optional<std::vector<piece>>> ready(arguments.size());
        std::vector<token> body;
        for (std::size_t k = 0; k < m.body.size() && !defect_; ++k) {
            token const& t = m.body[k];
            bool const pastes = k + 1 < m.body.size() && m.body[k + 1].is("##");
            bool const pasted = k > 0 && m.body[k - 1].is("##");
            if (t.is("##")) continue;
            if (t.is("#") && k + 1 < m.body.size() && parameter(m.body[k + 1]) != nullptr) {
                token text = t;
                text.kind = token_kind::string;
                text.text = "\"\"";
                body.push_back(text);
                ++k;
                continue;
            }
            std::vector<piece> const* argument = parameter(t);
            std::vector<token> these;
            if (argument == nullptr) {
                these.push_back(t);
            } else {
                auto const index = static_cast<std::size_t>(argument - arguments.data());
                if (!pastes && !pasted && !ready[index]) {
                    ready[index].emplace();
                    ++depth_;
                    expand(*argument, *ready[index]);
                    --depth_;
                }
                for (piece const& p : pastes || pasted ? *argument : *ready[index])
                    these.push_back(p.tok);
            }
            for (token const& each : these)
                if (!spend(each)) return 0;
            if (pasted && !body.empty() && !these.empty()) {
                body.back().text += these.front().text;
                if (!spend(body.back())) return 0;
                these.erase(these.begin());
            }
            body.insert(body.end(), these.begin(), these.end());
        }
        rescan(name.tok.text, body, name.source, out);
        return end;
    }

    std::vector<token> const& tokens_;
    std::map<std::string, macro> macros_;
    std::set<std::string> mentioned_;
    std::vector<std::string> active_;
    std::size_t depth_ = 0, work_ = 0, here_ = 0;
    std::optional<error> defect_;
};

} // namespace lkt::detail::lang
