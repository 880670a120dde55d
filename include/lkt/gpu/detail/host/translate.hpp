// SPDX-License-Identifier: BSL-1.0
// From a kernel's text to the text of a module: the shim, the parameters, the kernel with the few
// words that C++ spells differently replaced in place (so that lines stay), and the export.
#pragma once

#include <lkt/gpu/detail/host/module.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/parameters.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/kernel/tokens.hpp>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lkt::host_detail {

/// What a look at the tokens tells about how to compile.
struct text_traits {
    bool fibres = false;  ///< threads of a block may wait for each other
    bool pastes = false;  ///< macros join tokens: words may appear that nobody has seen
    bool half = false;    ///< uses __half
    bool bfloat = false;  ///< uses __nv_bfloat16
    bool atomics = false; ///< sums may depend on the order in which threads run
    bool prints = false;
};

[[nodiscard]] inline text_traits look_at(std::vector<token> const& tokens) {
    text_traits traits;
    auto const has = [](std::string_view text, std::string_view part) {
        return text.find(part) != text.npos;
    };
    for (auto const& t : tokens) {
        if (t.is("##")) traits.pastes = true;
        if (t.kind == token_kind::header_name || t.kind == token_kind::string) {
            traits.half = traits.half || has(t.text, "cuda_fp16");
            traits.bfloat = traits.bfloat || has(t.text, "cuda_bf16");
        }
        if (t.kind != token_kind::identifier) continue;
        auto const& n = t.text;
        traits.fibres = traits.fibres || has(n, "sync") || has(n, "shfl") || has(n, "barrier");
        traits.half = traits.half || n == "half" || n == "half2" || n.starts_with("__half");
        traits.bfloat = traits.bfloat || n.starts_with("__nv_bfloat16");
        traits.atomics = traits.atomics || n.starts_with("atomic");
        traits.prints = traits.prints || n == "printf";
    }
    traits.fibres = traits.fibres || traits.pastes;
    return traits;
}

/// A parameter as the preprocessor is given it.
[[nodiscard]] inline std::string spell(parameter_value const& value) {
    if (auto const* const n = std::get_if<std::int64_t>(&value)) return std::to_string(*n);
    if (auto const* const b = std::get_if<bool>(&value)) return *b ? "1" : "0";
    if (auto const* const s = std::get_if<std::string>(&value)) return *s;
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", std::get<double>(value));
    std::string number = text;
    if (number.find_first_of(".eni") == number.npos) number += ".0";
    return number;
}

/// A stretch of the text, and what stands there instead.
struct edit {
    std::size_t begin, end;
    std::string text;
};

class translator {
public:
    translator(std::string_view text,
               std::vector<token> const& tokens,
               configuration const& definitions,
               bool checked)
        : text_(text), tokens_(tokens), definitions_(definitions), checked_(checked) {}

    /// The kernel's text with its edits applied; lines are where they were.
    [[nodiscard]] std::variant<std::string, refused> run() {
        int depth = 0;
        std::vector<bool> transparent;
        std::size_t begin = 0;
        for (std::size_t i = 0; i < tokens_.size() && !found_; ++i) {
            auto const& t = tokens_[i];
            if (t.directive && t.first) {
                directive(i);
                if (begin == i) begin = end_of_line(i);
            }
            if (!t.directive) {
                if (t.is("{")) {
                    bool open = depth == 0 && i >= 2 && tokens_[i - 2].is("extern");
                    for (auto k = begin; k < i && depth == 0; ++k)
                        open = open || tokens_[k].is("namespace");
                    transparent.push_back(open);
                    depth += open ? 0 : 1;
                    begin = i + 1;
                } else if (t.is("}") && !transparent.empty()) {
                    depth -= transparent.back() ? 0 : 1;
                    transparent.pop_back();
                    begin = i + 1;
                } else if (t.is(";")) {
                    begin = i + 1;
                }
                own_definition(i);
            }
            if (t.is("__shared__")) shared(i, depth);
            if (t.is("__constant__")) constant(i, begin);
        }
        if (found_) return *found_;
        return apply();
    }

private:
    [[nodiscard]] bool is(std::size_t i, std::string_view what) const {
        return i < tokens_.size() && tokens_[i].is(what);
    }
    [[nodiscard]] std::size_t end_of_line(std::size_t i) const {
        do ++i;
        while (i < tokens_.size() && tokens_[i].directive && !tokens_[i].first);
        return i;
    }

    /// Includes are dropped: the shim stands for them. So are definitions of tunable parameters.
    void directive(std::size_t i) {
        bool const own = is(i + 1, "define") && i + 2 < tokens_.size() &&
                         tokens_[i + 2].directive &&
                         definitions_.find(tokens_[i + 2].text) != nullptr;
        if (!own && !is(i + 1, "include")) return;
        auto const begin = tokens_[i].begin, end = tokens_[end_of_line(i) - 1].end;
        auto const lines = std::count(text_.begin() + static_cast<std::ptrdiff_t>(begin),
                                      text_.begin() + static_cast<std::ptrdiff_t>(end),
                                      '\n');
        edits_.push_back({begin, end, std::string(static_cast<std::size_t>(lines), '\n')});
    }

    /// `constexpr int BLOCK = 16;` would become `constexpr int 32 = 16;`.
    void own_definition(std::size_t i) {
        auto const& t = tokens_[i];
        if (t.kind != token_kind::identifier || !is(i + 1, "=") || i == 0 ||
            definitions_.find(t.text) == nullptr || tokens_[i - 1].kind != token_kind::identifier)
            return;
        found_ = refused{t.text + " =",
                         "the text defines the tunable parameter " + t.text +
                             " itself; leave its definition to the tuner, or write #define",
                         t.where};
    }

    void shared(std::size_t i, int depth) {
        auto const& t = tokens_[i];
        bool const before = i > 0 && is(i - 1, "extern"), after = is(i + 1, "extern");
        if (before || after) return dynamic(before ? i - 1 : i, depth);
        bool const is_static = (i > 0 && is(i - 1, "static")) || is(i + 1, "static");
        // AddressSanitizer guards static arrays, not those of a thread; checked runs have one.
        edits_.push_back({t.begin, t.end, !checked_ ? "thread_local" : is_static ? "" : "static"});
    }

    /// `extern __shared__ [alignment] T name[];`
    void dynamic(std::size_t i, int depth) {
        auto const& first = tokens_[i];
        auto const bad = [&](std::string why) {
            found_ = refused{"extern __shared__", std::move(why), first.where};
        };
        if (first.directive) return bad("write the declaration out, not in a macro");
        std::string type, name;
        std::size_t k = i + 2;
        for (; k < tokens_.size() && !is(k, "[") && !is(k, ";") && !is(k, ","); ++k) {
            if ((is(k, "__align__") || is(k, "alignas") || is(k, "__builtin_align__")) &&
                is(k + 1, "(")) {
                while (k < tokens_.size() && !is(k, ")")) ++k; // the memory is aligned to 16 bytes
                continue;
            }
            if (!name.empty()) type += name + " ";
            name = tokens_[k].text;
        }
        if (!is(k, "[") || !is(k + 1, "]") || !is(k + 2, ";") || type.empty())
            return bad("dynamic shared memory is declared as: extern __shared__ float name[];");
        auto const pointer = "(" + type + "*)lkt_dynamic";
        edits_.push_back({first.begin,
                          tokens_[k + 2].end,
                          depth > 0
                              ? type + "* const " + name + " = " + pointer + ";"
                              : "static lkt_dynamic_array<" + type + "> const " + name + "{};"});
    }

    /// Constant memory is constant, which lets the compiler fold it.
    void constant(std::size_t i, std::size_t begin) {
        bool is_const = false;
        for (auto k = begin; k < tokens_.size() && !is(k, ";") && !is(k, "=") && !is(k, "{"); ++k)
            is_const = is_const || is(k, "const") || is(k, "constexpr");
        edits_.push_back({tokens_[i].begin, tokens_[i].end, is_const ? "" : "const"});
    }

    [[nodiscard]] std::string apply() {
        std::string result;
        std::size_t at = 0;
        std::stable_sort(edits_.begin(), edits_.end(), [](auto const& a, auto const& b) {
            return a.begin < b.begin;
        });
        for (auto const& e : edits_) {
            if (e.begin < at) continue; // inside a declaration that is replaced as a whole
            result.append(text_.substr(at, e.begin - at)).append(e.text);
            at = e.end;
        }
        return result.append(text_.substr(at));
    }

    std::string_view text_;
    std::vector<token> const& tokens_;
    configuration const& definitions_;
    bool checked_;
    std::vector<edit> edits_;
    std::optional<refused> found_;
};

/// `outer::name` of the kernel called `name`: where its definition stands among the namespaces.
[[nodiscard]] inline std::string qualified_name(std::vector<token> const& tokens,
                                                std::string const& name) {
    std::vector<std::string> path; // of each open brace; empty for others than namespaces
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].is("}") && !path.empty()) path.pop_back();
        if (tokens[i].is("{")) {
            std::string space;
            auto k = i;
            while (k > 0 &&
                   (tokens[k - 1].kind == token_kind::identifier || tokens[k - 1].is("::")))
                --k;
            if (k < i && tokens[k].is("inline")) ++k;
            if (k < i && tokens[k].is("namespace"))
                for (++k; k < i; ++k) space += tokens[k].text;
            path.push_back(std::move(space));
        }
        if (!tokens[i].is("__global__")) continue;
        for (auto k = i + 1; k + 1 < tokens.size(); ++k) {
            if (tokens[k].is("{") || tokens[k].is(";")) break;
            if (tokens[k].text != name || !tokens[k + 1].is("(")) continue;
            std::string full;
            for (auto const& p : path)
                if (!p.empty()) full += p + "::";
            return full + name;
        }
    }
    return name;
}

/// `<16, float>`: the arguments of a template kernel are the definitions of the same names; those
/// that have a default may be missing at the end.
[[nodiscard]] inline std::variant<std::string, refused>
template_arguments(signature const& s, configuration const& definitions) {
    std::string list;
    bool ended = false;
    for (auto const& parameter : s.template_parameters) {
        auto const declaration = parameter.substr(0, parameter.find('='));
        auto const last = declaration.find_last_not_of(" \t\n");
        auto const before =
            declaration.find_last_of(" \t\n.*&>", last == std::string::npos ? 0 : last);
        auto const name =
            last == std::string::npos
                ? std::string{}
                : declaration.substr(before == std::string::npos ? 0 : before + 1,
                                     last - (before == std::string::npos ? 0 : before + 1) + 1);
        auto const* const value = definitions.find(name);
        if (value != nullptr && !ended) {
            list += (list.empty() ? "" : ", ") + spell(*value);
        } else if (parameter.find('=') != std::string::npos) {
            ended = true;
        } else {
            return refused{"template <" + parameter + "> " + s.name,
                           "the template parameter " + name +
                               " has no value; define a parameter of that name, such as " + name +
                               (parameter.starts_with("typename") || parameter.starts_with("class")
                                    ? "=float"
                                    : "=16"),
                           {s.line, 0}};
        }
    }
    return s.template_parameters.empty() ? std::string{} : "<" + list + ">";
}

} // namespace lkt::host_detail
