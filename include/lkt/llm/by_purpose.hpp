// SPDX-License-Identifier: BSL-1.0
// One model that writes kernels, another one that reviews them.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/describe.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

/// `by_purpose{writer, reviewer}`, a model over two models: requests for a review (see `purpose`)
/// go to the second one, all others to the first. The library's nodes that plan, judge and decide
/// (`plan`, `replan`, `validate_step`, `break_down`, `advise`, `ask_gate`) ask for reviews; a node
/// of your own does so with `chat_request::purpose`. Errors: those of the model that was asked. A
/// batch is split, and each part is kept together if both are batch models. The models may be of
/// reference types; calls may overlap if those of the models may.
template <class Writer, class Reviewer>
class by_purpose {
public:
    by_purpose(Writer writer, Reviewer reviewer)
        : writer_(std::forward<Writer>(writer)), reviewer_(std::forward<Reviewer>(reviewer)) {}

    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context) {
        return request.purpose == purpose::review ? reviewer_.complete(request, context)
                                                  : writer_.complete(request, context);
    }

    [[nodiscard]] std::vector<result<chat_reply>>
    complete_all(std::span<chat_request const> requests, call_context const& context)
        requires batch_chat_model<Writer> && batch_chat_model<Reviewer>
    {
        std::vector<result<chat_reply>> replies(requests.size(), cancelled("asking the models"));
        auto const ask_for = [&](purpose which, auto& model) {
            std::vector<std::size_t> places;
            std::vector<chat_request> batch;
            for (std::size_t i = 0; i < requests.size(); ++i) {
                if (requests[i].purpose != which) continue;
                places.push_back(i);
                batch.push_back(requests[i]);
            }
            if (batch.empty()) return;
            auto fresh = model.complete_all(batch, context);
            for (std::size_t k = 0; k < places.size() && k < fresh.size(); ++k)
                replies[places[k]] = std::move(fresh[k]);
        };
        ask_for(purpose::write, writer_);
        ask_for(purpose::review, reviewer_);
        return replies;
    }

    /// `WRITER, reviewed by REVIEWER`.
    [[nodiscard]] std::string description() const {
        auto const named = [](std::string const& name) {
            return name.empty() ? "a model without a name" : name;
        };
        return named(describe(writer_)) + ", reviewed by " + named(describe(reviewer_));
    }

private:
    Writer writer_;
    Reviewer reviewer_;

    // Last, since clang leaves out of the class what follows a failed assertion.
    static_assert(chat_model<Writer> && chat_model<Reviewer>,
                  "[lkt.llm.wrapper] by_purpose needs two chat_models: result<chat_reply> "
                  "complete(chat_request const&, call_context const&)");
};

template <class Writer, class Reviewer>
by_purpose(Writer, Reviewer) -> by_purpose<Writer, Reviewer>;

} // namespace lkt
