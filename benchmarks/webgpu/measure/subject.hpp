// SPDX-License-Identifier: BSL-1.0
// A kernel of kernels.hpp as lkt launches it.
#pragma once

#include "../../measure/common.hpp"
#include "kernels.hpp"

#include <lkt/gpu/webgpu.hpp>
#include <lkt/kernel/measurement.hpp>
#include <lkt/lang/find_kernel.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace measure {

/// The arguments of kernels of one size. They are sent once.
struct trial_arguments {
    std::vector<lkt::argument_data> all;
    std::uint64_t id = lkt::fresh_contents();

    explicit trial_arguments(trial_kernel const& k) {
        lkt::value_type const four{lkt::scalar_type::float32, 4};
        all.push_back({four, true, contents_of(k.read_bytes)});
        all.push_back({four, true, lkt::byte_buffer(static_cast<std::size_t>(k.written_bytes()))});
        all.emplace_back();
        set_rounds(k.rounds);
    }
    void set_rounds(std::uint32_t rounds) {
        std::uint32_t const words[rounds_bytes / 4] = {rounds};
        all.back() =
            lkt::make_buffer({lkt::scalar_type::uint32}, std::span<std::uint32_t const>(words));
        id = lkt::fresh_contents();
    }
};

class subject {
public:
    subject(lkt::webgpu& gpu, trial_kernel const& k, trial_arguments const& arguments)
        : gpu_(&gpu), groups_(k.groups), arguments_(&arguments) {
        lkt::compile_request request;
        request.source = {lkt::language::wgsl, k.text(), "kernels.wgsl"};
        request.signature = must(lkt::find_kernel(request.source, k.name()));
        compiled_ = must_be<lkt::compiled_kernel>(must(gpu.compile(request)));
    }

    lkt::run_report run(int launches, int warmups, lkt::sampling how) {
        static constexpr lkt::direction directions[] = {
            lkt::direction::in, lkt::direction::out, lkt::direction::in};
        lkt::run_request request;
        request.dimensions = {{groups_}, {workgroup}, 0};
        request.arguments = arguments_->all;
        request.directions = directions;
        request.launches = launches;
        request.warmups = warmups;
        request.keep = {};
        request.contents = arguments_->id;
        request.sampling = how;
        return must_be<lkt::run_report>(must(gpu_->run(compiled_, request)));
    }

private:
    lkt::webgpu* gpu_;
    std::uint32_t groups_;
    trial_arguments const* arguments_;
    lkt::compiled_kernel compiled_;
};

/// Sets the rounds so that a launch takes about so many seconds; returns what it takes.
inline double calibrate(lkt::webgpu& gpu, trial_kernel& k, trial_arguments& arguments, double aim) {
    subject own(gpu, k, arguments);
    auto const fastest = [&] {
        arguments.set_rounds(k.rounds);
        auto const r = own.run(5, 1, {.cold = false});
        return lkt::measurement{r.samples}.minimum().count();
    };
    // More until the rounds are what takes the time, then in proportion, twice.
    constexpr std::uint32_t most = 60'000;
    k.rounds = 4;
    double once = fastest();
    while (once < aim / 4 && k.rounds < most / 4) {
        k.rounds *= 4;
        once = fastest();
    }
    for (int turn = 0; turn < 2; ++turn) {
        double const wanted = static_cast<double>(k.rounds) * aim / once;
        k.rounds = static_cast<std::uint32_t>(std::clamp(wanted, 1.0, double{most}));
        once = fastest();
    }
    return once;
}

} // namespace measure
