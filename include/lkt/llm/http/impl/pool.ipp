// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/pool.hpp>

#include <utility>

namespace lkt::detail::http {

std::shared_ptr<connection> pool::take() {
    while (!idle_.empty()) {
        auto last = std::move(idle_.back());
        idle_.pop_back();
        if (clock::now() - last.since < idle_limit && last.one->is_quiet()) return last.one;
        last.one->close();
    }
    return nullptr;
}

void pool::put(std::shared_ptr<connection> one) {
    idle_.push_back({std::move(one), clock::now()});
    if (!sweeping_) sweep();
}

void pool::sweep() {
    std::erase_if(idle_, [now = clock::now()](idle const& each) {
        bool const stale = now - each.since >= idle_limit || !each.one->is_quiet();
        if (stale) each.one->close();
        return stale;
    });
    sweeping_ = !idle_.empty();
    if (!sweeping_) return;
    timer_.expires_after(between_sweeps);
    timer_.async_wait([this](error_code ec) {
        if (!ec) sweep();
    });
}

} // namespace lkt::detail::http
