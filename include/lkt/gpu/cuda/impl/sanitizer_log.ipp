// SPDX-License-Identifier: BSL-1.0
// What compute-sanitizer writes, read.
#pragma once

#include <lkt/core/string_tools.hpp>
#include <lkt/gpu/cuda/sanitizer.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <utility>

namespace lkt::cuda_detail {

namespace sanitizer_parts {

using kind_of_finding = sanitizer_finding::kind_of_finding;

/// The first line of a record and the indented ones that belong to it, without `=========`.
struct record {
    std::string_view head;
    std::vector<std::string_view> details;
};

/// Whether a line that is not indented belongs to the one before it all the same.
bool continues(std::string_view line) {
    for (std::string_view const stem : {"at ", "by thread ", "and ", "Address ", "Access at "})
        if (line.starts_with(stem)) return true;
    return false;
}

std::vector<record> records_in(std::string_view text) {
    constexpr std::string_view stem = "=========";
    std::vector<record> all;
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!line.starts_with(stem)) continue; // the program's own
        line.remove_prefix(stem.size());
        bool const detail = line.starts_with("  ") || line.starts_with(" \t");
        line = trimmed(line);
        if (line.empty()) continue;
        if (!detail && !continues(line))
            all.push_back({line, {}});
        else if (!all.empty())
            all.back().details.push_back(line);
    }
    return all;
}

/// What follows the first `words` in a text; nothing where they are not in it.
std::optional<std::string_view> after(std::string_view text, std::string_view words) {
    auto const at = text.find(words);
    if (at == text.npos) return std::nullopt;
    return text.substr(at + words.size());
}

std::uint64_t leading_number(std::string_view text) {
    std::uint64_t n = 0;
    (void)std::from_chars(text.data(), text.data() + text.size(), n);
    return n;
}

/// Where an access was made.
struct place {
    std::string function;
    text_location where;
    std::string file; ///< where it is not the kernel's text
};

/// `12` of `kernel:12` and `/a/kernel:12:rest`; what is before it, and after.
struct file_and_line {
    std::string_view file, rest;
    int line = 0;
};
std::optional<file_and_line> split(std::string_view text) {
    for (auto at = text.find(':'); at != text.npos; at = text.find(':', at + 1)) {
        int line = 0;
        auto const* const begin = text.data() + at + 1;
        auto const* const end = text.data() + text.size();
        auto const read = std::from_chars(begin, end, line);
        if (read.ec != std::errc{} || (read.ptr != end && *read.ptr != ':')) continue;
        auto const used = static_cast<std::size_t>(read.ptr - text.data());
        return file_and_line{
            text.substr(0, at), text.substr(std::min(used + 1, text.size())), line};
    }
    return std::nullopt;
}

/// `f(int *)+0x70 in kernel:12`, before version 12 `0x70 in kernel:12:f(int*)` or `0x70 in
/// f(int*)`.
place place_of(std::string_view text) {
    place found;
    auto const in = text.rfind(" in ");
    auto const left = text.substr(0, std::min(in, text.size()));
    auto const right = in == text.npos ? std::string_view{} : text.substr(in + 4);
    auto const source = split(right);
    if (left.starts_with("0x"))
        found.function = source ? source->rest : right;
    else
        found.function = left.substr(0, left.rfind("+0x"));
    if (source) {
        auto const file = source->file.substr(source->file.rfind('/') + 1);
        if (file == "kernel")
            found.where.line = source->line;
        else
            found.file = std::string(file) + ":" + std::to_string(source->line);
    }
    if (auto const call = found.function.find('('); call != std::string::npos && call > 0)
        found.function.erase(call);
    return found;
}

std::string in_words(place const& p) {
    std::string text;
    if (p.where.line > 0) text += "line " + std::to_string(p.where.line);
    if (!p.file.empty()) text += p.file;
    if (!p.function.empty()) text += (text.empty() ? "" : " of ") + ("'" + p.function + "'");
    return text.empty() ? "an unknown place" : text;
}

/// `__global__ write of size 4 bytes` as `write of 4 bytes to global memory`.
std::string access_in_words(std::string_view text) {
    std::string space;
    if (text.starts_with("__")) {
        auto const end = text.find("__", 2);
        if (end != text.npos) {
            space = std::string(text.substr(2, end - 2)) + " memory";
            text = trimmed(text.substr(end + 2));
        }
    }
    if (text.starts_with("memory ")) text.remove_prefix(7);
    auto const of = text.find(" of size ");
    std::string const what{text.substr(0, of)};
    std::string said = what;
    if (of != text.npos) {
        auto const n = leading_number(text.substr(of + 9));
        said += " of " + std::to_string(n) + (n == 1 ? " byte" : " bytes");
    }
    if (!space.empty()) said += (what == "read" ? " from " : " to ") + space;
    return said;
}

/// What is common to the tools that name a thread.
struct error_context {
    std::optional<place> at;
    std::string by, near;
    bool misaligned = false;
};
error_context error_context_of(record const& r) {
    error_context c;
    for (auto const line : r.details) {
        if (line.starts_with("Saved host backtrace")) break;
        if (!c.at && line.starts_with("at ")) c.at = place_of(line.substr(3));
        if (c.by.empty() && line.starts_with("by thread ")) {
            std::string by{line.substr(3)};
            if (auto const in = by.find(" in block"); in != by.npos) by.replace(in, 3, " of");
            c.by = std::move(by);
        }
        if (line.find("is misaligned") != line.npos) c.misaligned = true;
        // `and is 4 bytes after the nearest allocation at 0x7f... of size 324 bytes`
        if (line.starts_with("and is ")) {
            std::string near{line.substr(7)};
            auto const at = near.find(" at 0x");
            auto const of = near.find(" of size ");
            if (at != near.npos && of != near.npos && at < of) near.erase(at, of - at);
            c.near = std::move(near);
        }
    }
    return c;
}

std::optional<sanitizer_finding> finding_of(record const& r) {
    auto const race = after(r.head, "Race reported between ");
    bool const meant = r.head.starts_with("W") || r.head.starts_with("I"); // Warning, WARN, Info
    if (race && meant) return std::nullopt;
    if (race) {
        sanitizer_finding f{kind_of_finding::race, {}, {}};
        auto const side = [](std::string_view text) {
            auto const at = text.find(" access at ");
            if (at == text.npos) return std::string(text);
            auto where = text.substr(at + 11);
            if (auto const bracket = where.rfind(" ["); bracket != where.npos)
                where = where.substr(0, bracket);
            return (text.starts_with("Write") ? "a write at " : "a read at ") +
                   in_words(place_of(where));
        };
        f.what = side(*race);
        if (auto const at = after(*race, " access at ")) f.where = place_of(*at).where;
        for (auto const line : r.details)
            if (line.starts_with("and ")) f.what += " and " + side(line.substr(4));
        f.what += " are not ordered (shared memory, racecheck)";
        return f;
    }
    auto const c = error_context_of(r);
    auto const told = [&](std::string what, char const* tool) {
        if (c.at) what += ", at " + in_words(*c.at);
        if (!c.by.empty()) what += ", by " + c.by;
        return what + " (" + tool + ")";
    };
    auto const where = c.at ? c.at->where : text_location{};
    if (auto const access = after(r.head, "Uninitialized "); access && c.at)
        return sanitizer_finding{
            kind_of_finding::uninitialised,
            told(access_in_words(*access) + " that was never written", "initcheck"),
            where};
    if (auto const barrier = after(r.head, "Barrier error detected."))
        return sanitizer_finding{
            kind_of_finding::barrier,
            told("threads do not meet at a barrier: " + std::string(trimmed(*barrier)),
                 "synccheck"),
            where};
    if (!c.at && c.by.empty()) return std::nullopt; // about the host's calls
    if (auto const access = after(r.head, "Invalid ")) {
        if (c.misaligned)
            return sanitizer_finding{kind_of_finding::fault,
                                     told("misaligned " + access_in_words(*access), "memcheck"),
                                     where};
        bool const reads = access->find("read of") != access->npos;
        return sanitizer_finding{
            reads ? kind_of_finding::read_outside : kind_of_finding::write_outside,
            told(access_in_words(*access) + (c.near.empty() ? "" : ", " + c.near), "memcheck"),
            where};
    }
    bool const wild = r.head.find("Out-of-range") != r.head.npos;
    return sanitizer_finding{wild ? kind_of_finding::write_outside : kind_of_finding::fault,
                             told(std::string(r.head), "memcheck"),
                             where};
}

bool complains(record const& r) {
    for (std::string_view const words : {"Error:",
                                         "Internal ",
                                         "Unable to",
                                         "not supported",
                                         "Device not",
                                         "Insufficient",
                                         "Failed",
                                         "failed",
                                         "Target application",
                                         "No attachable",
                                         "incompatible",
                                         "Program hit"})
        if (r.head.find(words) != r.head.npos) return true;
    return false;
}

} // namespace sanitizer_parts

sanitizer_log read_sanitizer_log(std::string_view text) {
    using namespace sanitizer_parts;
    sanitizer_log log;
    for (record const& r : records_in(text)) {
        // `ERROR SUMMARY: 3 errors`, `RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)`
        auto summary = after(r.head, "ERROR SUMMARY: ");
        if (auto const hazards = after(r.head, "RACECHECK SUMMARY: ")) {
            auto const bracket = after(*hazards, "(");
            summary = bracket ? bracket : hazards;
        }
        if (summary) {
            log.complete = true;
            log.errors = leading_number(*summary);
        } else if (auto found = finding_of(r)) {
            log.findings.push_back(std::move(*found));
        } else if (complains(r)) {
            log.complaints.emplace_back(r.head);
        }
    }
    return log;
}

std::optional<failure> verdict_of(sanitizer_log const& log) {
    using sanitizer_parts::kind_of_finding;
    if (log.findings.empty()) return std::nullopt;
    auto const& f = log.findings.front();
    switch (f.kind) {
    case kind_of_finding::read_outside:
        return failure(out_of_bounds{f.what, f.where, verdict::oob_read});
    case kind_of_finding::write_outside:
        return failure(out_of_bounds{f.what, f.where});
    case kind_of_finding::uninitialised:
        return failure(out_of_bounds{f.what, f.where, verdict::wrong_output});
    case kind_of_finding::race:
    case kind_of_finding::barrier:
        return failure(race{f.what});
    case kind_of_finding::fault:
        break;
    }
    return failure(crashed{f.what, f.where});
}

} // namespace lkt::cuda_detail
