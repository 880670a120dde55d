// SPDX-License-Identifier: BSL-1.0
// Tests that run Python say why they did not where there is none.
#pragma once

#include <doctest/doctest.h>

#include <lkt/verify/python_script.hpp>

#include <string>

namespace test {

/// False, after a message: there is no Python with the library here.
inline bool has_python(lkt::array_library library = lkt::array_library::numpy) {
    static lkt::result<lkt::python_interpreter> const found[2] = {
        lkt::find_python(lkt::array_library::numpy), lkt::find_python(lkt::array_library::torch)};
    auto const& one = found[library == lkt::array_library::numpy ? 0 : 1];
    if (one) return true;
    MESSAGE("skipped: " << to_string(one.error()));
    return false;
}

inline lkt::python_script python(std::string text, std::string function) {
    lkt::python_script script;
    script.text = std::move(text);
    script.function = std::move(function);
    script.origin = "words.py";
    script.time_limit = std::chrono::seconds{20};
    return script;
}

inline bool has(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

} // namespace test
