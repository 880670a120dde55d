// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/complete_all.hpp>
#include <lkt/llm/describe.hpp>

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace lkt {

/// Any chat model behind one type, for programs that choose at run time. Copies share the model,
/// since a model stands for one server, script or open file. A moved-from or default-constructed
/// value is empty and answers with the error `lkt.llm.no-model`. It always has `complete_all`: the
/// model's own, or else `lkt::complete_all`, which passes its options on; a wrapper around it uses
/// the default options.
class any_chat_model {
public:
    any_chat_model() = default;

    template <class M>
        requires(!std::same_as<std::remove_cvref_t<M>, any_chat_model> &&
                 chat_model<std::remove_cvref_t<M>>)
    any_chat_model(M&& model)
        : model_(std::make_shared<std::remove_cvref_t<M>>(std::forward<M>(model))),
          calls_(&calls_of<std::remove_cvref_t<M>>) {}

    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context);

    [[nodiscard]] std::vector<result<chat_reply>>
    complete_all(std::span<chat_request const> requests,
                 call_context const& context,
                 complete_all_options options = {});

    /// That of the model inside; see `lkt::describe`.
    [[nodiscard]] std::string description() const;

    [[nodiscard]] explicit operator bool() const { return model_ != nullptr; }

    /// The model inside, or null when it is of another type.
    template <chat_model M>
    [[nodiscard]] M* target() const {
        return model_ && calls_ == &calls_of<M> ? static_cast<M*>(model_.get()) : nullptr;
    }

private:
    struct calls {
        result<chat_reply> (*complete)(void*, chat_request const&, call_context const&);
        std::vector<result<chat_reply>> (*complete_all)(void*,
                                                        std::span<chat_request const>,
                                                        call_context const&,
                                                        complete_all_options);
        std::string (*describe)(void const*);
    };

    template <class M>
    static constexpr calls calls_of{
        [](void* model, chat_request const& request, call_context const& context) {
            return static_cast<M*>(model)->complete(request, context);
        },
        [](void* model,
           std::span<chat_request const> requests,
           call_context const& context,
           complete_all_options options) {
            return lkt::complete_all(*static_cast<M*>(model), requests, context, options);
        },
        [](void const* model) { return lkt::describe(*static_cast<M const*>(model)); }};

    std::shared_ptr<void> model_;
    calls const* calls_ = nullptr;
};

} // namespace lkt
