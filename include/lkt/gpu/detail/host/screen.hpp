// SPDX-License-Identifier: BSL-1.0
// The first defence against a kernel's text: what is not device code, or not supported, is refused
// by name before a compiler sees it. (The second looks at what was compiled, the third is a cell.)
#pragma once

#include <lkt/gpu/detail/host/words.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/lang/cuda/scope_walker.hpp>
#include <lkt/lang/cuda/tokens.hpp>

#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lkt::host_detail {

/// Which of a text's two forms is looked at.
enum class text_form : unsigned char {
    written,  ///< before its macros, with its directives
    compiled, ///< what a compiler gets: no macro is left
};

/// A kernel that could name the back end's own parts could change what it is judged by.
[[nodiscard]] inline bool begins_like_back_end(token const& t) {
    return t.kind == token_kind::identifier &&
           (t.text.starts_with("lkt_") || t.text.starts_with("LKT_"));
}

class screener {
public:
    /// `filled`: constant memory that the host fills.
    screener(std::vector<token> const& tokens, text_form form, std::set<std::string> filled)
        : tokens_(tokens), form_(form), filled_(std::move(filled)) {}

    /// The first construct that is refused.
    [[nodiscard]] std::optional<refused> run() {
        for (std::size_t i = 0; i < tokens_.size() && !found_; ++i) {
            auto const& t = tokens_[i];
            if (t.disguised && t.kind != token_kind::string)
                refuse(t,
                       "its spelling hides what it is (line splice, "
                       "digraph or universal character name)");
            else if (t.directive && t.first)
                i = directive(i);
            else if (t.kind == token_kind::identifier)
                identifier(i);
            else if (t.is("<<<"))
                refuse(t, "kernels cannot launch kernels here (dynamic parallelism)");
            else if (t.is("[") && i + 1 < tokens_.size() && tokens_[i + 1].is("["))
                attribute(i);
        }
        if (!found_ && form_ == text_form::compiled) structure();
        return found_;
    }

private:
    void refuse(token const& t, std::string_view why) { refuse(t.text, why, t.where); }
    void refuse(std::string what, std::string_view why, text_location where) {
        if (!found_) found_ = refused{std::move(what), std::string{why}, where};
    }
    [[nodiscard]] token const* at(std::size_t i) const {
        return i < tokens_.size() ? &tokens_[i] : nullptr;
    }
    [[nodiscard]] bool is(std::size_t i, std::string_view text) const {
        return i < tokens_.size() && tokens_[i].is(text);
    }

    /// One past the last token of the directive that begins at `i`.
    [[nodiscard]] std::size_t end_of_line(std::size_t i) const {
        do ++i;
        while (i < tokens_.size() && tokens_[i].directive && !tokens_[i].first);
        return i;
    }

    [[nodiscard]] static bool makes_device(token const& t) {
        return t.is("__device__") || t.is("__global__") || t.is("constexpr") || t.is("consteval") ||
               t.is("template");
    }

    // --- preprocessor lines ---------------------------------------------------------------------
    /// Returns the last token that needs no further look.
    std::size_t directive(std::size_t i) {
        auto const end = end_of_line(i);
        if (i + 1 == end) return i; // a lone #
        auto const& name = tokens_[i + 1];
        auto const line = [&] {
            std::string text = "#";
            for (auto k = i + 1; k < end; ++k) text += (k > i + 1 ? " " : "") + tokens_[k].text;
            return text;
        };
        if (name.is("include")) {
            include(i, end, line());
            return end - 1;
        }
        if (name.is("pragma")) {
            bool const known =
                i + 2 < end &&
                (tokens_[i + 2].is("unroll") || tokens_[i + 2].is("nounroll") ||
                 tokens_[i + 2].is("once") || tokens_[i + 2].text.starts_with("nv_"));
            if (!known) refuse(line(), "the only pragma allowed is #pragma unroll", name.where);
            return i + 1;
        }
        if (name.is("define")) {
            int brackets = 0;
            for (auto k = i + 2; k < end; ++k)
                brackets += tokens_[k].is("[") ? 1 : tokens_[k].is("]") ? -1 : 0;
            if (brackets != 0)
                refuse(
                    line(), "a macro with one bracket of a pair can hide an attribute", name.where);
            return i + 1;
        }
        static constexpr std::string_view known[] = {"undef",
                                                     "if",
                                                     "ifdef",
                                                     "ifndef",
                                                     "elif",
                                                     "else",
                                                     "endif",
                                                     "error",
                                                     "warning",
                                                     "elifdef",
                                                     "elifndef"};
        if (std::none_of(std::begin(known), std::end(known), [&](auto n) { return name.is(n); }))
            refuse(line(), "this directive reaches outside the kernel's text", name.where);
        return i + 1;
    }

    void include(std::size_t i, std::size_t end, std::string const& line) {
        auto const where = tokens_[i].where;
        if (i + 3 != end || (tokens_[i + 2].kind != token_kind::header_name &&
                             tokens_[i + 2].kind != token_kind::string)) {
            refuse(line, "an include must name its header", where);
            return;
        }
        auto const& spelt = tokens_[i + 2].text;
        auto const name = spelt.size() < 2 ? std::string_view{}
                                           : std::string_view{spelt}.substr(1, spelt.size() - 2);
        if (std::find(known_headers.begin(), known_headers.end(), name) != known_headers.end())
            return;
        auto const why = reason_against_header(name);
        refuse(line,
               !why.empty() ? why
                            : "a kernel can include only core headers of the CUDA toolkit and a "
                              "few headers of C and C++",
               where);
    }

    // --- words ----------------------------------------------------------------------------------
    void identifier(std::size_t i) {
        auto const& t = tokens_[i];
        auto const& name = t.text;
        auto const next_is = [&](std::string_view text) { return is(i + 1, text); };
        if (name == "delete" && i > 0 && is(i - 1, "=")) return;
        bool const member = i > 0 && (is(i - 1, ".") || is(i - 1, "->"));
        // In a macro, its words are not there yet.
        if (name == "_Pragma" && (t.directive || unrolls(i))) return;
        for (auto const& w : refused_words)
            if (name == w.name && !member) return refuse(t, w.why);
        for (auto const& w : refused_beginnings)
            if (name.starts_with(w.name)) return refuse(t, w.why);
        if (form_ == text_form::compiled && named_by_compilers(name))
            return refuse(t, compilers_own);
        if (form_ == text_form::compiled && begins_like_back_end(t)) return refuse(t, reserved);
        if (name.starts_with("__builtin_") &&
            std::find(allowed_builtins.begin(), allowed_builtins.end(), name) ==
                allowed_builtins.end())
            return refuse(
                t, "this built-in function is not on the list of functions that only compute");
        // `cudaRoundNearest` and its kin are arguments of conversions.
        if (name.size() > 4 && name.starts_with("cuda") && name[4] >= 'A' && name[4] <= 'Z' &&
            !name.starts_with("cudaRound"))
            return refuse(t,
                          "the CUDA runtime is host code; a kernel may contain only device code");
        if ((name == "clock" || name == "free" || name == "abort" || name == "exit") &&
            next_is("(") && !member)
            return refuse(t,
                          name == "clock"  ? no_clock
                          : name == "free" ? no_heap
                                           : not_device_code);
        if (name == "main" && next_is("("))
            return refuse(
                t, "a program's main function is host code; a kernel may contain only device code");
        if ((name == "import" || name == "module" || name == "export") && t.first)
            return refuse(t, "modules reach outside the kernel's text");
        if (name == "extern") external(i);
    }

    /// `_Pragma("unroll 4")`
    [[nodiscard]] bool unrolls(std::size_t i) const {
        if (!is(i + 1, "(") || !is(i + 3, ")") || tokens_[i + 2].kind != token_kind::string)
            return false;
        std::string_view text = tokens_[i + 2].text;
        if (!text.starts_with('"')) return false;
        text = text.substr(1, text.size() - 2);
        auto const word = text.starts_with("nounroll") ? 8U : text.starts_with("unroll") ? 6U : 0U;
        auto const rest = text.substr(word);
        return word > 0 && rest.find_first_not_of("0123456789 ()") == rest.npos &&
               (rest.empty() || rest[0] == ' ' || rest[0] == '(');
    }

    /// `extern` may introduce dynamic shared memory, or C linkage of kernels.
    void external(std::size_t i) {
        if (is(i + 1, "__shared__") || (i > 0 && is(i - 1, "__shared__"))) return;
        auto const* const next = at(i + 1);
        if (next != nullptr && next->kind == token_kind::string && next->text == "\"C\"") return;
        if (is(i + 1, "template")) return;
        refuse(tokens_[i], "it names something outside the kernel's text");
    }

    void attribute(std::size_t i) {
        static constexpr std::string_view known[] = {
            "likely", "unlikely", "maybe_unused", "nodiscard", "fallthrough", "noreturn"};
        auto const* const name = at(i + 2);
        bool const plain = is(i + 3, "]") && is(i + 4, "]");
        if (name != nullptr && plain &&
            std::any_of(std::begin(known), std::end(known), [&](auto n) { return name->is(n); }))
            return;
        refuse("[[" + (name != nullptr ? name->text : std::string{}),
               "only the attributes likely, unlikely, maybe_unused, nodiscard, fallthrough and "
               "noreturn are allowed",
               tokens_[i].where);
    }

    // --- functions of namespace scope -----------------------------------------------------------
    void structure() {
        scope_walker scopes(tokens_);
        int parentheses = 0;
        for (std::size_t i = 0; i < tokens_.size() && !found_; ++i) {
            auto const& t = tokens_[i];
            if (t.is("(") && !t.directive) ++parentheses;
            if (t.is(")") && !t.directive && parentheses > 0) --parentheses;
            if (!t.directive && scopes.depth() == 0) {
                if (t.is("{") && parentheses == 0 && !scopes.opens_namespace(i))
                    function(scopes.statement(), i);
                if (t.is(";")) constant(scopes.statement(), i);
            }
            scopes.past(i);
        }
    }
    [[nodiscard]] bool has(std::size_t begin, std::size_t end, std::string_view word) const {
        for (auto i = begin; i < end; ++i)
            if (!tokens_[i].directive && tokens_[i].is(word)) return true;
        return false;
    }
    /// `begin` to `end` is what stands before a brace at namespace scope.
    void function(std::size_t begin, std::size_t end) {
        std::size_t name = 0;
        bool device = false, host = false;
        for (auto i = begin; i < end; ++i) {
            auto const& t = tokens_[i];
            if (t.directive) continue;
            for (auto const other : {"struct", "class", "union", "enum", "="})
                if (name == 0 && t.is(other)) return;
            device = device || (makes_device(t) && !t.is("template"));
            host = host || t.is("__host__");
            if (name == 0 && t.is("(") && i > begin &&
                tokens_[i - 1].kind == token_kind::identifier &&
                !tokens_[i - 1].is("__launch_bounds__") && !tokens_[i - 1].is("__align__") &&
                !tokens_[i - 1].is("alignas") && !tokens_[i - 1].is("requires"))
                name = i - 1;
        }
        if (name == 0 || device) return;
        refuse(tokens_[name].text,
               host ? "a __host__ function is host code; a kernel may contain only device code"
                    : "a function without __device__ is host code; put __device__ before it if the "
                      "kernel calls it",
               tokens_[name].where);
    }
    void constant(std::size_t begin, std::size_t end) {
        if (!has(begin, end, "__constant__") || has(begin, end, "=") || has(begin, end, "{"))
            return;
        for (auto i = begin; i < end; ++i)
            if (filled_.contains(tokens_[i].text)) return;
        for (auto i = begin; i < end; ++i)
            if (tokens_[i].is("__constant__"))
                refuse("__constant__",
                       "nothing fills this constant memory; give it an initialiser, or declare it "
                       "as `__constant__ float name[17];`, as the original kernel does",
                       tokens_[i].where);
    }

    std::vector<token> const& tokens_;
    text_form form_;
    std::set<std::string> filled_;
    std::optional<refused> found_;
};

/// A text before its macros: what is refused wherever it stands, dead branches included.
[[nodiscard]] inline std::optional<refused> screen_written(std::vector<token> const& tokens) {
    return screener{tokens, text_form::written, {}}.run();
}
/// The same text as a compiler gets it.
[[nodiscard]] inline std::optional<refused> screen_compiled(std::vector<token> const& tokens,
                                                            std::set<std::string> filled) {
    return screener{tokens, text_form::compiled, std::move(filled)}.run();
}

} // namespace lkt::host_detail
