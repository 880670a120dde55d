// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/detail/fence_line.hpp>
#include <lkt/llm/detail/think_tags.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace lkt::detail::http {

/// `split_thinking` for a text that arrives in pieces: passes the answer on and keeps the
/// reasoning back. What might become a tag waits for its next letters, white space for the text
/// after it. Wherever the text is cut, the answer is the same, and it is that of
/// `split_thinking`, but for what has been passed on and cannot be taken back: reasoning that only
/// a closing tag ends, and white space at the beginning when a tag comes later.
/// Linear in the size of the text.
class thinking_filter {
public:
    /// `more` must outlive it.
    explicit thinking_filter(std::span<thinking_tags const> more = {});
    void feed(std::string_view piece, std::string& answer);
    /// Nothing more comes.
    void finish(std::string& answer);
    [[nodiscard]] std::string const& reasoning() const { return reasoning_; }

private:
    [[nodiscard]] bool read_answer(std::string& answer, bool last);
    [[nodiscard]] bool read_thought(bool last);
    void pass(char c, std::string& answer);
    void follow_line(char c);
    void keep(std::string_view thought);
    void restart();

    tag_texts tags_;
    std::string text_; ///< what has not been judged yet, from `at_` on
    std::size_t at_ = 0;
    std::string line_;   ///< of the answer, as far as it has come
    std::string blanks_; ///< white space that nothing has followed yet
    fence_line fence_;   ///< of the block that contains the line
    bool line_begins_ = true;
    bool stripped_ = false, passed_ = false, thinking_ = false;
    std::string thought_;                         ///< since the tag that opened it
    int family_ = 0, depth_ = 0;                  ///< of that tag, and how many are open
    std::size_t close_begin_ = 0, close_end_ = 0; ///< in `thought_`, of the last closing tag
    std::string reasoning_;
};

} // namespace lkt::detail::http
