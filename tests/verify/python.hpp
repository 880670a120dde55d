// SPDX-License-Identifier: BSL-1.0
// Tests that run Python say why they did not where there is none.
#pragma once

#include <doctest/doctest.h>

#include <lkt/verify/python_script.hpp>

#include <cstdlib>
#include <string>
#include <utility>

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

/// LKT_PYTHON for the time of a test.
class chosen_python {
public:
    explicit chosen_python(std::string const& path) {
        if (char const* const before = std::getenv("LKT_PYTHON")) before_ = before;
        ::setenv("LKT_PYTHON", path.c_str(), 1);
    }
    ~chosen_python() {
        if (before_.empty())
            ::unsetenv("LKT_PYTHON");
        else
            ::setenv("LKT_PYTHON", before_.c_str(), 1);
    }
    chosen_python(chosen_python const&) = delete;
    chosen_python& operator=(chosen_python const&) = delete;

private:
    std::string before_;
};

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
