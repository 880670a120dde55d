// SPDX-License-Identifier: BSL-1.0
// The least that is a gpu_backend, and one type for each requirement that it breaks.
#pragma once

#include <lkt/gpu/gpu_backend.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace archetype {

/// A back end that has no device: it answers at once, with what it was told to.
struct backend {
    std::string name = "archetype";
    int runs = 0;

    lkt::result<lkt::device_description> device(lkt::call_context const& context) {
        if (context.stop.stop_requested()) return lkt::cancelled("a question");
        lkt::device_description d;
        d.name = name;
        d.simulated = true;
        return d;
    }
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const& request,
                                              lkt::call_context const& context) {
        if (context.stop.stop_requested()) return lkt::cancelled("a compilation");
        if (request.source.text.empty())
            return lkt::compile_outcome{lkt::failure{lkt::compile_failed{"no text", {}}}};
        return lkt::compile_outcome{
            lkt::compiled_kernel{request.signature, request.checked, {name}, nullptr}};
    }
    lkt::result<lkt::run_outcome> run(lkt::compiled_kernel const&,
                                      lkt::run_request const& request,
                                      lkt::call_context const& context) {
        if (context.stop.stop_requested()) return lkt::cancelled("a run");
        ++runs;
        lkt::run_report report;
        report.samples.assign(static_cast<std::size_t>(request.launches), lkt::seconds{1e-3});
        return lkt::run_outcome{std::move(report)};
    }
};

/// One that takes batches, and counts them.
struct batches : backend {
    int compiled = 0, ran = 0;
    std::vector<lkt::result<lkt::compile_outcome>>
    compile_all(std::span<lkt::compile_request const> requests, lkt::call_context const& context) {
        ++compiled;
        std::vector<lkt::result<lkt::compile_outcome>> all;
        for (auto const& r : requests) all.push_back(compile(r, context));
        return all;
    }
    std::vector<lkt::result<lkt::run_outcome>> run_all(std::span<lkt::kernel_run const> asked,
                                                       lkt::call_context const& context) {
        ++ran;
        std::vector<lkt::result<lkt::run_outcome>> all;
        for (auto const& r : asked) all.push_back(run(r.kernel, r.request, context));
        return all;
    }
    std::size_t runs_at_once() const { return 4; }
};
struct no_compile_all : batches {
    void compile_all(std::span<lkt::compile_request const>, lkt::call_context const&) = delete;
};
/// One that fails would end the others.
struct one_result_for_all : batches {
    lkt::result<std::vector<lkt::run_outcome>> run_all(std::span<lkt::kernel_run const>,
                                                       lkt::call_context const&) {
        return std::vector<lkt::run_outcome>();
    }
};
struct no_runs_at_once : batches {
    void runs_at_once() const = delete;
};

/// One that has a profiler.
struct profiler : backend {
    bool can_profile() const { return true; }
    lkt::result<lkt::kernel_profile> profile(lkt::compiled_kernel const&,
                                             lkt::run_request const& request,
                                             lkt::call_context const& context) {
        if (context.stop.stop_requested()) return lkt::cancelled("a profile");
        lkt::kernel_profile p;
        p.dram_bytes = request.launches;
        return p;
    }
};

/// One that answers questions.
struct witness : backend {
    lkt::evidence_offer offered_evidence() const {
        lkt::evidence_offer offer;
        offer.code = "none to speak of";
        return offer;
    }
    lkt::result<std::vector<std::string>> evidence(lkt::evidence_subject const& of,
                                                   lkt::evidence_question const& q,
                                                   lkt::call_context const& context) {
        if (context.stop.stop_requested()) return lkt::cancelled("an answer");
        return std::vector<std::string>{of.text.source.text + q.containing};
    }
};
static_assert(lkt::evidence_backend<witness> && !lkt::evidence_backend<backend>);

struct no_device : backend {
    void device(lkt::call_context const&) = delete;
};
struct device_without_result : backend {
    lkt::device_description device(lkt::call_context const&) { return {}; }
};
struct device_without_context : backend {
    lkt::result<lkt::device_description> device() { return lkt::device_description{}; }
};
struct no_compile : backend {
    void compile(lkt::compile_request const&, lkt::call_context const&) = delete;
};
/// What does not compile is an outcome, not an error.
struct compile_without_outcome : backend {
    lkt::result<lkt::compiled_kernel> compile(lkt::compile_request const&,
                                              lkt::call_context const&) {
        return lkt::compiled_kernel{};
    }
};
struct no_run : backend {
    void
    run(lkt::compiled_kernel const&, lkt::run_request const&, lkt::call_context const&) = delete;
};
struct run_without_outcome : backend {
    lkt::result<lkt::run_report>
    run(lkt::compiled_kernel const&, lkt::run_request const&, lkt::call_context const&) {
        return lkt::run_report{};
    }
};
struct run_without_context : backend {
    lkt::result<lkt::run_outcome> run(lkt::compiled_kernel const&, lkt::run_request const&) {
        return lkt::run_outcome{lkt::run_report{}};
    }
};

} // namespace archetype
