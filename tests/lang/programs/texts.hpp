// SPDX-License-Identifier: BSL-1.0
// Texts for comparing preprocessors: drawn from a grammar of what preprocessors do, and kernels
// that were cut and joined.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace drawn_texts {

class generator {
public:
    explicit generator(std::uint64_t seed) : random_(seed) {}

    std::string text() {
        std::string all;
        auto const lines = 1 + below(14);
        open_ = 0;
        for (std::size_t k = 0; k < lines; ++k) all += line();
        while (open_ > 0) all += "#endif\n", --open_;
        return all;
    }
    /// `kernel` with some of its stretches removed, doubled or replaced by drawn ones.
    std::string changed(std::string kernel) {
        auto const changes = 1 + below(4);
        for (std::size_t k = 0; k < changes; ++k) {
            auto const at = below(kernel.size() + 1);
            auto const length = std::min(below(40), kernel.size() - at);
            switch (below(4)) {
            case 0:
                kernel.erase(at, length);
                break;
            case 1:
                kernel.insert(at, kernel.substr(at, length));
                break;
            case 2:
                kernel.insert(at, pick(joints_));
                break;
            default:
                kernel.insert(at, atom());
            }
        }
        return kernel;
    }
    std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

private:
    template <std::size_t N>
    std::string pick(std::array<std::string_view, N> const& from) {
        return std::string(from[below(N)]);
    }
    bool one_in(std::size_t n) { return below(n) == 0; }

    std::string name() { return pick(names_); }
    std::string gap() { return one_in(6) ? pick(gaps_) : one_in(3) ? "" : " "; }
    std::string end() { return one_in(12) ? "\r\n" : "\n"; }
    std::string atom() {
        switch (below(12)) {
        case 0:
        case 1:
        case 2:
        case 3:
            return name();
        case 4:
            return pick(numbers_);
        case 5:
            return pick(quoted_);
        case 6:
            return one_in(3) ? pick(odd_) : name();
        case 7:
            return name() + gap() + "(" + words(3) + ")";
        default:
            return pick(punctuators_);
        }
    }
    std::string words(std::size_t most) {
        std::string all;
        for (auto n = below(most + 1); n > 0; --n) all += gap() + atom();
        return all;
    }
    /// Balanced, so that a call ends where it should.
    std::string call(int depth = 0) {
        std::string all = name() + gap() + "(";
        for (auto n = below(4); n > 0; --n) {
            all += depth < 3 && one_in(3) ? call(depth + 1) : gap() + (one_in(4) ? "" : atom());
            if (n > 1) all += one_in(9) ? end() : gap(), all += ",";
        }
        return all + gap() + ")";
    }
    std::string body(std::vector<std::string> const& parameters) {
        std::string all;
        for (auto n = below(7); n > 0; --n) {
            bool const own = !parameters.empty() && one_in(2);
            auto const word = own ? parameters[below(parameters.size())] : atom();
            if (own && one_in(4))
                all += gap() + "#" + gap() + word;
            else
                all += (one_in(4) && !all.empty() ? gap() + "##" + gap() : " ") + word;
        }
        return all;
    }
    std::string define() {
        std::string all = gap() + "#" + gap() + "define " + name();
        std::vector<std::string> parameters;
        if (one_in(2)) {
            all += "(";
            for (auto n = below(4); n > 0; --n) {
                parameters.push_back(std::string(1, static_cast<char>('p' + n)));
                all += gap() + parameters.back() + (n > 1 ? "," : "");
            }
            if (one_in(4)) {
                all += parameters.empty() ? "..." : ", ...";
                parameters.emplace_back("__VA_ARGS__");
            }
            all += ")";
            if (parameters.size() > 1 && parameters.back() == "__VA_ARGS__" && one_in(2))
                return all + " " + name() + "(" + parameters[0] + ", ## __VA_ARGS__)" + end();
        }
        return all + " " + body(parameters) + (one_in(9) ? " // ends" : "") + end();
    }
    std::string condition(int depth = 0) {
        static constexpr std::array<std::string_view, 21> between{"+",  "-",  "*",  "/",   "%",
                                                                  "<<", ">>", "<",  "<=",  ">",
                                                                  ">=", "==", "!=", "&",   "|",
                                                                  "^",  "&&", "||", "and", "bitor",
                                                                  "xor"};
        switch (depth > 4 ? below(3) : below(9)) {
        case 0:
            return pick(numbers_);
        case 1:
            return name();
        case 2:
            return one_in(2) ? "defined " + name() : "defined(" + gap() + name() + gap() + ")";
        case 3:
            return "!" + condition(depth + 1);
        case 4:
            return "(" + condition(depth + 1) + ")";
        case 5:
            return "-" + gap() + condition(depth + 1);
        case 6:
            return one_in(3) ? call() : "(" + condition(depth + 1) + ") ? 1 : 0";
        default:
            return condition(depth + 1) + " " + pick(between) + " " + condition(depth + 1);
        }
    }
    std::string line() {
        switch (below(16)) {
        case 0:
        case 1:
        case 2:
        case 3:
            return define();
        case 4:
            return "#undef " + name() + end();
        case 5:
            ++open_;
            return (one_in(3) ? "#if " + condition()
                              : (one_in(2) ? "#ifdef " : "#ifndef ") + name()) +
                   end();
        case 6:
            if (open_ == 0) return "__LINE__ " + name() + end();
            if (one_in(3)) return "#elif " + condition() + end();
            if (one_in(2)) return "#else" + end();
            --open_;
            return "#endif" + gap() + end();
        case 7:
            return "#if 0" + end() + pick(junk_) + end() + "#endif" + end();
        case 8:
            return "#" + end();
        case 9:
        case 10:
        case 11:
            return call() + words(2) + end();
        case 12:
            return words(3) + pick(comments_) + words(3) + end();
        case 13:
            return "__LINE__" + end();
        default:
            return words(9) + end();
        }
    }

    static constexpr std::array<std::string_view, 12> names_{
        "a", "b", "F", "G", "XY", "X", "Y", "ab", "e1", "L", "u8", "p"};
    static constexpr std::array<std::string_view, 22> gaps_{
        " ",        "  ",     "\t",       "\\\n",     "/**/",     "/* a */", "/* \n */", "\f",
        "\v",       "\\\r\n", " \\\n ",   "/\\\n**/", "/* // */", "/***/",   "\\\n\\\n", " \t ",
        "/*\\\n*/", "\\ \n",  "/* \" */", "/*'*/",    "\\\t\n",   "/*/ */"};
    static constexpr std::array<std::string_view, 26> numbers_{"0",
                                                               "1",
                                                               "2",
                                                               "42",
                                                               "0x1f",
                                                               "1u",
                                                               "3.5f",
                                                               "1e+5",
                                                               "0x1p-3",
                                                               "1'000",
                                                               ".5",
                                                               "1..2",
                                                               "0b101",
                                                               "077",
                                                               "1ull",
                                                               "1e",
                                                               "1.e+",
                                                               "0x",
                                                               "9999999999999999999u",
                                                               "1'a",
                                                               "1_x",
                                                               "5.",
                                                               "0xe+1",
                                                               "2L",
                                                               "100000",
                                                               "7"};
    static constexpr std::array<std::string_view, 20> quoted_{
        "\"s\"", "'c'",          "\"a\\\"b\"", "L\"w\"",         "u8\"x\"_t",
        "'\\''", "\"\\\\\"",     "R\"(r)\"",   "R\"x(a)\"b)x\"", "\"/*\"",
        "'//'",  "U'c'",         "\"%:\"",     "\"a\\\nb\"",     "\"\"",
        "u\"\"", "LR\"(\"\\)\"", "'ab'",       "\"\\x41\"",      "\"?\?/\""};
    static constexpr std::array<std::string_view, 14> odd_{"<:",
                                                           ":>",
                                                           "<%",
                                                           "%>",
                                                           "<::",
                                                           "<:::",
                                                           "?\?=",
                                                           "?\?/",
                                                           "<::>",
                                                           "@",
                                                           "%:%",
                                                           "-->",
                                                           "+++",
                                                           "\\"};
    static constexpr std::array<std::string_view, 43> punctuators_{
        "(",  ")",  "[",  "]",  "{",   "}",   ",",  ";",   ":",   "::", "?",
        ".",  "->", "+",  "-",  "*",   "/",   "%",  "&",   "|",   "^",  "~",
        "!",  "=",  "<",  ">",  "<=",  ">=",  "==", "!=",  "&&",  "||", "<<",
        ">>", "++", "--", "+=", "->*", "...", ".*", "<=>", "<<=", ">>="};
    static constexpr std::array<std::string_view, 10> comments_{"// c\n",
                                                                "/* c */",
                                                                "/* c\n d */",
                                                                "// c \\\n more\n",
                                                                "//\n",
                                                                "/**/",
                                                                "/* /* */",
                                                                "// \"\n",
                                                                "// ' \\ x\n",
                                                                "/\\\n/ c\n"};
    static constexpr std::array<std::string_view, 12> junk_{"don't",
                                                            "\"open",
                                                            "R\"(",
                                                            "a b c",
                                                            "#define X 1",
                                                            "/* \n */ x",
                                                            "'",
                                                            "#else",
                                                            "#if X\n#endif",
                                                            "x // \\\n y",
                                                            "R\"( )\" \"",
                                                            "#unknown"};
    static constexpr std::array<std::string_view, 16> joints_{"\\\n",
                                                              "/*",
                                                              "*/",
                                                              "//",
                                                              "\"",
                                                              "'",
                                                              "#",
                                                              "##",
                                                              "\n",
                                                              "\r\n",
                                                              "R\"(",
                                                              "#if 0\n",
                                                              "#endif\n",
                                                              "\\",
                                                              "(",
                                                              ")"};

    std::mt19937_64 random_;
    std::size_t open_ = 0;
};

} // namespace drawn_texts
