// SPDX-License-Identifier: BSL-1.0
// What a compiler says of a kernel, read: only what concerns the kernel's own text is left.
#pragma once

#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/text_location.hpp>
#include <lkt/lang/diagnostics/own_text.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// One message about the kernel's text.
struct compiler_message {
    enum class level : unsigned char { error, warning, note };
    level kind = level::error;
    text_location where; ///< 0:0 behind the text's end, or of no line
    std::string message;
    std::string excerpt; ///< that line of the text, maybe shortened
    int caret = 0;       ///< a column of the excerpt; 0 for none
};

/// What was said, and at which step it went wrong.
struct compiler_words {
    enum class step : unsigned char { compile, assemble, link };
    step failed_at = step::compile;
    bool like_nvcc = false; ///< places are written `kernel(3)`
    std::vector<compiler_message> list;
    [[nodiscard]] text_location first_error() const;
};

/// Reads what g++, clang, NVRTC, assemblers, linkers and ptxas write. Kept are messages about the
/// text, which is called `kernel` there, or `end` behind it; of an error elsewhere that the text
/// caused, its line. No excerpt of a compiler is kept: those here are lines of the text.
/// A hundred messages at most.
[[nodiscard]] compiler_words read_diagnostics(std::string_view output, own_text const& own);

/// As compilers write it, with excerpts: at most 8 KiB, and a sentence where nothing is left.
[[nodiscard]] std::string to_string(compiler_words const& words);

/// The failure that this output is, with the first error's place.
[[nodiscard]] compile_failed compile_failure(std::string_view output, own_text const& own);

} // namespace lkt
