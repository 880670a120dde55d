// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/store/bytes.hpp>
#include <lkt/store/detail/journal_body.hpp>
#include <lkt/store/journal.hpp>

#include <algorithm>
#include <utility>

namespace lkt {

result<journal> journal::over(detail::sink_ref sink) {
    auto body = std::make_shared<detail::journal_body>(sink);
    if (auto ok = body->open(); !ok) return ok.error();
    return journal(std::move(body));
}

bool journal::empty() const {
    std::scoped_lock const lock(body_->mutex);
    return body_->size == 0;
}

std::string journal::name() const { return body_->sink.name(); }

std::vector<std::string> const& journal::notes() const { return body_->notes; }

std::optional<journal_identity> journal::identity() const {
    std::scoped_lock const lock(body_->mutex);
    return body_->whose;
}

result<void> journal::begin(journal_identity const& identity) {
    std::scoped_lock const lock(body_->mutex);
    if (!body_->whose) {
        std::string payload;
        byte_writer w(payload);
        w.text(identity.graph);
        w.number(identity.layout);
        if (auto ok = body_->add(detail::record_kind::identity, payload); !ok) return ok;
        body_->whose = identity;
        return {};
    }
    if (*body_->whose == identity) return {};
    bool const renamed = body_->whose->graph != identity.graph;
    return error{condition::rejected,
                 "lkt.journal.other",
                 name() + " is of " +
                     (renamed
                          ? "the graph " + body_->whose->graph + ", not of " + identity.graph
                          : "another version of the graph " + identity.graph + ", or of its state"),
                 "resume it with the program that started it, or start a new journal"};
}

bool journal::may_go_on() const {
    std::scoped_lock const lock(body_->mutex);
    return !body_->found_run;
}

void journal::resumed() {
    std::scoped_lock const lock(body_->mutex);
    body_->found_run = false;
}

result<void> journal::save(std::vector<std::string>& parts, bool after_transition) {
    std::scoped_lock const lock(body_->mutex);
    return body_->save(parts, after_transition);
}

std::vector<std::string> const& journal::saved() const { return body_->parts; }

std::uint64_t journal::saves() const {
    std::scoped_lock const lock(body_->mutex);
    return body_->saves;
}

result<void> journal::add_reply(std::string_view request, std::string_view reply) {
    std::string payload;
    byte_writer w(payload);
    w.text(request);
    w.text(reply);
    std::scoped_lock const lock(body_->mutex);
    if (auto ok = body_->add(detail::record_kind::reply, payload); !ok) return ok;
    ++body_->replies;
    body_->replies_since_save = true;
    return {};
}

std::optional<std::string> journal::take_reply(std::string_view request) {
    std::scoped_lock const lock(body_->mutex);
    auto& pending = body_->pending;
    auto const found = std::find_if(
        pending.begin(), pending.end(), [&](auto const& one) { return one.first == request; });
    if (found == pending.end()) return std::nullopt;
    std::string reply = std::move(found->second);
    pending.erase(found);
    body_->replies_since_save = true; // they are in the file all the same
    return reply;
}

result<void> journal::forget_replies() {
    std::scoped_lock const lock(body_->mutex);
    if (!body_->replies_since_save && body_->pending.empty()) return {};
    if (auto ok = body_->add(detail::record_kind::forget, {}); !ok) return ok;
    body_->pending.clear();
    body_->replies_since_save = false;
    return {};
}

std::uint64_t journal::replies() const {
    std::scoped_lock const lock(body_->mutex);
    return body_->replies;
}

result<void> journal::add_result(std::string_view value) {
    std::scoped_lock const lock(body_->mutex);
    return body_->add(detail::record_kind::result, value);
}

std::vector<std::string> journal::results() const {
    std::scoped_lock const lock(body_->mutex);
    return body_->results;
}

result<void> journal::put_fact(std::string_view name, std::string_view value) {
    std::string payload;
    byte_writer w(payload);
    w.text(name);
    w.text(value);
    std::scoped_lock const lock(body_->mutex);
    if (auto ok = body_->add(detail::record_kind::fact, payload); !ok) return ok;
    body_->facts.insert_or_assign(std::string(name), std::string(value));
    return {};
}

std::optional<std::string> journal::fact(std::string_view name) const {
    std::scoped_lock const lock(body_->mutex);
    auto const found = body_->facts.find(name);
    return found == body_->facts.end() ? std::nullopt : std::optional(found->second);
}

result<void> journal::sync() {
    std::scoped_lock const lock(body_->mutex);
    if (body_->defect) return *body_->defect;
    auto done = body_->sink.sync();
    if (!done) {
        body_->defect = done.error();
        body_->defect->kind = condition::unavailable;
        return *body_->defect;
    }
    return {};
}

} // namespace lkt
