// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/logged.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/llm/cassette.hpp>
#include <lkt/llm/detail/read_file.hpp>
#include <lkt/llm/detail/redact.hpp>
#include <lkt/llm/request_key.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <mutex>

namespace lkt::detail {

namespace transcript_parts {

/// ISO 8601 in UTC, with milliseconds.
std::string date_words(std::chrono::system_clock::time_point when) {
    auto const ms = std::chrono::floor<std::chrono::milliseconds>(when).time_since_epoch().count();
    std::time_t const whole = static_cast<std::time_t>(ms / 1000);
    std::tm parts{};
    (void)::gmtime_r(&whole, &parts);
    char text[64];
    std::size_t const n = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    char fraction[16];
    int const m = std::snprintf(fraction, sizeof fraction, ".%03dZ", static_cast<int>(ms % 1000));
    return std::string(text, n) + std::string(fraction, static_cast<std::size_t>(m));
}

} // namespace transcript_parts

class transcript::file {
public:
    file(std::string path, transcript_options options)
        : path_(std::move(path)), options_(std::move(options)) {
        open();
    }

    void add(chat_request const& request,
             result<chat_reply> const& outcome,
             moment const& began,
             std::size_t batch) {
        auto line = line_of(request, outcome, began, batch);
        std::lock_guard const lock(mutex_);
        if (!file_) return;
        if (torn_) line.insert(line.begin(), '\n');
        errno = 0;
        // Without a buffer a line is one write, which the system appends as a whole.
        auto const written = std::fwrite(line.data(), 1, line.size(), file_.get());
        torn_ = written < line.size() && (written > 0 || torn_);
        if (written == line.size()) return;
        fail(errno);
        std::clearerr(file_.get());
    }

    [[nodiscard]] std::optional<error> defect() const {
        std::lock_guard const lock(mutex_);
        return defect_;
    }

private:
    void open() {
        if (!may_be_file(path_)) return fail(0);
        errno = 0;
        file_.reset(std::fopen(path_.c_str(), "a+b"));
        if (!file_) return fail(errno);
        (void)std::setvbuf(file_.get(), nullptr, _IONBF, 0);
        // A line that was cut off must not swallow the next one.
        if (std::fseek(file_.get(), -1, SEEK_END) == 0) {
            int const last = std::fgetc(file_.get());
            (void)std::fseek(file_.get(), 0, SEEK_END);
            torn_ = last != '\n' && last != EOF;
        }
    }

    void fail(int number) {
        if (defect_) return;
        bool const full = number == ENOSPC || number == EFBIG || number == EDQUOT;
        defect_ = error{full ? condition::exhausted : condition::unavailable,
                        "lkt.transcript.unwritable",
                        "cannot write the transcript " + path_ + ": " +
                            (number != 0 ? system_words(number) : "it is not a regular file"),
                        "choose a writable path with free space"};
    }

    [[nodiscard]] std::string clean(std::string const& text) const {
        return options_.redact ? without_keys(text) : text;
    }

    [[nodiscard]] std::string line_of(chat_request const& request,
                                      result<chat_reply> const& outcome,
                                      moment const& began,
                                      std::size_t batch) const {
        std::chrono::duration<double, std::milli> const took =
            std::chrono::steady_clock::now() - began.time;
        cassette_exchange exchange;
        exchange.request = request;
        for (message& m : exchange.request->messages) m.text = clean(m.text);
        if (outcome) {
            chat_reply reply = *outcome;
            reply.text = clean(reply.text);
            reply.reasoning = clean(reply.reasoning);
            exchange.outcome = std::move(reply);
        } else {
            error e = outcome.error();
            // A server's words are no prompt: keys are never wanted there.
            e.message = without_keys(e.message);
            e.hint = without_keys(e.hint);
            exchange.outcome = std::move(e);
        }
        char number[32];
        (void)std::snprintf(number, sizeof number, "%.1f", took.count());
        std::string line =
            "{\"time\":\"" + transcript_parts::date_words(began.date) + "\",\"ms\":" + number;
        if (batch > 1) line += ",\"batch\":" + std::to_string(batch);
        if (!options_.model.empty())
            line += ",\"model\":" + plain_json(boost::json::serialize(
                                        boost::json::value(well_formed_utf8(options_.model))));
        // An exchange is an object with members, so its first brace becomes a comma.
        line += "," + to_line(exchange).substr(1) + "\n";
        return line;
    }

    std::string const path_;
    transcript_options const options_;
    mutable std::mutex mutex_;
    file_handle file_;
    bool torn_ = false; ///< the file ends within a line
    std::optional<error> defect_;
};

transcript::transcript(std::string path, transcript_options options)
    : file_(std::make_shared<file>(std::move(path), std::move(options))) {}

void transcript::add(chat_request const& request,
                     result<chat_reply> const& outcome,
                     moment const& began,
                     std::size_t batch) {
    file_->add(request, outcome, began, batch);
}

std::optional<error> transcript::defect() const { return file_->defect(); }

} // namespace lkt::detail
