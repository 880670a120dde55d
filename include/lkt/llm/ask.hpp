// SPDX-License-Identifier: BSL-1.0
// A model is asked for a struct, and answers with one.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/answer_mode.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/complete_all.hpp>
#include <lkt/llm/describe.hpp>
#include <lkt/llm/detail/answer_shape.hpp>
#include <lkt/llm/from_json.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt {

/// The mode that a server accepted last, so that the next call starts with it. Models are
/// distinguished by `describe(model)`. Copies share the memory; any number of threads may use it.
class ask_memory {
public:
    struct entry {
        answer_mode mode = answer_mode::native_schema;
        bool bounds = true; ///< false: the server refused a schema with bounds as keywords
        friend bool operator==(entry const&, entry const&) = default;
    };
    ask_memory();
    [[nodiscard]] std::optional<entry> find(std::string_view model) const;
    void keep(std::string_view model, entry what);

private:
    struct table;
    std::shared_ptr<table> table_;
};

/// The texts that are added to the conversation. `{schema}`, `{text}` and `{faults}` are replaced
/// where they make sense.
struct ask_prompts {
    /// Where the server enforces JSON, but no schema.
    std::string object = "Answer with one JSON object that follows this JSON Schema. Give the "
                         "object itself, not the schema, and nothing else.\n{schema}";
    /// The second request, after a free answer.
    std::string separate =
        "Put what the text below says into one JSON object that follows this JSON Schema. Add "
        "nothing that the text does not say. Give the object itself, not the schema, in one "
        "fenced ```json block.\n{schema}\n\n<text>\n{text}\n</text>";
    /// After an answer that could not be read.
    std::string again = "That answer cannot be used:\n{faults}\nAnswer again with the whole JSON "
                        "object, with this corrected.";
    /// Added to `again` if the model has not seen the schema yet.
    std::string schema = "It must follow this JSON Schema:\n{schema}";
    /// After the first part of a reply that became too long.
    std::string go_on = "Your answer was cut off. Go on exactly where it ends, in the middle of a "
                        "line if need be; repeat nothing, and say nothing else.";
    friend bool operator==(ask_prompts const&, ask_prompts const&) = default;
};

/// One call, for the record.
struct ask_exchange {
    answer_mode mode = answer_mode::native_schema;
    std::string asked;                      ///< the last turn that the model was given
    result<chat_reply> reply{chat_reply{}}; ///< as it came
    std::vector<std::string> faults;        ///< why it was not accepted; the model was told
};

/// What was said, and what it cost.
struct ask_log {
    std::vector<ask_exchange> exchanges; ///< one a call
    token_usage usage;                   ///< of all of them
};

/// How a structured answer is asked for.
struct ask_options {
    answer_mode mode = answer_mode::automatic; ///< how the answer gets its form
    int attempts = 3;      ///< answers that are read; of a separate request, those in JSON
    int continuations = 2; ///< of one answer: it is continued, or requested again with more tokens
    std::string name = {}; ///< of the schema or the tool; empty: the struct's
    std::string description = {}; ///< of the tool; empty: what the struct's notes are about
    bool show_schema = false;     ///< in the prompt too where the server enforces it
    reading_options reading = {}; ///< what is let pass in an answer
    ask_prompts prompts = {};     ///< what the model is told
    ask_memory* memory = nullptr; ///< which modes servers took; used by `automatic`
    ask_log* log = nullptr;       ///< gets all exchanges as they happen, after an error too
};

/// A struct that a model has answered with.
template <class Answer>
struct answered {
    Answer value;
    answer_mode mode = answer_mode::native_schema; ///< that brought it; never `automatic`
    ask_log log;
};

namespace detail {

/// A model of any type.
struct asked_model {
    void* model;
    complete_call complete;
    std::string name;
};

/// Where an answer goes. `clear` makes the value a new one before each attempt; `check` says what
/// is wrong with one that has been read.
struct answer_slot {
    answer_shape const* shape;
    void* value;
    void (*clear)(void*);
    answer_faults (*check)(void const* checker, void const* value);
    void const* checker;
};

struct no_check {
    template <class Answer>
    answer_faults operator()(Answer const&) const {
        return {};
    }
};

[[nodiscard]] result<answer_mode> ask(asked_model const& model,
                                      answer_slot slot,
                                      chat_request request,
                                      ask_options const& options,
                                      call_context const& context,
                                      ask_log& log);

} // namespace detail

/// Asks `model` for an `Answer`, which is described as `schema_of` and `from_json` say. The
/// request's `format` is replaced. An answer that cannot be read is fed back with its faults; one
/// that was cut off is continued, or asked for again with twice the tokens where `max_tokens` is
/// set. `check(answer)` returns faults beyond its type, as sentences in a
/// `std::vector<std::string>`, which are fed back in the same way.
///
/// Errors: `lkt.ask.invalid` (rejected) when `attempts` answers could not be read, with the last
/// one's faults; `lkt.ask.unfinished` (rejected) when an answer was still cut off after all
/// continuations; the model's errors, unchanged: `with_retry` repeats calls after failures. Cost:
/// one model call an attempt and a continuation; a separate request has one more answer, and
/// `automatic` one more call for each form that the server refuses.
template <class Answer, chat_model M, class Check = detail::no_check>
[[nodiscard]] result<answered<Answer>> ask(M& model,
                                           chat_request request,
                                           ask_options const& options = {},
                                           call_context const& context = {},
                                           Check const& check = {}) {
    if constexpr (detail::is_answer<Answer, true>) {
        answered<Answer> made{};
        auto const mode = detail::ask(
            {const_cast<void*>(static_cast<void const*>(std::addressof(model))),
             [](void* m, chat_request const& one, call_context const& c) {
                 return static_cast<M*>(m)->complete(one, c);
             },
             describe(model)},
            {&detail::answer_shape_of<Answer>,
             &made.value,
             [](void* value) { *static_cast<Answer*>(value) = Answer{}; },
             [](void const* checker, void const* value) -> detail::answer_faults {
                 return (*static_cast<Check const*>(checker))(*static_cast<Answer const*>(value));
             },
             std::addressof(check)},
            std::move(request),
            options,
            context,
            made.log);
        if (!mode) return mode.error();
        made.mode = *mode;
        return made;
    } else {
        detail::refuse_answer<Answer>();
        return error{};
    }
}

/// The same, with the server's own parameters.
template <class Answer, chat_model M, class Check = detail::no_check>
[[nodiscard]] result<answered<Answer>> ask(M& model,
                                           conversation messages,
                                           ask_options const& options = {},
                                           call_context const& context = {},
                                           Check const& check = {}) {
    chat_request request;
    request.messages = std::move(messages);
    return ask<Answer>(model, std::move(request), options, context, check);
}

} // namespace lkt
