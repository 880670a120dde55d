// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/store/detail/delta.hpp>
#include <lkt/store/detail/record.hpp>

#include <algorithm>
#include <cstring>

namespace lkt::detail {

inline constexpr std::size_t record_head = 9; // length, kind, check
inline constexpr std::size_t record_tail = 4;

/// The check of a record's head. It knows the place, so a record is good in its own place alone.
std::uint32_t check_of_head(std::string_view length_and_kind, std::uint64_t at) {
    std::string place;
    byte_writer(place).number(at);
    return crc32c(place, crc32c(length_and_kind));
}

std::string framed(record_kind kind, std::string_view payload, std::uint64_t at) {
    std::string bytes;
    bytes.reserve(record_head + payload.size() + record_tail);
    byte_writer w(bytes);
    w.number(static_cast<std::uint32_t>(payload.size()));
    w.number(static_cast<unsigned char>(kind));
    std::uint32_t const check = check_of_head(bytes, at);
    w.number(check);
    w.raw(payload);
    w.number(crc32c(payload, check));
    return bytes;
}

error record_reader::damaged(char const* what) const {
    auto const place = std::to_string(at_);
    return {condition::rejected,
            "lkt.journal.damaged",
            "the record at byte " + place + " " + what + ", but further records follow it",
            "restore a copy of the file, or cut this one to its first " + place +
                " bytes (truncate -s " + place + ") to continue from the records before"};
}

bool only_zeros(std::string_view bytes) { return bytes.find_first_not_of('\0') == bytes.npos; }

std::optional<record> record_reader::end_here() {
    torn_ = file_.size() - at_;
    return std::nullopt;
}

result<std::optional<record>> record_reader::next() {
    auto const left = file_.substr(static_cast<std::size_t>(at_));
    if (left.size() < record_head) return end_here();
    byte_reader r(left);
    std::uint64_t const length = r.number<std::uint32_t>();
    auto const kind = r.number<unsigned char>();
    auto const check = r.number<std::uint32_t>();
    if (check != check_of_head(left.substr(0, 5), at_) || kind > last_record_kind) {
        // A file may have been made longer before its last bytes came.
        if (only_zeros(left.substr(record_head))) return end_here();
        return damaged("has no head");
    }
    if (left.size() < record_head + length + record_tail) return end_here();
    auto const payload = r.take(length);
    if (r.number<std::uint32_t>() != crc32c(payload, check)) {
        if (only_zeros(left.substr(left.size() - r.left()))) return end_here();
        return damaged("has a checksum that does not match its bytes");
    }
    record const found{static_cast<record_kind>(kind), payload, at_};
    at_ += record_head + length + record_tail;
    return std::optional(found);
}

// ----------------------------------------------------------------------------------------- deltas

/// Comparing blocks is what the C library does fastest.
std::size_t common_beginning(std::string_view a, std::string_view b) {
    constexpr std::size_t block = 1024;
    std::size_t const most = std::min(a.size(), b.size());
    std::size_t at = 0;
    while (most - at >= block && std::memcmp(a.data() + at, b.data() + at, block) == 0) at += block;
    while (at < most && a[at] == b[at]) ++at;
    return at;
}
std::size_t common_end(std::string_view a, std::string_view b) {
    constexpr std::size_t block = 1024;
    std::size_t const most = std::min(a.size(), b.size());
    char const* const ends[] = {a.data() + a.size(), b.data() + b.size()};
    std::size_t n = 0;
    while (most - n >= block && std::memcmp(ends[0] - n - block, ends[1] - n - block, block) == 0)
        n += block;
    while (n < most && *(ends[0] - n - 1) == *(ends[1] - n - 1)) ++n;
    return n;
}

bool append_delta(std::string& out,
                  std::vector<std::string> const& before,
                  std::vector<std::string> const& after) {
    byte_writer w(out);
    bool changed = false;
    for (std::size_t i = 0; i < after.size(); ++i) {
        std::string_view const a = before[i], b = after[i];
        if (a == b) continue;
        changed = true;
        std::size_t const begin = common_beginning(a, b);
        std::size_t const end = common_end(a.substr(begin), b.substr(begin));
        w.count(i);
        w.count(begin);
        w.count(a.size() - begin - end);
        w.text(b.substr(begin, b.size() - begin - end));
    }
    return changed;
}

bool apply_delta(std::string_view delta, std::vector<std::string>& parts) {
    byte_reader r(delta);
    while (r.left() > 0) {
        auto const i = r.count(), begin = r.count(), gone = r.count();
        auto const text = r.text();
        if (!r.good() || i >= parts.size()) return false;
        std::string& part = parts[static_cast<std::size_t>(i)];
        if (begin > part.size() || gone > part.size() - begin) return false;
        part.replace(static_cast<std::size_t>(begin), static_cast<std::size_t>(gone), text);
    }
    return r.good();
}

} // namespace lkt::detail
