// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/quote.hpp>
#include <lkt/lang/cuda/tokens.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace lkt::detail::lang {

/// A token after macro expansion, or the edge of a branch of a conditional that cannot be decided.
struct piece {
    enum class edge : unsigned char { none, open, next, close };
    token tok;
    std::size_t source = 0; ///< index of the token in the text that it stands for
    edge mark = edge::none;
    bool expanded = false; ///< comes out of a macro

    [[nodiscard]] bool is(std::string_view text) const {
        return mark == edge::none && tok.is(text);
    }
    [[nodiscard]] bool names() const {
        return mark == edge::none && tok.kind == token_kind::identifier;
    }
};

struct macro {
    std::vector<token> body;
    std::vector<std::string> parameters;
    bool function_like = false, variadic = false;
    bool ambiguous = false; ///< means different things under different conditions
    bool uncertain = false; ///< defined under a condition that cannot be decided
};

/// Just enough of the preprocessor to read signatures: macros of the text itself are expanded,
/// `#include` is not followed. A condition over names that the text does not define (they may come
/// with the compiler's flags) is undecided: all of its branches are kept, between marked edges.
class preprocessor {
public:
    enum class conditions : unsigned char {
        decide,   ///< by the text's own definitions
        keep_all, ///< only literal ones: definitions may be replaced by tunable parameters
    };

    preprocessor(std::vector<token> const& tokens, conditions mode)
        : tokens_(tokens), mode_(mode) {}

    /// False after a defect.
    bool run() {
        for (std::size_t i = 0; i < tokens_.size() && !defect_;) {
            std::size_t end = i + 1;
            if (tokens_[i].directive) {
                while (end < tokens_.size() && tokens_[end].directive && !tokens_[end].first) ++end;
                directive(i, end);
            } else {
                while (end < tokens_.size() && !tokens_[end].directive) ++end;
                if (!skipping()) {
                    std::vector<piece> in;
                    in.reserve(end - i);
                    for (std::size_t k = i; k < end; ++k) in.push_back({tokens_[k], k});
                    expand(in, pieces_);
                }
            }
            i = end;
        }
        while (!frames_.empty() && !defect_) endif();
        return !defect_;
    }

    [[nodiscard]] std::vector<piece> const& pieces() const { return pieces_; }
    /// Identifiers in the bodies of macros that were left alone: who knows what happens to them.
    [[nodiscard]] std::set<std::string> const& mentioned() const { return mentioned_; }
    [[nodiscard]] std::map<std::string, macro> const& macros() const { return macros_; }
    [[nodiscard]] std::optional<error> const& defect() const { return defect_; }

    using number = std::optional<std::int64_t>;
    /// Of a whole number's expression without names; nothing if it is none.
    [[nodiscard]] static number value_of(std::span<piece const> in) {
        std::size_t at = 0;
        number const n = binary(in, at, 0, 0);
        return at == in.size() ? n : number();
    }

private:
    static constexpr int max_depth = 100;

    struct frame {
        bool outer_skips = false;
        bool skips = false;     ///< this branch is known not to be taken
        bool taken = false;     ///< a branch was known to be taken, so later ones are not
        bool undecided = false; ///< edges were marked
    };

    void fail(std::string why, text_location where) {
        if (!defect_) defect_ = error{condition::rejected, "lkt.kernel.macro", std::move(why), {}};
        if (where.line > 0 && defect_->message.find("line ") != 0)
            defect_->message = to_string(where) + ": " + defect_->message;
    }

    // --- directives ------------------------------------------------------------------------
    [[nodiscard]] bool skipping() const { return !frames_.empty() && frames_.back().skips; }
    [[nodiscard]] bool uncertain() const {
        for (frame const& f : frames_)
            if (f.undecided) return true;
        return false;
    }
    void mark(piece::edge e, std::size_t source) {
        piece p;
        p.tok.where = tokens_[source].where;
        p.source = source;
        p.mark = e;
        pieces_.push_back(std::move(p));
    }

    void directive(std::size_t begin, std::size_t end) {
        if (begin + 1 >= end) return;
        here_ = begin;
        token const& name = tokens_[begin + 1];
        std::span<token const> const rest(tokens_.data() + begin + 2, end - begin - 2);
        if (name.is("if"))
            open([&] { return evaluate(rest); });
        else if (name.is("ifdef"))
            open([&] { return is_defined(rest); });
        else if (name.is("ifndef"))
            open([&] { return inverted(is_defined(rest)); });
        else if (name.is("elif"))
            next([&] { return evaluate(rest); });
        else if (name.is("elifdef"))
            next([&] { return is_defined(rest); });
        else if (name.is("elifndef"))
            next([&] { return inverted(is_defined(rest)); });
        else if (name.is("else"))
            next([]() -> std::optional<bool> { return true; });
        else if (name.is("endif")) {
            if (!frames_.empty()) endif();
        } else if (!skipping()) {
            if (name.is("define"))
                define(rest);
            else if (name.is("undef") && !rest.empty())
                undefine(rest.front().text);
        }
    }

    template <class Condition>
    void open(Condition holds) {
        if (frames_.size() >= 200)
            return fail("conditionals are nested more than 200 deep", tokens_[here_].where);
        frame f;
        f.outer_skips = skipping();
        frames_.push_back(f);
        branch(holds);
    }
    template <class Condition>
    void next(Condition holds) {
        if (!frames_.empty()) branch(holds);
    }
    template <class Condition>
    void branch(Condition holds) {
        frame& f = frames_.back();
        if (f.outer_skips || f.taken) {
            f.skips = true;
            return;
        }
        std::optional<bool> const known = holds();
        f.skips = known.has_value() && !*known;
        f.taken = known.value_or(false);
        if (f.skips) return;
        // `#else` after undecided branches is taken only if none of them is.
        if (f.undecided) return mark(piece::edge::next, here_);
        if (!known) {
            f.undecided = true;
            mark(piece::edge::open, here_);
        }
    }
    void endif() {
        bool const marked = frames_.back().undecided;
        frames_.pop_back();
        if (marked) mark(piece::edge::close, here_);
    }

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
    void define(std::span<token const> rest) {
        if (rest.empty() || rest.front().kind != token_kind::identifier) return;
        macro m;
        m.uncertain = uncertain();
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
    void undefine(std::string const& name) {
        auto const found = macros_.find(name);
        if (found == macros_.end()) return;
        if (uncertain()) {
            mention(found->second);
            found->second.ambiguous = true;
        } else {
            macros_.erase(found);
        }
    }

    // --- conditions: true, false or nobody knows -----------------------------------------------
    static std::optional<bool> inverted(std::optional<bool> b) {
        return b ? std::optional<bool>(!*b) : b;
    }
    [[nodiscard]] std::optional<bool> is_defined(std::span<token const> rest) const {
        if (rest.empty() || mode_ == conditions::keep_all) return {};
        if (rest.front().is("__cplusplus")) return true;
        auto const found = macros_.find(rest.front().text);
        if (found == macros_.end() || found->second.ambiguous || found->second.uncertain) return {};
        return true;
    }

    std::optional<bool> evaluate(std::span<token const> rest) {
        std::vector<piece> in, out;
        if (rest.size() > 1000) return {};
        for (std::size_t i = 0; i < rest.size(); ++i) {
            // What `defined` asks about is not expanded.
            if (rest[i].is("defined")) {
                bool const bracket = i + 1 < rest.size() && rest[i + 1].is("(");
                std::size_t const name = i + (bracket ? 2 : 1);
                if (name >= rest.size()) return {};
                token answer = rest[i];
                if (is_defined(rest.subspan(name))) {
                    answer.text = "1";
                    answer.kind = token_kind::number;
                } // else the word `defined` itself, which no macro can be called
                in.push_back({answer, here_});
                i = name + (bracket ? 1 : 0);
            } else {
                in.push_back({rest[i], here_});
            }
        }
        if (mode_ == conditions::keep_all) {
            for (piece const& p : in)
                if (p.names()) return {};
            out = std::move(in);
        } else {
            expand(in, out);
        }
        number const n = value_of(out);
        return n ? std::optional<bool>(*n != 0) : std::nullopt;
    }
    static int precedence(piece const& p) {
        static constexpr std::pair<std::string_view, int> table[] = {{"||", 1},
                                                                     {"&&", 2},
                                                                     {"==", 3},
                                                                     {"!=", 3},
                                                                     {"<", 4},
                                                                     {">", 4},
                                                                     {"<=", 4},
                                                                     {">=", 4},
                                                                     {"<<", 5},
                                                                     {">>", 5},
                                                                     {"+", 6},
                                                                     {"-", 6},
                                                                     {"*", 7},
                                                                     {"/", 7},
                                                                     {"%", 7}};
        for (auto const& [spelling, level] : table)
            if (p.is(spelling)) return level;
        return 0;
    }
    static number unary(std::span<piece const> in, std::size_t& at, int depth) {
        if (at >= in.size() || depth > max_depth) return {};
        piece const& p = in[at++];
        if (p.is("!")) {
            number const n = unary(in, at, depth + 1);
            return n ? number(*n == 0) : n;
        }
        if (p.is("-")) {
            number const n = unary(in, at, depth + 1);
            return n ? checked(0, "-", *n) : n;
        }
        if (p.is("+")) return unary(in, at, depth + 1);
        if (p.is("(")) {
            number const n = binary(in, at, 0, depth + 1);
            if (at >= in.size() || !in[at].is(")")) {
                at = in.size() + 1;
                return {};
            }
            ++at;
            return n;
        }
        if (p.names()) {
            if (p.is("true")) return 1;
            if (p.is("false")) return 0;
            return {};
        }
        if (p.tok.kind != token_kind::number) return {};
        std::int64_t n = 0;
        std::size_t used = 0;
        try {
            n = std::stoll(p.tok.text, &used, 0);
        } catch (std::exception const&) {
            return {};
        }
        for (char const c : std::string_view(p.tok.text).substr(used))
            if (std::string_view("uUlL").find(c) == std::string_view::npos) return {};
        return n;
    }
    static number checked(std::int64_t a, std::string_view what, std::int64_t b) {
        std::int64_t r = 0;
        if (what == "+") return __builtin_add_overflow(a, b, &r) ? number() : r;
        if (what == "-") return __builtin_sub_overflow(a, b, &r) ? number() : r;
        if (what == "*") return __builtin_mul_overflow(a, b, &r) ? number() : r;
        if (what == "<<" || what == ">>") {
            if (a < 0 || b < 0 || b > 31 || a > (std::int64_t{1} << 31)) return {};
            return what == "<<" ? a << b : a >> b;
        }
        if (b == 0 || b == -1) return {};
        return what == "/" ? a / b : a % b;
    }
    static number binary(std::span<piece const> in, std::size_t& at, int least, int depth) {
        if (depth > max_depth) return {};
        number left = unary(in, at, depth + 1);
        while (at < in.size()) {
            int const level = precedence(in[at]);
            if (level == 0 || level <= least) break;
            std::string const what = in[at++].tok.text;
            number const right = binary(in, at, level, depth + 1);
            left = combine(left, what, right);
        }
        return left;
    }
    static number combine(number a, std::string const& what, number b) {
        if (what == "&&") {
            if ((a && *a == 0) || (b && *b == 0)) return 0;
            return a && b ? number(1) : number();
        }
        if (what == "||") {
            if ((a && *a != 0) || (b && *b != 0)) return 1;
            return a && b ? number(0) : number();
        }
        if (!a || !b) return {};
        if (what == "==") return *a == *b;
        if (what == "!=") return *a != *b;
        if (what == "<") return *a < *b;
        if (what == ">") return *a > *b;
        if (what == "<=") return *a <= *b;
        if (what == ">=") return *a >= *b;
        return checked(*a, what, *b);
    }

    // --- expansion -------------------------------------------------------------------------
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
    conditions mode_;
    std::vector<piece> pieces_;
    std::map<std::string, macro> macros_;
    std::set<std::string> mentioned_;
    std::vector<frame> frames_;
    std::vector<std::string> active_;
    std::size_t depth_ = 0, work_ = 0, here_ = 0;
    std::optional<error> defect_;
};

} // namespace lkt::detail::lang
