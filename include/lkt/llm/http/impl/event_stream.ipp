// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/event_stream.hpp>

#include <utility>

namespace lkt::detail::http {

std::vector<stream_event> event_stream::feed(std::string_view bytes) {
    for (std::string const& line : lines_.feed(bytes)) take(line);
    return std::exchange(done_, {});
}

std::optional<stream_event> event_stream::rest() {
    if (auto const line = lines_.rest()) take(*line);
    take("");
    if (done_.empty()) return std::nullopt;
    return std::move(std::exchange(done_, {}).front());
}

void event_stream::take(std::string_view line) {
    if (line.empty()) {
        if (has_data_) done_.push_back(std::move(event_));
        event_ = {};
        has_data_ = false;
        return;
    }
    auto const colon = line.find(':');
    auto const field = line.substr(0, colon); // a comment has an empty one
    auto value = colon == line.npos ? std::string_view() : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (field == "event") event_.name = value;
    if (field == "error") event_.name = field;
    if (field == "data" || field == "error") {
        if (std::exchange(has_data_, true)) event_.data += '\n';
        event_.data += value;
    }
}

} // namespace lkt::detail::http
