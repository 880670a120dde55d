// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "time_limit.hpp"

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/llm/any_chat_model.hpp>
#include <lkt/llm/cached.hpp>
#include <lkt/llm/http/options.hpp>
#include <lkt/llm/prices.hpp>
#include <lkt/llm/thinking.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt_apps {

/// For `--help`: what `--model` takes.
[[nodiscard]] std::string model_help();

/// Who gave the replies, in a report's words.
enum class reply_origin : unsigned char { live, recorded, written_by_hand };
[[nodiscard]] std::string_view to_string(reply_origin origin);

/// The model that `--model` names. One conversation after the other, whoever asks.
class asked_model {
public:
    struct handling {
        std::string record = {}; ///< the cassette that what is said goes into; empty: none
        bool suspend = false;    ///< a mailbox suspends the run where a reply is missing
        /// Told of a mailbox's question, and where its reply goes.
        std::function<void(std::string const&, std::string const&)> on_question = {};
        std::vector<lkt::thinking_tags> thinking = {}; ///< that it reasons between, in its text
        lkt::http_timeouts timeouts = {};              ///< of a server
        std::optional<double> max_cost = {};           ///< USD; none: no limit
        std::optional<std::int64_t> max_calls = {};    ///< failed ones included; none: no limit
        time_limit const* time;                        ///< after which no call goes on
        lkt::price_table prices = lkt::price_table::built_in();
        std::vector<std::string> fallbacks = {};        ///< asked in turn where those before failed
        std::string reviewer = {};                      ///< plans and judges; empty: the same model
        std::optional<double> requests_per_minute = {}; ///< of all of them; none: no limit
        std::string cache = {};         ///< the folder that keeps replies; empty: none
        std::uint64_t given_before = 0; ///< replies of a cassette, in earlier sessions of this run
    };
    /// Errors: `lkt.llm.model-name` where `spec` names none, and those of a model that cannot be
    /// used; `lkt.budget.no-price` where its cost is limited and not known; `lkt.cache.folder`. A
    /// model on a server that failed five times in a row is left alone for half a minute where
    /// there is another one to ask. A recorded reply has its reasoning apart, so that its cassette
    /// needs no tags. The time limit must outlive the model.
    [[nodiscard]] static lkt::result<asked_model> make(std::string const& spec, handling how);

    [[nodiscard]] lkt::result<lkt::chat_reply> complete(lkt::chat_request const& request,
                                                        lkt::call_context const& context);
    /// A server is asked for all of them at once; a mailbox and a cassette for one after the other.
    [[nodiscard]] std::vector<lkt::result<lkt::chat_reply>>
    complete_all(std::span<lkt::chat_request const> requests, lkt::call_context const& context);
    [[nodiscard]] std::string description() const;
    /// What each of them says of itself.
    [[nodiscard]] std::vector<std::string> const& sources() const { return sources_; }
    /// The folder of a mailbox; null where it is none.
    [[nodiscard]] std::string const* mailbox() const;
    /// Of the folder that keeps replies; none where there is no such folder.
    [[nodiscard]] std::optional<lkt::cache_counters> cache_counters() const;
    struct its_header {
        reply_origin origin = reply_origin::live;
    };
    [[nodiscard]] its_header header() const { return {origin_}; }

private:
    lkt::any_chat_model model_;
    time_limit const* time_ = nullptr;
    reply_origin origin_ = reply_origin::live;
    std::string folder_;
    std::vector<std::string> sources_;
    std::function<lkt::cache_counters()> kept_;
};

} // namespace lkt_apps
