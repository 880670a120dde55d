// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/cached.hpp>

#include <lkt/core/files.hpp>
#include <lkt/core/folder_store.hpp>
#include <lkt/core/plain_text.hpp>
#include <lkt/llm/cassette.hpp>
#include <lkt/llm/request_key.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>

namespace lkt::detail {

/// An entry is a cassette with one exchange: it can be read, replayed, and compared as one.
class reply_cache::store {
public:
    store(std::string folder, cache_options options)
        : options_(std::move(options)),
          files_(folder, {.ending = std::string(ending), .limit = options_.max_bytes}),
          // As the header of a cassette can hold it.
          model_(well_formed_utf8(options_.model)), model_key_(key_of(model_)) {
        std::error_code failed;
        std::filesystem::create_directories(folder, failed);
        if (!std::filesystem::is_directory(folder, failed))
            defect_ = error{condition::unavailable,
                            "lkt.cache.folder",
                            "the cache " + folder + " is not a folder and cannot be created",
                            "name a writable folder"};
        else if (model_.empty())
            defect_ = error{condition::rejected,
                            "lkt.cache.no-model",
                            "the cache does not know which model it caches",
                            "name it: cached{model, folder, {.model = \"qwen3-32b\"}}"};
        passes_on_ = defect_.has_value();
    }

    [[nodiscard]] bool holds(chat_request const& request) const {
        return !passes_on_ && (options_.sampled || is_fixed(request));
    }
    /// Asking again gives the same.
    [[nodiscard]] static bool is_fixed(chat_request const& request) {
        return request.temperature && *request.temperature <= 0;
    }

    /// A number that no call in flight has.
    [[nodiscard]] unsigned take_turn(std::string const& key) {
        std::lock_guard const lock(mutex_);
        turns& t = turns_[key];
        if (t.given_back.empty()) return t.next++;
        auto const least = std::min_element(t.given_back.begin(), t.given_back.end());
        unsigned const turn = *least;
        t.given_back.erase(least);
        return turn;
    }
    void give_back(std::string const& key, unsigned turn) {
        std::lock_guard const lock(mutex_);
        turns_[key].given_back.push_back(turn);
    }

    [[nodiscard]] std::string name_of(std::string const& key, unsigned turn) const {
        return key + "-" + model_key_ + "-" + std::to_string(turn) + std::string(ending);
    }

    [[nodiscard]] std::optional<chat_reply> read(std::string const& name,
                                                 chat_request const& request) {
        auto found = read_entry(name, request);
        {
            std::lock_guard const lock(mutex_);
            ++(found ? counters_.hits : counters_.misses);
        }
        if (found) files_.mark_used(name);
        return found;
    }

    void write(std::string const& name, chat_request const& request, chat_reply reply) {
        cassette tape;
        tape.header.model = model_;
        if (reply.model.empty()) reply.model = model_;
        tape.exchanges.emplace_back();
        tape.exchanges.back().request = canonical(request);
        tape.exchanges.back().outcome = std::move(reply);
        auto const failed = files_.write(name, to_text(tape));
        std::lock_guard const lock(mutex_);
        defect_ = failed;
    }

    [[nodiscard]] chat_request as_compared(chat_request request) const {
        return options_.ignore_measured ? without_measured(std::move(request)) : request;
    }

    [[nodiscard]] cache_counters counters() const {
        std::lock_guard const lock(mutex_);
        return counters_;
    }
    [[nodiscard]] std::optional<error> defect() const {
        std::lock_guard const lock(mutex_);
        return defect_;
    }

private:
    static constexpr std::string_view ending = ".reply.jsonl";
    struct turns {
        unsigned next = 1;
        std::vector<unsigned> given_back;
    };

    [[nodiscard]] static std::string key_of(std::string const& model) {
        chat_request named;
        named.messages.push_back({role::system, model});
        return request_key(named);
    }

    [[nodiscard]] std::optional<chat_reply> read_entry(std::string const& name,
                                                       chat_request const& request) const {
        auto const text = files_.read(name, max_text_file_bytes);
        if (!text) return std::nullopt;
        auto tape = parse_cassette(*text);
        if (!tape || tape->exchanges.size() != 1 || tape->header.model != model_)
            return std::nullopt;
        auto& only = tape->exchanges.front();
        if (!only.outcome || !only.request || *only.request != canonical(request))
            return std::nullopt;
        chat_reply reply = std::move(*only.outcome);
        reply.usage = {};
        reply.requests = 0;
        return reply;
    }

    cache_options const options_;
    folder_store files_;
    std::string const model_, model_key_;
    bool passes_on_ = false; ///< nothing can be kept at all
    mutable std::mutex mutex_;
    std::optional<error> defect_;
    cache_counters counters_;
    std::unordered_map<std::string, turns> turns_;
};

struct reply_cache::place::entry {
    std::shared_ptr<store> owner;
    chat_request request; ///< as it is kept and compared
    std::string key;
    unsigned turn = 1;
    bool has_turn = false;
    std::optional<chat_reply> found = {};
};

reply_cache::place::place(std::unique_ptr<entry> e) : entry_(std::move(e)) {}
reply_cache::place::place(place&&) noexcept = default;

reply_cache::place::~place() {
    if (entry_ && entry_->has_turn) entry_->owner->give_back(entry_->key, entry_->turn);
}

std::optional<chat_reply>& reply_cache::place::hit() { return entry_->found; }

void reply_cache::place::fill(result<chat_reply> const& outcome) {
    if (!outcome || outcome->finish != finish::stop || !entry_->owner->holds(entry_->request))
        return;
    entry_->has_turn = false;
    entry_->owner->write(
        entry_->owner->name_of(entry_->key, entry_->turn), entry_->request, *outcome);
}

reply_cache::reply_cache(std::string folder, cache_options options)
    : store_(std::make_shared<store>(std::move(folder), std::move(options))) {}

reply_cache::place reply_cache::look(chat_request const& given) {
    auto entry = std::make_unique<place::entry>(store_, store_->as_compared(given), std::string());
    auto const& request = entry->request;
    if (!store_->holds(request)) return place(std::move(entry));
    entry->key = request_key(request);
    if (!store::is_fixed(request)) {
        entry->turn = store_->take_turn(entry->key);
        entry->has_turn = true;
    }
    entry->found = store_->read(store_->name_of(entry->key, entry->turn), request);
    if (entry->found) entry->has_turn = false;
    return place(std::move(entry));
}

cache_counters reply_cache::counters() const { return store_->counters(); }

std::optional<error> reply_cache::defect() const { return store_->defect(); }

} // namespace lkt::detail
