// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lkt::host_detail {

/// Places from 0 to a size, of which some are in the set.
class place_set {
public:
    explicit place_set(unsigned size) : size_(size), words_((size + 63) / 64) {}

    void set_all() {
        for (unsigned w = 0; w < words_.size(); ++w) {
            auto const left = size_ - w * 64;
            words_[w] = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
        }
    }
    void set(unsigned place) { words_[place / 64] |= bit(place); }
    void clear(unsigned place) { words_[place / 64] &= ~bit(place); }

    /// The next one from `place` on, around the end; the size if there is none.
    [[nodiscard]] unsigned next(unsigned place) const {
        auto word = static_cast<std::size_t>(place / 64);
        auto bits = words_[word] & (~std::uint64_t{0} << place % 64);
        for (std::size_t n = 0; n <= words_.size(); ++n) {
            if (bits != 0)
                return static_cast<unsigned>(word) * 64 +
                       static_cast<unsigned>(std::countr_zero(bits));
            word = word + 1 == words_.size() ? 0 : word + 1;
            bits = words_[word];
        }
        return size_;
    }

private:
    static std::uint64_t bit(unsigned place) { return std::uint64_t{1} << place % 64; }

    unsigned size_;
    std::vector<std::uint64_t> words_;
};

} // namespace lkt::host_detail
