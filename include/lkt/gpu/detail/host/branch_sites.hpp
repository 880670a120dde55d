// SPDX-License-Identifier: BSL-1.0
// Where a compiled kernel decides, read from what objdump says of it.
#pragma once

#include <lkt/gpu/branches.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace lkt::host_detail {

/// Reads `objdump -d -l --no-show-raw-insn` of a module that is compiled with
/// -fsanitize-coverage=trace-pc,trace-cmp: each block begins with a call, and each comparison comes
/// right behind one. What follows such a call up to the next ones are the ways to go on.
class branch_site_reader {
public:
    explicit branch_site_reader(std::string_view listing) {
        while (!listing.empty()) {
            auto const end = std::min(listing.find('\n'), listing.size());
            read_line(listing.substr(0, end));
            listing.remove_prefix(std::min(end + 1, listing.size()));
        }
        for (std::size_t k = 0; k < code_.size(); ++k) index_.emplace(code_[k].address, k);
    }

    /// Those of the text and of what surrounds it.
    [[nodiscard]] std::vector<branch_site> sites() const {
        std::vector<branch_site> all;
        for (std::size_t k = 0; k + 1 < code_.size(); ++k) {
            auto const& call = code_[k];
            if (call.what != kind::step && call.what != kind::comparison) continue;
            branch_site site;
            site.at = static_cast<std::uint32_t>(code_[k + 1].address);
            site.line = call.line;
            std::set<std::uint32_t> ways;
            std::set<std::size_t> seen;
            walk(k + 1, ways, seen);
            if (ways.size() > 1) site.ways.assign(ways.begin(), ways.end());
            if (site.ways.empty() && call.what == kind::step) continue;
            site.equality = site.ways.empty() && asks_for_equality(k + 1);
            all.push_back(std::move(site));
        }
        return all;
    }

private:
    enum class kind : unsigned char { other, step, comparison, call, jump, branch, end };
    struct instruction {
        std::uint64_t address = 0, target = 0;
        kind what = kind::other;
        bool equality = false; ///< keeps whether operands are equal
        int line = 0;
    };

    void read_line(std::string_view line) {
        if (line.empty()) return;
        if (line.front() != ' ') {
            constexpr std::string_view name = "kernel:";
            if (line.find(">:") != line.npos || line.ends_with("():")) return;
            auto const colon = line.rfind(':');
            if (colon == line.npos) return;
            auto const begin = line.rfind('/', colon);
            auto const file = line.substr(begin == line.npos ? 0 : begin + 1);
            line_ = file.starts_with(name) ? static_cast<int>(number(file.substr(7), 10)) : 0;
            return;
        }
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        auto const colon = line.find(":\t");
        if (colon == line.npos) return;
        instruction one;
        one.address = number(line, 16);
        one.line = line_;
        auto text = line.substr(colon + 2);
        auto const space = std::min(text.find_first_of(" \t"), text.size());
        auto const name = text.substr(0, space);
        auto operands = text.substr(space);
        operands.remove_prefix(std::min(operands.find_first_not_of(" \t"), operands.size()));
        classify(one, name, operands);
        code_.push_back(one);
    }

    /// Names of x86-64 and of AArch64.
    static void classify(instruction& one, std::string_view name, std::string_view operands) {
        auto const last = operands.rfind(',');
        auto target = last == operands.npos ? operands : operands.substr(last + 1);
        target.remove_prefix(std::min(target.find_first_not_of(' '), target.size()));
        one.target = number(target, 16);
        if (name.starts_with("call") || name == "bl" || name == "blr") {
            constexpr std::string_view hook = "<__sanitizer_cov_trace_";
            auto const at = operands.find(hook);
            auto const what =
                at == operands.npos ? std::string_view{} : operands.substr(at + hook.size());
            one.what = what.empty()             ? kind::call
                       : what.starts_with("pc") ? kind::step
                                                : kind::comparison;
        } else if (name.starts_with("ret") || name == "hlt" || name == "ud2" || name == "br" ||
                   name.starts_with("brk")) {
            one.what = kind::end;
        } else if (name == "b" || name.starts_with("jmp")) {
            one.what = operands.starts_with('*') ? kind::end : kind::jump;
        } else if (name.front() == 'j' || name.starts_with("b.") || name.starts_with("cb") ||
                   name.starts_with("tb")) {
            one.what = kind::branch;
        } else {
            one.equality = name == "sete" || name == "setne" || name == "setnp" || name == "setp" ||
                           ((name == "cset" || name == "csetm") &&
                            (operands.ends_with("eq") || operands.ends_with("ne")));
        }
    }

    /// Up to the next blocks. A comparison or a call in between: it is not what decides.
    void walk(std::size_t k, std::set<std::uint32_t>& ways, std::set<std::size_t>& seen) const {
        for (; k + 1 < code_.size() && seen.insert(k).second; ++k) {
            auto const& one = code_[k];
            switch (one.what) {
            case kind::step:
                ways.insert(static_cast<std::uint32_t>(code_[k + 1].address));
                return;
            case kind::other:
                break;
            case kind::jump:
            case kind::branch: {
                auto const to = index_.find(one.target);
                if (to != index_.end()) walk(to->second, ways, seen);
                if (one.what == kind::jump) return;
                break;
            }
            default:
                return;
            }
        }
    }

    [[nodiscard]] bool asks_for_equality(std::size_t k) const {
        for (std::size_t n = 0; n < 12 && k < code_.size(); ++n, ++k) {
            if (code_[k].what != kind::other) return false;
            if (code_[k].equality) return true;
        }
        return false;
    }

    [[nodiscard]] static std::uint64_t number(std::string_view text, int base) {
        std::uint64_t value = 0;
        (void)std::from_chars(text.data(), text.data() + text.size(), value, base);
        return value;
    }

    std::vector<instruction> code_;
    std::map<std::uint64_t, std::size_t> index_;
    int line_ = 0;
};

} // namespace lkt::host_detail
