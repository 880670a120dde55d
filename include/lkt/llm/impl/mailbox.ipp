// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/mailbox.hpp>

#include <lkt/core/files.hpp>
#include <lkt/core/plain_text.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/llm/request_key.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

namespace lkt {

namespace mailbox_parts {

/// Every turn under a line that no model writes by chance, and the form of the answer.
std::string as_text(chat_request const& request) {
    std::string text;
    for (message const& m : request.messages)
        text += "<<<<<<<< " + std::string(to_string(m.role)) + "\n" + m.text + "\n\n";
    if (request.format) {
        text += "<<<<<<<< form of the answer\nOne JSON object, and nothing else";
        text += request.format->schema.empty()
                    ? ".\n"
                    : ". It follows this JSON Schema:\n" + request.format->schema + "\n";
    }
    return text;
}

/// The reply at `path`, or nothing while there is none.
result<std::optional<std::string>> reply_at(std::string const& path) {
    auto text = read_text_file(path);
    if (!text && text.error().code == "lkt.file.missing") return std::optional<std::string>();
    if (!text) return text.error();
    if (text->find_first_not_of(" \t\r\n") == std::string::npos)
        return std::optional<std::string>();
    return std::optional<std::string>(std::move(*text));
}

/// False when the token was triggered.
bool pause(seconds time, std::stop_token stop) {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    changed.wait_for(lock, stop, time, [] { return false; });
    return !stop.stop_requested();
}

} // namespace mailbox_parts

mailbox_model::mailbox_model(std::string folder, mailbox_options options)
    : folder_(std::move(folder)), options_(std::move(options)) {}

std::string mailbox_model::description() const { return "replies from " + folder_; }

result<chat_reply> mailbox_model::complete(chat_request const& request,
                                           call_context const& context) {
    using namespace mailbox_parts;
    namespace fs = std::filesystem;
    std::error_code failed;
    fs::create_directories(folder_, failed);
    if (!fs::is_directory(folder_, failed))
        return error{condition::unavailable,
                     "lkt.mailbox.folder",
                     "the mailbox " + folder_ + " is not a folder and cannot be created",
                     "name a writable folder"};
    std::string const key =
        options_.by_order ? std::string() : request_key(without_measured(request));
    int const turn = answered_[key] + 1;
    std::string const name = options_.by_order ? std::to_string(turn)
                             : turn == 1       ? key
                                               : key + "-" + std::to_string(turn);
    std::string const question = (fs::path(folder_) / (name + ".request.md")).string();
    std::string const answer = (fs::path(folder_) / (name + ".reply.md")).string();

    auto const begin = std::chrono::steady_clock::now();
    bool written = false;
    for (std::optional<std::string> before;;) {
        auto found = reply_at(answer);
        if (!found) return found.error();
        // Whoever waits may look while the reply is being written: it counts when it stays the
        // same.
        if (*found && (options_.suspend || *found == before)) {
            chat_request held;
            held.messages = {{role::assistant, **found}};
            if (canonical(held) != held)
                return error{condition::rejected,
                             "lkt.mailbox.text",
                             "the reply in " + answer + " is not UTF-8",
                             "save it as UTF-8 text"};
            answered_[key] = turn;
            chat_reply reply;
            reply.text = std::move(**found);
            reply.model = options_.model;
            if (context.on_text) context.on_text(reply.text);
            return reply;
        }
        before = std::move(*found);
        if (!std::exchange(written, true)) {
            if (auto wrong = write_text_file(question, plain_text(as_text(request)))) return *wrong;
            if (options_.on_question) options_.on_question(question, answer);
        }
        if (options_.suspend)
            return error{condition::suspended,
                         "lkt.mailbox.waiting",
                         "the mailbox waits for a reply",
                         "answer " + shell_word(question) + " in " + shell_word(answer) +
                             ", and run again"};
        seconds const waited = std::chrono::steady_clock::now() - begin;
        if (options_.patience.count() > 0 && waited > options_.patience)
            return error{condition::transient,
                         "lkt.mailbox.patience",
                         "there was no reply within " + to_string(options_.patience),
                         "answer " + shell_word(question) + " in " + shell_word(answer)};
        if (!pause(std::max(options_.poll, seconds{0.001}), context.stop))
            return cancelled("waiting for a reply in " + folder_);
    }
}

} // namespace lkt
