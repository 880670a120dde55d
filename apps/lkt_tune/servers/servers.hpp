// SPDX-License-Identifier: BSL-1.0
// Models behind HTTP: servers.cpp, or where lkt::http cannot be built, none.cpp.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/any_chat_model.hpp>
#include <lkt/llm/http/options.hpp>
#include <lkt/llm/thinking.hpp>

#include <string>
#include <vector>

namespace lkt_tune {

/// The model `PROVIDER:MODEL[@BASE_URL]`, which reasons in its text between `thinking` too, and is
/// given so much time for each request. Errors:
/// `lkt.llm.model-name`, `lkt.http.*`.
[[nodiscard]] lkt::result<lkt::any_chat_model>
server_model(std::string const& spec,
             std::vector<lkt::thinking_tags> thinking,
             lkt::http_timeouts const& timeouts);

/// For `--help`.
[[nodiscard]] std::string server_help();

} // namespace lkt_tune
