// SPDX-License-Identifier: BSL-1.0
// What the compiler made of a kernel, for who wants to make it faster: its code by lines of the
// text, and which loops it vectorised.
#pragma once

#include <lkt/gpu/detail/code_excerpt.hpp>
#include <lkt/gpu/detail/host/compiler.hpp>
#include <lkt/gpu/detail/host/whole_text.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/process/wire.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::host_detail {

struct code_listing {
    std::vector<gpu_detail::code_line> code; ///< of the kernel and what is inlined into it
    std::vector<std::string> remarks;        ///< `line 7: loop vectorized using 32 byte vectors`
};

/// Calls `take` with each line.
template <class Take>
void for_each_line(std::string_view text, Take const& take) {
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        take(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

/// The number at the beginning; 0 where there is none.
[[nodiscard]] inline std::int64_t leading_number(std::string_view text) {
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// Reads `objdump -d -l --no-show-raw-insn`, whose lines of the kernel's text are `kernel:LINE`.
[[nodiscard]] inline std::vector<gpu_detail::code_line> code_of_listing(std::string_view listing) {
    std::vector<gpu_detail::code_line> code;
    std::int64_t line = 0;
    for_each_line(listing, [&](std::string_view text) {
        if (text.empty()) return;
        if (text.front() != ' ') {
            auto const colon = text.rfind(':');
            if (text.find(">:") != text.npos || text.ends_with("():") || colon == text.npos) return;
            auto const begin = text.rfind('/', colon);
            auto const file = text.substr(begin == text.npos ? 0 : begin + 1);
            line = file.starts_with("kernel:") ? leading_number(file.substr(7)) : 0;
            return;
        }
        auto const colon = text.find(":\t");
        if (colon == text.npos) return;
        auto what = text.substr(colon + 2);
        // Where a jump goes is an address; the name that is added says nothing more.
        what = what.substr(0, std::min(what.find(" <"), what.size()));
        what = what.substr(0, what.find_last_not_of(" \t") + 1);
        // What fills gaps is no code.
        if (!what.empty() && what.find("nop") == what.npos && what.find("xchg   %ax,%ax") != 0)
            code.push_back({line, std::string{what}});
    });
    return code;
}

/// Of what the compiler says of its vectoriser, what concerns the loops of the kernel's text, and
/// the loop over the threads of a block, which is in line `threads` of the shim.
[[nodiscard]] inline std::vector<std::string> vectoriser_remarks(std::string_view said,
                                                                 std::int64_t threads) {
    std::vector<std::string> remarks;
    for_each_line(said, [&](std::string_view text) {
        std::string place;
        constexpr std::string_view own = "kernel:", shim = "module.cpp:";
        if (text.starts_with(own))
            place = "line " + std::to_string(leading_number(text.substr(own.size())));
        else if (text.starts_with(shim) && leading_number(text.substr(shim.size())) == threads)
            place = "the loop over the threads of a block";
        else
            return;
        for (std::string_view const kind : {"optimized: ", "missed: ", "remark: "}) {
            auto const at = text.find(kind);
            if (at == text.npos) continue;
            auto const what = text.substr(at + kind.size());
            bool const tells = kind != "missed: " || what.starts_with("couldn't vectorize loop") ||
                               what.starts_with("not vectorized");
            std::string one = place + ": " + std::string{what.substr(0, 200)};
            if (tells && std::find(remarks.begin(), remarks.end(), one) == remarks.end())
                remarks.push_back(std::move(one));
            return;
        }
    });
    return remarks;
}

/// The number of the line that begins the loop over the threads; 0 where there is none.
[[nodiscard]] inline std::int64_t line_of_threads(std::string_view whole) {
    auto const at = whole.find("for (unsigned x = 0; x < n; ++x)");
    if (at == whole.npos) return 0;
    return 1 + std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(at), '\n');
}

/// Compiles the text once more, with lines and remarks; the code is the same. Errors: those of
/// running the compiler, `lkt.host.evidence` (unavailable) where it fails.
[[nodiscard]] inline result<code_listing> list_code(host_options const& options,
                                                    compiler_facts const& compiler,
                                                    compile_request const& request,
                                                    call_context const& context) {
    auto const failed = [](std::string why) {
        return error{condition::unavailable,
                     "lkt.host.evidence",
                     "the code of a kernel cannot be listed: " + std::move(why),
                     {}};
    };
    auto translated = translate_options(request.options);
    auto const filled = filled_constants(request.signature);
    auto read = read_kernel(request, translated.flags, filled, true);
    if (auto* const no = std::get_if<failure>(&read)) return failed(describe(*no));
    auto const& kernel = std::get<kernel_text>(read);
    std::erase_if(translated.flags, [](auto const& f) { return f.starts_with("-D"); });
    for (auto const arithmetic : {arithmetic_of::device, arithmetic_of::cpu}) {
        auto const part = kernel_part(kernel, instrumentation::none, filled, arithmetic);
        if (auto* const no = std::get_if<refused>(&part)) return failed(describe(failure{*no}));
        auto const whole = whole_text(
            std::get<std::string>(part), kernel, request, options, instrumentation::none);
        auto arguments = flags_of_texts(compiler);
        for (auto const& more :
             {flags_of(instrumentation::none, compiler, false),
              translated.flags,
              options.flags,
              compiler.clang ? std::vector<std::string>{"-Rpass=loop-vectorize|slp-vectorizer",
                                                        "-Rpass-missed=loop-vectorize",
                                                        "-Rpass-analysis=loop-vectorize"}
                             : std::vector<std::string>{"-fopt-info-vec-optimized-missed"},
              std::vector<std::string>{"-g1", "-o", "module.so", "module.cpp"},
              flags_of_linking(instrumentation::none, compiler, libraries::all)})
            arguments.insert(arguments.end(), more.begin(), more.end());
        auto run = confined_run(options, compiler, std::move(arguments));
        run.files.push_back({"module.cpp", whole});
        run.collect = {"module.so"};
        run.output_limit = std::size_t{16} << 20;
        run.time_limit = std::chrono::milliseconds{
            static_cast<std::int64_t>(std::clamp(request.time_limit.count(), 0.001, 3600.0) * 1e3)};
        auto const made = run_child(run, context);
        if (!made) return made.error();
        if (made->how == child_end::cancelled) return cancelled("a compilation");
        auto const* const module = made->file("module.so");
        if (!made->succeeded() || module == nullptr) continue;
        auto list = confined_run(
            options, compiler, {"objdump", "-d", "-l", "--no-show-raw-insn", "module.so"});
        list.files.push_back({"module.so", std::string{module->text()}});
        list.output_limit = std::size_t{64} << 20;
        auto const listed = run_child(list, context);
        if (!listed) return listed.error();
        if (listed->how == child_end::cancelled) return cancelled("a compilation");
        code_listing all;
        all.remarks = vectoriser_remarks(made->err, line_of_threads(whole));
        if (listed->succeeded()) all.code = code_of_listing(listed->out);
        return all;
    }
    return failed("it does not compile with line numbers");
}

[[nodiscard]] inline evidence_offer offered_evidence() {
    evidence_offer offer;
    offer.compiler = "which loops the compiler vectorised, and why others were not";
    if (!find_program("objdump").empty()) offer.code = "the processor's own, by objdump";
    return offer;
}

/// Answers questions; what was listed last is kept for the next one.
class code_listings {
public:
    [[nodiscard]] result<std::vector<std::string>> answer(host_options const& options,
                                                          compiler_facts const& compiler,
                                                          compile_request const& request,
                                                          evidence_question const& question,
                                                          call_context const& context) {
        if (question.what != evidence_kind::compiler && question.what != evidence_kind::code)
            return error{condition::rejected,
                         "lkt.host.evidence",
                         "this back end has no counters of a device",
                         "ask for `compiler` or `code`"};
        packer key;
        key.put(request.source.text).put(request.signature.name).put(request.options);
        for (auto const& [name, value] : request.definitions.values)
            key.put(name).put(value_text(value));
        auto bytes = std::move(key).bytes();
        if (bytes != of_) {
            auto made = list_code(options, compiler, request, context);
            if (!made) return made.error();
            last_ = *std::move(made);
            of_ = std::move(bytes);
        }
        if (question.what == evidence_kind::code) {
            if (last_.code.empty())
                return error{condition::unavailable,
                             "lkt.host.evidence",
                             "objdump lists no code of this kernel",
                             {}};
            return gpu_detail::code_excerpt(last_.code, question);
        }
        auto lines = last_.remarks;
        if (lines.empty()) lines.emplace_back("the compiler says nothing of loops in this text");
        if (lines.size() > evidence_lines) lines.resize(evidence_lines);
        return lines;
    }

private:
    std::string of_; ///< what was listed
    code_listing last_;
};

} // namespace lkt::host_detail
