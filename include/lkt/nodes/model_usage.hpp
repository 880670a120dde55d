// SPDX-License-Identifier: BSL-1.0
// What language models were asked, and what it cost.
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/llm/chat_model.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

class price_table;

/// What one model answered.
struct used_model {
    std::string name;   ///< as its replies name it
    std::string source; ///< what was asked, such as `gpt-4o at api.openai.com`; may be empty
    std::int64_t calls = 0;
    token_usage tokens;
    friend bool operator==(used_model const&, used_model const&) = default;
};

/// What language models cost so far.
struct model_usage {
    std::int64_t calls = 0;    ///< that were answered
    std::int64_t requests = 0; ///< that were made: with what failed and was tried again
    token_usage tokens;
    seconds time{};
    std::vector<used_model> models; ///< in the order of their first replies
};

/// Adds a reply to the account.
void count_usage(model_usage& usage, chat_reply const& reply, seconds spent = {});

/// Adds one account to another.
void add_usage(model_usage& usage, model_usage const& more);

/// US dollars; whether a price that the library lists was used (`price_table::month`).
struct model_cost {
    double usd = 0;
    bool listed = false;
    friend bool operator==(model_cost const&, model_cost const&) = default;
};

/// What these models cost together; nothing where the price of one is not known. `asked` says who
/// was asked (`describe`) where an entry has no source.
[[nodiscard]] std::optional<model_cost>
cost_of(std::span<used_model const> models, price_table const& prices, std::string_view asked = {});

} // namespace lkt
