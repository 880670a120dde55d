// SPDX-License-Identifier: BSL-1.0
// Answers that come whole, and errors: the first byte chooses the dialect and what is asked, the
// second the status, the third a header for which the first line is the value.
#include "support/answers.hpp"

namespace {

using lkt_fuzz::require;

void check_status(std::string_view text, unsigned choice, unsigned status, unsigned header) {
    static constexpr char const* names[] = {"retry-after",
                                            "retry-after-ms",
                                            "date",
                                            "x-should-retry",
                                            "location",
                                            "x-request-id",
                                            "anthropic-ratelimit-tokens-reset",
                                            "x-ratelimit-reset-tokens"};
    static constexpr int statuses[] = {
        301, 400, 401, 402, 403, 404, 408, 409, 413, 418, 429, 500, 503, 529, 99, 601};
    auto const line = text.substr(0, text.find('\n'));
    lkt::detail::http::wire_response response;
    response.status = statuses[status % std::size(statuses)];
    response.headers = {{names[header % std::size(names)], std::string(line)},
                        {"date", "Sun, 22 Nov 2026 02:30:00 GMT"}};
    response.body = text.substr(line.size());
    auto const options = lkt_fuzz::options_of(choice);
    std::string const key = "zq3JmX81LpWv0TnB7s";
    auto const e = lkt::detail::http::status_error(options, response, key);
    lkt_fuzz::require_error(e);
    require(!e.hint.empty(), "a next step is named", e.message);
    require(e.message.size() < 4096, "a message is short", e.message);
    for (char const c : e.message)
        require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F, "it is one line", e.message);
    for (std::size_t at = 0; at + 8 <= key.size(); ++at)
        require(e.message.find(key.substr(at, 8)) == e.message.npos, "no key is told", e.message);
    if (e.retry_after) require(e.retry_after->count() >= 0, "nobody waits backwards", text);
    require(!e.retry_after || e.kind == lkt::condition::transient, "a wait is for a retry", text);
}

} // namespace

lkt_fuzz::target const here("json_answer", [](std::uint8_t const* data, std::size_t size) {
    if (size < 3) return 0;
    auto const text = lkt_fuzz::text_of(data, size).substr(3);
    auto const request = lkt_fuzz::request_of(data[0]);
    auto const options = lkt_fuzz::options_of(data[0]);
    auto const reply = lkt::detail::http::decode(
        request, options, {200, {{"content-type", "application/json"}}, std::string(text)});
    lkt_fuzz::require_reply(reply, text);
    lkt_fuzz::check_stream(data[0], text, 1 + data[1] % 64);
    check_status(text, data[0], data[1], data[2]);
    return 0;
});
