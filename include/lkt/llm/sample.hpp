// SPDX-License-Identifier: BSL-1.0
// Several replies to one request.
#pragma once

#include <lkt/llm/complete_all.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace lkt {

namespace detail {

/// `n` times `request`, with the seeds `seed`, `seed + 1`, ... if it has one.
[[nodiscard]] std::vector<chat_request> repeated(chat_request const& request, std::size_t n);

} // namespace detail

/// Asks `request` `n` times at once, see `complete_all`; a seed is counted up from reply to reply.
/// Returns `n` results, each of them a reply or a failure, in the order of the seeds and not of
/// their arrival. With a temperature of 0 most servers give the same reply each time. Cost: `n`
/// model calls.
template <chat_model M>
[[nodiscard]] std::vector<result<chat_reply>> samples(M& model,
                                                      chat_request const& request,
                                                      std::size_t n,
                                                      call_context const& context = {},
                                                      complete_all_options options = {}) {
    auto const requests = detail::repeated(request, n);
    return complete_all(model, std::span<chat_request const>(requests), context, options);
}

} // namespace lkt
