// SPDX-License-Identifier: BSL-1.0
// A user's program that asks a server, which is not there.
#include <lkt/llm/http.hpp>

int main() {
    lkt::http_options options;
    options.base_url = "http://127.0.0.1:9/v1";
    options.model = "none";
    lkt::http_model model(options);
    lkt::chat_request request;
    request.messages.push_back({lkt::role::user, "hello"});
    return model.complete(request, {}).has_value() ? 1 : 0;
}
