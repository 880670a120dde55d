// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/device/series.hpp>

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <thread>
#include <utility>

namespace lkt::device_detail {

void run_series(run_job const& job,
                launcher& device,
                run_answer& answer,
                std::vector<shared_memory>& outputs) {
    // A clock below three quarters of the device's own means that it sleeps, or is throttled.
    constexpr double slow_clock = 0.75;
    constexpr int max_discarded = 20;
    for (int k = 0; k < job.warmups; ++k) {
        device.prepare(-1 - k);
        (void)device.launch();
    }
    sampling_rule rule({job.min_launches,
                        job.precision,
                        seconds(job.sampling_seconds),
                        seconds(job.give_up_seconds),
                        job.cold,
                        seconds(job.min_seconds)},
                       job.launches);
    std::chrono::duration<double> pause{0.002};
    for (int launch = 0; launch < job.launches;) {
        answer.launch = launch;
        device.prepare(launch);
        auto const time = device.launch();
        bool const slow = time.pace > 0 && time.pace < slow_clock;
        if (slow && answer.discarded < max_discarded && job.launches > 1) {
            // A device that wakes up needs work; one that is too hot needs rest.
            if (++answer.discarded > 5) {
                std::this_thread::sleep_for(pause);
                pause = std::min(pause * 1.5, std::chrono::duration<double>{0.5});
            }
            continue;
        }
        if (std::binary_search(job.keep.begin(), job.keep.end(), launch)) {
            bool const right = device.inspect();
            answer.outputs.push_back({launch, right, device.set()});
            if (!right) outputs.push_back(device.outputs());
        }
        answer.seconds.push_back(time.seconds);
        answer.megahertz.push_back(time.megahertz);
        ++launch;
        auto const end = rule.add(seconds(time.seconds));
        if (end == sampling_end::not_yet) continue;
        answer.why = end;
        break;
    }
    device.inspect_rest();
}

result<worker_message>
serve_job(std::string_view job_bytes, std::vector<unique_fd> descriptors, job_runner const& run) {
    auto const malformed =
        error{condition::rejected, "lkt.worker.protocol", "a malformed request for the device", {}};
    auto const job = unpack_job(job_bytes);
    if (!job) return malformed;
    std::size_t used = 0;
    std::vector<shared_memory> brought;
    auto const take = [&](bool brings, std::span<std::byte const>& to) -> result<void> {
        if (!brings) return {};
        if (used >= descriptors.size()) return malformed;
        auto adopted =
            shared_memory::adopt(std::move(descriptors[used++]), memory_access::read_only);
        if (!adopted) return adopted.error();
        to = adopted->bytes();
        brought.push_back(std::move(*adopted));
        return {};
    };
    std::vector<set_data> data(job->sets.size());
    for (std::size_t k = 0; k < data.size(); ++k) {
        if (auto ok = take(job->sets[k].brings_contents, data[k].contents); !ok) return ok.error();
        if (auto ok = take(job->sets[k].brings_expected, data[k].expected); !ok) return ok.error();
    }
    std::vector<shared_memory> outputs;
    auto const answer = run(*job, data, outputs);
    worker_message reply{pack(answer), {}};
    for (auto& memory : outputs) {
        unique_fd fd(::fcntl(memory.fd(), F_DUPFD_CLOEXEC, 0));
        reply.fds.push_back(std::move(fd));
    }
    return reply;
}

} // namespace lkt::device_detail
