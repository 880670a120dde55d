// SPDX-License-Identifier: BSL-1.0
// The suite proves that it can fail: the host back end with a defect, which LKT_PLANTED names.
// Each has to make the tests fail that are there for it.
#include "../support_host.hpp"
#include "tested_backend.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace conformance {

namespace {

std::string_view defect() {
    char const* const name = std::getenv("LKT_PLANTED");
    return name == nullptr ? "" : name;
}

/// Wrong in one way, right in all others.
class planted {
public:
    [[nodiscard]] lkt::result<lkt::device_description> device(lkt::call_context const& c) {
        return host_.device(c);
    }
    [[nodiscard]] lkt::result<lkt::compile_outcome> compile(lkt::compile_request const& request,
                                                            lkt::call_context const& c) {
        auto asked = request;
        if (defect() == "lines") asked.source.text.insert(0, "\n");
        return host_.compile(asked, c);
    }
    [[nodiscard]] lkt::result<lkt::run_outcome> run(lkt::compiled_kernel const& kernel,
                                                    lkt::run_request const& request,
                                                    lkt::call_context const& c) {
        auto asked = request;
        if (defect() == "requests" && !lkt::fault_in(request, kernel.signature).empty())
            return lkt::run_outcome{lkt::run_report{}};
        if (defect() == "poison") asked.poison_seed = 1;
        if (defect() == "warmups") {
            asked.launches += request.warmups;
            asked.warmups = 0;
        }
        if (defect() == "limit") asked.time_limit = lkt::seconds{2};
        if (defect() == "stop") {
            // It ends too late and as no cancelled one does; for longer, all processors would turn.
            asked.time_limit = std::min(asked.time_limit, lkt::seconds{2.5});
            return host_.run(kernel, asked, {});
        }
        auto outcome = host_.run(kernel, asked, c);
        if (!outcome) return outcome;
        if (auto* const why = std::get_if<lkt::failure>(&*outcome)) {
            if (defect() == "failures" && std::holds_alternative<lkt::crashed>(*why))
                return lkt::run_outcome{lkt::failure{lkt::launch_failed{"it did not work"}}};
            return outcome;
        }
        spoil(std::get<lkt::run_report>(*outcome), request);
        return outcome;
    }

    [[nodiscard]] std::vector<lkt::result<lkt::compile_outcome>>
    compile_all(std::span<lkt::compile_request const> requests, lkt::call_context const& c) {
        std::vector<lkt::result<lkt::compile_outcome>> all;
        for (auto const& request : requests) all.push_back(compile(request, c));
        return all;
    }
    [[nodiscard]] std::vector<lkt::result<lkt::run_outcome>>
    run_all(std::span<lkt::kernel_run const> runs, lkt::call_context const& c) {
        std::vector<lkt::result<lkt::run_outcome>> all;
        for (auto const& one : runs) all.push_back(run(one.kernel, one.request, c));
        if (defect() == "batches") std::reverse(all.begin(), all.end());
        return all;
    }
    [[nodiscard]] std::size_t runs_at_once() const { return 2; }

private:
    void spoil(lkt::run_report& report, lkt::run_request const& request) {
        if (defect() == "times") // whatever the kernel does
            for (auto& s : report.samples) s = lkt::seconds{1e-2};
        if (defect() == "expected" && request.expected.id != 0)
            for (auto& k : report.kept) k = {k.launch, true, {}};
        if (defect() == "contents" && request.contents != 0) { // what the first run left
            if (stale_.kept.empty()) stale_ = report;
            report.kept = stale_.kept;
        }
        if (defect() == "ring")
            for (auto& k : report.kept) k.set = 0;
        if (defect() == "results" && !report.kept.empty())
            for (auto& o : report.kept[0].outputs)
                if (!o.bytes.empty()) o.bytes[o.bytes.size() - 1] ^= std::byte{1};
    }

    lkt::host host_;
    lkt::run_report stale_;
};
static_assert(lkt::batch_gpu_backend<planted>);

} // namespace

tested_backend& tested() {
    static planted backend;
    static tested_backend t{.name = "host",
                            .language = lkt::language::cuda,
                            .gpu = lkt::gpu_ref{backend},
                            .make = [] { return lkt::any_gpu_backend{lkt::host{}}; },
                            .wild = wild_access::crashes};
    return t;
}

} // namespace conformance
