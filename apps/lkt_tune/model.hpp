// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/mailbox.hpp>
#include <lkt/llm/replay.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace lkt_tune {

inline constexpr char const* model_help =
    "replay:FILE answers from a cassette; mailbox:FOLDER writes each question to a file "
    "KEY.request.md there and waits for KEY.reply.md, which a person or a program writes";

/// Whether `spec` names a model of this program.
[[nodiscard]] bool is_model(std::string const& spec);

/// Who gave the replies, in a report's words.
enum class reply_origin : unsigned char { live, recorded, written_by_hand };
[[nodiscard]] std::string_view to_string(reply_origin origin);

/// The model that `--model` names. One conversation after the other, whoever asks.
class asked_model {
public:
    explicit asked_model(std::string const& spec);

    [[nodiscard]] lkt::result<lkt::chat_reply> complete(lkt::chat_request const& request,
                                                        lkt::call_context const& context);
    [[nodiscard]] std::string description() const;
    /// Why it cannot be used.
    [[nodiscard]] std::optional<lkt::error> defect() const;
    /// The folder of a mailbox; null where it is none.
    [[nodiscard]] std::string const* mailbox() const;
    struct its_header {
        reply_origin origin;
    };
    [[nodiscard]] its_header header() const;

private:
    std::string folder_;
    std::variant<lkt::replay_model, lkt::mailbox_model> model_;
};

} // namespace lkt_tune
