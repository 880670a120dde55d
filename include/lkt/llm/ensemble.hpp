// SPDX-License-Identifier: BSL-1.0
// Several models that share the calls, by fixed weights or by what they turned out to be good for.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/describe.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace lkt {

/// How an ensemble chooses who is asked.
enum class ensemble_choice : unsigned char {
    weights,  ///< at random, in proportion to the weights
    ucb1,     ///< the best mean reward plus a bonus for what was seldom tried (Auer et al. 2002)
    thompson, ///< a draw from what is believed of each one's reward, Beta(1 + good, 1 + bad)
};

struct ensemble_options {
    ensemble_choice choice = ensemble_choice::weights;
    std::vector<double> weights = {}; ///< one a model; those that are absent are 1
    std::uint64_t seed = 0;           ///< equal seeds, calls and rewards give equal choices
};

/// One model's record.
struct ensemble_record {
    std::string model;        ///< its description, or the name in its last reply
    std::int64_t calls = 0;   ///< failed ones included
    std::int64_t rewards = 0; ///< how many were reported, failures included
    double reward = 0;        ///< their sum
};

/// A reply, and which of the models it is from, for `ensemble::reward`.
struct ensemble_reply {
    chat_reply reply;
    std::size_t model = 0;
};

namespace detail {

/// What is known of the models, and the choice among them; copies share it.
class chooser {
public:
    chooser(std::vector<std::string> models, ensemble_options options);
    [[nodiscard]] std::size_t choose();
    /// A failure is worth nothing, unless it was the caller's; a reply gets a name if it has none.
    void answered(std::size_t model, result<chat_reply>& outcome);
    void reward(std::size_t model, double value);
    void reward(std::string_view name, double value);
    [[nodiscard]] std::vector<ensemble_record> records() const;

private:
    class state;
    std::shared_ptr<state> state_;
};

[[nodiscard]] std::string all_of_them(std::vector<std::string> const& descriptions);

} // namespace detail

/// `ensemble{options, first, second, ...}`, a model over models: each call goes to one of them.
/// With `ucb1` and `thompson` the caller reports how useful a reply was, from 0 to 1, and useful
/// models are asked more often; a call that fails reports 0 by itself, unless it was cancelled,
/// suspended or rejected. The reply's `model` says who answered; `ask` gives the index too.
///
/// Errors are those of the chosen model: `fallback{ensemble{...}, another}` asks further. The
/// models may be of reference types. Copies share the record. A batch is divided, and each model's
/// part sent after the other, if all of them are batch models. May be used from several threads, if
/// the models may.
template <class... Ms>
class ensemble {
public:
    explicit ensemble(ensemble_options options, Ms... models)
        : models_(std::forward<Ms>(models)...),
          chooser_(
              std::apply(
                  [](auto const&... each) { return std::vector<std::string>{describe(each)...}; },
                  models_),
              std::move(options)) {}

    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context) {
        return complete_by(chooser_.choose(), request, context);
    }

    /// `complete`, and whose reply it is.
    [[nodiscard]] result<ensemble_reply> ask(chat_request const& request,
                                             call_context const& context) {
        std::size_t const chosen = chooser_.choose();
        auto reply = complete_by(chosen, request, context);
        if (!reply) return reply.error();
        return ensemble_reply{std::move(*reply), chosen};
    }

    [[nodiscard]] std::vector<result<chat_reply>>
    complete_all(std::span<chat_request const> requests, call_context const& context)
        requires(batch_chat_model<Ms> && ...)
    {
        std::vector<result<chat_reply>> replies(requests.size(), cancelled("asking the models"));
        std::vector<std::vector<std::size_t>> parts(sizeof...(Ms));
        for (std::size_t i = 0; i < requests.size(); ++i) parts[chooser_.choose()].push_back(i);
        std::size_t which = 0;
        auto const ask_one = [&](auto& model) {
            std::size_t const index = which++;
            if (parts[index].empty()) return;
            std::vector<chat_request> batch;
            for (std::size_t const i : parts[index]) batch.push_back(requests[i]);
            auto fresh = model.complete_all(batch, context);
            for (std::size_t k = 0; k < parts[index].size() && k < fresh.size(); ++k) {
                chooser_.answered(index, fresh[k]);
                replies[parts[index][k]] = std::move(fresh[k]);
            }
        };
        std::apply([&](auto&... models) { (ask_one(models), ...); }, models_);
        return replies;
    }

    /// How useful a reply of that model was, from 0 to 1; other values are cut off, and what is no
    /// number is ignored.
    void reward(std::size_t model, double value) { chooser_.reward(model, value); }
    /// The same by the `model` of a reply: of several that answer under one name the last one to do
    /// so. An unknown name is ignored.
    void reward(chat_reply const& reply, double value) { chooser_.reward(reply.model, value); }

    /// One record a model, in their order.
    [[nodiscard]] std::vector<ensemble_record> records() const { return chooser_.records(); }

    /// `one of FIRST, SECOND`.
    [[nodiscard]] std::string description() const {
        return std::apply(
            [](auto const&... models) { return detail::all_of_them({describe(models)...}); },
            models_);
    }

private:
    template <std::size_t I = 0>
    [[nodiscard]] result<chat_reply>
    complete_by(std::size_t chosen, chat_request const& request, call_context const& context) {
        if constexpr (I + 1 < sizeof...(Ms))
            if (chosen != I) return complete_by<I + 1>(chosen, request, context);
        auto reply = std::get<I>(models_).complete(request, context);
        chooser_.answered(I, reply);
        return reply;
    }

    std::tuple<Ms...> models_;
    detail::chooser chooser_;

    // Last, since clang leaves out of the class what follows a failed assertion.
    static_assert(sizeof...(Ms) > 0 && (chat_model<Ms> && ...),
                  "[lkt.llm.wrapper] ensemble needs chat_models: result<chat_reply> "
                  "complete(chat_request const&, call_context const&)");
};

template <class... Ms>
ensemble(ensemble_options, Ms...) -> ensemble<Ms...>;

} // namespace lkt
