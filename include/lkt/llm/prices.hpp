// SPDX-License-Identifier: BSL-1.0
// What tokens cost.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/chat_model.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lkt {

/// US dollars for a million tokens.
struct token_price {
    double input = 0;
    double cached_input = 0; ///< of input that the server had in its cache
    double output = 0;       ///< reasoning included
    friend bool operator==(token_price const&, token_price const&) = default;
};

/// What `usage` costs, in US dollars.
[[nodiscard]] constexpr double cost(token_price const& price, token_usage const& usage) {
    auto const of = [](double each, auto tokens) { return each * static_cast<double>(tokens); };
    return (of(price.input, usage.input - usage.cached) + of(price.cached_input, usage.cached) +
            of(price.output, usage.output)) /
           1e6;
}

/// Prices by the beginning of a model's name: the longest one counts, and it ends where a part of
/// the name does, so that `gpt-4` is not taken for `gpt-4.1` or `gpt-4o`, but for `gpt-4-0613`.
///
/// The library brings no servers' prices: they change every few weeks, and some depend on the
/// length of a prompt. Yours are a few lines of JSON.
class price_table {
public:
    /// Knows no model.
    price_table() = default;
    /// Knows that models on this machine (`MODEL at localhost`, `127.*`, `[::1]`), scripts and
    /// recorded replies cost nothing.
    [[nodiscard]] static price_table local();

    /// Adds to or changes the table.
    price_table& set(std::string name_prefix, token_price price);
    /// Nothing for a model that is not in the table.
    [[nodiscard]] std::optional<token_price> find(std::string_view model) const;

    /// Adds the prices of a JSON text (docs/llm-wrappers.md) to those of this table. Error:
    /// `lkt.prices.malformed` (rejected; nothing is added).
    [[nodiscard]] result<void> add_json(std::string_view text, std::string const& name = "prices");
    /// The same from a file; also errors of `read_text_file`.
    [[nodiscard]] result<void> add_file(std::string const& path);

private:
    std::map<std::string, token_price, std::less<>> prices_;
    bool local_is_free_ = false;
};

} // namespace lkt
