// SPDX-License-Identifier: BSL-1.0
// The numbers that a compiler leaves in a kernel's code, read from what it prints of it.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace lkt::host_detail {

/// What the compiler's printed code is called.
inline constexpr char const* printed_code = "code.txt";

/// Behind all other flags: prints the code as it is before it becomes a machine's, where a division
/// is one still, and whatever can be computed has been.
[[nodiscard]] inline std::vector<std::string> flags_of_printing(bool clang) {
    std::vector<std::string> flags{"-O2", "-fno-tree-vectorize", "-finline", "-S"};
    if (clang)
        flags.insert(flags.end(), {"-emit-llvm", "-g1", "-o", printed_code});
    else
        flags.insert(
            flags.end(),
            {std::string{"-fdump-tree-optimized-lineno="} + printed_code, "-o", "module.s"});
    flags.emplace_back("module.cpp");
    return flags;
}

/// Reads g++'s `-fdump-tree-optimized-lineno` or clang's `-emit-llvm`: operands that are numbers,
/// each once. First those of the kernel's own lines, as far as these are known, then what its
/// functions and lkt's are made of.
class constant_reader {
public:
    constant_reader(std::string_view code, bool clang) : clang_(clang) {
        while (!code.empty()) {
            auto const end = std::min(code.find('\n'), code.size());
            read_line(code.substr(0, end));
            code.remove_prefix(std::min(end + 1, code.size()));
        }
        for (double const n : others_) add(own_, n);
    }

    [[nodiscard]] std::vector<double> const& numbers() const { return own_; }

private:
    static constexpr std::size_t most = 4096;

    void read_line(std::string_view line) {
        if (!line.starts_with("  ")) return;
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        if (clang_) return read_llvm(line);
        // A declaration, a label or a statement: of these, the last ones alone have numbers.
        bool const own = line.find("[kernel:") != line.npos;
        if (line.starts_with("<bb ") || line.starts_with("goto ")) return;
        read_operands(line, own ? own_ : others_);
    }
    void read_llvm(std::string_view line) {
        // Addresses and alignments say how memory is laid out.
        for (std::string_view const word : {"getelementptr", "alloca ", "tail call void @llvm.dbg"})
            if (line.find(word) != line.npos) return;
        for (std::string_view const end : {", !", ", align "})
            line = line.substr(0, std::min(line.find(end), line.size()));
        read_operands(line, own_);
    }

    void read_operands(std::string_view line, std::vector<double>& found) {
        for (std::size_t k = 0; k < line.size();) {
            char const c = line[k];
            if (c == '"') {
                k = past(line, k + 1, '"');
            } else if (c == '[' && !clang_) { // a place in the text, or one in memory
                k = past(line, k + 1, ']');
            } else if (c == '(' && !clang_ && k > 0 &&
                       is_word(line[k - 1])) { // `n_4(D)`, `1.0e+0(3)`
                k = past(line, k + 1, ')');
            } else if (is_word(c) || c == '.' ||
                       ((c == '-' || c == '+') && k + 1 < line.size() && is_digit(line[k + 1]))) {
                bool const begins = k == 0 || !is_word(line[k - 1]);
                std::size_t end = k + 1;
                while (end < line.size() &&
                       (is_word(line[end]) || line[end] == '.' || is_exponent(line, end)))
                    ++end;
                if (begins)
                    if (auto const n = number(line.substr(k, end - k))) add(found, *n);
                k = end;
            } else if (clang_ && (c == '%' || c == '@' || c == '#' || c == '!')) {
                for (++k; k < line.size() && (is_word(line[k]) || line[k] == '.');) ++k;
            } else {
                ++k;
            }
        }
    }
    [[nodiscard]] static std::size_t past(std::string_view line, std::size_t from, char what) {
        return std::min(line.find(what, from), line.size() - 1) + 1;
    }
    [[nodiscard]] static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    [[nodiscard]] static bool is_word(char c) {
        return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }
    [[nodiscard]] static bool is_exponent(std::string_view line, std::size_t at) {
        return (line[at] == '-' || line[at] == '+') && line[at - 1] == 'e' && at > 1 &&
               is_digit(line[at - 2]);
    }

    [[nodiscard]] std::optional<double> number(std::string_view text) const {
        bool const negative = text.starts_with('-');
        if (negative || text.starts_with('+')) text.remove_prefix(1);
        std::optional<double> n;
        if (clang_ && text.starts_with("0x")) {
            n = from_bits(text.substr(2));
        } else {
            double value = 0;
            auto const read = std::from_chars(text.data(), text.data() + text.size(), value);
            if (read.ec != std::errc{} || read.ptr != text.data() + text.size() ||
                !is_digit(text.front()))
                return std::nullopt;
            n = value;
        }
        if (n && negative) *n = -*n;
        return n;
    }
    /// Of LLVM: the bits of a double, which floats are written as, too; behind an H or an R those
    /// of a half or bfloat16.
    [[nodiscard]] static std::optional<double> from_bits(std::string_view digits) {
        char const kind = digits.empty() ? ' ' : digits.front();
        if (kind == 'H' || kind == 'R') digits.remove_prefix(1);
        std::uint64_t bits = 0;
        auto const read = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
        if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size())
            return std::nullopt;
        if (kind == 'R') return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
        if (kind != 'H') return std::bit_cast<double>(bits);
        int const exponent = static_cast<int>(bits >> 10 & 31);
        double const digits_of = static_cast<double>(bits & 1023);
        double const size = exponent == 0 ? std::ldexp(digits_of, -24)
                                          : std::ldexp(1024 + digits_of, exponent - 25);
        return (bits >> 15 & 1) != 0 ? -size : size;
    }

    static void add(std::vector<double>& to, double n) {
        // What is subtracted by going round: `x + 4294967286`.
        for (double const round : {0x1p32, 0x1p64})
            if (n > round - 0x1p20 && n < round) n -= round;
        if (std::isfinite(n) && to.size() < most && std::find(to.begin(), to.end(), n) == to.end())
            to.push_back(n);
    }

    bool clang_;
    std::vector<double> own_, others_;
};

/// As the compile cache keeps them.
[[nodiscard]] inline std::string text_of_numbers(std::vector<double> const& numbers) {
    std::string bytes(numbers.size() * sizeof(double), '\0');
    std::copy_n(
        reinterpret_cast<char const*>(numbers.data()), bytes.size(), bytes.data()); // NOLINT
    return bytes;
}
[[nodiscard]] inline std::vector<double> numbers_of_text(std::string_view bytes) {
    std::vector<double> numbers(bytes.size() / sizeof(double));
    std::copy_n(bytes.data(),
                numbers.size() * sizeof(double),
                reinterpret_cast<char*>(numbers.data())); // NOLINT
    return numbers;
}

} // namespace lkt::host_detail
