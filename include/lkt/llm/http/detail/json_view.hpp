// SPDX-License-Identifier: BSL-1.0
// Members of what a server sent: nothing of it can be relied on. What is missing, null or of
// another type reads as absent.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lkt::detail::http {

using json = boost::json::value;

/// The member, or null; of null too, so that steps can be chained.
[[nodiscard]] json const* member(json const* object, std::string_view name);
/// The first element of a list, or null.
[[nodiscard]] json const* first(json const* list);
[[nodiscard]] std::string_view text_of(json const* value);
[[nodiscard]] std::string_view text_at(json const* object, std::string_view name);
/// A number of tokens, whatever its type; none where it is negative or above 2^40: no model reads
/// or writes so many.
[[nodiscard]] std::optional<std::int64_t> count_at(json const* object, std::string_view name);
[[nodiscard]] boost::json::array const& list_at(json const* object, std::string_view name);

/// Text in any of the forms that servers have for it: a string, a list of parts, or an object with
/// a member `text`, `content`, `thinking` or `summary`.
[[nodiscard]] std::string words_of(json const* value);
/// A string as it is, anything else as JSON: the arguments of a tool call.
[[nodiscard]] std::string as_text(json const* value);

} // namespace lkt::detail::http
