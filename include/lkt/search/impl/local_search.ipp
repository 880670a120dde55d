// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/search/local_search.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace lkt {

std::uint64_t search_budget::of(std::uint64_t count) const {
    std::uint64_t most = count;
    if (configurations > 0) most = std::min(most, configurations);
    if (share < 1) {
        double const part = std::ceil(std::max(0.0, share) * static_cast<double>(count));
        most = std::min(most, static_cast<std::uint64_t>(part));
    }
    return std::max(most, std::min<std::uint64_t>(1, count));
}

void local_search::start(search_space const& space) {
    space_ = space;
    left_ = budget_.of(space.count());
    walk_.reset();
    drawn_.clear();
    next_.clear();
    seen_.clear();
    told_.clear();
    untold_ = 0;
    if (left_ == space.count())
        walk_ = space.configurations();
    else
        draw();
}

/// As many as the budget has, each as likely as any other, behind the first of the space.
void local_search::draw() {
    std::mt19937_64 random(seed_); // its distributions differ between standard libraries
    auto walk = space_->configurations();
    if (auto first = walk.next()) next_.push_back(*std::move(first));
    std::uint64_t seen = 0;
    while (auto c = walk.next()) {
        ++seen;
        if (drawn_.size() + 1 < left_) {
            drawn_.push_back(*std::move(c));
        } else if (!drawn_.empty()) {
            std::uint64_t const at = random() % seen;
            if (at < drawn_.size()) drawn_[static_cast<std::size_t>(at)] = *std::move(c);
        }
    }
    for (std::size_t k = drawn_.size(); k > 1; --k)
        std::swap(drawn_[k - 1], drawn_[static_cast<std::size_t>(random() % k)]);
    auto const default_one = std::exchange(next_, {});
    for (configuration const& c : default_one) enqueue(c);
    for (std::uint64_t most = left_ / 2; most > 0 && !drawn_.empty(); --most) {
        enqueue(drawn_.front());
        drawn_.pop_front();
    }
}

void local_search::enqueue(configuration const& c) {
    if (left_ == 0 || !seen_.insert(to_string(c)).second) return;
    --left_;
    next_.push_back(c);
}

void local_search::enqueue_neighbours(configuration const& c) {
    auto const& parameters = space_->parameters();
    std::vector<std::ptrdiff_t> own;
    std::size_t most = 0;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        auto const& values = parameters[p].values;
        most = std::max(most, values.size());
        own.push_back(std::find(values.begin(), values.end(), c.values[p].second) - values.begin());
    }
    // Near values of all parameters before far ones of any.
    for (std::ptrdiff_t away = 1; away < static_cast<std::ptrdiff_t>(most) && left_ > 0; ++away)
        for (std::size_t p = 0; p < parameters.size(); ++p)
            for (std::ptrdiff_t const k : {own[p] - away, own[p] + away}) {
                auto const& values = parameters[p].values;
                if (k < 0 || k >= static_cast<std::ptrdiff_t>(values.size())) continue;
                configuration near = c;
                near.values[p].second = values[static_cast<std::size_t>(k)];
                if (space_->contains(near)) enqueue(near);
            }
}

void local_search::refill() {
    while (left_ > 0 && next_.empty()) {
        auto const fastest =
            std::min_element(told_.begin(), told_.end(), [](timed const& a, timed const& b) {
                return a.left != b.left ? b.left : a.time < b.time;
            });
        if (fastest != told_.end() && !fastest->left) {
            fastest->left = true;
            enqueue_neighbours(fastest->config);
        } else if (!drawn_.empty()) {
            enqueue(drawn_.front());
            drawn_.pop_front();
        } else {
            return;
        }
    }
}

std::optional<configuration> local_search::ask() {
    auto one = ask(1);
    return one.empty() ? std::nullopt : std::optional(std::move(one.front()));
}

std::vector<configuration> local_search::ask(std::size_t most) {
    std::vector<configuration> batch;
    if (!walk_ && next_.empty() && untold_ == 0 && space_) refill();
    while (batch.size() < most) {
        if (walk_) {
            auto next = walk_->next();
            if (!next) break;
            batch.push_back(*std::move(next));
        } else {
            if (next_.empty()) break;
            batch.push_back(std::move(next_.front()));
            next_.pop_front();
        }
    }
    untold_ += batch.size();
    return batch;
}

void local_search::tell(configuration const& c, std::optional<seconds> time) {
    untold_ -= std::min<std::size_t>(1, untold_);
    if (time && !walk_) told_.push_back({c, *time});
}

} // namespace lkt
