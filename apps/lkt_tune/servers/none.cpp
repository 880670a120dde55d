// SPDX-License-Identifier: BSL-1.0
#include "servers.hpp"

namespace lkt_tune {

lkt::result<lkt::any_chat_model>
server_model(std::string const& spec, std::vector<lkt::thinking_tags>, lkt::http_timeouts const&) {
    return lkt::error{
        lkt::condition::rejected,
        "lkt.llm.model-name",
        "`" + spec + "` is no model of this program, which was built without OpenSSL",
        "models: replay:FILE, mailbox:FOLDER; or build lkt-tune with OpenSSL's headers"};
}

std::string server_help() {
    return "replay:FILE answers from a cassette; mailbox:FOLDER writes each question to a file "
           "KEY.request.md there and waits for KEY.reply.md, which a person or a program writes; "
           "this program was built without OpenSSL and asks no servers";
}

} // namespace lkt_tune
