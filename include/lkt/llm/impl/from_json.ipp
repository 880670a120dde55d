// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/from_json.hpp>

#include <lkt/llm/detail/answer_reader.hpp>
#include <lkt/llm/detail/fence_line.hpp>
#include <lkt/llm/detail/read_json.hpp>
#include <lkt/llm/extract_json.hpp>

#include <boost/json/value.hpp>

namespace lkt::detail {

answer_faults read_answer(boost::json::value const& json,
                          answer_shape const& shape,
                          void* target,
                          reading_options const& options) {
    answer_reader reader(options);
    reader.read(json, shape, {}, target);
    return reader.take();
}

answer_faults read_answer_text(std::string_view text,
                               answer_shape const& shape,
                               void* target,
                               reading_options const& options) {
    // First as it stands, since a text within the JSON may well look like a fence or a tag.
    json_fault fault;
    json_limits const limits;
    if (auto const whole = trimmed(text); begins_like_json(whole) && whole.size() <= limits.bytes)
        if (auto const json = read_json(whole, {limits.depth, true}, fault))
            return read_answer(*json, shape, target, options);
    auto const json = extract_json(text, limits);
    if (!json) return {json.error().message};
    return read_answer(*json, shape, target, options);
}

error invalid_answer(answer_faults const& faults) {
    std::string all;
    for (std::string const& one : faults) (all += all.empty() ? "" : ". ") += one;
    return {condition::rejected,
            "lkt.answer.invalid",
            faults.size() == 1
                ? all
                : "the answer has " + std::to_string(faults.size()) + " faults: " + all,
            "correct what the message names"};
}

} // namespace lkt::detail
