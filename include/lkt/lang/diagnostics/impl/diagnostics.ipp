// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/diagnostics/diagnostics.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/lang/diagnostics/detail/words_of_text.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace lkt {

namespace detail::diagnostics {

/// `kernel:12:5: rest`, `kernel:12: rest`, `kernel(12): rest`.
struct place {
    text_location where;
    bool brackets = false;
    std::string_view rest;
};

inline std::optional<place> place_in(std::string_view line, std::string_view file) {
    if (!line.starts_with(file)) return {};
    line.remove_prefix(file.size());
    place p;
    auto const number = [&](int& value) {
        auto const read = std::from_chars(line.data(), line.data() + line.size(), value);
        bool const good = read.ec == std::errc{} && value > 0;
        if (good) line.remove_prefix(static_cast<std::size_t>(read.ptr - line.data()));
        return good;
    };
    p.brackets = line.starts_with('(');
    if (!p.brackets && !line.starts_with(':')) return {};
    line.remove_prefix(1);
    if (!number(p.where.line)) return {};
    if (p.brackets) {
        if (!line.starts_with(')')) return {};
        line.remove_prefix(1);
    } else if (line.size() > 1 && line[0] == ':' && line[1] >= '0' && line[1] <= '9') {
        line.remove_prefix(1);
        if (!number(p.where.column)) return {};
    }
    if (!line.starts_with(':')) return {};
    line.remove_prefix(1);
    p.rest = line;
    return p;
}

struct level_words {
    std::string_view words;
    compiler_message::level kind;
};
inline constexpr level_words levels[] = {
    {"fatal error", compiler_message::level::error},
    {"catastrophic error", compiler_message::level::error},
    {"internal compiler error", compiler_message::level::error},
    {"internal error", compiler_message::level::error},
    {"sorry, unimplemented", compiler_message::level::error},
    {"error", compiler_message::level::error},
    {"warning", compiler_message::level::warning},
    {"remark", compiler_message::level::note},
    {"note", compiler_message::level::note}};

/// `error: ...`, `error #20-D: ...`; takes it off.
inline std::optional<compiler_message::level> take_level(std::string_view& rest) {
    auto text = rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
    for (auto const& l : levels) {
        if (!text.starts_with(l.words)) continue;
        auto behind = text.substr(l.words.size());
        if (behind.starts_with(" #"))
            behind.remove_prefix(std::min(behind.find(':'), behind.size()));
        if (!behind.starts_with(": ")) continue;
        rest = behind.substr(2);
        return l.kind;
    }
    return {};
}

inline bool holds(std::string_view text, std::string_view part) {
    return text.find(part) != text.npos;
}

inline std::string_view without_spaces(std::string_view text) {
    auto const from = text.find_first_not_of(" \t");
    if (from == text.npos) return {};
    return text.substr(from, text.find_last_not_of(" \t") + 1 - from);
}

class reader {
public:
    explicit reader(own_text const& own) : own_(own) {}

    compiler_words read(std::string_view output) {
        constexpr std::size_t longest = std::size_t{1} << 20;
        auto const lines = lines_of(output.substr(0, longest));
        for (std::size_t i = 0; i < lines.size() && said_.list.size() < max_messages; ++i)
            look_at(lines[i], i + 1 < lines.size() ? lines[i + 1] : std::string_view{});
        if (!cause_.line && !undefined_.empty()) said_.failed_at = compiler_words::step::link;
        for (auto const& symbol : undefined_) add(compiler_message::level::error, {}, symbol);
        return std::move(said_);
    }

private:
    static constexpr std::size_t max_messages = 100, max_symbols = 8;

    void add(compiler_message::level kind, text_location where, std::string message) {
        compiler_message d{kind, where, std::move(message), {}, 0};
        if (where.line > own_.lines()) d.where = where = {};
        d.excerpt = plain_text(own_.line(where.line), 200);
        bool const as_seen = d.excerpt == own_.line(where.line);
        auto const before = std::string_view(d.excerpt).substr(
            0, static_cast<std::size_t>(std::max(where.column, 0)));
        bool const columns_are_bytes =
            std::all_of(before.begin(), before.end(), [](char c) { return c >= ' ' && c <= '~'; });
        if (where.column > 0 && as_seen && columns_are_bytes && own_.unchanged(where.line) &&
            static_cast<std::size_t>(where.column) <= d.excerpt.size() + 1)
            d.caret = where.column;
        said_.list.push_back(std::move(d));
    }

    /// An error of the text, or of something else that the text asked for.
    void look_at(std::string_view line, std::string_view next) {
        if (line.starts_with("In file included from ") || line.starts_with("      ")) {
            if (auto const from = line.find("from kernel:"); from != line.npos)
                if (auto const p = place_in(std::string(line.substr(from + 5)) + ":", "kernel"))
                    cause_ = p->where;
            if (line.starts_with("In file")) return;
        }
        if (continues(line, next)) return;
        if (auto const p = place_in(line, "kernel")) return own(*p);
        if (auto const p = place_in(line, "end")) return behind(p->rest);
        if (line.starts_with("kernel: In ")) return; // a function's name; the place says more
        if (linked(line) || assembled(line) || named(line)) return;
        elsewhere(line);
    }

    void own(place const& p) {
        auto rest = p.rest;
        said_.like_nvcc = said_.like_nvcc || p.brackets;
        if (holds(rest, "undefined reference to ") && linked(rest)) return;
        if (rest.starts_with(" Error: ") || rest.starts_with(" Fatal error: ")) {
            said_.failed_at = compiler_words::step::assemble;
            return add(compiler_message::level::error,
                       {p.where.line, 0},
                       "the assembler: " + own_.own_words(rest.substr(rest.find(": ") + 2)));
        }
        auto const kind = take_level(rest);
        if (!kind) {
            // GCC: `  required from here`, before the error, wherever that is.
            if (holds(rest, "required ") || holds(rest, "expansion of ")) cause_ = p.where;
            return;
        }
        if (*kind == compiler_message::level::error) {
            add(*kind, p.where, own_.own_words(rest));
            if (cause_.line && cause_ != p.where)
                add(compiler_message::level::note, cause_, "this line needs it");
            cause_ = {};
            kept_ = true;
            foreign_ = false;
        } else if (*kind == compiler_message::level::warning) {
            add(*kind, p.where, own_.own_words(rest));
            kept_ = true;
        } else if (std::exchange(foreign_, false)) {
            caused(p.where);
        } else if (kept_) {
            add(*kind, p.where, own_.own_words(rest));
        }
    }

    /// What stands behind the text is ours; what is said there is about the text's end.
    void behind(std::string_view rest) {
        kept_ = take_level(rest) == compiler_message::level::error;
        if (kept_)
            add(compiler_message::level::error,
                {},
                "at the end of the text: " + own_.own_words(rest));
    }

    void caused(text_location where) {
        add(compiler_message::level::error,
            where,
            "something that this line includes or uses does not compile");
        kept_ = true;
    }

    /// An error in another file: of what the text asked for, only that it is there is told.
    void elsewhere(std::string_view line) {
        auto const colon = line.find(": ");
        if (colon == line.npos) return;
        auto rest = line.substr(colon + 1);
        auto const kind = take_level(rest);
        if (!kind) return;
        kept_ = false;
        if (*kind != compiler_message::level::error) return;
        foreign_ = true;
        if (!cause_.line) return;
        auto const where = std::exchange(cause_, {});
        auto const& all = said_.list;
        if (all.empty() || all.back().where != where) caused(where);
        foreign_ = false;
    }

    /// Linkers: GNU's and LLVM's.
    bool linked(std::string_view line) {
        struct form {
            std::string_view words, meaning;
        };
        for (auto const& f : {form{"undefined reference to ", "undefined symbol "},
                              form{"undefined symbol: ", "undefined symbol "},
                              form{"Unresolved extern function ", "undefined symbol "},
                              form{"multiple definition of ", "a symbol is defined twice: "},
                              form{"duplicate symbol: ", "a symbol is defined twice: "}}) {
            auto const at = line.find(f.words);
            if (at == line.npos || undefined_.size() >= max_symbols) continue;
            auto name = line.substr(at + f.words.size());
            if (auto const end = name.find("; "); end != name.npos) name = name.substr(0, end);
            while (!name.empty() && holds("`'", name.substr(0, 1))) name.remove_prefix(1);
            while (!name.empty() && name.back() == '\'') name.remove_suffix(1);
            auto const told = own_.own_words(name, 200);
            auto sentence = "the link failed: " + std::string(f.meaning) +
                            (holds(told, "...") ? "that the text does not name" : told);
            if (std::find(undefined_.begin(), undefined_.end(), sentence) == undefined_.end())
                undefined_.push_back(std::move(sentence));
            return true;
        }
        if (!line.starts_with("collect2: ") && !holds(line, "linker command failed") &&
            !holds(line, "ld returned "))
            return false;
        said_.failed_at = compiler_words::step::link;
        return true;
    }

    bool assembled(std::string_view line) {
        if (line.starts_with("ptxas")) {
            auto const at = line.find("error");
            auto const colon = line.find(':', std::min(at, line.size()));
            if (at == line.npos || colon == line.npos) return true;
            said_.failed_at = compiler_words::step::assemble;
            add(compiler_message::level::error,
                {},
                "ptxas: " + own_.own_words(without_spaces(line.substr(colon + 1))));
            return true;
        }
        if (!line.ends_with("Assembler messages:") && !holds(line, ": Error: ")) return false;
        said_.failed_at = compiler_words::step::assemble;
        return true;
    }

    /// Of a line that asks NVRTC for the kernel.
    bool named(std::string_view line) {
        constexpr std::string_view lookup = "__nv_name_map(";
        if (!line.starts_with(lookup)) return false;
        auto rest = line.substr(std::min(line.find("):"), line.size()));
        rest.remove_prefix(std::min<std::size_t>(2, rest.size()));
        kept_ = take_level(rest) == compiler_message::level::error;
        if (kept_)
            add(compiler_message::level::error, {}, "the kernel's name: " + own_.own_words(rest));
        return true;
    }

    /// NVRTC's excerpt, two columns in, whose caret tells the column; and what else it has to say
    /// on lines of their own.
    bool continues(std::string_view line, std::string_view next) {
        if (!line.starts_with("  ")) return false;
        if (!said_.like_nvcc || !kept_ || said_.list.empty()) return false;
        auto& last = said_.list.back();
        if (last.where.line > 0 && line.substr(2) == own_.line(last.where.line)) {
            auto const caret = next.find('^');
            if (last.where.column == 0 && caret != next.npos && caret >= 2 &&
                next.find_first_not_of(' ') == caret && last.excerpt == line.substr(2) &&
                !holds(line, "\t") && caret - 2 <= last.excerpt.size()) {
                last.caret = static_cast<int>(caret) - 1;
                last.where.column = last.caret;
            }
        } else if (line.starts_with("            ") && without_spaces(line) != "^" &&
                   last.message.size() < 1200) {
            last.message += "\n            " + own_.own_words(without_spaces(line));
        }
        return true;
    }

    own_text const& own_;
    compiler_words said_;
    std::vector<std::string> undefined_;
    text_location cause_;  ///< the text's line that an error in another file goes back to
    bool kept_ = false;    ///< the last message: notes belong to it
    bool foreign_ = false; ///< an error elsewhere, whose cause may be told by a note
};

inline std::string_view words_of(compiler_message::level kind) {
    switch (kind) {
    case compiler_message::level::error:
        return "error: ";
    case compiler_message::level::warning:
        return "warning: ";
    case compiler_message::level::note:
        break;
    }
    return "note: ";
}

inline std::string written(compiler_message const& d, bool like_nvcc) {
    auto const line = std::to_string(d.where.line);
    if (d.where.line == 0) return std::string(words_of(d.kind)) + d.message + "\n";
    auto text = like_nvcc ? "kernel(" + line + "): " : "kernel:" + line + ":";
    if (!like_nvcc) text += d.where.column > 0 ? std::to_string(d.where.column) + ": " : " ";
    text += std::string(words_of(d.kind)) + d.message + "\n";
    if (without_spaces(d.excerpt).empty()) return text;
    auto const margin = std::string(line.size() < 5 ? 5 - line.size() : 0, ' ') + line;
    text += margin + " | " + d.excerpt + "\n";
    if (d.caret > 0)
        text += std::string(margin.size(), ' ') + " | " +
                std::string(static_cast<std::size_t>(d.caret) - 1, ' ') + "^\n";
    return text;
}

inline std::string_view nothing_said(compiler_words::step failed_at) {
    switch (failed_at) {
    case compiler_words::step::compile:
        return "the compiler failed without a message about the kernel's text";
    case compiler_words::step::assemble:
        return "the assembler failed without a message about the kernel's text";
    case compiler_words::step::link:
        break;
    }
    return "the link failed without a message about the kernel's text";
}

} // namespace detail::diagnostics

text_location compiler_words::first_error() const {
    for (auto const& d : list)
        if (d.kind == compiler_message::level::error && d.where.line > 0) return d.where;
    return {};
}

compiler_words read_diagnostics(std::string_view output, own_text const& own) {
    return detail::diagnostics::reader(own).read(output);
}

std::string to_string(compiler_words const& words) {
    constexpr std::size_t most = 8192;
    std::string text;
    for (auto const& d : words.list) {
        auto const one = detail::diagnostics::written(d, words.like_nvcc);
        if (text.size() + one.size() > most - 16) {
            text += "(and more)\n";
            break;
        }
        text += one;
    }
    if (text.empty()) return std::string(detail::diagnostics::nothing_said(words.failed_at));
    text.pop_back();
    return text;
}

compile_failed compile_failure(std::string_view output, own_text const& own) {
    auto const words = read_diagnostics(output, own);
    return {to_string(words), words.first_error()};
}

} // namespace lkt
