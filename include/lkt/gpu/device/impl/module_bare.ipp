// SPDX-License-Identifier: BSL-1.0
// A job under a tool that watches the device.
#pragma once

#include <lkt/gpu/device/detail/guards.hpp>
#include <lkt/gpu/device/detail/module_session.hpp>

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

namespace lkt::device_detail {

/// An allocation of that size that begins at a page, as buffers do in timed runs. The driver gives
/// small ones parts of a page: what is left of it is taken by others, which go to `between`.
device_memory device_session::allocate_at_page(std::uint64_t size,
                                               std::vector<device_memory>& between) {
    constexpr auto page = session_parts::page_bytes;
    constexpr int max_tries = 4;
    constexpr std::uint64_t step = 512; // of the driver's
    for (int k = 0;; ++k) {
        device_memory made = allocate(size);
        if (made.at() % page == 0 || k == max_tries) return made;
        std::uint64_t const used = (made.at() + size + step - 1) / step * step % page;
        between.push_back(std::move(made));
        if (used != 0) between.push_back(allocate(page - used));
    }
}

/// `out` buffers hold what they do in timed runs. A copy of the host's writes them: no kernel of
/// lkt's does that a tool would watch.
void device_session::fill_exact(run_job const& job,
                                argument_set& set,
                                std::span<std::byte const> expected) {
    std::uint64_t at = 0;
    for (std::size_t k = 0; k < set.buffers.size(); ++k) {
        auto const& b = set.buffers[k];
        auto const& a = job.arguments[k];
        if (!a.buffer || a.flow == direction::in) continue;
        bool const known = at + a.size <= expected.size();
        auto const right =
            known ? expected.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(a.size))
                  : std::span<std::byte const>{};
        at = next_place(at + a.size);
        if (a.size == 0 || a.flow != direction::out) continue;
        std::vector<std::byte> bytes(static_cast<std::size_t>(a.size));
        write_fill(
            bytes, fill_of(job, 0, k, false, known), fill_key(job.secrets, 0, k), a.type, right);
        send(b.begin(), bytes);
    }
}

/// An access beyond a buffer is one beyond an allocation.
argument_set device_session::exact_set(run_job const& job, std::span<std::byte const> contents) {
    argument_set set;
    std::uint64_t at = 0;
    for (job_argument const& a : job.arguments) {
        auto& b = set.buffers.emplace_back();
        if (!a.buffer) continue;
        if (at + a.size > contents.size())
            throw run_failure{run_end::broken, "the contents of the arguments are incomplete"};
        b.size = a.size;
        b.flow = a.flow;
        b.exact = true;
        b.work = allocate_at_page(a.size, set.between);
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
        if (!job.unfilled) fill_exact(job, set, data.expected);
        fill_constants(job, module, set);
        auto const begin = clock::now();
        auto const deadline =
            begin + std::chrono::duration_cast<clock::duration>(seconds(job.launch_limit));
        cu_status const s = launch_kernel(job, module, {0, &set, nullptr, false});
        if (s != cu_status::success) {
            if (is_fatal(s)) check(s, "launching");
            throw run_failure{run_end::launch_failed, driver_.describe(s)};
        }
        wait(deadline, job.launch_limit);
        answer.seconds = {std::chrono::duration<double>(clock::now() - begin).count()};
        answer.megahertz = {0};
        answer.timing = "under a tool";
        if (!job.keep.empty()) {
            outputs.push_back(fetch_outputs(set));
            answer.outputs.push_back({job.keep.front(), false, 0});
        }
    } catch (run_failure const& m) {
        answer.end = m.end;
        answer.what = m.what;
    }
    return answer;
}

void device_session::leave() {
    driver_.context_wait();
    if (driver_.context_release != nullptr) driver_.context_release(device_);
}

} // namespace lkt::device_detail
