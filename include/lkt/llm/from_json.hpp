// SPDX-License-Identifier: BSL-1.0
// From a model's answer to a struct. Light: what reads it is compiled once.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/detail/answer_shape.hpp>

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt {

/// Deviations that are accepted, besides `3.0` for the whole number 3, and null or nothing for an
/// optional.
struct reading_options {
    bool unknown_members = false; ///< members that the struct does not have
    /// `"3"` for 3, `"true"` for true, 3 for `"3"`, enumerators in other case or with other
    /// separators.
    bool near_misses = false;
    std::size_t max_faults = 10; ///< named in one error; at least one is
};

namespace detail {

/// Sentences, each with the path of the place; empty when all is well.
using answer_faults = std::vector<std::string>;

[[nodiscard]] answer_faults read_answer(boost::json::value const& json,
                                        answer_shape const& shape,
                                        void* target,
                                        reading_options const& options);
/// The JSON in a reply: the whole of it, else the last fenced block, else what `extract_json`
/// finds.
[[nodiscard]] answer_faults read_answer_text(std::string_view text,
                                             answer_shape const& shape,
                                             void* target,
                                             reading_options const& options);
[[nodiscard]] error invalid_answer(answer_faults const& faults);

} // namespace detail

/// Reads a `T` as `schema_of<T>` describes it; a map may be an object too. Error:
/// `lkt.answer.invalid` (rejected), with all faults, each with its path:
/// `steps[2].factor is 99; it must be from 1 to 64`.
template <class T>
[[nodiscard]] result<T> from_json(boost::json::value const& json,
                                  reading_options const& options = {}) {
    if constexpr (detail::is_answer<T, false>) {
        T value{};
        auto const faults = detail::read_answer(json, detail::answer_shape_of<T>, &value, options);
        if (!faults.empty()) return detail::invalid_answer(faults);
        return value;
    } else {
        detail::refuse_answer<T>();
        return error{};
    }
}

/// The same of a reply's text: bare JSON, or its last fenced block (see `extract_json`).
template <class T>
[[nodiscard]] result<T> read_answer(std::string_view reply, reading_options const& options = {}) {
    if constexpr (detail::is_answer<T, false>) {
        T value{};
        auto const faults =
            detail::read_answer_text(reply, detail::answer_shape_of<T>, &value, options);
        if (!faults.empty()) return detail::invalid_answer(faults);
        return value;
    } else {
        detail::refuse_answer<T>();
        return error{};
    }
}

} // namespace lkt
