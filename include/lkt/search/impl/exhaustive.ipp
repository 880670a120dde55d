// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/search/exhaustive.hpp>

#include <utility>

namespace lkt {

exhaustive::exhaustive() = default;
exhaustive::exhaustive(exhaustive const&) = default;
exhaustive::exhaustive(exhaustive&&) noexcept = default;
exhaustive& exhaustive::operator=(exhaustive const&) = default;
exhaustive& exhaustive::operator=(exhaustive&&) noexcept = default;
exhaustive::~exhaustive() = default;

void exhaustive::start(search_space const& space) { cursor_ = space.configurations(); }

std::optional<configuration> exhaustive::ask() { return cursor_ ? cursor_->next() : std::nullopt; }

std::vector<configuration> exhaustive::ask(std::size_t most) {
    std::vector<configuration> batch;
    while (batch.size() < most) {
        auto next = ask();
        if (!next) break;
        batch.push_back(std::move(*next));
    }
    return batch;
}

} // namespace lkt
