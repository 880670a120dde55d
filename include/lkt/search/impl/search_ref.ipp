// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/search/search_ref.hpp>

#include <lkt/search/exhaustive.hpp>

#include <algorithm>

namespace lkt {

search_ref::search_ref() : calls_(&calls_of<exhaustive>), own_(std::make_shared<exhaustive>()) {
    policy_ = own_.get();
}

void search_ref::start(search_space const& space) {
    untold_ = 0;
    calls_->start(policy_, space);
}

std::vector<configuration> search_ref::ask(std::size_t most) {
    if (!calls_->in_batches && untold_ > 0) return {};
    auto batch = calls_->ask(policy_, std::max<std::size_t>(1, most));
    untold_ += batch.size();
    return batch;
}

std::uint64_t search_ref::most_of(std::uint64_t count) const {
    return calls_->most_of(policy_, count);
}

void search_ref::tell(configuration const& c, std::optional<seconds> time) {
    untold_ -= std::min<std::size_t>(1, untold_);
    calls_->tell(policy_, c, time);
}

} // namespace lkt
