// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/with_retry.hpp>

#include <atomic>
#include <random>

namespace lkt::detail {

error retry_stopped(int attempts) {
    error e = cancelled("waiting to ask the model again");
    e.attempts = attempts;
    return e;
}

error after_attempts(int attempts, error e) {
    auto const words = [](int n) { return " (after " + std::to_string(n) + " attempts)"; };
    // A layer further in has said its own number, which is part of this one.
    if (auto const inner = words(e.attempts); e.message.ends_with(inner))
        e.message.resize(e.message.size() - inner.size());
    e.attempts = attempts;
    if (attempts > 1) e.message += words(attempts);
    return e;
}

result<chat_reply> after_failures(int attempts, result<chat_reply> reply) {
    if (reply) reply->requests += attempts;
    return reply;
}

unsigned draw_seed() {
    // The system is asked once: drawing must not cost more than the wait is worth.
    static std::atomic<unsigned> next{std::random_device{}()};
    unsigned const drawn = next.fetch_add(0x9e3779b9u);
    return drawn == 0 ? 1 : drawn;
}

} // namespace lkt::detail
