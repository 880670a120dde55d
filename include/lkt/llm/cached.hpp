// SPDX-License-Identifier: BSL-1.0
// Replies that were paid for once.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/describe.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

/// Which replies are kept, and how long.
struct cache_options {
    /// Which model answers, as part of the key; empty: its description. Say here what else makes
    /// another model of it: another quantisation, another system behind the same name.
    std::string model = {};
    /// Also requests whose replies differ each time: with a temperature above 0, or none given.
    bool sampled = true;
    /// Requests that differ only in measured figures are the same: numbers before `ns`, `us`, `ms`,
    /// `s`, `B/s`, `FLOP/s` (with or without a prefix), `x` or `%`, outside fenced code. No two
    /// runs measure the same figures.
    bool ignore_measured = false;
    std::uint64_t max_bytes = std::uint64_t{1} << 30; ///< what was not used longest goes first
};

struct cache_counters {
    std::uint64_t hits = 0, misses = 0;
};

namespace detail {

/// The folder behind a cached model; copies share it.
class reply_cache {
public:
    reply_cache(std::string folder, cache_options options);

    /// One request's place in the cache. Only one caller in this process has it at a time, unless
    /// all replies are the same.
    class place {
    public:
        place(place&&) noexcept;
        ~place();
        /// The reply, when there was one.
        [[nodiscard]] std::optional<chat_reply>& hit();
        /// Keeps a reply that is worth it; otherwise the next such request gets the place.
        void fill(result<chat_reply> const& outcome);

    private:
        friend class reply_cache;
        struct entry;
        explicit place(std::unique_ptr<entry> e);
        std::unique_ptr<entry> entry_;
    };

    [[nodiscard]] place look(chat_request const& request);
    [[nodiscard]] cache_counters counters() const;
    [[nodiscard]] std::optional<error> defect() const;

private:
    class store;
    std::shared_ptr<store> store_;
};

} // namespace detail

/// A model over a model: keeps replies in a folder, one file each, and returns them for the same
/// request to the same model. A request that is repeated in one process gets the second, third, ...
/// reply to it, so that samples differ and a second run gets the same ones; with a temperature of 0
/// it gets the first. A reply from the cache has no usage and no requests, since it cost nothing; a
/// listener gets its text in one piece.
///
/// Only complete replies (`finish::stop`) are kept. A damaged file is ignored and overwritten.
/// Files are written atomically; several processes may share a folder. A reply that cannot be
/// stored does not fail the call: see `defect`. `M` may be a reference type. Copies share the
/// cache. May be used from several threads.
template <class M>
class cached {
public:
    cached(M model, std::string folder, cache_options options = {})
        : model_(std::forward<M>(model)), cache_(std::move(folder), named(std::move(options))) {}

    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context) {
        if (context.stop.stop_requested()) return cancelled("looking for a reply in the cache");
        auto place = cache_.look(request);
        if (auto& hit = place.hit()) {
            if (context.on_text && !hit->text.empty()) context.on_text(hit->text);
            return std::move(*hit);
        }
        auto reply = model_.complete(request, context);
        place.fill(reply);
        return reply;
    }

    /// Requests that are not in the cache are sent as a smaller batch.
    [[nodiscard]] std::vector<result<chat_reply>>
    complete_all(std::span<chat_request const> requests, call_context const& context)
        requires batch_chat_model<M>
    {
        std::vector<result<chat_reply>> replies(requests.size(),
                                                cancelled("looking for a reply in the cache"));
        if (context.stop.stop_requested()) return replies;
        std::vector<detail::reply_cache::place> places;
        std::vector<std::size_t> open;
        std::vector<chat_request> batch;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            auto place = cache_.look(requests[i]);
            if (auto& hit = place.hit()) {
                if (context.on_text && !hit->text.empty()) context.on_text(hit->text);
                replies[i] = std::move(*hit);
            } else {
                open.push_back(i);
                batch.push_back(requests[i]);
                places.push_back(std::move(place));
            }
        }
        if (batch.empty()) return replies;
        auto fresh = model_.complete_all(batch, context);
        for (std::size_t k = 0; k < open.size() && k < fresh.size(); ++k) {
            places[k].fill(fresh[k]);
            replies[open[k]] = std::move(fresh[k]);
        }
        return replies;
    }

    [[nodiscard]] cache_counters counters() const { return cache_.counters(); }

    /// Why replies are not kept: `lkt.cache.folder` (unavailable), `lkt.cache.no-model` (rejected:
    /// the model has no description, and the options name none), or the last reply's
    /// `lkt.file.full` or `lkt.file.write`.
    [[nodiscard]] std::optional<error> defect() const { return cache_.defect(); }

    [[nodiscard]] std::string description() const { return describe(model_); }

private:
    [[nodiscard]] cache_options named(cache_options options) const {
        if (options.model.empty()) options.model = describe(model_);
        return options;
    }

    M model_;
    detail::reply_cache cache_;

    // Last, since clang leaves out of the class what follows a failed assertion.
    static_assert(chat_model<M>,
                  "[lkt.llm.wrapper] cached<M> needs a chat_model: result<chat_reply> "
                  "complete(chat_request const&, call_context const&)");
};

} // namespace lkt
