// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lkt {

/// Some elements of an output, marked. 64 of them are one word, and 64 words a page, so that
/// stretches without a mark cost next to nothing: few of 10^9 elements are wrong, as a rule.
class element_set {
public:
    element_set() = default;
    explicit element_set(std::uint64_t size)
        : size_(size), words_(static_cast<std::size_t>((size + 63) / 64)),
          pages_(static_cast<std::size_t>((size + page - 1) / page)) {}

    /// Elements, marked or not.
    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] bool operator[](std::uint64_t k) const { return (word(k) >> k % 64 & 1) != 0; }

    /// The elements of a page.
    static constexpr std::uint64_t page = 64 * 64;

    /// Marks one. Two threads may do so at once where the pages of their elements differ.
    void mark(std::uint64_t k) { mark_word(k - k % 64, one << k % 64); }
    /// Marks those of the 64 elements from `k` on, a multiple of 64, whose bits are set.
    void mark_word(std::uint64_t k, std::uint64_t bits) {
        words_[static_cast<std::size_t>(k / 64)] |= bits;
        if (bits != 0) pages_[static_cast<std::size_t>(k / page)] = 1;
    }

    /// Element `k` is bit `k % 64` of word `k / 64`; bits beyond the last element are 0.
    [[nodiscard]] std::span<std::uint64_t const> words() const { return words_; }
    /// The marks of the 64 elements from `k` on, wherever it lies; none beyond the last.
    [[nodiscard]] std::uint64_t bits_from(std::uint64_t k) const {
        if (k >= size_) return 0;
        std::uint64_t const low = word(k) >> k % 64;
        bool const next = k % 64 != 0 && k / 64 + 1 < words_.size();
        return next ? low | word(k + 64) << (64 - k % 64) : low;
    }

    /// How many are marked.
    [[nodiscard]] std::uint64_t count() const {
        std::uint64_t sum = 0;
        for_each_page(0, size_, [&](std::uint64_t k, std::uint64_t end) {
            for (; k < end; k += 64) sum += static_cast<std::uint64_t>(std::popcount(word(k)));
            return true;
        });
        return sum;
    }
    /// The first marked one from `k` on; `size()` where there is none.
    [[nodiscard]] std::uint64_t next(std::uint64_t k) const {
        std::uint64_t found = size_;
        (void)all_of(k, size_, [&](std::uint64_t marked) {
            found = marked;
            return false;
        });
        return found;
    }
    /// The last marked one; `size()` where there is none.
    [[nodiscard]] std::uint64_t last() const {
        for (std::size_t p = pages_.size(); p-- > 0;) {
            if (pages_[p] == 0) continue;
            std::size_t const end = (p + 1) * 64;
            for (std::size_t w = end < words_.size() ? end : words_.size(); w-- > p * 64;)
                if (words_[w] != 0)
                    return w * 64 + 63 - static_cast<std::uint64_t>(std::countl_zero(words_[w]));
        }
        return size_;
    }

    /// Whether `f` holds for each marked element of [first, last), asked in their order until one
    /// for which it does not.
    template <class F>
    bool all_of(std::uint64_t first, std::uint64_t last, F const& f) const {
        if (last > size_) last = size_;
        return for_each_page(first - first % 64, last, [&](std::uint64_t k, std::uint64_t end) {
            for (; k < end; k += 64) {
                std::uint64_t w = word(k);
                if (k < first) w &= ~std::uint64_t{0} << (first - k);
                if (last - k < 64) w &= (one << (last - k)) - 1;
                for (; w != 0; w &= w - 1)
                    if (!f(k + static_cast<std::uint64_t>(std::countr_zero(w)))) return false;
            }
            return true;
        });
    }
    template <class F>
    bool all_of(F const& f) const {
        return all_of(0, size_, f);
    }

    /// The elements that are not marked.
    [[nodiscard]] element_set others() const {
        element_set set(size_);
        for (std::uint64_t k = 0; k < size_; k += 64) {
            std::uint64_t const those =
                size_ - k < 64 ? (one << (size_ - k)) - 1 : ~std::uint64_t{0};
            set.mark_word(k, ~word(k) & those);
        }
        return set;
    }

    friend bool operator==(element_set const&, element_set const&) = default;

private:
    static constexpr std::uint64_t one = 1;
    [[nodiscard]] std::uint64_t word(std::uint64_t k) const {
        return words_[static_cast<std::size_t>(k / 64)];
    }

    /// Calls `f(k, end)` for what lies in [first, last) of each page with a mark, until it returns
    /// false. `first` is a multiple of 64.
    template <class F>
    bool for_each_page(std::uint64_t first, std::uint64_t last, F const& f) const {
        while (first < last) {
            std::uint64_t const next = first - first % page + page;
            std::uint64_t const end = next < last ? next : last;
            if (pages_[static_cast<std::size_t>(first / page)] != 0 && !f(first, end)) return false;
            first = end;
        }
        return true;
    }

    std::uint64_t size_ = 0;
    std::vector<std::uint64_t> words_;
    std::vector<unsigned char> pages_; ///< 1: has a mark
};

} // namespace lkt
