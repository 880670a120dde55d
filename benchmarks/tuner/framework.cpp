// SPDX-License-Identifier: BSL-1.0
// What a sweep costs besides compilers and devices: a back end that answers at once, over some
// thousand configurations. Its own time is measured too, and taken off.
#include <lkt/lkt.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;
double since(clock_type::time_point t) {
    return std::chrono::duration<double>(clock_type::now() - t).count();
}

/// Compiles nothing, and launches nothing; a configuration's time follows from its name.
class immediate {
public:
    double spent = 0;
    std::size_t compiled = 0;

    lkt::result<lkt::device_description> device(lkt::call_context const&) {
        lkt::device_description d;
        d.name = "a device that takes no time";
        d.backend = "immediate";
        d.languages = {lkt::language::cuda};
        return d;
    }
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const& request,
                                              lkt::call_context const&) {
        auto const begin = clock_type::now();
        ++compiled;
        lkt::compiled_kernel k;
        k.signature = request.signature;
        auto const hash = std::hash<std::string>{}(to_string(request.definitions));
        k.handle = std::make_shared<double>(1e-3 + static_cast<double>(hash % 1000) * 1e-5);
        spent += since(begin);
        return lkt::compile_outcome{std::move(k)};
    }
    lkt::result<lkt::run_outcome> run(lkt::compiled_kernel const& kernel,
                                      lkt::run_request const& request,
                                      lkt::call_context const&) {
        auto const begin = clock_type::now();
        lkt::run_report report;
        double const time = *static_cast<double const*>(kernel.handle.get());
        int const launches = lkt::certain_launches(request);
        for (int k = 0; k < launches; ++k) report.samples.emplace_back(time + k * 1e-8);
        for (int const launch : request.keep) {
            auto& kept = report.kept.emplace_back();
            kept.launch = launch;
            kept.as_expected = request.expected.id != 0;
            if (kept.as_expected) continue;
            for (std::size_t k = 0; k < request.arguments.size(); ++k)
                if (request.directions[k] != lkt::direction::in)
                    kept.outputs.push_back(request.arguments[k]);
        }
        spent += since(begin);
        return lkt::run_outcome{std::move(report)};
    }
};

constexpr char const* text = R"(
__global__ void scale(float const* x, float* y, float a, int n) {
    int const first = (blockIdx.x * block_size_x + threadIdx.x) * items;
    for (int k = 0; k < items; ++k)
        if (first + k < n) y[first + k] = a * x[first + k];
})";

lkt::kernel_options task() {
    lkt::kernel_options k;
    k.size = {{"n", 256}};
    k.arguments = {{"x", "n"}, {"y", "n:constant(0):inout"}, {"a", "0.5"}};
    auto const up_to = [](std::int64_t last) {
        std::vector<lkt::parameter_value> v;
        for (std::int64_t each = 1; each <= last; ++each) v.emplace_back(each);
        return v;
    };
    k.parameters = {{"block_size_x", up_to(64)}, {"items", up_to(64)}};
    k.restrictions = {"block_size_x * items <= 1024"};
    return k;
}

} // namespace

int main() {
    immediate gpu;
    lkt::tune_options how;
    how.evaluation.max_configurations = 100'000;
    how.on_progress = [](lkt::progress_event const&) {};
    double best = 1e9;
    std::size_t configurations = 0;
    for (int round = 0; round < 5; ++round) {
        gpu.spent = 0;
        auto const begin = clock_type::now();
        auto const outcome = lkt::tuner{gpu, lkt::sweep<>{}}.tune(
            lkt::kernel_source{lkt::language::cuda, text, "scale.cu"}, task(), how);
        double const took = since(begin) - gpu.spent;
        if (!outcome || outcome->history.empty()) {
            std::fprintf(stderr,
                         "%s\n",
                         outcome ? "there was no sweep" : to_string(outcome.error()).c_str());
            return 1;
        }
        configurations = outcome->history.front().configurations.size();
        best = std::min(best, took);
    }
    std::printf("figure framework_configurations %zu configurations\n", configurations);
    std::printf("figure framework_us_a_configuration %.2f us\n",
                best / static_cast<double>(configurations) * 1e6);
    return 0;
}
