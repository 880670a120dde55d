// SPDX-License-Identifier: BSL-1.0
// A chat model whose replies somebody else puts into files: a person with a chat window, a batch.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/llm/chat_model.hpp>

#include <functional>
#include <map>
#include <string>

namespace lkt {

/// How a mailbox waits.
struct mailbox_options {
    std::string model = {}; ///< who answers, for the record
    /// End the run at a question that has no reply yet, so that a later run, in any process,
    /// continues from there. Otherwise wait.
    bool suspend = true;
    /// Files are called after the order of the questions, `1`, `2`, ..., and a reply is accepted
    /// for any question: for runs that start from the beginning each time, and ask other questions
    /// after other measurements.
    bool by_order = false;
    seconds poll{0.25};  ///< how often a waiting call looks
    seconds patience{0}; ///< how long it waits; 0: until it is stopped
    /// Told of each question that has no reply yet: its file, and the file for the reply.
    std::function<void(std::string const&, std::string const&)> on_question = {};
};

/// Writes each request to `FOLDER/KEY.request.md` and takes the reply from `FOLDER/KEY.reply.md`,
/// KEY being the request's hash without its measured figures (with the schema of a structured
/// answer behind the turns), so that a reply belongs to its question in any process. A request that
/// is repeated in the same process gets another file: `KEY-2`, `KEY-3`, ... A reply is plain text
/// as a model gives it; an empty file does not count.
///
/// Errors: `lkt.mailbox.waiting` (suspended; names both files), `lkt.mailbox.patience` (transient),
/// `lkt.mailbox.folder` (unavailable) and those of reading and writing text files,
/// `lkt.mailbox.text` (rejected: the reply is not UTF-8), `lkt.cancelled`.
class mailbox_model {
public:
    explicit mailbox_model(std::string folder, mailbox_options options = {});

    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context);
    /// `replies from FOLDER`.
    [[nodiscard]] std::string description() const;

private:
    std::string folder_;
    mailbox_options options_;
    std::map<std::string, int> answered_; ///< how often, by key
};

} // namespace lkt
