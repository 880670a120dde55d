// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/recorded.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/llm/detail/append_file.hpp>
#include <lkt/llm/detail/cassette_read.hpp>
#include <lkt/llm/detail/read_file.hpp>
#include <lkt/llm/detail/redact.hpp>
#include <lkt/llm/request_key.hpp>

#include <cstddef>
#include <cstdio>
#include <mutex>
#include <utility>

namespace lkt::detail {

/// The file, and what is known of it.
class recorder::tape {
public:
    tape(std::string path, record_options options)
        : path_(std::move(path)), header_{std::move(options.model),
                                          cassette_origin::recorded,
                                          options.match,
                                          std::move(options.note)},
          named_(!header_.model.empty()) {
        defect_ = start(options.existing == existing_cassette::replace);
    }

    [[nodiscard]] std::optional<error> defect() const {
        std::lock_guard const lock(mutex_);
        return defect_;
    }

    [[nodiscard]] std::optional<error> add(chat_request const& request,
                                           result<chat_reply> const& outcome) {
        std::lock_guard const lock(mutex_);
        if (defect_) return defect_;
        if (!outcome && (outcome.error().kind == condition::cancelled ||
                         outcome.error().kind == condition::suspended))
            return std::nullopt;
        cassette_exchange exchange;
        exchange.request = canonical(request);
        if (outcome) {
            exchange.outcome = outcome;
        } else {
            error e = outcome.error();
            e.message = without_keys(e.message);
            e.hint = without_keys(e.hint);
            exchange.outcome = std::move(e);
        }
        std::string const line = to_line(exchange);
        bool const again = line == std::exchange(last_, {});
        if (!again) pending_ += line + "\n";
        if (outcome) {
            if (auto other = meet(outcome->model)) return other;
        }
        if (again) return std::nullopt;
        // A header names the model; until one has answered, failures wait for it.
        if (header_.model.empty()) return std::nullopt;
        defect_ = write();
        return defect_;
    }

private:
    /// Finds out before the first call, which costs money, whether its result can be kept.
    [[nodiscard]] std::optional<error> start(bool replace) {
        std::size_t keep = 0;
        if (auto const old = read_file(path_, max_cassette_bytes)) {
            auto lines = read_lines(*old, path_);
            // With `replace` too: a file that is no cassette was not meant.
            if (!lines) return lines.error();
            if (lines->has_header && !replace) {
                if (auto other = compare(lines->tape.header)) return other;
                header_ = lines->tape.header;
                has_header_ = true;
                if (!old->empty() && old->back() != '\n' && !lines->cut_off) pending_ = "\n";
                if (!lines->tape.exchanges.empty()) last_ = to_line(lines->tape.exchanges.back());
            }
            keep = has_header_ ? lines->whole : 0;
            replacing_ = lines->has_header && replace;
            if (replacing_) keep = old->size();
        } else if (!is_missing()) {
            return old.error();
        }
        auto opened = append_file::open(path_, keep);
        if (!opened) return opened.error();
        file_ = std::move(*opened);
        return std::nullopt;
    }

    [[nodiscard]] bool is_missing() const {
        return may_be_file(path_) && !file_handle(std::fopen(path_.c_str(), "rb"));
    }

    [[nodiscard]] error other_model(std::string const& there, std::string const& here) const {
        return {condition::rejected,
                "lkt.cassette.other-model",
                "the cassette " + path_ + " holds " + there + ", and " + here,
                "record into another file, or choose to replace the old one"};
    }
    [[nodiscard]] std::optional<error> compare(cassette_header const& there) {
        if (there.origin == cassette_origin::written_by_hand)
            return other_model("replies written by hand", "a model was to be recorded in it");
        if (!header_.model.empty() && there.model != header_.model)
            return other_model("replies of " + there.model,
                               header_.model + " was to be recorded in it");
        return std::nullopt;
    }

    /// The first reply tells the model's name, if nobody has.
    [[nodiscard]] std::optional<error> meet(std::string const& model) {
        std::string const name = well_formed_utf8(model);
        if (header_.model.empty()) {
            header_.model = name.empty() ? "a model without a name" : name;
            named_ = true;
        } else if (has_header_ && !named_ && !name.empty() && name != header_.model) {
            defect_ = other_model("replies of " + header_.model, name + " has answered now");
            return defect_;
        }
        return std::nullopt;
    }

    [[nodiscard]] std::optional<error> write() {
        if (!has_header_) pending_ = to_line(header_) + "\n" + pending_;
        if (replacing_) {
            auto fresh = append_file::open(path_ + ".new", 0);
            if (!fresh) return fresh.error();
            file_ = std::move(*fresh);
        }
        if (auto const done = file_->append(pending_); !done) return done.error();
        if (replacing_) {
            if (auto const done = file_->rename(path_); !done) return done.error();
            replacing_ = false;
        }
        has_header_ = true;
        pending_.clear();
        return std::nullopt;
    }

    mutable std::mutex mutex_;
    std::string path_;
    cassette_header header_;
    std::string pending_; ///< lines that are not in the file yet
    /// The last exchange of a file to be extended, until one is added. Who continues a run that was
    /// killed after it was written, and before the run was saved, asks the same again.
    std::string last_;
    std::optional<append_file> file_;
    std::optional<error> defect_;
    bool has_header_ = false; ///< the file has one
    bool replacing_ = false;  ///< the file is another cassette, still
    bool named_ = false;      ///< the name in the header was given, not taken over from the file
};

recorder::recorder(std::string path, record_options options)
    : tape_(std::make_shared<tape>(std::move(path), std::move(options))) {}

std::optional<error> recorder::defect() const { return tape_->defect(); }

std::optional<error> recorder::add(chat_request const& request, result<chat_reply> const& outcome) {
    return tape_->add(request, outcome);
}

} // namespace lkt::detail
