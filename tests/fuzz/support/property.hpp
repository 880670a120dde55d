// SPDX-License-Identifier: BSL-1.0
// What the targets share. A target is one function of a text, which asserts what must hold for any
// text; the library's own sanitizers see to the rest. Each has a file of its own, and its name.
#pragma once

#include <lkt/kernel/text_location.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

namespace lkt_fuzz {

using one_input = int (*)(std::uint8_t const* data, std::size_t size); ///< returns 0

/// The targets of this program, by their names.
inline std::map<std::string_view, one_input>& targets() {
    static std::map<std::string_view, one_input> all;
    return all;
}

/// As a constant of a file: adds its target to the program.
struct target {
    target(std::string_view name, one_input run) { targets().emplace(name, run); }
};

inline std::string_view text_of(std::uint8_t const* data, std::size_t size) {
    return size == 0 ? std::string_view()
                     : std::string_view(reinterpret_cast<char const*>(data), size);
}

/// Ends the process where a property does not hold, so that the input is kept.
inline void require(bool holds, char const* property, std::string_view what = {}) {
    if (holds) return;
    std::fprintf(stderr,
                 "this does not hold: %s\n%.*s\n",
                 property,
                 static_cast<int>(std::min<std::size_t>(what.size(), 4000)),
                 what.data());
    std::abort();
}

/// Lines that `text` has at most, whatever a language takes for the end of one.
inline int lines_of(std::string_view text) {
    constexpr std::string_view ends = "\n\v\f\r\x85\xa8\xa9"; // the last three: of UTF-8
    return 1 + static_cast<int>(std::count_if(text.begin(), text.end(), [&](char c) {
               return ends.find(c) != std::string_view::npos;
           }));
}

/// Every error says what happened, under a code of this library.
template <class Error>
void require_error(Error const& e) {
    require(e.code.starts_with("lkt."), "an error has a code of lkt", e.code);
    require(!e.message.empty(), "an error has a message", e.code);
}

/// A place is unknown, or lies within the text.
inline void require_place(lkt::text_location where, std::string_view text) {
    require(where.line >= 0 && where.column >= 0, "a place is not negative", text);
    require(where.line <= lines_of(text), "a line lies within the text", text);
    require(
        where.column <= static_cast<int>(text.size()) + 1, "a column lies within the text", text);
}

} // namespace lkt_fuzz
