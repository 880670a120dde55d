// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/cuda/tokens.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

/// Follows the braces of a CUDA text, token by token: which of them are namespaces, and where each
/// statement begins. Preprocessor lines are passed over. `tokens` stay where they are.
class scope_walker {
public:
    explicit scope_walker(std::vector<token> const& tokens) : tokens_(tokens) {}

    /// Takes token `i`, the one behind the last that was taken.
    void past(std::size_t i);

    /// The first token of the statement that is being read.
    [[nodiscard]] std::size_t statement() const { return statement_; }
    /// Open braces that are neither a namespace's nor those of `extern "C"`.
    [[nodiscard]] int depth() const { return depth_; }
    /// `outer::inner::` of the open namespaces that have a name.
    [[nodiscard]] std::string qualification() const;
    /// Whether the next token, the brace at `i`, opens a namespace or `extern "C"`.
    [[nodiscard]] bool opens_namespace(std::size_t i) const;

private:
    struct brace {
        bool name_space = false;
        std::string name;
    };

    std::vector<token> const& tokens_;
    std::vector<brace> open_;
    std::size_t statement_ = 0;
    int depth_ = 0;
};

} // namespace lkt
