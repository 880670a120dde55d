// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/llm/any_chat_model.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt_tune {

/// For `--help`: what `--model` takes.
[[nodiscard]] std::string model_help();

/// Who gave the replies, in a report's words.
enum class reply_origin : unsigned char { live, recorded, written_by_hand };
[[nodiscard]] std::string_view to_string(reply_origin origin);

/// The model that `--model` names. One conversation after the other, whoever asks.
class asked_model {
public:
    /// Errors: `lkt.llm.model-name` where `spec` names none, and those of a model that cannot be
    /// used. With a `record`, what is said goes into that cassette. A mailbox waits for its
    /// replies, or suspends the run where one is missing.
    [[nodiscard]] static lkt::result<asked_model>
    make(std::string const& spec, std::string const& record, bool suspend = false);

    [[nodiscard]] lkt::result<lkt::chat_reply> complete(lkt::chat_request const& request,
                                                        lkt::call_context const& context);
    /// A server is asked for all of them at once; a mailbox and a cassette for one after the other.
    [[nodiscard]] std::vector<lkt::result<lkt::chat_reply>>
    complete_all(std::span<lkt::chat_request const> requests, lkt::call_context const& context);
    [[nodiscard]] std::string description() const;
    /// The folder of a mailbox; null where it is none.
    [[nodiscard]] std::string const* mailbox() const;
    struct its_header {
        reply_origin origin = reply_origin::live;
    };
    [[nodiscard]] its_header header() const { return {origin_}; }

private:
    lkt::any_chat_model model_;
    reply_origin origin_ = reply_origin::live;
    std::string folder_;
};

} // namespace lkt_tune
