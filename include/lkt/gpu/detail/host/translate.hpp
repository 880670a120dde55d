// SPDX-License-Identifier: BSL-1.0
// From a kernel's text after its macros to its part of a module: the few words that C++ spells
// differently are replaced in place, so that lines stay.
#pragma once

#include <lkt/gpu/detail/host/module.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/lang/cuda/scope_walker.hpp>
#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lkt::host_detail {

/// What a look at the tokens tells about how to compile.
struct text_traits {
    bool fibres = false;  ///< threads of a block may wait for each other
    bool half = false;    ///< uses __half
    bool bfloat = false;  ///< uses __nv_bfloat16
    bool atomics = false; ///< sums may depend on the order in which threads run
    bool prints = false;
};

/// `tokens`: as the compiler sees them. `includes`: the headers that the text asks for.
[[nodiscard]] inline text_traits look_at(std::vector<token> const& tokens,
                                         std::vector<std::string> const& includes) {
    text_traits traits;
    auto const has = [](std::string_view text, std::string_view part) {
        return text.find(part) != text.npos;
    };
    for (auto const& header : includes) {
        traits.half = traits.half || has(header, "cuda_fp16");
        traits.bfloat = traits.bfloat || has(header, "cuda_bf16");
    }
    for (auto const& t : tokens) {
        if (t.kind != token_kind::identifier) continue;
        auto const& n = t.text;
        traits.fibres = traits.fibres || has(n, "sync") || has(n, "shfl") || has(n, "barrier");
        traits.half = traits.half || n == "half" || n == "half2" || n.starts_with("__half");
        traits.bfloat = traits.bfloat || n.starts_with("__nv_bfloat16");
        traits.atomics = traits.atomics || n.starts_with("atomic");
        traits.prints = traits.prints || n == "printf";
    }
    return traits;
}

/// A stretch of the text, and what stands there instead.
struct edit {
    std::size_t begin, end;
    std::string text;
};

class translator {
public:
    /// `shared`: what `__shared__` becomes. `filled`: constant memory that the host fills.
    translator(std::string_view text,
               std::vector<token> const& tokens,
               std::string_view shared,
               std::set<std::string> const& filled)
        : text_(text), tokens_(tokens), shared_(shared), filled_(filled) {}

    /// The kernel's text with its edits applied; lines are where they were.
    [[nodiscard]] std::variant<std::string, refused> run() {
        scope_walker scopes(tokens_);
        for (std::size_t i = 0; i < tokens_.size() && !found_; ++i) {
            if (tokens_[i].is("__shared__")) shared(i, scopes.depth());
            if (tokens_[i].is("__constant__")) constant(i, scopes.statement());
            scopes.past(i);
        }
        if (found_) return *found_;
        return apply();
    }

private:
    [[nodiscard]] bool is(std::size_t i, std::string_view what) const {
        return i < tokens_.size() && tokens_[i].is(what);
    }

    void shared(std::size_t i, int depth) {
        auto const& t = tokens_[i];
        bool const before = i > 0 && is(i - 1, "extern"), after = is(i + 1, "extern");
        if (before || after) return dynamic(before ? i - 1 : i, depth);
        bool const is_static = (i > 0 && is(i - 1, "static")) || is(i + 1, "static");
        auto with = shared_;
        constexpr std::string_view word = "static";
        if (is_static && with.starts_with(word)) with.remove_prefix(word.size());
        edits_.push_back({t.begin, t.end, std::string{with}});
    }

    /// `extern __shared__ [alignment] T name[];`
    void dynamic(std::size_t i, int depth) {
        auto const& first = tokens_[i];
        auto const bad = [&](std::string why) {
            found_ = refused{"extern __shared__", std::move(why), first.where};
        };
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

    /// Constant memory is constant, which lets the compiler fold it; unless the host fills it.
    void constant(std::size_t i, std::size_t begin) {
        bool is_const = false;
        auto k = begin;
        for (; k < tokens_.size() && !is(k, ";") && !is(k, "=") && !is(k, "{"); ++k)
            is_const = is_const || is(k, "const") || is(k, "constexpr") ||
                       filled_.contains(tokens_[k].text);
        edits_.push_back({tokens_[i].begin, tokens_[i].end, is_const ? "" : "const"});
    }

    [[nodiscard]] std::string apply() {
        std::string result;
        std::size_t at = 0;
        // By place, and those of one place as they came (std::stable_sort of libstdc++ 12 uses what
        // clang 19 warns of).
        std::vector<edit const*> ordered;
        for (auto const& e : edits_) ordered.push_back(&e);
        std::sort(ordered.begin(), ordered.end(), [](edit const* a, edit const* b) {
            return a->begin != b->begin ? a->begin < b->begin : std::less<>()(a, b);
        });
        for (edit const* const e : ordered) {
            if (e->begin < at) continue; // inside a declaration that is replaced as a whole
            result.append(text_.substr(at, e->begin - at)).append(e->text);
            at = e->end;
        }
        return result.append(text_.substr(at));
    }

    std::string_view text_;
    std::vector<token> const& tokens_;
    std::string_view shared_;
    std::set<std::string> const& filled_;
    std::vector<edit> edits_;
    std::optional<refused> found_;
};

} // namespace lkt::host_detail
