// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/cuda/detail/piece.hpp>
#include <lkt/lang/cuda/detail/text_macros.hpp>
#include <lkt/lang/cuda/detail/whole_number.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace lkt::detail::lang {

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
        : tokens_(tokens), mode_(mode), macros_(tokens) {}

    /// False after a defect.
    bool run() {
        for (std::size_t i = 0; i < tokens_.size() && !defect();) {
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
                    macros_.expand(in, pieces_);
                }
            }
            i = end;
        }
        while (!frames_.empty() && !defect()) endif();
        return !defect();
    }

    [[nodiscard]] std::vector<piece> const& pieces() const { return pieces_; }
    /// Identifiers in the bodies of macros that were left alone: who knows what happens to them.
    [[nodiscard]] std::set<std::string> const& mentioned() const { return macros_.mentioned(); }
    [[nodiscard]] std::map<std::string, macro> const& macros() const { return macros_.all(); }
    [[nodiscard]] std::optional<error> const& defect() const { return macros_.defect(); }

private:
    struct frame {
        bool outer_skips = false;
        bool skips = false;     ///< this branch is known not to be taken
        bool taken = false;     ///< a branch was known to be taken, so later ones are not
        bool undecided = false; ///< edges were marked
    };

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
        macros_.place(begin);
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
                macros_.define(rest, uncertain());
            else if (name.is("undef") && !rest.empty())
                macros_.undefine(rest.front().text, uncertain());
        }
    }

    template <class Condition>
    void open(Condition holds) {
        if (frames_.size() >= 200)
            return macros_.fail("conditionals are nested more than 200 deep",
                                tokens_[macros_.place()].where);
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
        if (f.undecided) return mark(piece::edge::next, macros_.place());
        if (!known) {
            f.undecided = true;
            mark(piece::edge::open, macros_.place());
        }
    }
    void endif() {
        bool const marked = frames_.back().undecided;
        frames_.pop_back();
        if (marked) mark(piece::edge::close, macros_.place());
    }

    // --- conditions: true, false or nobody knows -----------------------------------------------
    static std::optional<bool> inverted(std::optional<bool> b) {
        return b ? std::optional<bool>(!*b) : b;
    }
    [[nodiscard]] std::optional<bool> is_defined(std::span<token const> rest) const {
        if (rest.empty() || mode_ == conditions::keep_all) return {};
        if (rest.front().is("__cplusplus")) return true;
        auto const found = macros().find(rest.front().text);
        if (found == macros().end() || found->second.ambiguous || found->second.uncertain)
            return {};
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
                in.push_back({answer, macros_.place()});
                i = name + (bracket ? 1 : 0);
            } else {
                in.push_back({rest[i], macros_.place()});
            }
        }
        if (mode_ == conditions::keep_all) {
            for (piece const& p : in)
                if (p.names()) return {};
            out = std::move(in);
        } else {
            macros_.expand(in, out);
        }
        auto const n = whole_number::of(out);
        return n ? std::optional<bool>(*n != 0) : std::nullopt;
    }
    std::vector<token> const& tokens_;
    conditions mode_;
    std::vector<piece> pieces_;
    text_macros macros_;
    std::vector<frame> frames_;
};

} // namespace lkt::detail::lang
