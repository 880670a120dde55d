// SPDX-License-Identifier: BSL-1.0
// From a kernel's text after its macros to its part of a module: the few words that C++ spells
// differently are replaced in place, so that lines stay.
#pragma once

#include <lkt/gpu/detail/host/device_arithmetic.hpp>
#include <lkt/gpu/detail/host/module.hpp>
#include <lkt/gpu/detail/host/ptx_async.hpp>
#include <lkt/gpu/detail/host/ptx_in_cpp.hpp>
#include <lkt/gpu/detail/host/shared_declaration.hpp>
#include <lkt/gpu/detail/host/unwritten_locals.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/kernel/verdict.hpp>
#include <lkt/lang/cuda/inline_ptx.hpp>
#include <lkt/lang/cuda/scope_walker.hpp>
#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::host_detail {

/// What a look at the tokens tells about how to compile.
struct text_traits {
    bool fibres = false;    ///< threads of a block may wait for each other
    bool half = false;      ///< uses __half
    bool bfloat = false;    ///< uses __nv_bfloat16
    bool float8 = false;    ///< uses __nv_fp8_e4m3, __nv_fp8_e5m2 or __nv_fp4_e2m1
    bool tensor = false;    ///< uses mma.h
    bool copies = false;    ///< has asynchronous copies
    bool waits = false;     ///< uses cuda/barrier or cuda/pipeline
    bool groups = false;    ///< uses cooperative groups
    bool ptx = false;       ///< has inline PTX
    bool async = false;     ///< some of which is about what runs beside the threads
    bool products = false;  ///< wgmma among it
    bool awbarrier = false; ///< uses cuda_awbarrier_primitives.h
    bool atomics = false;   ///< sums may depend on the order in which threads run
    bool polls = false;     ///< blocks may wait for each other
    bool prints = false;
    std::uint32_t dynamic_alignment = 16; ///< of dynamic shared memory, in bytes
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
        traits.float8 = traits.float8 || has(header, "cuda_fp8") || has(header, "cuda_fp4");
        traits.tensor = traits.tensor || has(header, "mma.h");
        traits.copies = traits.copies || has(header, "cuda_pipeline");
        traits.waits = traits.waits || has(header, "cuda/barrier") || has(header, "cuda/pipeline");
        traits.groups = traits.groups || has(header, "cooperative_groups");
        traits.awbarrier = traits.awbarrier || has(header, "cuda_awbarrier");
    }
    traits.copies = traits.copies || traits.waits || traits.groups;
    traits.async = traits.awbarrier;
    traits.fibres = traits.tensor || traits.waits || traits.groups;
    bool assembly = false; // the word before began it
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        auto const& t = tokens[i];
        if (t.kind == token_kind::string)
            traits.float8 = traits.float8 || has(t.text, "e4m3") || has(t.text, "e5m2");
        if (t.kind != token_kind::identifier) continue;
        auto const& n = t.text;
        bool const only_this = std::exchange(assembly, begins_asm(n));
        if (only_this && n == "volatile") continue;
        traits.ptx = traits.ptx || assembly || n.starts_with("__cvta_");
        traits.async = traits.async || n == "CUtensorMap";
        if (assembly)
            if (auto const read = read_asm(tokens, i);
                auto const* const one = std::get_if<asm_statement>(&read)) {
                traits.async = traits.async || ptx_async::needed(one->text);
                traits.products = traits.products || has(one->text, "wgmma");
                traits.atomics =
                    traits.atomics || has(one->text, "red.") || has(one->text, "atom.");
                traits.polls = traits.polls || traits.atomics || has(one->text, ".volatile") ||
                               has(one->text, ".relaxed") || has(one->text, ".acquire");
            }
        traits.fibres = traits.fibres || has(n, "sync") || has(n, "shfl") || has(n, "barrier") ||
                        n == "__activemask" || n == "__ballot" || n == "__any" || n == "__all";
        traits.half = traits.half || n == "half" || n == "half2" || n.starts_with("__half");
        traits.bfloat = traits.bfloat || n.starts_with("__nv_bfloat16");
        traits.float8 = traits.float8 || n.starts_with("__nv_fp8") || n.starts_with("__nv_fp4");
        traits.atomics = traits.atomics || n.starts_with("atomic");
        traits.polls = traits.polls || traits.atomics || n == "volatile" || n == "__ldcv";
        traits.prints = traits.prints || n == "printf";
    }
    // Copies of tensor maps need as much, and have it on a device where nothing lies before.
    traits.dynamic_alignment = traits.async ? 1024 : dynamic_alignment(tokens);
    traits.ptx = traits.ptx || traits.async;
    traits.fibres = traits.fibres || traits.ptx;
    traits.copies = traits.copies || traits.ptx;
    traits.half = traits.half || traits.tensor || traits.float8 || traits.ptx;
    traits.bfloat = traits.bfloat || traits.tensor || traits.float8 || traits.ptx;
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
    /// `margin`: bytes on either side of a shared variable. `ptx`: assembly is inline PTX.
    /// `arithmetic`: whose casts and shifts the text has. `known`: the shim has to know where
    /// shared variables lie. `fill_locals`: local variables are NaN until they are written.
    translator(std::string_view text,
               std::vector<token> const& tokens,
               std::string_view shared,
               std::set<std::string> const& filled,
               std::uint64_t margin = 0,
               bool ptx = true,
               arithmetic_of arithmetic = arithmetic_of::device,
               bool known = false,
               bool fill_locals = false)
        : text_(text), tokens_(tokens), shared_(shared), filled_(filled), margin_(margin),
          ptx_(ptx), known_(known), arithmetic_(arithmetic), fill_locals_(fill_locals) {}

    /// The kernel's text with its edits applied; lines are where they were.
    [[nodiscard]] std::variant<std::string, refused> run() {
        scope_walker scopes(tokens_);
        device_arithmetic_reader const arithmetic(tokens_);
        unwritten_locals_reader locals(tokens_);
        for (std::size_t i = 0; i < tokens_.size() && !found_; ++i) {
            if (tokens_[i].is("__shared__")) shared(i, scopes.statement(), scopes.depth());
            if (tokens_[i].is("__constant__")) constant(i, scopes.statement());
            auto made = arithmetic_ == arithmetic_of::device ? arithmetic.read(i) : std::nullopt;
            if (made && !tokens_[i].directive)
                replace(made->first, made->last, std::move(made->text));
            if (ptx_ && tokens_[i].kind == token_kind::identifier && begins_asm(tokens_[i].text))
                assembly(i);
            if (fill_locals_)
                for (auto const name : locals.read(i, scopes))
                    edits_.push_back({tokens_[i].end,
                                      tokens_[i].end,
                                      " lkt_unwritten(" + std::string(name) + ");"});
            scopes.past(i);
        }
        if (found_) return *found_;
        return apply();
    }

private:
    [[nodiscard]] bool is(std::size_t i, std::string_view what) const {
        return i < tokens_.size() && tokens_[i].is(what);
    }

    /// `__shared__ T a[4], b;`, wherever that word stands in it. As in CUDA, no constructor runs:
    /// types are declared instead, and the names refer to bytes.
    void shared(std::size_t i, std::size_t statement, int depth) {
        auto const made = shared_declaration_reader(tokens_).read(i, statement);
        if (made.dynamic) return dynamic(made, i, depth);
        bool const known = known_ && depth > 0;
        if (made.initialiser > 0) {
            found_ = refused{"a __shared__ variable with an initialiser",
                             "shared memory is not initialised; write to it in the kernel",
                             tokens_[made.initialiser].where,
                             verdict::compile_error};
            return;
        }
        if (!made.understood()) return replace(i, i, std::string(shared_));
        std::string alignment;
        for (auto const& [from, to] : made.alignments)
            alignment.append(text_, tokens_[from].begin, tokens_[to].end - tokens_[from].begin) +=
                ' ';
        begins(made, "typedef ");
        replace(i, i, "");
        std::string bytes = ";";
        std::string const where(shared_);
        for (auto const k : made.names) {
            auto const& name = tokens_[k].text;
            auto const type = types(k), place = std::string(shared_prefix) + name;
            auto const gap = std::to_string(margin_);
            bytes += " alignas(" + type + ") " + alignment + where + " char " + place + "[sizeof(" +
                     type + ")" + (margin_ > 0 ? " + 2 * " + gap : "") + "]; " + where + " " +
                     type + "& " + name + " = reinterpret_cast<" + type + "&>(" + place +
                     (margin_ > 0 ? "[" + gap + "]" : "") + ");" +
                     (known ? " lkt_know_shared(&" + name + ", sizeof(" + type + "));" : "");
        }
        replace(made.semicolon, made.semicolon, bytes);
    }
    /// `extern __shared__ T name[];`, which lies where `text_traits::dynamic_alignment` says.
    void dynamic(shared_declaration const& made, std::size_t i, int depth) {
        bool const array = made.understood() && made.names.size() == 1 && made.initialiser == 0 &&
                           is(made.names[0] + 1, "[") && is(made.names[0] + 2, "]");
        if (!array) {
            found_ =
                refused{"extern __shared__",
                        "dynamic shared memory is declared as: extern __shared__ float name[];",
                        tokens_[i].where};
            return;
        }
        auto const& name = tokens_[made.names[0]].text;
        begins(made, "typedef ");
        replace(i, i, "");
        auto const type = types(made.names[0]);
        replace(made.semicolon,
                made.semicolon,
                depth > 0 ? "; auto* const " + name + " = *(" + type + "*)lkt_dynamic;"
                          : "; static lkt_dynamic_array<" + type + "> const " + name + "{};");
        for (auto k = made.semicolon + 1; depth == 0 && k + 1 < tokens_.size(); ++k)
            if (tokens_[k].text == name && is_value(k)) replace(k, k, "lkt_decayed(" + name + ")");
    }
    /// Whether a name stands where a value does, as in `(char*)name`, and not in a declaration.
    [[nodiscard]] bool is_value(std::size_t k) const {
        for (auto const after : {"[", "(", "{", "<", "::", ".", "->"})
            if (is(k + 1, after)) return false;
        for (auto const before : {"(", ")", ",", "=", "return", "+", "-", "?", ":"})
            if (is(k - 1, before)) return true;
        return false;
    }
    /// Puts `words` before a declaration, without its storage class and its alignment.
    void begins(shared_declaration const& made, std::string words) {
        auto const begin = tokens_[made.first].begin;
        edits_.push_back({begin, begin, std::move(words)});
        for (auto const k : made.storage) replace(k, k, "");
        for (auto const& [from, to] : made.alignments) replace(from, to, "");
    }
    /// Makes the name at `k` that of a type.
    [[nodiscard]] std::string types(std::size_t k) {
        auto type = "lkt_type_" + tokens_[k].text;
        replace(k, k, type);
        return type;
    }
    void replace(std::size_t from, std::size_t to, std::string text) {
        edits_.push_back({tokens_[from].begin, tokens_[to].end, std::move(text)});
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

    /// A statement of inline PTX, as C++; its lines stay.
    void assembly(std::size_t i) {
        auto const read = read_asm(tokens_, i);
        auto const* const statement = std::get_if<asm_statement>(&read);
        if (statement == nullptr) return refuse(std::get<ptx_refusal>(read), i);
        auto const made = ptx_in_cpp(*statement, text_, tokens_).run();
        if (auto const* const no = std::get_if<ptx_refusal>(&made)) return refuse(*no, i);
        auto const end = statement->end - 1;
        auto const lines = std::count(text_.begin() + static_cast<std::ptrdiff_t>(tokens_[i].begin),
                                      text_.begin() + static_cast<std::ptrdiff_t>(tokens_[end].end),
                                      '\n');
        replace(i,
                end,
                std::get<std::string>(made) + std::string(static_cast<std::size_t>(lines), '\n'));
    }
    void refuse(ptx_refusal const& no, std::size_t i) {
        found_ = refused{tokens_[i].text, "`" + no.what + "`: " + no.why, tokens_[i].where};
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
    std::uint64_t margin_;
    bool ptx_, known_;
    arithmetic_of arithmetic_;
    bool fill_locals_;
    std::vector<edit> edits_;
    std::optional<refused> found_;
};

} // namespace lkt::host_detail
