// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/event_stream.hpp>

namespace lkt::detail::http {

std::optional<stream_event> event_stream::rest() {
    if (auto const line = lines_.rest()) (void)ends_with(*line);
    std::optional<stream_event> last;
    if (has_data_) last = event_;
    restart();
    return last;
}

void event_stream::restart() {
    event_.name.clear();
    event_.data.clear();
    has_data_ = false;
}

bool event_stream::ends_with(std::string_view line) {
    if (line.empty()) {
        if (!has_data_) restart(); // a name alone does not stick to the next one
        return has_data_;
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
    return false;
}

} // namespace lkt::detail::http
