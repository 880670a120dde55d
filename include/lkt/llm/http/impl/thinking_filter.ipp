// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/thinking_filter.hpp>

#include <utility>

namespace lkt::detail::http {

/// Put together once: there is a filter for each call.
tag_texts const& known_tags() {
    static tag_texts const known;
    return known;
}

thinking_filter::thinking_filter(std::span<thinking_tags const> more)
    : tags_(more.empty() ? known_tags() : tag_texts(more)) {}

void thinking_filter::feed(std::string_view piece, std::string& answer) {
    text_ += piece;
    while (at_ < text_.size() && (thinking_ ? read_thought(false) : read_answer(answer, false))) {
    }
    text_.erase(0, std::exchange(at_, 0));
}

void thinking_filter::finish(std::string& answer) {
    for (;;) {
        while (at_ < text_.size())
            (void)(thinking_ ? read_thought(true) : read_answer(answer, true));
        if (!thinking_) break;
        // Tags that do not balance: the last closing one ends the reasoning.
        std::string const thought = std::exchange(thought_, {});
        bool const closed = close_end_ > 0;
        keep(std::string_view(thought).substr(0, closed ? close_begin_ : thought.npos));
        text_ = closed ? thought.substr(close_end_) : std::string();
        at_ = 0;
        restart();
    }
    if (!stripped_) answer += blanks_;
    blanks_.clear();
}

bool thinking_filter::read_answer(std::string& answer, bool last) {
    char const c = text_[at_];
    bool const may_open = line_begins_ && !fence_.exists();
    // Some servers put the opening tag into the prompt, and a model may have nothing to think.
    bool const may_close = !passed_ && !stripped_;
    if ((may_open || may_close) && tags_.may_begin(c)) {
        auto const rest = std::string_view(text_).substr(at_);
        if (!last && tags_.may_grow(rest)) return false;
        auto const* const tag = tags_.find(rest);
        std::size_t const end = at_ + (tag ? tag->text.size() : 0);
        if (tag && tag->opens && may_open) {
            at_ = end;
            line_begins_ = false;
            stripped_ = thinking_ = true;
            family_ = tag->family;
            depth_ = 1;
            close_begin_ = close_end_ = 0;
            return true;
        }
        if (tag && !tag->opens && may_close) {
            auto after = end;
            while (after < text_.size() && is_blank(text_[after]) && text_[after] != '\n') ++after;
            if (after == text_.size() && !last) return false;
            if (after == text_.size() || text_[after] == '\n') {
                at_ = end;
                stripped_ = true;
                restart();
                return true;
            }
        }
    }
    pass(c, answer);
    follow_line(c);
    ++at_;
    return true;
}

bool thinking_filter::read_thought(bool last) {
    char const c = text_[at_];
    std::size_t taken = 1;
    if (tags_.may_begin(c)) {
        auto const rest = std::string_view(text_).substr(at_);
        if (!last && tags_.may_grow(rest)) return false;
        auto const* const tag = tags_.find(rest);
        bool const ours = tag && tag->family == family_;
        if (ours && !tag->opens) {
            close_begin_ = thought_.size();
            thought_ += rest.substr(0, tag->text.size());
            close_end_ = thought_.size();
            at_ += tag->text.size();
            line_begins_ = false;
            if (--depth_ > 0) return true;
            keep(std::string_view(thought_).substr(0, close_begin_));
            thought_.clear();
            restart();
            return true;
        }
        if (ours && line_begins_) {
            ++depth_;
            taken = tag->text.size();
        }
    }
    thought_.append(text_, at_, taken);
    if (c == '\n')
        line_begins_ = true;
    else if (!is_blank(c))
        line_begins_ = false;
    at_ += taken;
    return true;
}

void thinking_filter::pass(char c, std::string& answer) {
    if (is_blank(c)) {
        blanks_ += c;
        return;
    }
    if (passed_ || !stripped_) answer += blanks_;
    blanks_.clear();
    answer += c;
    passed_ = true;
}

void thinking_filter::follow_line(char c) {
    if (c != '\n') {
        line_ += c;
        if (!is_blank(c)) line_begins_ = false;
        return;
    }
    if (line_.ends_with('\r')) line_.pop_back();
    if (auto const fence = read_fence(line_)) {
        if (!fence_.exists() || fence->interrupts(fence_))
            fence_ = *fence;
        else if (fence->closes(fence_))
            fence_ = {};
    }
    fence_.info = {}; // it lay in the line
    line_.clear();
    line_begins_ = true;
}

void thinking_filter::keep(std::string_view thought) {
    thought = trimmed(thought);
    if (!reasoning_.empty() && !thought.empty()) reasoning_ += '\n';
    reasoning_ += thought;
}

/// Goes on with the answer, outside of any block, after a tag.
void thinking_filter::restart() {
    thinking_ = false;
    line_begins_ = false;
    line_.clear();
    fence_ = {};
}

} // namespace lkt::detail::http
