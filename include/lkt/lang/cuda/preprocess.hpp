// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/text_location.hpp>

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lkt {

/// A name that means something before the first line of a text.
struct predefined_macro {
    std::string name;
    std::string body;
    bool fixed = false; ///< the text may neither define nor undefine it
};

/// A name that a condition asked for and that nothing had defined: it counted as 0.
struct undefined_condition {
    std::string name;
    text_location where;
};

/// A text without macros and conditions.
struct preprocessed_text {
    /// Every token on the line that it had, one that a macro made on the line of the macro's name.
    /// Of preprocessor lines, only pragmas are left. No comment, no line splice, no digraph.
    std::string text;
    std::vector<std::string> includes; ///< as spelt, `<cuda_fp16.h>`; they are not followed
    std::vector<undefined_condition> asked;
};

/// Preprocesses C++ text with nothing defined except `names`: no files, no compiler, no machine, no
/// time. The result is the same for every compiler and build, so a kernel cannot detect how it is
/// compiled. `refused`: directives and names that depend on more than that (`#line`, `#embed`,
/// `__has_include`, `__COUNTER__`, ...), also where macros paste them, and text on which compilers
/// disagree (a raw string or a directive within a macro's call). `compile_failed`: errors for every
/// compiler, including an active `#error`. Linear in the size of the output, which is bounded.
[[nodiscard]] std::variant<preprocessed_text, failure>
preprocess(std::string_view text, std::span<predefined_macro const> names = {});

} // namespace lkt
