// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/expression/parameters.hpp>

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// The words and lines of a kernel's text. Keeps views of `text`, `compiled` and `values`.
class own_text {
public:
    /// `values` are those of the kernel's parameters, which come before the text when it is
    /// compiled; `compiled` is the compiler's input, in which `#line 1 "kernel"` starts the text: a
    /// column is given only for a line that is the same in both.
    explicit own_text(std::string_view text,
                      configuration const& values = {},
                      std::string_view compiled = {});

    /// Further words that the user or a library gave the compiler, such as the kernel's name.
    void also(std::string_view given);

    /// Line `number`, from 1, without its end; empty where there is none.
    [[nodiscard]] std::string_view line(int number) const;
    [[nodiscard]] int lines() const { return static_cast<int>(lines_.size()); }
    /// Whether the compiler saw this line as it is here.
    [[nodiscard]] bool unchanged(int line) const;
    /// Whether the text has this word, in a comment or a string, too.
    [[nodiscard]] bool has(std::string_view word) const;

    /// `message` as plain text, with `...` for each word that is neither in the text nor among
    /// those that compilers' messages are made of. Of other numbers, the first three stay, if they
    /// are short.
    [[nodiscard]] std::string own_words(std::string_view message, std::size_t most = 400) const;

private:
    [[nodiscard]] bool may_say(std::string_view word) const;

    std::vector<std::string_view> lines_, compiled_;
    std::set<std::string, std::less<>> words_;
};

} // namespace lkt
