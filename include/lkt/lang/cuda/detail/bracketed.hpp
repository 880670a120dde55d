// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/cuda/detail/piece.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace lkt::detail::lang {

/// Pieces [begin, end).
struct extent {
    std::size_t begin = 0, end = 0;
    [[nodiscard]] bool empty() const { return begin >= end; }
};

/// Each branch of an undecided conditional starts at the depth where the first one did.
template <class State>
void follow(piece const& p, State& state, std::vector<State>& saved) {
    if (p.mark == piece::edge::open) saved.push_back(state);
    if (saved.empty()) return;
    if (p.mark == piece::edge::next) state = saved.back();
    if (p.mark == piece::edge::close) saved.pop_back();
}

/// The pieces of a text, and where its brackets end.
class bracketed {
public:
    explicit bracketed(std::vector<piece> const& pieces) : pieces_(pieces) {}

    [[nodiscard]] std::vector<piece> const& pieces() const { return pieces_; }

    /// The piece after the bracket that closes the one at `open`.
    [[nodiscard]] std::optional<std::size_t> closing(std::size_t open, std::size_t limit) const {
        std::size_t depth = 0;
        std::vector<std::size_t> saved;
        for (std::size_t i = open; i < limit; ++i) {
            piece const& p = pieces_[i];
            follow(p, depth, saved);
            if (p.is("(") || p.is("[") || p.is("{")) ++depth;
            if ((p.is(")") || p.is("]") || p.is("}")) && depth > 0 && --depth == 0) return i + 1;
        }
        return {};
    }
    [[nodiscard]] std::size_t past_bracket(std::size_t open, std::size_t limit) const {
        return closing(open, limit).value_or(limit);
    }
    /// The same for `<`; `>>` closes two.
    [[nodiscard]] std::size_t past_angle(std::size_t open, std::size_t limit) const {
        int depth = 0;
        for (std::size_t i = open; i < limit;) {
            piece const& p = pieces_[i];
            if (p.is("(") || p.is("[") || p.is("{")) {
                i = past_bracket(i, limit);
                continue;
            }
            if (p.is(";") || p.is(")") || p.is("}")) break;
            if (p.is("<")) ++depth;
            if (p.is(">")) --depth;
            if (p.is(">>")) depth -= 2;
            ++i;
            if (depth <= 0) return i;
        }
        return limit;
    }
    /// Splits [begin, end) at commas outside of brackets.
    [[nodiscard]] std::vector<extent> split(std::size_t begin, std::size_t end) const {
        std::vector<extent> parts;
        std::size_t start = begin;
        bool angles = true; // until one is not closed: that was a comparison
        for (std::size_t i = begin; i < end;) {
            piece const& p = pieces_[i];
            if (p.is("(") || p.is("[") || p.is("{")) {
                i = past_bracket(i, end);
            } else if (p.is("<") && angles && i > start && pieces_[i - 1].names()) {
                std::size_t const past = past_angle(i, end);
                angles = past < end || pieces_[end - 1].is(">") || pieces_[end - 1].is(">>");
                i = angles ? past : i + 1;
            } else if (p.is(",")) {
                parts.push_back({start, i});
                start = ++i;
            } else {
                ++i;
            }
        }
        if (start < end || !parts.empty()) parts.push_back({start, end});
        return parts;
    }

protected:
    std::vector<piece> const& pieces_;
};

} // namespace lkt::detail::lang
