// SPDX-License-Identifier: BSL-1.0
// What all exchanges of a model share.
#pragma once

#include <lkt/llm/http/detail/connection.hpp>
#include <lkt/llm/http/detail/lookup.hpp>
#include <lkt/llm/http/detail/opening.hpp>
#include <lkt/llm/http/detail/pool.hpp>
#include <lkt/llm/http/options.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace lkt::detail::http {

/// Used on the I/O thread, but for the counts.
struct http_session {
    http_session(route to, http_options const& options)
        : way(std::move(to)), limits(options.timeouts), max_reply(options.max_reply) {}

    // First, since it outlives whatever lives on it. The hint: one thread runs it.
    asio::io_context io{1};
    route const way;
    http_timeouts const limits;
    std::size_t const max_reply;
    lookup names{io, way.host(), way.port()};
    pool connections{io};
    std::atomic<std::uint64_t> calls{0}, opened{0}, sent{0}, received{0};
};

} // namespace lkt::detail::http
