// SPDX-License-Identifier: BSL-1.0
// The local variables of a text that nothing initialises.
#pragma once

#include <lkt/lang/cuda/scope_walker.hpp>
#include <lkt/lang/cuda/tokens.hpp>

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::host_detail {

/// Token by token. Only declarations that begin with a floating type, or with a type that the text
/// itself names, are read; of the others nothing is known.
class unwritten_locals_reader {
public:
    explicit unwritten_locals_reader(std::vector<token> const& tokens) : tokens_(tokens) {
        for (std::size_t k = 0; k + 1 < tokens.size(); ++k)
            for (auto const* const word : {"struct", "class", "union", "typename", "using"})
                if (tokens[k].is(word) && tokens[k + 1].kind == token_kind::identifier)
                    types_.insert(tokens[k + 1].text);
    }

    /// Names that the statement which ends at token `i` declares, if it is one of a function.
    /// Tokens are taken in order, and `scopes` is before `i`.
    [[nodiscard]] std::vector<std::string_view> read(std::size_t i, scope_walker const& scopes) {
        if (tokens_[i].directive) return {};
        if (is(i, "{")) records_.push_back(opens_record(scopes.statement(), i));
        if (is(i, "}") && !records_.empty()) records_.pop_back();
        bool const inside = scopes.depth() > 0 && !records_.empty() && !records_.back();
        return inside && is(i, ";") ? names(scopes.statement(), i)
                                    : std::vector<std::string_view>{};
    }

private:
    [[nodiscard]] bool is(std::size_t k, std::string_view what) const {
        return k < tokens_.size() && tokens_[k].is(what);
    }
    [[nodiscard]] bool opens_record(std::size_t statement, std::size_t i) const {
        bool record = false;
        for (std::size_t k = statement; k < i; ++k)
            for (auto const* const word : {"struct", "class", "union", "enum"})
                record = record || is(k, word);
        return record && !is(i - 1, ")");
    }
    [[nodiscard]] bool type(std::size_t k) const {
        if (tokens_[k].kind != token_kind::identifier) return false;
        std::string_view word = tokens_[k].text;
        if (types_.contains(word)) return true;
        if (!word.empty() && word.back() >= '1' && word.back() <= '4' && word != "half4")
            if (auto const plain = word.substr(0, word.size() - 1);
                plain == "float" || plain == "double" || plain == "half" || plain == "__half")
                return true;
        for (auto const* const floating : {"float",
                                           "double",
                                           "half",
                                           "__half",
                                           "nv_bfloat16",
                                           "__nv_bfloat16",
                                           "nv_bfloat162",
                                           "__nv_bfloat162"})
            if (word == floating) return true;
        return false;
    }

    [[nodiscard]] std::vector<std::string_view> names(std::size_t k, std::size_t end) const {
        std::vector<std::string_view> found;
        if (k >= end || !type(k)) return found;
        while (++k < end) {
            if (tokens_[k].kind != token_kind::identifier) return found; // a pointer, an expression
            std::string_view const name = tokens_[k].text;
            while (is(++k, "[")) k = closing(k, end);
            if (k < end && !is(k, ",")) return found; // initialised, or no declaration
            found.push_back(name);
        }
        return found;
    }
    [[nodiscard]] std::size_t closing(std::size_t k, std::size_t end) const {
        int depth = 0;
        for (; k < end; ++k) {
            if (is(k, "[")) ++depth;
            if (is(k, "]") && --depth == 0) break;
        }
        return k;
    }

    std::vector<token> const& tokens_;
    std::set<std::string_view, std::less<>> types_;
    std::vector<bool> records_; ///< of the open braces, which are those of a type
};

} // namespace lkt::host_detail
