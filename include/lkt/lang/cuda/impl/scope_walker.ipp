// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/cuda/scope_walker.hpp>

namespace lkt {

bool scope_walker::opens_namespace(std::size_t i) const {
    for (std::size_t k = statement_; k < i; ++k)
        if (!tokens_[k].directive && tokens_[k].is("namespace")) return true;
    return i >= statement_ + 2 && tokens_[i - 2].is("extern") &&
           tokens_[i - 1].kind == token_kind::string;
}

void scope_walker::past(std::size_t i) {
    token const& t = tokens_[i];
    if (t.directive) {
        if (statement_ == i) statement_ = i + 1;
    } else if (t.is("{")) {
        brace b{opens_namespace(i), {}};
        bool named = false;
        for (std::size_t k = statement_; k < i && b.name_space; ++k) {
            token const& word = tokens_[k];
            if (named && !word.is("inline") &&
                (word.kind == token_kind::identifier || word.is("::")))
                b.name += word.text;
            if (word.is("]")) b.name.clear(); // an attribute stood before the name
            named = named || word.is("namespace");
        }
        depth_ += b.name_space ? 0 : 1;
        open_.push_back(std::move(b));
        statement_ = i + 1;
    } else if (t.is("}")) {
        if (!open_.empty()) {
            depth_ -= open_.back().name_space ? 0 : 1;
            open_.pop_back();
        }
        statement_ = i + 1;
    } else if (t.is(";")) {
        statement_ = i + 1;
    }
}

std::string scope_walker::qualification() const {
    std::string path;
    for (brace const& b : open_)
        if (!b.name.empty()) path += b.name + "::";
    return path;
}

} // namespace lkt
