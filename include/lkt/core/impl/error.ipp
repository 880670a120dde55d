// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/error.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/core/result.hpp>

#include <utility>

namespace lkt {

std::string to_string(error const& e) {
    std::string text = e.message;
    if (!e.code.empty()) text += " [" + e.code + "]";
    if (!e.hint.empty()) text += "\n  " + e.hint;
    return plain_text(text);
}

error cancelled(std::string what) {
    return {condition::cancelled, "lkt.cancelled", std::move(what) + " was cancelled", {}};
}

bad_result::bad_result(error e) : std::runtime_error(to_string(e)), why(std::move(e)) {}

void detail::throw_bad_result(error const& e) { throw bad_result(e); }

} // namespace lkt
