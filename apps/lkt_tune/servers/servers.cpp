// SPDX-License-Identifier: BSL-1.0
#include "servers.hpp"

#include <lkt/llm/http/make_chat_model.hpp>

#include <utility>

namespace lkt_tune {

lkt::result<lkt::any_chat_model> server_model(std::string const& spec,
                                              std::vector<lkt::thinking_tags> thinking,
                                              lkt::http_timeouts const& timeouts) {
    return lkt::make_chat_model(spec, {.timeouts = timeouts, .thinking = std::move(thinking)});
}

std::string server_help() { return lkt::model_name_help(); }

} // namespace lkt_tune
