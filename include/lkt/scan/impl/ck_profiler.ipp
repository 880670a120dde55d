// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/plain_text.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/process/child.hpp>
#include <lkt/scan/ck_profiler.hpp>

#include <chrono>

namespace lkt {

namespace detail::scan {

/// ckProfiler's numbers of data types; absent: it has no such kernels.
constexpr std::optional<int> ck_type_code(gemm_type type) {
    switch (type) {
    case gemm_type::f32:
        return 0;
    case gemm_type::f16:
        return 1;
    case gemm_type::bf16:
        return 2;
    case gemm_type::int8:
        return 3;
    case gemm_type::fp8:
        return 4;
    default:
        return std::nullopt;
    }
}

/// What was said last.
inline std::string last_line(std::string_view text) {
    text = trimmed(text);
    auto const at = text.rfind('\n');
    return plain_line(at == text.npos ? text : text.substr(at + 1), 200);
}

} // namespace detail::scan

std::string ck_profiler::refuses(scan_spec const& spec) const {
    if (auto why = refused_operation(name(), gemm_spec::operation, spec); !why.empty()) return why;
    gemm_spec const& s = *spec.gemm();
    if (!detail::scan::ck_type_code(s.type()))
        return "ckProfiler's gemm has no " + std::string(to_string(s.type()));
    if (s.output() != s.type()) return "ckProfiler's gemm has an output of the type of its inputs";
    if (s.c() != matrix_layout::row) return "ckProfiler's gemm has a row-major C";
    if (s.batch() != 1) return "ckProfiler's gemm has no batch";
    if (s.alpha() != 1 || s.beta() != 0) return "ckProfiler's gemm has no alpha and no beta";
    if (s.epilogue() != gemm_epilogue::none) return "ckProfiler's gemm has no epilogue";
    return {};
}

result<scan_setup> ck_profiler::setup(call_context const&) const {
    std::string text = to_string(options_.settings) + " program=" + options_.program;
    for (std::string const& variable : options_.environment) text += ' ' + variable;
    return scan_setup{options_.device, std::move(text)};
}

std::vector<std::string> ck_profiler::arguments(gemm_spec const& s) const {
    auto const& set = options_.settings;
    int const layout = (s.a() == matrix_layout::column ? 2 : 0) + (s.b() == matrix_layout::column);
    std::vector<std::string> words{options_.program, "gemm"};
    auto const add = [&](auto value) { words.push_back(std::to_string(value)); };
    add(detail::scan::ck_type_code(s.type()).value_or(0));
    add(layout);
    add(set.verify ? 1 : 0);
    // Whole numbers at random: constant ones would hide wrong indices and flatter the clock.
    add(1);
    add(0); // prints no matrices
    add(1); // measures
    for (std::int64_t const n : {s.m(), s.n(), s.k(), s.stride_a(), s.stride_b(), s.stride_c()})
        add(n);
    add(set.warm_ups);
    add(set.iterations);
    return words;
}

result<scanned_product> ck_profiler::measure(scan_spec const& spec, call_context const& context) {
    auto const fail = [&](condition kind, std::string code, std::string why, std::string hint) {
        return error{kind, "lkt.scan." + std::move(code), std::move(why), std::move(hint)};
    };
    if (auto why = refuses(spec); !why.empty())
        return fail(condition::rejected, "refused", std::move(why), {});
    child_options child;
    // Failed comparisons go to standard error: in one stream, they follow their instance.
    child.arguments = {"/bin/sh", "-c", "exec \"$0\" \"$@\" 2>&1"};
    for (auto& word : arguments(*spec.gemm())) child.arguments.push_back(std::move(word));
    child.environment = options_.environment;
    for (char const* name : {"HOME", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ROCM_PATH"})
        child.keep.emplace_back(name);
    child.output_limit = std::size_t{64} << 20;
    child.time_limit =
        std::chrono::duration_cast<std::chrono::milliseconds>(options_.settings.time_limit);
    auto const ran = run_child(child, context);
    if (!ran) return ran.error();
    if (ran->how == child_end::cancelled) return cancelled("ckProfiler");
    if (ran->how == child_end::exited && (ran->exit_code == 126 || ran->exit_code == 127))
        return fail(condition::unavailable,
                    "ck-missing",
                    "ckProfiler cannot be started: " + detail::scan::last_line(ran->out),
                    "build ckProfiler of Composable Kernel and name it (--ckprofiler PROGRAM)");
    auto read = parse_ck_output(ran->out);
    std::string const said = ran->out.empty()
                                 ? "it wrote nothing"
                                 : "it wrote last: " + detail::scan::last_line(ran->out);
    if (ran->how == child_end::timed_out)
        return fail(condition::transient,
                    "ck-time-limit",
                    "ckProfiler was ended after " + to_string(options_.settings.time_limit) + "; " +
                        said,
                    "allow more (--time-limit), or skip the comparison on the CPU (--no-verify)");
    bool const any = !read.products.empty() && (!read.products[0].found.instances.empty() ||
                                                read.products[0].found.unsupported > 0);
    if (!any || (ran->how == child_end::signalled))
        return fail(condition::transient,
                    "ck-failed",
                    ran->how == child_end::signalled
                        ? "ckProfiler was ended by signal " + std::to_string(ran->signal) + "; " +
                              said
                        : "ckProfiler ended with status " + std::to_string(ran->exit_code) +
                              " and measured nothing; " + said,
                    {});
    auto& product = read.products[0];
    scanned_product found = std::move(product.found);
    for (ck_fault const& f : read.faults)
        found.remarks.push_back("line " + std::to_string(f.line) + " of ckProfiler: " + f.what);
    // Its status says that some comparison failed, which its lines say of an instance.
    bool const wrong = product.verified_wrong || ran->exit_code != 0;
    bool const named = std::any_of(found.instances.begin(), found.instances.end(), [](auto& one) {
        return one.verdict == scan_verdict::wrong;
    });
    if (wrong && !named)
        found.remarks.push_back("ckProfiler ended with status " + std::to_string(ran->exit_code) +
                                ": the verdict of its instances is not known");
    for (scanned_instance& one : found.instances) {
        one.iterations = options_.settings.iterations;
        if (options_.settings.verify && one.verdict == scan_verdict::unchecked && (!wrong || named))
            one.verdict = scan_verdict::correct;
    }
    if (found.device.empty()) found.device = options_.device;
    return found;
}

} // namespace lkt
