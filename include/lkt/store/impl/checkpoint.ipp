// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/store/checkpoint.hpp>

namespace lkt {

namespace detail {

error not_resumed(std::string const& journal) {
    return {condition::rejected,
            "lkt.journal.not-resumed",
            journal + " already holds a run",
            "resume it (lkt::resume) first, or start a new journal"};
}

error undecodable(std::string const& journal, std::string_view part, error why) {
    return {condition::rejected,
            "lkt.journal.value",
            "the " + std::string(part) + " in " + journal + " cannot be read" +
                (why.message.empty() ? "" : ": " + why.message),
            "start a new journal"};
}

std::string& part_writer::next_part() {
    if (next_ == parts_.size()) parts_.emplace_back();
    std::string& part = parts_[next_++];
    part.clear(); // keeps its memory
    return part;
}

std::string_view part_reader::next_part() {
    auto const& parts = from_.saved();
    return next_ < parts.size() ? std::string_view(parts[next_++]) : std::string_view();
}

void part_reader::note(std::string_view name, result<void> const& read) {
    if (!read) all_ = undecodable(from_.name(), name, read.error());
}

} // namespace detail

result<void> checkpoint::finish(error const* why) {
    running_ = false;
    if (why != nullptr && why->kind == condition::rejected && begun_)
        if (auto ok = journal_.forget_replies(); !ok) return ok;
    return journal_.sync();
}

} // namespace lkt
