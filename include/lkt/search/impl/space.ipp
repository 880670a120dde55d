// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/search/space.hpp>

#include <lkt/search/detail/plan.hpp>
#include <lkt/search/detail/walk.hpp>

#include <cstddef>
#include <limits>
#include <utility>

namespace lkt {

struct search_space::contents {
    detail::walk walk;
    std::uint64_t count = 0;
    std::optional<std::uint64_t> unrestricted;
    std::vector<std::uint64_t> excluded; ///< by each restriction
    std::vector<std::string> useless;
};

search_space::search_space(std::shared_ptr<contents const> c) : contents_(std::move(c)) {}

std::uint64_t search_space::count() const { return contents_->count; }

std::optional<std::uint64_t> search_space::unrestricted_count() const {
    return contents_->unrestricted;
}

std::vector<tunable_parameter> const& search_space::parameters() const {
    return contents_->walk.parameters;
}

std::vector<std::string> const& search_space::useless_restrictions() const {
    return contents_->useless;
}

search_space::cursor::cursor(search_space space)
    : contents_(std::move(space.contents_)), state_(contents_->walk.begin()) {}

std::optional<configuration> search_space::cursor::next() {
    // `make` has been everywhere, so evaluation cannot fail any more.
    if (!contents_->walk.advance(state_, nullptr).value()) return std::nullopt;
    return contents_->walk.current(state_);
}

result<search_space> search_space::make(std::span<tunable_parameter const> parameters,
                                        std::span<expression const> restrictions,
                                        problem_size const& size,
                                        space_limits const& limits) {
    if (auto ok = detail::check_parameters(parameters, size); !ok) return ok.error();
    auto plan = detail::plan_walk(parameters, restrictions, size);
    if (!plan) return plan.error();
    auto made = std::make_shared<contents>();
    made->walk = std::move(*plan);
    std::uint64_t combinations = 1;
    bool countable = true;
    for (auto const& p : parameters) {
        countable = countable &&
                    combinations <= std::numeric_limits<std::uint64_t>::max() / p.values.size();
        if (countable) combinations *= p.values.size();
    }
    if (countable) made->unrestricted = combinations;

    detail::walk_statistics seen{
        0, limits.visited, std::vector<std::uint64_t>(restrictions.size())};
    for (auto state = made->walk.begin();;) {
        auto const more = made->walk.advance(state, &seen);
        if (!more) return more.error();
        if (!*more) break;
        if (++made->count > limits.configurations)
            return error{condition::exhausted,
                         "lkt.search.too_large",
                         "the search space has more than " + std::to_string(limits.configurations) +
                             " configurations",
                         "Give fewer values, add restrictions, or raise the limit."};
    }
    // Where nothing is left, some were never asked.
    for (std::size_t r = 0; r < restrictions.size() && made->count > 0; ++r)
        if (seen.excluded[r] == 0) made->useless.push_back(restrictions[r].text());
    made->excluded = std::move(seen.excluded);
    return search_space(std::move(made));
}

std::optional<no_configuration> search_space::unsatisfiable() const {
    if (!empty()) return std::nullopt;
    std::string why = "no configuration meets the restrictions";
    if (auto const all = unrestricted_count())
        why += " (" + std::to_string(*all) + " without them)";
    char const* separator = ": ";
    for (std::size_t r = 0; r < contents_->excluded.size(); ++r) {
        if (contents_->excluded[r] == 0) continue;
        why += separator + ("`" + contents_->walk.restrictions[r].text()) + "` fails " +
               std::to_string(contents_->excluded[r]) +
               (contents_->excluded[r] == 1 ? " time" : " times");
        separator = ", ";
    }
    return no_configuration{std::move(why)};
}

bool search_space::contains(configuration const& c) const {
    detail::walk const& walk = contents_->walk;
    if (c.values.size() != walk.parameters.size()) return false;
    auto state = walk.begin();
    if (auto const holds = walk.hold(walk.at_once, state, nullptr); !holds || !*holds) return false;
    for (std::size_t p = 0; p < walk.parameters.size(); ++p) {
        auto const& [name, values] = walk.parameters[p];
        if (c.values[p].first != name) return false;
        std::size_t v = 0;
        while (v < values.size() && values[v] != c.values[p].second) ++v;
        if (v == values.size()) return false;
        walk.bind(p, v, state);
        auto const holds = walk.hold(walk.completed_by[p], state, nullptr);
        if (!holds || !*holds) return false;
    }
    return true;
}

} // namespace lkt
