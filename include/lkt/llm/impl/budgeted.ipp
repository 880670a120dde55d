// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/budgeted.hpp>

#include <lkt/llm/detail/token_estimate.hpp>

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace lkt {

std::string to_string(spending const& s) {
    std::string text = std::to_string(s.calls) + (s.calls == 1 ? " call, " : " calls, ") +
                       std::to_string(s.tokens()) + " tokens, " + significant(s.usd) + " USD, " +
                       to_string(s.time);
    if (s.listed > 0)
        text += " (prices of " + std::string(price_table::month()) + ", " +
                std::string(price_table::source()) + ")";
    if (s.without_price > 0)
        text += " (without the price of " + std::to_string(s.without_price) + " calls)";
    return text;
}

class budget::account {
public:
    /// What a call may take at most, or does take.
    struct amount {
        std::int64_t tokens = 0;
        double usd = 0;
    };

    explicit account(budget_limits given)
        : limits_(std::move(given)), start_(limits_.clock.now()) {}

    [[nodiscard]] spending spent() const {
        std::lock_guard const lock(mutex_);
        return spent_now();
    }

    [[nodiscard]] std::optional<error> enter(amount& need,
                                             chat_request const& request,
                                             std::string const& model,
                                             bool may_wait,
                                             std::stop_token const& stop) {
        auto const price = limits_.prices.find(model);
        if (limits_.usd && !price) return no_price(model);
        std::unique_lock lock(mutex_);
        for (;;) {
            if (stop.stop_requested()) return cancelled("waiting for the budget");
            need = estimate(request, price);
            if (auto over = used_up(need)) return over;
            if (fits(need) || in_flight_ == 0) break;
            if (!may_wait) return cancelled("asking beside other calls");
            auto const seen = changes_;
            (void)change_.wait(lock, stop, [&] { return changes_ != seen; });
        }
        ++in_flight_;
        reserved_.tokens += need.tokens;
        reserved_.usd += need.usd;
        return std::nullopt;
    }

    void leave(amount const& need,
               chat_request const& request,
               std::string const& model,
               result<chat_reply> const* outcome) {
        std::lock_guard const lock(mutex_);
        --in_flight_;
        reserved_.tokens -= need.tokens;
        reserved_.usd = in_flight_ == 0 ? 0 : reserved_.usd - need.usd; // no rests of rounding
        ++spent_.calls;
        if (outcome && *outcome)
            count(request, model, **outcome);
        else
            ++spent_.failed;
        ++changes_;
        change_.notify_all();
    }

private:
    [[nodiscard]] spending spent_now() const {
        spending s = spent_;
        s.time = limits_.clock.now() - start_;
        return s;
    }

    [[nodiscard]] amount estimate(chat_request const& request,
                                  std::optional<token_price> const& price) const {
        token_usage usage;
        usage.input = static_cast<std::int64_t>(
            static_cast<double>(detail::estimated_input(request)) * worst_input_);
        usage.output = detail::max_output(request, limits_.max_reply);
        return {usage.input + usage.output, price ? cost(*price, usage) : 0};
    }

    [[nodiscard]] bool fits(amount const& need) const {
        return (!limits_.tokens ||
                spent_.tokens() + reserved_.tokens + need.tokens <= *limits_.tokens) &&
               (!limits_.usd || spent_.usd + reserved_.usd + need.usd <= *limits_.usd);
    }

    void count(chat_request const& request, std::string const& model, chat_reply const& reply) {
        auto const usage = detail::usage_of(request, reply);
        spent_.input += usage.input;
        spent_.cached += usage.cached;
        spent_.output += usage.output;
        spent_.estimated += usage.estimated;
        if (auto const found = limits_.prices.look_up(model, reply.model)) {
            spent_.usd += cost(found->price, usage);
            spent_.listed += found->listed;
        } else {
            ++spent_.without_price;
        }
        // Code and other languages than English have more tokens than a quarter of their bytes.
        auto const guess = static_cast<double>(detail::estimated_input(request));
        if (guess > 0)
            worst_input_ = std::max(worst_input_, static_cast<double>(usage.input) / guess);
    }

    [[nodiscard]] std::optional<error> used_up(amount const& need) const {
        auto const now = spent_now();
        auto const over = [&](char const* what, std::string const& limit) {
            return error{condition::exhausted,
                         "lkt.budget." + std::string(what),
                         "the budget of " + limit + " is used up: " + to_string(now),
                         "raise the limit, or continue with the results so far"};
        };
        if (limits_.time && now.time >= *limits_.time)
            return over("time", to_string(*limits_.time));
        if (limits_.calls && now.calls + in_flight_ >= *limits_.calls)
            return over("calls", std::to_string(*limits_.calls) + " calls");
        if (limits_.tokens && now.tokens() >= *limits_.tokens)
            return over("tokens", std::to_string(*limits_.tokens) + " tokens");
        // What costs nothing goes on without money.
        if (limits_.usd && now.usd >= *limits_.usd && need.usd > 0)
            return over("money", significant(*limits_.usd) + " USD");
        return std::nullopt;
    }

    [[nodiscard]] static error no_price(std::string const& model) {
        return {
            condition::rejected,
            "lkt.budget.no-price",
            "a budget in money needs a price, but the price table has none for " +
                (model.empty() ? std::string("a model without a name") : "`" + model + "`"),
            "set its price (price_table::set, add_file), or give `budgeted` a name from the table"};
    }

    budget_limits const limits_;
    time_source::time_point const start_;
    mutable std::mutex mutex_;
    std::condition_variable_any change_;
    std::uint64_t changes_ = 0;
    std::int64_t in_flight_ = 0;
    amount reserved_;
    spending spent_;
    double worst_input_ = 1; ///< real tokens of input to estimated ones
};

struct budget::reservation::entry {
    std::shared_ptr<account> owner;
    chat_request const* request; ///< outlives the call
    std::string model;
    account::amount need = {};
};

budget::reservation::reservation(std::unique_ptr<entry> e) : entry_(std::move(e)) {}
budget::reservation::reservation(reservation&&) noexcept = default;

budget::reservation::~reservation() {
    if (entry_) entry_->owner->leave(entry_->need, *entry_->request, entry_->model, nullptr);
}

void budget::reservation::settle(result<chat_reply> const& outcome) {
    if (!entry_) return;
    auto const done = std::move(entry_);
    done->owner->leave(done->need, *done->request, done->model, &outcome);
}

budget::budget(budget_limits limits) : account_(std::make_shared<account>(std::move(limits))) {}

spending budget::spent() const { return account_->spent(); }

result<budget::reservation>
budget::enter(chat_request const& request, std::string const& model, std::stop_token const& stop) {
    auto entry = std::make_unique<reservation::entry>(account_, &request, model);
    if (auto failed = account_->enter(entry->need, request, model, true, stop)) return *failed;
    return reservation(std::move(entry));
}

std::optional<budget::reservation> budget::try_enter(chat_request const& request,
                                                     std::string const& model) {
    auto entry = std::make_unique<reservation::entry>(account_, &request, model);
    if (account_->enter(entry->need, request, model, false, {})) return std::nullopt;
    return reservation(std::move(entry));
}

} // namespace lkt
