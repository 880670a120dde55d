// SPDX-License-Identifier: BSL-1.0
// From a compile request to the one text of its kernel that all builds are made of.
#pragma once

#include <lkt/gpu/detail/host/inspect.hpp>
#include <lkt/gpu/detail/host/ptx_in_cpp.hpp>
#include <lkt/gpu/detail/host/screen.hpp>
#include <lkt/gpu/detail/host/translate.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/lang/cuda/instantiation.hpp>
#include <lkt/lang/cuda/preprocess.hpp>
#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/lang/definitions.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::host_detail {

/// A kernel's text after its macros, screened. Its lines are those of the request's text.
struct kernel_text {
    std::string text;
    std::vector<token> tokens; ///< of it
    text_traits traits;
    std::string launched; ///< the kernel's name in an expression
    bool screened = true; ///< then its assembly is PTX, else the host's
};

/// `__CUDA_ARCH__` of `-arch=sm_90`, as the device has it on which the text runs otherwise; else
/// that of the oldest one that has all which the shim has.
[[nodiscard]] inline std::string cuda_arch(std::vector<std::string> const& options) {
    for (std::string_view o : options) {
        if (o.starts_with("--")) o.remove_prefix(1);
        if (!o.starts_with("-arch=") && !o.starts_with("-gpu-architecture=")) continue;
        auto const digits = o.find_first_of("0123456789");
        if (digits == o.npos) continue;
        auto const number = o.substr(digits, o.find_first_not_of("0123456789", digits) - digits);
        if (number.size() >= 2 && number.size() <= 3) return std::string(number) + "0";
    }
    return "700";
}

/// All that a kernel's conditions can know besides its own text and its parameters. Nothing of the
/// compiler, the machine or the build is among it.
[[nodiscard]] inline std::vector<predefined_macro> known_names(compile_request const& request) {
    return {{"__cplusplus", "202002L", true},
            {"__CUDACC__", "1", true},
            {"__CUDACC_RTC__", "1", true},
            {"__CUDA_ARCH__", cuda_arch(request.options), true},
            {"CUDART_VERSION", "12000", true}};
}

/// `-DNAME=VALUE` as a name.
[[nodiscard]] inline predefined_macro macro_of_flag(std::string_view flag) {
    flag.remove_prefix(2);
    auto const equals = flag.find('=');
    return {std::string(flag.substr(0, equals)),
            equals == flag.npos ? "1" : std::string(flag.substr(equals + 1))};
}

/// Takes the `#define` lines and the `#line` off that `with_definitions` puts before a text.
[[nodiscard]] inline std::vector<predefined_macro> take_definitions(std::string& text) {
    std::vector<predefined_macro> names;
    constexpr std::string_view define = "#define ";
    std::size_t at = 0;
    for (; text.compare(at, define.size(), define) == 0; at = text.find('\n', at) + 1) {
        auto const name = at + define.size(), end = text.find('\n', at);
        auto const blank = text.find(' ', name);
        names.push_back({text.substr(name, blank - name), text.substr(blank + 1, end - blank - 1)});
    }
    text.erase(0, text.find('\n', at) + 1); // the #line
    return names;
}

/// Text that a definition brings in is looked at like the kernel's own.
[[nodiscard]] inline std::optional<refused> screen_values(configuration const& definitions,
                                                          bool screened) {
    for (auto const& [name, value] : definitions.values) {
        auto const spelt = definition_text(value);
        auto const words = tokenize(spelt);
        if (!words) return refused{name + "=" + spelt, words.error().message, {}};
        for (auto const& w : *words) {
            if (begins_like_back_end(w))
                return refused{name + "=" + spelt, std::string(reserved), {}};
            if (w.is("#") || w.is("{") || w.is("}") || w.is(";"))
                return refused{
                    name + "=" + spelt, "a parameter's value must be one expression", {}};
        }
        if (auto no = screened ? screen_written(*words) : std::nullopt) {
            no->where = {};
            return no;
        }
    }
    return {};
}

/// A kernel's own names that begin like the back end's get another beginning; those by which the
/// back end finds something in it (`kept`) do not, and are refused.
[[nodiscard]] inline std::string with_own_names(std::string_view text,
                                                std::vector<token> const& tokens,
                                                std::set<std::string> const& kept) {
    std::set<std::string_view> used;
    for (token const& t : tokens) used.insert(t.text);
    std::string made, prefix = "own_";
    auto const clashes = [&](token const& t) {
        return begins_like_back_end(t) && !kept.contains(t.text) && used.contains(prefix + t.text);
    };
    while (std::any_of(tokens.begin(), tokens.end(), clashes)) prefix += "own_";
    std::size_t from = 0;
    for (token const& t : tokens) {
        if (!begins_like_back_end(t) || kept.contains(t.text)) continue;
        made += std::string(text.substr(from, t.begin - from)) + prefix + t.text;
        from = t.end;
    }
    return made + std::string(text.substr(from));
}

/// `flags`: of the compiler; the `-D` among them count. A text is looked at twice: as it is
/// written, for what needs no macros to be seen, and as the compiler will see it, which is what
/// counts.
[[nodiscard]] inline std::variant<kernel_text, failure>
read_kernel(compile_request const& request,
            std::vector<std::string> const& flags,
            std::set<std::string> const& filled,
            bool screened) {
    auto const unread = [](error const& e) { return failure(refused{"the text", e.message, {}}); };
    auto const written = tokenize(request.source.text);
    if (!written) return unread(written.error());
    if (auto no = screened ? screen_written(*written) : std::nullopt)
        return failure(std::move(*no));
    if (auto no = screen_values(request.definitions, screened)) return failure(std::move(*no));
    auto source = request.source;
    source.origin = "kernel";
    auto defined = with_definitions(source, request.definitions);
    if (!defined) return failure(refused{"a definition", defined.error().message, {}});
    if (auto* const no = std::get_if<refused>(&*defined)) return failure(std::move(*no));
    auto text = std::get<std::string>(std::move(*defined));

    auto names = known_names(request);
    for (auto const& f : flags)
        if (f.starts_with("-D")) names.push_back(macro_of_flag(f));
    for (auto& n : take_definitions(text)) names.push_back(std::move(n));
    auto made = preprocess(text, names);
    if (auto* const no = std::get_if<failure>(&made)) return std::move(*no);
    auto& seen = std::get<preprocessed_text>(made);

    kernel_text kernel;
    auto tokens = tokenize(seen.text);
    if (tokens && screened && std::any_of(tokens->begin(), tokens->end(), begins_like_back_end)) {
        auto kept = filled;
        if (auto const name = tokenize(request.signature.name)) // with its namespaces
            for (token const& part : *name) kept.insert(part.text);
        seen.text = with_own_names(seen.text, *tokens, kept);
        tokens = tokenize(seen.text);
    }
    if (!tokens) return unread(tokens.error());
    kernel.tokens = std::move(*tokens);
    auto bad = screened ? screen_compiled(kernel.tokens, filled) : std::nullopt;
    if (screened && !bad) bad = screen_assembly(seen.text, kernel.tokens);
    if (bad) {
        bool const there = std::any_of(
            written->begin(), written->end(), [&](token const& t) { return t.text == bad->what; });
        if (!there) bad->why += " (it appears when the macros are expanded)";
        return failure(std::move(*bad));
    }
    auto launched = instantiation(kernel.tokens, request.signature, request.definitions);
    if (auto* const no = std::get_if<refused>(&launched)) return failure(std::move(*no));
    kernel.launched = std::get<std::string>(std::move(launched));
    kernel.traits = look_at(kernel.tokens, seen.includes);
    kernel.text = std::move(seen.text);
    kernel.screened = screened;
    return kernel;
}

/// The kernel as one build has it: the words of CUDA that C++ spells differently are replaced, and
/// builds differ in the one for static shared memory, and in its margins. Nothing in an unnamed
/// namespace is shared with other modules: the compiler may inline it as it likes, and
/// AddressSanitizer guards what a template makes, too.
[[nodiscard]] inline std::variant<std::string, refused>
kernel_part(kernel_text const& kernel,
            instrumentation how,
            std::set<std::string> const& filled,
            arithmetic_of arithmetic = arithmetic_of::device) {
    // AddressSanitizer guards static arrays, not those of a thread; checked runs have one.
    auto const* const shared = how == instrumentation::none ? "thread_local" : "static";
    auto edited = translator{kernel.text,
                             kernel.tokens,
                             shared,
                             filled,
                             how == instrumentation::bounds ? shared_margin : 0,
                             kernel.screened,
                             arithmetic,
                             kernel.traits.async,
                             how == instrumentation::bounds}
                      .run();
    if (auto* const text = std::get_if<std::string>(&edited))
        *text = "namespace {\n#line 1 \"kernel\"\n" + *text + "\n}\n";
    return edited;
}

} // namespace lkt::host_detail
