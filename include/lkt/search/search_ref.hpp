// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/search/search_policy.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace lkt {

class exhaustive;

/// A reference to a search policy of any type, which is asked for many configurations at once, so
/// that code that searches is compiled once. A policy that is not a batch_search_policy names one
/// at a time, after it was told the result of the last one. Without a policy: an exhaustive search.
class search_ref {
public:
    search_ref();
    template <search_policy P>
        requires(!std::same_as<P, search_ref>) // a copy of a reference refers to the same
    explicit search_ref(P& policy) : policy_(std::addressof(policy)), calls_(&calls_of<P>) {}

    void start(search_space const& space);
    /// At most `most`, 1 at least. None: the search is over, if it was told all results.
    [[nodiscard]] std::vector<configuration> ask(std::size_t most);
    /// How many of a space of `count` configurations it asks for, at most.
    [[nodiscard]] std::uint64_t most_of(std::uint64_t count) const;
    /// Of a configuration that it named.
    void tell(configuration const& c, std::optional<seconds> time);

private:
    struct calls {
        void (*start)(void const*, search_space const&);
        std::vector<configuration> (*ask)(void const*, std::size_t);
        void (*tell)(void const*, configuration const&, std::optional<seconds>);
        std::uint64_t (*most_of)(void const*, std::uint64_t);
        bool in_batches;
    };
    template <class P>
    static P& as(void const* policy) {
        return *const_cast<P*>(static_cast<P const*>(policy));
    }
    template <class P>
    static constexpr calls calls_of{
        [](void const* p, search_space const& s) { as<P>(p).start(s); },
        [](void const* p, [[maybe_unused]] std::size_t most) {
            if constexpr (batch_search_policy<P>) {
                return as<P>(p).ask(most);
            } else {
                std::vector<configuration> one;
                if (auto next = as<P>(p).ask()) one.push_back(*std::move(next));
                return one;
            }
        },
        [](void const* p, configuration const& c, std::optional<seconds> time) {
            as<P>(p).tell(c, time);
        },
        []([[maybe_unused]] void const* p, std::uint64_t count) {
            if constexpr (requires(P const& q) { std::uint64_t{q.most_of(count)}; })
                return std::uint64_t{as<P>(p).most_of(count)};
            else
                return count;
        },
        batch_search_policy<P>};

    void const* policy_ = nullptr;
    calls const* calls_ = nullptr;
    std::size_t untold_ = 0; ///< configurations that it named and whose results it does not have
    std::shared_ptr<exhaustive> own_;
};

} // namespace lkt
