// SPDX-License-Identifier: BSL-1.0
// A job under a tool that watches the device.
#pragma once

#include <lkt/gpu/cuda/detail/device_session.hpp>

#include <chrono>
#include <cstddef>
#include <utility>

namespace lkt::cuda_detail {

/// An access beyond a buffer is one beyond an allocation, and an `out` buffer has never been
/// written.
argument_set device_session::exact_set(run_job const& job, std::span<std::byte const> contents) {
    argument_set set;
    std::uint64_t at = 0;
    for (job_argument const& a : job.arguments) {
        auto& b = set.buffers.emplace_back();
        if (!a.buffer) continue;
        if (at + a.size > contents.size())
            throw mishap{run_end::broken, "the contents of the arguments are incomplete"};
        b.size = a.size;
        b.flow = a.flow;
        b.exact = true;
        b.work = allocate(a.size);
        if (a.size > 0 && a.flow != direction::out)
            send(b.begin(),
                 contents.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(a.size)));
        at = next_place(at + a.size);
    }
    return set;
}

run_answer device_session::run_bare(run_job const& job,
                                    set_data const& data,
                                    std::vector<shared_memory>& outputs) {
    run_answer answer;
    try {
        loaded_module const& module = module_of(job);
        fit(job, module, answer);
        fit_arguments(job, module);
        argument_set set = exact_set(job, data.contents);
        fill_constants(job, module, set);
        auto const begin = clock::now();
        auto const deadline =
            begin + std::chrono::duration_cast<clock::duration>(seconds(job.launch_limit));
        cu_status const s = launch_kernel(job, module, {0, &set, nullptr, false});
        if (s != cu_status::success) {
            if (is_fatal(s)) check(s, "launching");
            throw mishap{run_end::launch_failed, driver_.describe(s)};
        }
        wait(deadline, job.launch_limit);
        answer.seconds = {std::chrono::duration<double>(clock::now() - begin).count()};
        answer.megahertz = {0};
        answer.timing = "under a tool";
        if (!job.keep.empty()) {
            outputs.push_back(fetch_outputs(set));
            answer.outputs.push_back({job.keep.front(), false, 0});
        }
    } catch (mishap const& m) {
        answer.end = m.end;
        answer.what = m.what;
    }
    return answer;
}

void device_session::leave() {
    driver_.context_wait();
    if (driver_.context_release != nullptr) driver_.context_release(device_);
}

} // namespace lkt::cuda_detail
