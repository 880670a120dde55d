// SPDX-License-Identifier: BSL-1.0
// What the writer and the reader of certificates share. Needs Boost.JSON.
#pragma once

#include <lkt/core/result.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lkt::certificate_parts {

namespace json = boost::json;

inline constexpr int generation = 1;
inline constexpr std::string_view digest_field = "\"certificate_sha256\": \"";
inline constexpr std::size_t digest_digits = 64;

[[nodiscard]] error fault(std::string_view code, std::string message, std::string hint);
[[nodiscard]] result<json::value> parse(std::string_view text, std::string const& origin);
/// `2026-11-25T14:53:08Z`
[[nodiscard]] std::string now_text();
/// The same of other seconds since 1970.
[[nodiscard]] std::string date_text(std::int64_t since_1970);
/// Of a static rule, by its number: `clock`.
[[nodiscard]] std::string_view name_of(std::size_t rule);

} // namespace lkt::certificate_parts
