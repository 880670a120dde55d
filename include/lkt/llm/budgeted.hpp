// SPDX-License-Identifier: BSL-1.0
// Limits on what calls may cost together.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/time_source.hpp>
#include <lkt/core/units.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/describe.hpp>
#include <lkt/llm/detail/complete_in_parts.hpp>
#include <lkt/llm/prices.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

/// An absent member means no limit.
struct budget_limits {
    std::optional<std::int64_t> calls = {};  ///< failed ones included
    std::optional<std::int64_t> tokens = {}; ///< input and output together
    std::optional<double> usd = {};          ///< US dollars, by `prices`
    std::optional<seconds> time = {}; ///< since the budget was made; ends no call that has begun
    /// Output that is set aside for a call whose request has no `max_tokens`.
    std::int64_t max_reply = 8192;
    price_table prices = price_table::built_in(); ///< of models
    time_source clock = {};                       ///< empty: the system's
};

/// What has been spent by calls that are over.
struct spending {
    std::int64_t calls = 0;  ///< failed ones included
    std::int64_t failed = 0; ///< of these; their tokens are not known and count as none
    std::int64_t input = 0, cached = 0, output = 0; ///< tokens; `cached` is part of `input`
    double usd = 0;
    std::int64_t without_price = 0; ///< calls of models that the price table does not know
    std::int64_t listed = 0;        ///< calls at the library's prices (`price_table::month`)
    std::int64_t estimated = 0;     ///< calls whose tokens the server did not count
    seconds time{0};                ///< since the budget was made

    [[nodiscard]] std::int64_t tokens() const { return input + output; }
};

/// `12 calls, 34567 tokens, 0.1234 USD, 4.2 s`. The library's prices are named as such.
[[nodiscard]] std::string to_string(spending const& s);

/// A budget, which several models may draw on: copies share it. May be used from several threads.
class budget {
public:
    explicit budget(budget_limits limits);

    [[nodiscard]] spending spent() const;

    /// The amount reserved for one call, until `settle` or destruction.
    class reservation {
    public:
        reservation(reservation&&) noexcept;
        ~reservation();
        /// Replaces what was set aside by what was used.
        void settle(result<chat_reply> const& outcome);

    private:
        friend class budget;
        struct entry;
        explicit reservation(std::unique_ptr<entry> e);
        std::unique_ptr<entry> entry_;
    };

    /// Sets aside what a call to `model` may take. If that is more than there is left, waits for
    /// the calls in flight, whose estimates are on the safe side, and then lets this one go alone.
    /// Errors: those of `budgeted`, `lkt.cancelled`.
    [[nodiscard]] result<reservation>
    enter(chat_request const& request, std::string const& model, std::stop_token const& stop);
    /// The same, if it need not wait.
    [[nodiscard]] std::optional<reservation> try_enter(chat_request const& request,
                                                       std::string const& model);

private:
    class account;
    std::shared_ptr<account> account_;
};

/// A model over a model: refuses to ask once a budget is used up. Before a call its estimated cost
/// is set aside (four bytes a token of input; for the output `max_tokens` or `max_reply`), and
/// afterwards replaced by the real one; so all calls in flight together stay within the limits, or
/// there is only one: at most one call goes past a limit, as far as the estimates are not too low.
///
/// Errors before the model is asked: `lkt.budget.calls`, `lkt.budget.tokens`, `lkt.budget.money`,
/// `lkt.budget.time` (exhausted; they say what was spent), `lkt.budget.no-price` (rejected: money
/// is limited and the table does not know the model).
///
/// Prices are looked up by `model`, when that is empty by the model's description; after a call by
/// the name in the reply, if the table knows that. `M` may be a reference type. Copies share the
/// budget. A model must not draw on one budget twice, nested: it would wait for itself.
template <class M>
class budgeted {
public:
    budgeted(M model, budget_limits limits, std::string name = {})
        : budgeted(std::forward<M>(model), lkt::budget(std::move(limits)), std::move(name)) {}
    /// Shares the budget with other models.
    budgeted(M model, lkt::budget budget, std::string name = {})
        : model_(std::forward<M>(model)), budget_(std::move(budget)),
          name_(name.empty() ? describe(model_) : std::move(name)) {}

    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context) {
        return detail::complete_through(gate{budget_, name_}, model_, request, context);
    }

    [[nodiscard]] std::vector<result<chat_reply>>
    complete_all(std::span<chat_request const> requests, call_context const& context)
        requires batch_chat_model<M>
    {
        return detail::complete_in_parts(gate{budget_, name_}, model_, requests, context);
    }

    [[nodiscard]] spending spent() const { return budget_.spent(); }

    [[nodiscard]] std::string description() const { return describe(model_); }

private:
    struct gate {
        lkt::budget& account;
        std::string const& name;
        auto enter(chat_request const& request, std::stop_token const& stop) {
            return account.enter(request, name, stop);
        }
        auto try_enter(chat_request const& request) { return account.try_enter(request, name); }
    };

    M model_;
    lkt::budget budget_;
    std::string name_;

    // Last, since clang leaves out of the class what follows a failed assertion.
    static_assert(chat_model<M>,
                  "[lkt.llm.wrapper] budgeted<M> needs a chat_model: result<chat_reply> "
                  "complete(chat_request const&, call_context const&)");
};

} // namespace lkt
