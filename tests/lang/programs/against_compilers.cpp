// SPDX-License-Identifier: BSL-1.0
// Compares what our lexer and preprocessor make of drawn texts with what compilers make of them:
// tokens, and the lines that they stand on. What we refuse is not compared.
//
//   lang_against_compilers TEXTS SEED COMPILER... [-- KERNEL FILES]
#include "texts.hpp"

#include <lkt/lang/cuda/preprocess.hpp>
#include <lkt/lang/cuda/tokens.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

struct seen_token {
    std::string text;
    int line = 0; ///< 0: unknown
};
using seen_tokens = std::vector<seen_token>;

struct subject {
    std::string text, made;
    seen_tokens ours;
};

std::string canonical(std::string text) {
    // Clang shows the line splices of some punctuators.
    for (auto at = text.find('\\'); text[0] != '"' && text[0] != '\'' && at != text.npos;) {
        auto const end = text.find('\n', at);
        if (end == text.npos || text.find('"') != text.npos) break;
        text.erase(at, end + 1 - at);
        at = text.find('\\');
    }
    for (auto const& [from, to] :
         {std::pair{"<:", "["}, {":>", "]"}, {"<%", "{"}, {"%>", "}"}, {"%:%:", "##"}, {"%:", "#"}})
        if (text == from) return to;
    return text;
}

std::string run(std::string const& command) {
    std::string out;
    FILE* const pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return out;
    char buffer[65536];
    for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
        out.append(buffer, n);
    ::pclose(pipe);
    return out;
}

/// What clang -dump-tokens says.
seen_tokens of_clang(std::string const& dump, std::string const& file) {
    seen_tokens all;
    std::size_t at = 0;
    constexpr std::string_view place = "\tLoc=<";
    while (at < dump.size()) {
        auto const where = dump.find(place, at);
        if (where == dump.npos) break;
        auto const quote = dump.find(" '", at);
        auto const end = dump.rfind("'\t", where);
        auto const stop = dump.find(">\n", where);
        if (quote == dump.npos || end == dump.npos || end < quote + 2 || stop == dump.npos) break;
        auto const kind = dump.substr(at, quote - at);
        auto const line = dump.compare(where + place.size(), file.size(), file) == 0
                              ? std::atoi(dump.c_str() + where + place.size() + file.size() + 1)
                              : 0;
        if (kind != "eof")
            all.push_back({canonical(dump.substr(quote + 2, end - quote - 2)), line});
        at = stop + 2;
    }
    return all;
}
/// A text without blanks: what g++ -E writes does not always keep tokens apart, so that they cannot
/// be read back.
std::string without_blanks(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        auto const line = text.substr(at, std::min(text.find('\n', at), text.size()) - at);
        at += line.size() + 1;
        if (line.starts_with("# ")) continue; // a line marker
        for (char const c : line)
            if (std::string_view(" \t\r\f\v").find(c) == std::string_view::npos) out += c;
    }
    std::string digraphs; // in both, since ours are written as what they stand for
    for (char const c : out)
        digraphs += c == '['   ? "<:"
                    : c == ']' ? ":>"
                    : c == '{' ? "<%"
                    : c == '}' ? "%>"
                    : c == '#' ? "%:"
                               : std::string(1, c);
    return digraphs;
}

std::string shown(std::string const& text) {
    std::string out;
    for (char const c : text)
        out += c == '\n'   ? "\\n\n      "
               : c == '\r' ? "\\r"
               : c == '\f' ? "\\f"
               : c == '\v' ? "\\v"
                           : std::string(1, c);
    return out;
}

/// For clang, a token begins with the line splices before it.
bool same_line(std::string const& text, int theirs, int ours) {
    if (theirs > ours) return false;
    std::size_t at = 0;
    for (int line = 1; line < ours; ++line) {
        auto const end = std::min(text.find('\n', at), text.size());
        auto const last = text.find_last_not_of(" \t\r\f\v\n", end);
        if (line >= theirs && (last == text.npos || last < at || text[last] != '\\')) return false;
        at = end + 1;
    }
    return true;
}

/// Texts differ, and how.
class comparison {
public:
    explicit comparison(std::vector<std::string> compilers) : compilers_(std::move(compilers)) {
        for (auto const& c : compilers_)
            clang_.push_back(run(c + " --version").find("clang") != std::string::npos);
        file_ = (std::filesystem::temp_directory_path() /
                 ("lkt-tokens-" + std::to_string(::getpid()) + ".cpp"))
                    .string();
    }
    ~comparison() { std::filesystem::remove(file_), std::filesystem::remove(file_ + ".err"); }

    std::size_t compared = 0, refused = 0, differences = 0, tokens = 0;

    void add(std::string text) {
        text += "\n\n"; // behind a line splice, too
        auto made = lkt::preprocess(text);
        auto* const p = std::get_if<lkt::preprocessed_text>(&made);
        auto const again = p == nullptr ? lkt::tokenize("") : lkt::tokenize(p->text);
        if (p == nullptr || !p->includes.empty() || !again) {
            ++refused;
            return;
        }
        subject s{std::move(text), p->text, {}};
        for (auto const& t : *again) {
            // `<<<` is a token of CUDA alone.
            if (t.directive || t.text == "_Pragma" || t.text == "<<<" || t.text == "import" ||
                t.text == "module" || t.text == "export") {
                ++refused;
                return;
            }
            s.ours.push_back({t.text, t.where.line});
        }
        // What is preprocessed stays what it is.
        auto const twice = lkt::preprocess(p->text);
        bool stable = std::holds_alternative<lkt::preprocessed_text>(twice);
        if (stable) {
            auto const last = lkt::tokenize(std::get<lkt::preprocessed_text>(twice).text);
            stable = last && last->size() == again->size();
            for (std::size_t k = 0; stable && k < again->size(); ++k)
                stable = (*last)[k].text == (*again)[k].text &&
                         (*last)[k].where.line == (*again)[k].where.line;
        }
        if (!stable) difference("ourselves", s, "it changes when it is preprocessed again");
        batch_.push_back(std::move(s));
        ++compared;
    }
    [[nodiscard]] std::size_t waiting() const { return batch_.size(); }

    void flush() {
        if (batch_.empty()) return;
        std::string all;
        for (std::size_t k = 0; k < batch_.size(); ++k) {
            all += "lkt_begin\n#line 1\n";
            std::set<std::string> names;
            auto const words = lkt::tokenize(batch_[k].text);
            for (std::size_t i = 0; i + 1 < words->size(); ++i)
                if ((*words)[i].is("define") && (*words)[i].directive &&
                    (*words)[i + 1].kind == lkt::token_kind::identifier)
                    names.insert((*words)[i + 1].text);
            std::string more = batch_[k].text;
            for (auto const& n : names)
                if (n != "defined" && n != "__LINE__" && n != "__FILE__")
                    more += "#undef " + n + "\n";
            all += more;
        }
        std::ofstream(file_, std::ios::binary) << all;
        for (std::size_t c = 0; c < compilers_.size(); ++c) compare(c);
        batch_.clear();
    }

private:
    void difference(std::string const& compiler, subject const& s, std::string const& what) {
        if (++differences > 20) return;
        std::printf("%s: %s\n      %s\n", compiler.c_str(), what.c_str(), shown(s.text).c_str());
        std::fflush(stdout);
    }
    void compare(std::size_t c) {
        bool const clang = clang_[c];
        auto const options = std::string(" -x c++ -std=gnu++20 -undef -nostdinc -w ") +
                             (clang ? "-ferror-limit=0 -fno-color-diagnostics " : "");
        auto const made =
            clang ? run(compilers_[c] + options + "-Xclang -dump-tokens -fsyntax-only " + file_ +
                        " 2>&1 >/dev/null | tee " + file_ + ".err")
                  : run(compilers_[c] + options + "-E " + file_ + " 2> " + file_ + ".err");
        if (!clang) return compare_texts(compilers_[c], made);
        auto const all = of_clang(made, file_);
        std::size_t k = 0;
        for (auto const& s : batch_) {
            if (k >= all.size() || all[k].text != "lkt_begin") {
                difference(compilers_[c], s, "its beginning is not found");
                return;
            }
            ++k;
            std::size_t i = 0;
            std::string what;
            for (; k < all.size() && all[k].text != "lkt_begin"; ++k, ++i) {
                if (!what.empty()) continue;
                if (i >= s.ours.size())
                    what = "it has another token, `" + all[k].text + "`";
                else if (s.ours[i].text != all[k].text)
                    what = "token " + std::to_string(i) + " is `" + all[k].text + "`, and ours `" +
                           s.ours[i].text + "`";
                else if (all[k].line != 0 && !same_line(s.text, all[k].line, s.ours[i].line))
                    what = "token " + std::to_string(i) + ", `" + all[k].text + "`, is in line " +
                           std::to_string(all[k].line) + ", and ours in " +
                           std::to_string(s.ours[i].line);
            }
            if (what.empty() && i < s.ours.size()) what = "it lacks `" + s.ours[i].text + "`";
            tokens += i;
            if (!what.empty()) difference(compilers_[c], s, what);
        }
    }

    void compare_texts(std::string const& compiler, std::string const& made) {
        constexpr std::string_view mark = "lkt_begin\n";
        auto at = made.find(mark);
        for (auto const& s : batch_) {
            if (at == made.npos)
                return difference(
                    compiler,
                    s,
                    "its beginning is not found behind " +
                        made.substr(made.size() - std::min<std::size_t>(made.size(), 300)));
            auto const begin = at + mark.size();
            at = made.find(mark, begin);
            auto const theirs = without_blanks(
                std::string_view(made).substr(begin, at == made.npos ? made.npos : at - begin));
            if (auto const ours = without_blanks(s.made); theirs != ours)
                difference(
                    compiler, s, "it makes\n      " + theirs + "\n      and we\n      " + ours);
        }
    }

    std::vector<std::string> compilers_;
    std::vector<bool> clang_;
    std::string file_;
    std::vector<subject> batch_;
};

} // namespace

int main(int argc, char** argv) {
    if (argc < 4) return std::puts("TEXTS SEED COMPILER... [-- KERNEL FILES]"), 2;
    auto const wanted = std::strtoull(argv[1], nullptr, 10);
    auto const seed = std::strtoull(argv[2], nullptr, 10);
    std::vector<std::string> compilers, kernels;
    bool files = false;
    for (int k = 3; k < argc; ++k) {
        std::string const word = argv[k];
        if (word == "--") {
            files = true;
        } else if (!files) {
            compilers.push_back(word);
        } else {
            std::ifstream in(word, std::ios::binary);
            kernels.emplace_back(std::istreambuf_iterator<char>(in),
                                 std::istreambuf_iterator<char>());
        }
    }
    drawn_texts::generator draw(seed);
    comparison all(compilers);
    for (std::uint64_t made = 0; made < wanted; ++made) {
        bool const kernel = !kernels.empty() && draw.below(20) == 0;
        all.add(kernel               ? draw.changed(kernels[draw.below(kernels.size())])
                : draw.below(4) == 0 ? draw.changed(draw.text())
                                     : draw.text());
        if (all.waiting() == 2000) all.flush();
        if (all.differences > 200) break;
    }
    all.flush();
    std::printf("%zu texts compared, %zu refused, %zu tokens, %zu differences\n",
                all.compared,
                all.refused,
                all.tokens,
                all.differences);
    return all.differences == 0 && all.compared > wanted / 10 ? 0 : 1;
}
