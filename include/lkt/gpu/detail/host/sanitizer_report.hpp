// SPDX-License-Identifier: BSL-1.0
// What AddressSanitizer and UBSan print, as typed failures.
#pragma once

#include <lkt/core/plain_text.hpp>
#include <lkt/gpu/detail/host/module.hpp>
#include <lkt/kernel/failure.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::host_detail {

/// One report of a sanitizer.
struct sanitizer_report {
    std::string kind;       ///< `heap-buffer-overflow`, `SEGV`, or UBSan's sentence
    bool undefined = false; ///< from UBSan
    bool has_address = false;
    std::uint64_t address = 0;
    std::string access;              ///< `write of 4 bytes`, `read of 16 bytes`, or empty
    std::string object;              ///< `after static shared array 'tile' (line 5)`, or empty
    std::vector<std::uint64_t> code; ///< of AddressSanitizer's: frames, as offsets in the module
    text_location where;             ///< in the kernel's text; of UBSan's
};

class sanitizer_reader {
public:
    explicit sanitizer_reader(std::string_view text) : text_(text) {}

    [[nodiscard]] std::optional<sanitizer_report> read() {
        if (auto const at = text_.find("runtime error: "); at != text_.npos) return undefined(at);
        auto const at = text_.find("ERROR: AddressSanitizer: ");
        if (at == text_.npos) return {};
        auto const line = line_at(at);
        report_.kind = word(line.substr(line.find("Sanitizer: ") + 11));
        for (auto const* const before : {" on address 0x", " on unknown address 0x"})
            if (auto const k = line.find(before); k != line.npos) {
                auto const digits = line.substr(k + std::string_view{before}.size());
                report_.has_address = true;
                std::from_chars(digits.data(), digits.data() + digits.size(), report_.address, 16);
            }
        access();
        object();
        frames();
        return report_;
    }

private:
    [[nodiscard]] std::string_view line_at(std::size_t at) const {
        auto const begin = text_.rfind('\n', at) == text_.npos ? 0 : text_.rfind('\n', at) + 1;
        return text_.substr(begin, std::min(text_.find('\n', at), text_.size()) - begin);
    }
    static std::string word(std::string_view text) {
        return plain_line(text.substr(0, text.find_first_of(" \n:(")), 80);
    }
    static int number(std::string_view text) {
        int value = 0;
        std::from_chars(text.data(), text.data() + text.size(), value);
        return value;
    }
    /// `kernel:12:5` at the beginning of `text`.
    static text_location place(std::string_view text) {
        constexpr std::string_view name = "kernel:";
        text_location where;
        if (!text.starts_with(name)) return where;
        text.remove_prefix(name.size());
        where.line = number(text);
        auto const colon = text.find_first_not_of("0123456789");
        if (colon != text.npos && text[colon] == ':') where.column = number(text.substr(colon + 1));
        return where;
    }

    std::optional<sanitizer_report> undefined(std::size_t at) {
        auto const line = line_at(at);
        report_.undefined = true;
        report_.kind = plain_line(
            without_address(std::string{line.substr(line.find("runtime error: ") + 15)}), 300);
        report_.where = place(line);
        return report_;
    }

    /// `load of misaligned address 0x7f... for type 'float4'`: the same fault reads the same in
    /// each process.
    static std::string without_address(std::string text) {
        constexpr std::string_view before = " address 0x";
        if (auto const at = text.find(before); at != text.npos) {
            auto const from = at + before.size() - 3; // " 0x"
            auto const end = text.find_first_not_of("0123456789abcdef", at + before.size());
            text.erase(from, std::min(end, text.size()) - from);
        }
        return text;
    }

    void access() {
        for (auto const* const kind : {"WRITE of size ", "READ of size "}) {
            auto const at = text_.find(kind);
            if (at == text_.npos) continue;
            auto const size = number(text_.substr(at + std::string_view{kind}.size()));
            report_.access = std::string{kind[0] == 'W' ? "write" : "read"} + " of " +
                             std::to_string(size) + (size == 1 ? " byte" : " bytes");
            return;
        }
        if (text_.find("caused by a WRITE") != text_.npos) report_.access = "write";
        if (text_.find("caused by a READ") != text_.npos) report_.access = "read";
    }

    /// `is located 4 bytes to the right of global variable 'tile' defined in 'kernel:5:26'` (GCC
    /// 12, Clang 16), `is located 4 bytes after global variable` (later ones), for each neighbour;
    /// a local variable is `[32, 96) 'acc' (line 7)` followed by `<== Memory access at offset ...`.
    void object() {
        int nearest = -1;
        constexpr std::string_view located = " is located ";
        for (auto at = text_.find(located); at != text_.npos; at = text_.find(located, at + 1)) {
            auto const line = line_at(at);
            auto const distance = number(line.substr(line.find(located) + located.size()));
            auto name = between(line, "variable '", "'");
            name.erase(0, name.rfind(':') + 1);
            bool const shared = name.starts_with(shared_prefix);
            if (shared) name.erase(0, shared_prefix.size());
            if (name.empty() || name.starts_with("lkt_") || (nearest >= 0 && distance >= nearest))
                continue;
            nearest = distance;
            bool const before =
                line.find("to the left") != line.npos || line.find(" before ") != line.npos;
            auto const line_of = place(between(line, "defined in '", "'")).line;
            report_.object =
                line.find(" inside ") != line.npos
                    ? "inside "
                    : std::to_string(distance) + (before ? " bytes before " : " bytes after ");
            // The margins of shared memory are a part of what the sanitizer knows.
            auto const size = number(between(line, "of size ", ")"));
            constexpr int gap = shared_margin;
            if (line.find(" inside ") != line.npos && shared && size > 2 * gap) {
                report_.object = distance < gap
                                     ? std::to_string(gap - distance) + " bytes before "
                                     : std::to_string(distance + gap - size) + " bytes after ";
            }
            report_.object +=
                "array '" + name + "'" + (line_of > 0 ? " of line " + std::to_string(line_of) : "");
        }
        if (auto const at = text_.find("<== Memory access at offset"); at != text_.npos) {
            auto const line = line_at(at);
            bool const before = line.find("underflow") != line.npos;
            report_.object = std::string{before ? "before" : "after"} + " local variable '" +
                             between(line, "'", "'") + "'";
        }
    }
    static std::string between(std::string_view line, std::string_view from, std::string_view to) {
        auto const begin = line.find(from);
        if (begin == line.npos) return {};
        line.remove_prefix(begin + from.size());
        return plain_line(line.substr(0, line.find(to)), 200);
    }

    /// The first stack's frames in the module: `#1 0x7f.. (/proc/self/fd/6+0x17fa)`.
    void frames() {
        constexpr std::string_view module = "(/proc/self/fd/";
        auto const end = std::min(text_.find("\n\n", text_.find("#0 ")), text_.size());
        for (auto at = text_.find(module); at < end; at = text_.find(module, at + 1)) {
            auto const line = line_at(at);
            auto const digits = line.substr(std::min(line.rfind("+0x"), line.size() - 3) + 3);
            std::uint64_t code = 0;
            std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
            // Of a caller it is the instruction after the call.
            if (line.find("#0 ") == line.npos && code > 0) --code;
            if (code != 0) report_.code.push_back(code);
        }
    }

    std::string_view text_;
    sanitizer_report report_;
};

} // namespace lkt::host_detail
