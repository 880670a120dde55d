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

/// Prices of models: yours, by the beginning of a model's name, else those of the library.
///
/// Of yours the longest beginning counts, and it must end at the end of a part of the name, so that
/// `gpt-4` is not taken for `gpt-4.1` or `gpt-4o`, but for `gpt-4-0613`. The library's are for the
/// provider's server (`MODEL at HOST`), and for exactly that model or a dated version of it: the
/// prices of other models and servers are unknown.
///
/// A price that depends on the prompt's length is that of the longest prompts, and the price of
/// input that a server caches by itself includes that, so that a limit of money is not exceeded.
/// Costs of request options (priority, cached input with Anthropic, which costs a quarter more) are
/// not included.
class price_table {
public:
    /// When the library's prices were so, `2026-10`, and who says it, `litellm 1.106.2`.
    [[nodiscard]] static std::string_view month();
    [[nodiscard]] static std::string_view source();

    /// Knows no model.
    price_table() = default;
    /// Knows that models on this machine (`MODEL at localhost`, `127.*`, `[::1]`), scripts and
    /// recorded replies cost nothing.
    [[nodiscard]] static price_table local();
    /// Knows that and the list prices of models of OpenAI, Anthropic, Google (Gemini), Mistral,
    /// DeepSeek, xAI and Groq, as of `month()`.
    [[nodiscard]] static price_table built_in();

    /// Adds to or changes the table.
    price_table& set(std::string name_prefix, token_price price);

    struct entry {
        token_price price;
        bool listed = false; ///< the library's, as of `month()`
        friend bool operator==(entry const&, entry const&) = default;
    };
    /// The price of `model`, as it describes itself, or, if known, of the model that its reply
    /// names (with a date, and with aliases resolved). A name without a server that the library
    /// lists for several servers has the highest of their prices.
    [[nodiscard]] std::optional<entry> look_up(std::string_view model,
                                               std::string_view answered_by = {}) const;
    /// The price alone; nothing for a model that is not in the table.
    [[nodiscard]] std::optional<token_price> find(std::string_view model,
                                                  std::string_view answered_by = {}) const;

    /// Adds the prices of a JSON text (docs/llm-wrappers.md) to those of this table. Error:
    /// `lkt.prices.malformed` (rejected; nothing is added).
    [[nodiscard]] result<void> add_json(std::string_view text, std::string const& name = "prices");
    /// The same from a file; also errors of `read_text_file`.
    [[nodiscard]] result<void> add_file(std::string const& path);

private:
    [[nodiscard]] std::optional<token_price> own(std::string_view model) const;

    std::map<std::string, token_price, std::less<>> prices_;
    bool local_is_free_ = false;
    bool listed_ = false;
};

} // namespace lkt
