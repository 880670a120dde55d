// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/sample.hpp>

namespace lkt::detail {

std::vector<chat_request> repeated(chat_request const& request, std::size_t n) {
    std::vector<chat_request> all(n, request);
    for (std::size_t i = 0; i < n; ++i)
        if (request.seed) all[i].seed = *request.seed + i;
    return all;
}

} // namespace lkt::detail
