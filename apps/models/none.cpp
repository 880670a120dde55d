// SPDX-License-Identifier: BSL-1.0
#include "servers.hpp"

namespace lkt_apps {

namespace {

lkt::error no_server(std::string const& spec) {
    return {lkt::condition::rejected,
            "lkt.llm.model-name",
            "this program was built without OpenSSL and has no model `" + spec + "`",
            "use replay:FILE or mailbox:FOLDER, or build lkt-tune with OpenSSL's headers"};
}

} // namespace

lkt::result<lkt::any_chat_model>
server_model(std::string const& spec, std::vector<lkt::thinking_tags>, lkt::http_timeouts const&) {
    return no_server(spec);
}

lkt::result<server_facts> server_facts_of(std::string const& spec) { return no_server(spec); }

std::optional<lkt::error> unreachable(std::string const& spec, lkt::call_context const&) {
    return no_server(spec);
}

std::vector<server_provider> server_providers() { return {}; }

std::string built_with() { return {}; }

} // namespace lkt_apps
