// SPDX-License-Identifier: BSL-1.0
// Reads the template of an asm statement.
#pragma once

#include <lkt/lang/cuda/detail/ptx_form.hpp>
#include <lkt/lang/cuda/detail/ptx_table.hpp>
#include <lkt/lang/cuda/inline_ptx.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

[[nodiscard]] constexpr bool ptx_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

class ptx_reader {
public:
    ptx_reader(asm_statement const& statement, ptx_policy policy)
        : statement_(statement), text_(statement.text), policy_(policy) {}

    [[nodiscard]] std::variant<ptx_code, ptx_refusal> run() {
        if (text_.size() > 20'000) refuse("a template of more than 20,000 characters", too_long);
        for (char const c : text_)
            if (static_cast<unsigned char>(c) > 0x7e || (c < 0x20 && c != '\n' && c != '\t'))
                refuse("an unusual character", "write PTX in plain characters");
        int depth = 0;
        for (blank(); !no_ && at_ < text_.size(); blank()) {
            if (take('{')) {
                ++depth;
            } else if (take('}')) {
                if (--depth < 0) refuse("}", unreadable);
            } else if (!take(';')) {
                statement(depth);
            }
        }
        if (depth != 0) refuse("{", unreadable);
        if (!no_ && policy_ == ptx_policy::none && !code_.instructions.empty())
            refuse(code_.instructions[0].spelt(),
                   "inline PTX is turned off here (`--ptx none`); write it in CUDA C++");
        for (auto const& name : targets_)
            if (!no_ && !labels_.contains(name)) refuse(name, "no label of this template");
        if (no_) return *no_;
        return std::move(code_);
    }

private:
    static constexpr std::string_view unreadable =
        "this is not PTX that can be read: instructions end with a semicolon, registers are "
        "declared with `.reg`, and there are no comments in the string";
    static constexpr std::string_view too_long = "split it into several statements";

    void refuse(std::string_view what, std::string_view why) {
        if (what.empty()) what = "the end of a template";
        if (!no_) no_ = ptx_refusal{std::string(what.substr(0, 60)), std::string(why)};
    }
    void blank() {
        while (at_ < text_.size() &&
               (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
            ++at_;
    }
    [[nodiscard]] bool take(char c) {
        blank();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    [[nodiscard]] std::string word() {
        blank();
        auto const begin = at_;
        while (at_ < text_.size() && ptx_letter(text_[at_])) ++at_;
        return std::string(text_.substr(begin, at_ - begin));
    }
    /// `mma.sync`, `L2::cache_hint`: letters, with `.` and `::` in between.
    [[nodiscard]] std::vector<std::string> dotted() {
        std::vector<std::string> parts;
        do {
            auto part = word();
            while (text_.substr(at_, 2) == "::") {
                at_ += 2;
                part += "::" + word();
            }
            if (part.empty()) refuse(text_.substr(at_), unreadable);
            parts.push_back(std::move(part));
        } while (!no_ && at_ < text_.size() && text_[at_] == '.' && ++at_ > 0);
        return parts;
    }

    void statement(int depth) {
        if (take('.')) return directive(depth);
        std::optional<ptx_operand> guard;
        if (take('@')) {
            guard = ptx_operand{};
            guard->negated = take('!');
            simple(*guard);
        }
        auto const begin = at_;
        auto parts = dotted();
        if (no_) return;
        if (!guard && parts.size() == 1 && text_.substr(at_, 2) != "::" && take(':')) {
            if (policy_ != ptx_policy::listed)
                return refuse(parts[0] + ":", "labels and branches need `--ptx listed`");
            if (depth == 0 || !labels_.insert(parts[0]).second)
                return refuse(parts[0] + ":", "a label is named once, within braces");
            code_.labels.emplace_back(parts[0], code_.instructions.size());
            return;
        }
        ptx_instruction made;
        made.guard = std::move(guard);
        blank();
        if (!take(';')) {
            do made.operands.push_back(operand());
            while (!no_ && take(','));
            if (!no_ && !take(';')) refuse(text_.substr(begin, 60), unreadable);
        }
        if (!no_) look_up(std::move(made), std::move(parts));
    }

    void directive(int depth) {
        auto const what = word();
        if (what != "reg")
            return refuse("." + what,
                          "of directives only `.reg` may stand in a template, within braces");
        if (depth == 0) return refuse(".reg", "declare registers within braces");
        std::string type = take('.') ? word() : std::string();
        if (!any_word("pred b16 b32 b64 u16 u32 u64 s16 s32 s64 f16 f16x2 f32 f64",
                      [&](auto w) { return w == type; }))
            return refuse(".reg", "its type is not one of .pred, .b16 to .b64, .u, .s and .f");
        do {
            auto name = take('%') ? std::string() : word();
            if (name.empty() || (name[0] >= '0' && name[0] <= '9') || find(name) != nullptr)
                return refuse(".reg " + name, "a register has a new name of letters and digits");
            code_.registers.emplace_back(std::move(name), type);
        } while (take(','));
        if (!take(';')) refuse(".reg", unreadable);
    }

    [[nodiscard]] std::string const* find(std::string_view name) const {
        for (auto const& [n, type] : code_.registers)
            if (n == name) return &type;
        return nullptr;
    }

    [[nodiscard]] ptx_operand operand() {
        ptx_operand made;
        if (take('{')) {
            made.kind = ptx_operand::kinds::vector;
            do {
                made.parts.emplace_back();
                simple(made.parts.back());
            } while (!no_ && take(','));
            if (!no_ && !take('}')) refuse("{", unreadable);
            return made;
        }
        if (take('[')) {
            made.kind = ptx_operand::kinds::memory;
            made.parts.emplace_back();
            simple(made.parts.back());
            if (take(',')) {
                made.kind = ptx_operand::kinds::tile;
                blank();
                if (at_ >= text_.size() || text_[at_] != '{') {
                    refuse("[", "coordinates stand in braces: `[%1, {%2, %3}]`");
                    return made;
                }
                made.parts.push_back(operand());
            }
            bool const minus = made.kind == ptx_operand::kinds::memory && take('-');
            if (minus || (made.kind == ptx_operand::kinds::memory && take('+'))) {
                ptx_operand by;
                simple(by);
                auto const number = whole(by);
                if (!number) refuse("[", "an offset is a number that the compiler knows");
                made.offset = number ? minus ? -*number : *number : 0;
                if (by.kind == ptx_operand::kinds::value) made.parts.push_back(by);
                made.negated = minus;
            }
            if (!no_ && !take(']')) refuse("[", unreadable);
            return made;
        }
        made.negated = take('!');
        simple(made);
        if (!no_ && take('|')) {
            ptx_operand both;
            both.kind = ptx_operand::kinds::pair;
            both.parts = {std::move(made), {}};
            simple(both.parts[1]);
            return both;
        }
        return made;
    }

    /// A whole number; 0 for an operand that the compiler knows.
    [[nodiscard]] std::optional<std::int64_t> whole(ptx_operand const& o) const {
        if (o.kind == ptx_operand::kinds::value && statement_.operands[o.index].type() == 'n')
            return 0;
        if (o.kind != ptx_operand::kinds::number || o.text.size() > 9) return {};
        std::int64_t n = 0;
        for (char const c : o.text) {
            if (c < '0' || c > '9') return {};
            n = n * 10 + (c - '0');
        }
        return n;
    }

    /// A register, a number, a special register, a label or `_`.
    void simple(ptx_operand& o) {
        if (no_) return;
        blank();
        if (take('%')) {
            if (at_ < text_.size() && text_[at_] == '%') {
                ++at_;
                auto name = "%" + word();
                if (at_ < text_.size() && text_[at_] == '.') {
                    ++at_;
                    name += "." + word();
                }
                if (std::find(ptx_registers.begin(), ptx_registers.end(), name) ==
                    ptx_registers.end())
                    return refuse(name,
                                  "of special registers only those may be read that say where a "
                                  "thread is in its grid or warp");
                o.kind = ptx_operand::kinds::special;
                o.text = std::move(name);
                return;
            }
            auto const digits = word();
            std::size_t n = 0;
            bool fine = !digits.empty() && digits.size() <= 3;
            for (char const c : digits) {
                fine = fine && c >= '0' && c <= '9';
                n = n * 10 + static_cast<std::size_t>(c - '0');
            }
            if (!fine || n >= statement_.operands.size())
                return refuse("%" + digits, "the statement has no such operand");
            o.kind = ptx_operand::kinds::value;
            o.index = n;
            o.text = "%" + digits;
            return;
        }
        bool const minus = take('-');
        o.text = word();
        if (o.text == "_" && !minus) return;
        if (o.text.empty()) return refuse(text_.substr(at_, 20), unreadable);
        if (o.text[0] >= '0' && o.text[0] <= '9') {
            number(o, minus);
        } else if (minus) {
            refuse("-" + o.text, unreadable);
        } else if (find(o.text) != nullptr) {
            o.kind = ptx_operand::kinds::name;
        } else {
            o.kind = ptx_operand::kinds::label; // only a branch may have one
        }
    }
    /// `12`, `0xff`, `0b11`, `0f3F800000`, `0d3FF0000000000000`, `1.5`, `2.0e3`
    void number(ptx_operand& o, bool minus) {
        o.kind = ptx_operand::kinds::number;
        auto const all = [&](std::string_view of, std::size_t from) {
            return o.text.size() > from && o.text.find_first_not_of(of, from) == o.text.npos;
        };
        constexpr std::string_view ten = "0123456789", hex = "0123456789abcdefABCDEF";
        auto const start = std::string_view(o.text).substr(0, 2);
        bool const bits = start == "0f" || start == "0F" || start == "0d" || start == "0D";
        bool fine = bits ? all(hex, 2) && o.text.size() == (start[1] == 'f' || start[1] == 'F'
                                                                ? std::size_t{10}
                                                                : std::size_t{18})
                    : start == "0x" || start == "0X" ? all(hex, 2) && o.text.size() <= 18
                    : start == "0b"                  ? all("01", 2) && o.text.size() <= 66
                                                     : all(ten, 0) && o.text.size() <= 19;
        // Octal numbers of PTX are not read.
        if (fine && o.text.size() > 1 && o.text[0] == '0' && all(ten, 0)) fine = false;
        if (fine && all(ten, 0) && at_ < text_.size() && text_[at_] == '.') {
            ++at_;
            auto const rest = word();
            fine = !rest.empty() && rest.size() < 20 && rest.find_first_not_of(ten) == rest.npos;
            o.text += "." + rest;
        }
        if (!fine) return refuse(o.text, "this number cannot be read");
        if (minus) o.text = "-" + o.text;
    }

    // --- the list -------------------------------------------------------------------------------
    void look_up(ptx_instruction made, std::vector<std::string> parts) {
        std::string whole_name;
        for (auto const& p : parts) whole_name += (whole_name.empty() ? "" : ".") + p;
        std::string_view longest; // what is known of its name
        bool too_much = false;    // for the policy
        ptx_refusal nearest;
        for (auto const& row : ptx_rows) {
            if (row.name.size() < longest.size() || !named(whole_name, row.name)) continue;
            if (row.name.size() > longest.size()) {
                nearest = {};
                too_much = false;
            }
            longest = row.name;
            auto const after =
                static_cast<std::size_t>(1 + std::count(row.name.begin(), row.name.end(), '.'));
            made.name = row.name;
            made.modifiers.assign(parts.begin() + static_cast<std::ptrdiff_t>(after), parts.end());
            auto wrong = ptx_form(statement_, code_).against(row, made);
            if (!wrong && row.from > policy_ && policy_ != ptx_policy::none) {
                too_much = true;
                continue;
            }
            if (!wrong) {
                if (made.name == "bra") targets_.insert(made.operands[0].text);
                code_.instructions.push_back(std::move(made));
                return;
            }
            if (nearest.what.empty()) nearest = {whole_name, *wrong};
        }
        if (longest.empty())
            return refuse(whole_name,
                          "this instruction is not on the list of what inline PTX may contain");
        if (too_much)
            return refuse(whole_name,
                          "the policy `" + std::string(to_string(policy_)) +
                              "` for inline PTX does not have it; `--ptx listed` does");
        refuse(whole_name, nearest.why);
    }
    static bool named(std::string_view whole, std::string_view name) {
        return whole.starts_with(name) &&
               (whole.size() == name.size() || whole[name.size()] == '.');
    }
    asm_statement const& statement_;
    std::string_view text_;
    ptx_policy policy_;
    std::size_t at_ = 0;
    ptx_code code_;
    std::set<std::string> labels_, targets_;
    std::optional<ptx_refusal> no_;
};

} // namespace lkt::detail
