// SPDX-License-Identifier: BSL-1.0
// What a thread knows of what others did.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace lkt::host_detail {

/// Who made an access, and when.
struct race_moment {
    std::uint32_t serial = 0; ///< of the block, counted through all launches; 0: none
    std::uint32_t time = 0;
    std::uint16_t thread = 0; ///< of the block
};

/// Of one block, what somebody knows: all that its threads did before `all`, and each before its
/// own time.
struct block_knowledge {
    std::uint32_t all = 0;
    std::vector<std::uint32_t> each; ///< empty: no more than `all`

    [[nodiscard]] bool covers(race_moment const& a) const {
        return all > a.time || (a.thread < each.size() && each[a.thread] > a.time);
    }
    void join(block_knowledge const& other) {
        all = std::max(all, other.all);
        join(other.each);
    }
    void join(std::vector<std::uint32_t> const& other) {
        if (each.size() < other.size()) each.resize(other.size());
        for (std::size_t i = 0; i < other.size(); ++i) each[i] = std::max(each[i], other[i]);
    }
};

/// What somebody knows of other blocks, by their serials in ascending order. Shared until changed.
class race_clock {
public:
    [[nodiscard]] bool covers(race_moment const& a) const {
        auto const at = find(a.serial);
        return entries_ && at < entries_->size() && (*entries_)[at].serial == a.serial &&
               (*entries_)[at].of->covers(a);
    }
    [[nodiscard]] bool empty() const { return !entries_; }
    void clear() { entries_.reset(); }
    /// The number of entries that were looked at.
    std::size_t join(race_clock const& other) {
        if (!other.entries_ || entries_ == other.entries_) return 0;
        if (!entries_) {
            entries_ = other.entries_;
            return 0;
        }
        auto made = std::make_shared<list>();
        auto a = entries_->begin(), b = other.entries_->begin();
        while (a != entries_->end() || b != other.entries_->end()) {
            bool const left =
                b == other.entries_->end() || (a != entries_->end() && a->serial < b->serial);
            bool const both = !left && a != entries_->end() && a->serial == b->serial;
            made->push_back(left ? *a : *b);
            if (both && a->of != b->of) {
                auto joint = std::make_shared<block_knowledge>(*a->of);
                joint->join(*b->of);
                made->back().of = std::move(joint);
            }
            if (left || both) ++a;
            if (!left) ++b;
        }
        entries_ = std::move(made);
        return entries_->size();
    }
    std::size_t add(std::uint32_t serial, block_knowledge known) {
        std::size_t looked = 1;
        if (!entries_)
            entries_ = std::make_shared<list>();
        else if (entries_.use_count() > 1)
            entries_ = std::make_shared<list>(*entries_), looked = entries_->size();
        auto const at = find(serial);
        if (at < entries_->size() && (*entries_)[at].serial == serial)
            known.join(*(*entries_)[at].of);
        else
            entries_->insert(entries_->begin() + static_cast<std::ptrdiff_t>(at),
                             entry{serial, nullptr});
        (*entries_)[at].of = std::make_shared<block_knowledge>(std::move(known));
        return looked;
    }

private:
    struct entry {
        std::uint32_t serial;
        std::shared_ptr<block_knowledge const> of;
    };
    using list = std::vector<entry>;
    /// The first entry that is not below `serial`.
    [[nodiscard]] std::size_t find(std::uint32_t serial) const {
        if (!entries_) return 0;
        return static_cast<std::size_t>(
            std::lower_bound(entries_->begin(),
                             entries_->end(),
                             serial,
                             [](entry const& e, std::uint32_t s) { return e.serial < s; }) -
            entries_->begin());
    }
    std::shared_ptr<list> entries_;
};

} // namespace lkt::host_detail
