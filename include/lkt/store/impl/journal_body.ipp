// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/store/bytes.hpp>
#include <lkt/store/detail/delta.hpp>
#include <lkt/store/detail/journal_body.hpp>
#include <lkt/version.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace lkt::detail {

error journal_body::malformed(std::uint64_t at) const {
    return {condition::rejected,
            "lkt.journal.format",
            "the record at byte " + std::to_string(at) + " of " + sink.name() +
                " is unknown to this version of lkt",
            "start a new journal"};
}

result<void> journal_body::take_header(record const& r) {
    byte_reader in(r.payload);
    auto const format = in.number<std::uint32_t>();
    auto const written_by = in.text();
    if (!in.complete() || r.kind != record_kind::header) return malformed(r.at);
    if (format != journal_format)
        return error{condition::rejected,
                     "lkt.journal.format",
                     sink.name() + " has format " + std::to_string(format) + "; this is format " +
                         std::to_string(journal_format),
                     "resume it with lkt " + std::string(written_by) + ", which wrote it"};
    if (written_by != version)
        return error{condition::rejected,
                     "lkt.journal.version",
                     sink.name() + " was written by lkt " + std::string(written_by) +
                         "; this is lkt " + std::string(version),
                     "resume it with that version, or start a new journal"};
    return {};
}

result<void> journal_body::take(record const& r) {
    byte_reader in(r.payload);
    switch (r.kind) {
    case record_kind::header:
        return malformed(r.at);
    case record_kind::identity: {
        journal_identity found;
        found.graph = in.text();
        found.layout = in.number<std::uint64_t>();
        if (!in.complete()) return malformed(r.at);
        whose = std::move(found);
        return {};
    }
    case record_kind::snapshot: {
        std::vector<std::string> all;
        bool const after_transition = in.number<bool>();
        while (in.left() > 0) all.emplace_back(in.text());
        if (!in.good()) return malformed(r.at);
        parts = std::move(all);
        open_deltas_.clear();
        since_snapshot = 0;
        deltas_ = 0;
        ++saves;
        if (after_transition) forget_parts();
        return {};
    }
    case record_kind::delta: {
        bool const after_transition = in.number<bool>();
        if (parts.empty() || !in.good()) return malformed(r.at);
        since_snapshot += r.payload.size();
        ++deltas_;
        ++saves;
        if (after_transition) forget_parts();
        open_deltas_.push_back({r.kind, r.payload.substr(1), r.at});
        return {};
    }
    case record_kind::reply: {
        std::string request(in.text());
        std::string reply(in.text());
        if (!in.complete()) return malformed(r.at);
        pending.emplace_back(std::move(request), std::move(reply));
        ++replies;
        return {};
    }
    case record_kind::forget:
        pending.clear();
        return {};
    case record_kind::fact: {
        std::string name(in.text());
        std::string value(in.text());
        if (!in.complete()) return malformed(r.at);
        facts.insert_or_assign(std::move(name), std::move(value));
        return {};
    }
    case record_kind::result:
        results.emplace_back(r.payload);
        return {};
    }
    return malformed(r.at);
}

result<void> journal_body::open() {
    auto const file = sink.read();
    if (!file) return file.error();
    std::string_view const magic = journal_magic;
    std::size_t begun = 0;
    while (begun < std::min(magic.size(), file->size()) && (*file)[begun] == magic[begun]) ++begun;
    if (begun < magic.size() && file->find_first_not_of('\0', begun) != file->npos)
        return error{condition::rejected,
                     "lkt.journal.format",
                     sink.name() + " is not a journal of lkt",
                     "choose another path for the journal"};
    record_reader reader(*file);
    std::uint64_t torn = file->size();
    if (begun == magic.size()) {
        reader.skip(magic.size());
        for (bool first = true;; first = false) {
            auto const next = reader.next();
            if (!next) {
                error e = next.error();
                e.message = sink.name() + ": " + e.message;
                return e;
            }
            if (!*next) {
                // Without its header the file is as good as empty.
                if (!first) {
                    size = reader.at();
                    torn = reader.torn();
                }
                break;
            }
            auto const taken = first ? take_header(**next) : take(**next);
            if (!taken) return taken.error();
        }
    }
    for (record const& delta : std::exchange(open_deltas_, {}))
        if (!apply_delta(delta.payload, parts)) return malformed(delta.at);
    found_run = !parts.empty();
    if (torn == 0) return {};
    notes.push_back(sink.name() + ": the last record is incomplete and is left out (" +
                    std::to_string(torn) + " bytes)");
    return sink.cut(size);
}

result<void> journal_body::add(record_kind kind, std::string_view payload) {
    if (defect) return *defect;
    std::string bytes;
    if (size == 0) {
        std::string header;
        byte_writer w(header);
        w.number(journal_format);
        w.text(version);
        bytes.append(journal_magic);
        bytes += framed(record_kind::header, header, bytes.size());
    }
    if (payload.size() > std::numeric_limits<std::uint32_t>::max()) {
        defect = error{condition::unavailable,
                       "lkt.journal.write",
                       "a record of " + std::to_string(payload.size()) + " bytes is too long for " +
                           sink.name(),
                       "leave data of this size out of the state's fields"};
        return *defect;
    }
    bytes += framed(kind, payload, size + bytes.size());
    auto const added = sink.append(bytes);
    if (!added) {
        defect = added.error();
        defect->kind = condition::unavailable; // whatever the sink says: the run cannot go on
        return *defect;
    }
    size += bytes.size();
    return {};
}

/// Whoever resumes reads from the last snapshot on: changes must not outgrow it by much, nor be
/// many.
bool journal_body::wants_snapshot(std::size_t changes) const {
    std::size_t whole = 0;
    for (std::string const& part : parts) whole += part.size();
    return since_snapshot + changes > 2 * whole + 4096 || deltas_ >= 1024;
}

result<void> journal_body::save(std::vector<std::string>& next, bool after_transition) {
    delta_.clear();
    byte_writer w(delta_);
    w.number(after_transition);
    bool snapshot = parts.size() != next.size();
    if (!snapshot) {
        bool const used = after_transition && (replies_since_save || !pending.empty());
        if (!append_delta(delta_, parts, next) && !used) return {};
        snapshot = wants_snapshot(delta_.size());
    }
    if (snapshot) {
        delta_.resize(1);
        for (std::string const& part : next) w.text(part);
    }
    if (auto ok = add(snapshot ? record_kind::snapshot : record_kind::delta, delta_); !ok)
        return ok;
    since_snapshot = snapshot ? 0 : since_snapshot + delta_.size();
    deltas_ = snapshot ? 0 : deltas_ + 1;
    parts.swap(next);
    ++saves;
    if (!after_transition) return {};
    forget_parts();
    replies_since_save = false;
    return {};
}

} // namespace lkt::detail
