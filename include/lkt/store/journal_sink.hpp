// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace lkt {

/// Where a journal's bytes are kept.
/// \li `read()`: everything that was appended, in order
/// \li `append(bytes)`: appends all of them, or returns an error and keeps none
/// \li `cut(size)`: keeps the first `size` bytes
/// \li `sync()`: all appended bytes are durable when this returns, as far as the sink can ensure it
/// \li `name()`: for messages
///
/// Laws: after a crash, `read` returns a prefix of the appended bytes. One journal uses a sink at a
/// time, from one thread at a time.
template <class S>
concept journal_sink = requires(S& s, S const& c, std::string_view bytes, std::uint64_t size) {
    { s.read() } -> std::same_as<result<std::string>>;
    { s.append(bytes) } -> std::same_as<result<void>>;
    { s.cut(size) } -> std::same_as<result<void>>;
    { s.sync() } -> std::same_as<result<void>>;
    { c.name() } -> std::convertible_to<std::string>;
};

} // namespace lkt
