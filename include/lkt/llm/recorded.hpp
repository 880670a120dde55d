// SPDX-License-Identifier: BSL-1.0
// A chat model that writes down what is said.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/cassette.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/describe.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

/// What to do with a cassette that is there already.
enum class existing_cassette : unsigned char {
    extend,  ///< add to it, if it was recorded from the same model
    replace, ///< when the first exchange has happened, put a new one in its place
};

/// How a conversation is recorded.
struct record_options {
    std::string model = {}; ///< name for the header; empty: that in the first reply
    existing_cassette existing = existing_cassette::extend; ///< what is done with one
    replay_match match = replay_match::exact;               ///< for the header of a new cassette
    std::string note = {};                                  ///< for the header of a new cassette
};

namespace detail {

/// The file behind a recorded model; copies share it.
class recorder {
public:
    recorder(std::string path, record_options options);
    /// Why nothing can be recorded.
    [[nodiscard]] std::optional<error> defect() const;
    /// Appends an exchange; what went wrong with that.
    [[nodiscard]] std::optional<error> add(chat_request const& request,
                                           result<chat_reply> const& outcome);

private:
    class tape;
    std::shared_ptr<tape> tape_;
};

} // namespace detail

/// A model over a model: passes each request on and appends the exchange to a cassette, replies and
/// errors (except cancelled and suspended calls, which say nothing about the model). An exchange is
/// one line, flushed to the disk before the reply is returned; a failure to write it is an error.
/// Requests contain no keys, and text in an error that looks like one is left out.
///
/// Errors at each call, before the model is asked (`defect` returns them beforehand):
/// `lkt.cassette.unwritable`, `lkt.cassette.other-model` (rejected: the file was recorded from
/// another model, or written by hand), those of `parse_cassette`. After the call: another model
/// answers than the one in the file to be extended, and the options name none.
///
/// `M` may be a reference type. Copies share the file. Two recorders must not share one.
template <class M>
class recorded {
public:
    recorded(M model, std::string path, record_options options = {})
        : model_(std::forward<M>(model)), recorder_(std::move(path), std::move(options)) {}

    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context) {
        if (auto defect = recorder_.defect()) return *defect;
        auto reply = model_.complete(request, context);
        if (auto defect = recorder_.add(request, reply)) return *defect;
        return reply;
    }

    /// Exchanges are appended when the whole batch is there.
    [[nodiscard]] std::vector<result<chat_reply>>
    complete_all(std::span<chat_request const> requests, call_context const& context)
        requires batch_chat_model<M>
    {
        if (auto defect = recorder_.defect())
            return std::vector<result<chat_reply>>(requests.size(), *defect);
        auto replies = model_.complete_all(requests, context);
        for (std::size_t i = 0; i < requests.size() && i < replies.size(); ++i)
            if (auto defect = recorder_.add(requests[i], replies[i])) replies[i] = *defect;
        return replies;
    }

    /// Why nothing can be recorded.
    [[nodiscard]] std::optional<error> defect() const { return recorder_.defect(); }

    [[nodiscard]] std::string description() const { return describe(model_); }

private:
    M model_;
    detail::recorder recorder_;

    // Last, since clang leaves out of the class what follows a failed assertion.
    static_assert(chat_model<M>,
                  "[lkt.llm.recorded] recorded<M> needs a chat_model: result<chat_reply> "
                  "complete(chat_request const&, call_context const&)");
};

} // namespace lkt
