// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

/// What a `cached` clause remembers: of the last `capacity` keys, the outcome of the visit and what
/// the node made of its effect. A member of the state, so that it is saved and restored with it.
/// `Key` and `Effect` are copyable, keys compare by `==`. A look-up compares with each key, which
/// is nothing beside a visit that is worth remembering.
template <class Key, class Effect = std::monostate>
struct visit_cache {
    struct entry {
        Key key;
        int outcome = 0; ///< its index among the node's outcomes
        Effect effect = {};

        friend bool operator==(entry const&, entry const&) = default;
    };

    std::size_t capacity = 64;
    std::vector<entry> entries = {}; ///< the one that was used last comes last

    /// The entry of the key, which becomes the last; null when there is none.
    [[nodiscard]] constexpr entry const* find(Key const& key) {
        auto const at = std::find_if(
            entries.begin(), entries.end(), [&](entry const& e) { return e.key == key; });
        if (at == entries.end()) return nullptr;
        std::rotate(at, at + 1, entries.end());
        return &entries.back();
    }

    /// Adds an entry in place of one with the same key; the ones longest unused have to go.
    constexpr void keep(entry e) {
        std::erase_if(entries, [&](entry const& old) { return old.key == e.key; });
        entries.push_back(std::move(e));
        if (entries.size() > capacity)
            entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(capacity));
    }

    friend bool operator==(visit_cache const&, visit_cache const&) = default;
};

} // namespace lkt
