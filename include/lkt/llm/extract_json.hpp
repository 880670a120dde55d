// SPDX-License-Identifier: BSL-1.0
// The JSON in a model's reply. Whoever calls it includes <boost/json/value.hpp>.
#pragma once

#include <lkt/core/result.hpp>

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <string_view>

namespace lkt {

/// How large a value of a reply may be.
struct json_limits {
    std::size_t bytes = 1u << 20; ///< of one block
    std::size_t depth = 32;       ///< of arrays and objects in one another
};

/// The JSON value of a reply: the last fenced block that is JSON (by its info string, or without
/// one by its first characters), or else the text outside of all blocks, if it begins and ends as
/// JSON does. Comments and trailing commas are accepted, since models write them. Reasoning between
/// think tags is left out. Errors (rejected): `lkt.extract.no-json`, there is none;
/// `lkt.extract.malformed-json`, with line and column in the block.
[[nodiscard]] result<boost::json::value> extract_json(std::string_view reply,
                                                      json_limits limits = {});

} // namespace lkt
