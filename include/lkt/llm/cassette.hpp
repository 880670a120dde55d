// SPDX-License-Identifier: BSL-1.0
// Recorded conversations as files; docs/llm.md describes the format.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/chat_model.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// Who gave the replies of a cassette.
enum class cassette_origin : unsigned char {
    recorded,        ///< the model that the header names
    written_by_hand, ///< a person, or a program that is no model
};

/// How a replay finds the answer to a request.
enum class replay_match : unsigned char {
    exact,    ///< by the request itself: messages and parameters
    in_order, ///< the n-th request gets the n-th reply, for any request
};

[[nodiscard]] constexpr std::string_view to_string(cassette_origin o) {
    switch (o) {
    case cassette_origin::recorded:
        return "recorded";
    case cassette_origin::written_by_hand:
        return "written-by-hand";
    }
    return "unknown";
}

[[nodiscard]] constexpr std::string_view to_string(replay_match m) {
    switch (m) {
    case replay_match::exact:
        return "exact";
    case replay_match::in_order:
        return "in-order";
    }
    return "unknown";
}

/// First line of a cassette.
struct cassette_header {
    std::string model; ///< which model answered; empty when the replies were written by hand
    cassette_origin origin = cassette_origin::recorded;
    replay_match match = replay_match::exact; ///< how the cassette is meant to be replayed
    std::string note;                         ///< for people
    friend bool operator==(cassette_header const&, cassette_header const&) = default;
};

/// Each further line: a request and its result.
struct cassette_exchange {
    std::optional<chat_request> request; ///< may be absent where the match is in order
    std::vector<std::string> expect; ///< texts that the request must contain, if matched in order
    result<chat_reply> outcome;
    std::string note;     ///< for people
    std::size_t line = 0; ///< in the file, from 1; 0 before it was written
};

struct cassette {
    cassette_header header;
    std::vector<cassette_exchange> exchanges;
    std::string name; ///< for messages: the file's path
};

/// The version of the format that is read and written.
inline constexpr int cassette_version = 1;
/// Longest cassette that is read, in bytes.
inline constexpr std::size_t max_cassette_bytes = std::size_t{256} << 20;

/// Reads the text of a cassette. `name` is its name in messages. Errors (rejected), each with the
/// line: `lkt.cassette.malformed`, `lkt.cassette.version`, and `lkt.cassette.cut-off` if the last
/// line is incomplete.
[[nodiscard]] result<cassette> parse_cassette(std::string_view text, std::string name = "cassette");

/// Reads a cassette from a file. Errors: those of `parse_cassette`, and `lkt.cassette.unreadable`
/// (unavailable).
[[nodiscard]] result<cassette> read_cassette(std::string const& path);

/// One line each, without the line end.
[[nodiscard]] std::string to_line(cassette_header const& header);
[[nodiscard]] std::string to_line(cassette_exchange const& exchange);

/// The whole text, which `parse_cassette` reads back.
[[nodiscard]] std::string to_text(cassette const& tape);

} // namespace lkt
