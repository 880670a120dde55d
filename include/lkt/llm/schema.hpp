// SPDX-License-Identifier: BSL-1.0
// From a struct to the schema of its answers.
#pragma once

#include <lkt/llm/described.hpp>
#include <lkt/llm/detail/answer_shape.hpp>

#include <string>

namespace lkt {

/// What a schema says.
struct schema_options {
    /// Bounds as keywords (`minimum`, `maxItems`, `maxLength`, ...), for servers that enforce them.
    /// The descriptions always contain them; some servers refuse a schema with keywords.
    bool bounds = true;
};

namespace detail {

[[nodiscard]] std::string write_schema(answer_shape const& shape, schema_options const& options);
/// Whether the schema has bounds as keywords.
[[nodiscard]] bool has_bounds(answer_shape const& shape);

} // namespace detail

/// The JSON Schema of `T`, on one line, members in the order of `state_fields`. It keeps to what
/// servers with strict schemas accept: every member is required and no other is allowed; an
/// optional one may be null; a map is a list of `{"key": ..., "value": ...}`; a variant is any of
/// its structs, each with a member `kind` that holds the struct's name. A last underscore of a
/// member or enumerator is left out.
template <class T>
[[nodiscard]] std::string schema_of(schema_options const& options = {}) {
    if constexpr (detail::is_answer<T, false>) {
        return detail::write_schema(detail::answer_shape_of<T>, options);
    } else {
        detail::refuse_answer<T>();
        return {};
    }
}

} // namespace lkt
