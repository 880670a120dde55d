// SPDX-License-Identifier: BSL-1.0
// A transcript of what was asked and answered, for people and their tools.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/describe.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

/// What a transcript holds.
struct transcript_options {
    std::string model = {}; ///< for the lines; empty: the model's description
    bool redact = true;     ///< leave out words that look like keys, also of prompts and replies
};

namespace detail {

/// The file behind a logged model; copies share it.
class transcript {
public:
    transcript(std::string path, transcript_options options);

    /// When a call began.
    struct moment {
        std::chrono::system_clock::time_point date = std::chrono::system_clock::now();
        std::chrono::steady_clock::time_point time = std::chrono::steady_clock::now();
    };

    /// Appends a line for a call that is over; `batch`: how many were made together.
    void add(chat_request const& request,
             result<chat_reply> const& outcome,
             moment const& began,
             std::size_t batch = 1);
    [[nodiscard]] std::optional<error> defect() const;

private:
    class file;
    std::shared_ptr<file> file_;
};

} // namespace detail

/// A model over a model: passes each request on and appends a line of JSON to a file, successes and
/// failures: when it was asked, how long it took, which model, the request, the reply with its
/// usage, or the error (docs/llm-wrappers.md). Each line is written immediately. Text that looks
/// like a key is left out. A transcript is for reading; to replay calls, see `recorded`.
///
/// A line that cannot be written does not fail the call: `defect` returns the first such error. `M`
/// may be a reference type. Copies share the file; several processes may append to one. May be used
/// from several threads.
template <class M>
class logged {
public:
    logged(M model, std::string path, transcript_options options = {})
        : model_(std::forward<M>(model)), transcript_(std::move(path), named(std::move(options))) {}

    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context) {
        detail::transcript::moment const began;
        auto reply = model_.complete(request, context);
        transcript_.add(request, reply, began);
        return reply;
    }

    /// Lines are appended when the whole batch is there; their time is the batch's.
    [[nodiscard]] std::vector<result<chat_reply>>
    complete_all(std::span<chat_request const> requests, call_context const& context)
        requires batch_chat_model<M>
    {
        detail::transcript::moment const began;
        auto replies = model_.complete_all(requests, context);
        for (std::size_t i = 0; i < requests.size() && i < replies.size(); ++i)
            transcript_.add(requests[i], replies[i], began, requests.size());
        return replies;
    }

    /// What went wrong with the file first: `lkt.transcript.unwritable` (unavailable, or exhausted
    /// when the disk is full).
    [[nodiscard]] std::optional<error> defect() const { return transcript_.defect(); }

    [[nodiscard]] std::string description() const { return describe(model_); }

private:
    [[nodiscard]] transcript_options named(transcript_options options) const {
        if (options.model.empty()) options.model = describe(model_);
        return options;
    }

    M model_;
    detail::transcript transcript_;

    // Last, since clang leaves out of the class what follows a failed assertion.
    static_assert(chat_model<M>,
                  "[lkt.llm.wrapper] logged<M> needs a chat_model: result<chat_reply> "
                  "complete(chat_request const&, call_context const&)");
};

} // namespace lkt
