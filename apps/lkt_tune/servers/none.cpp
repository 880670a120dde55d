// SPDX-License-Identifier: BSL-1.0
#include "servers.hpp"

namespace lkt_tune {

lkt::result<lkt::any_chat_model>
server_model(std::string const& spec, std::vector<lkt::thinking_tags>, lkt::http_timeouts const&) {
    return lkt::error{
        lkt::condition::rejected,
        "lkt.llm.model-name",
        "this program was built without OpenSSL and has no model `" + spec + "`",
        "use replay:FILE or mailbox:FOLDER, or build lkt-tune with OpenSSL's headers"};
}

std::string server_help() {
    return "replay:FILE answers from a cassette; mailbox:FOLDER writes each question to "
           "KEY.request.md there and waits until a person or a program writes KEY.reply.md; "
           "this program was built without OpenSSL and asks no servers";
}

} // namespace lkt_tune
