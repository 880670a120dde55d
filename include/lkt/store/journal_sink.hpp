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
/// \li `append(bytes)`: behind that; as a whole, or an error and nothing of it stays
/// \li `cut(size)`: keeps the first `size` bytes
/// \li `sync()`: what was appended is safe when this returns, as safe as the sink can make it
/// \li `name()`: for messages
///
/// Laws: what `read` returns after a crash is a beginning of what was appended. One journal uses a
/// sink at a time, from one thread at a time.
template <class S>
concept journal_sink = requires(S& s, S const& c, std::string_view bytes, std::uint64_t size) {
    { s.read() } -> std::same_as<result<std::string>>;
    { s.append(bytes) } -> std::same_as<result<void>>;
    { s.cut(size) } -> std::same_as<result<void>>;
    { s.sync() } -> std::same_as<result<void>>;
    { c.name() } -> std::convertible_to<std::string>;
};

} // namespace lkt
