// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/job.hpp>
#include <lkt/process/wire.hpp>

#include <utility>

namespace lkt::cuda_detail {

namespace job_parts {

// One list of members for both directions: `each(archive, value)` meets them in the same order.
struct writing {
    packer out;
    template <class T>
    void operator()(T const& value) {
        out.put(value);
    }
};
struct reading {
    unpacker in;
    template <wire_number T>
    void operator()(T& value) {
        value = in.get<T>();
    }
    void operator()(std::string& text) { text = in.text(); }
    template <wire_number T>
    void operator()(std::vector<T>& numbers) {
        numbers.resize(in.count(sizeof(T)));
        for (T& n : numbers) n = in.get<T>();
    }
};

template <class Archive, class Facts>
void each_of_facts(Archive& a, Facts& f) {
    a(f.name), a(f.uuid), a(f.driver), a(f.index), a(f.devices), a(f.major), a(f.minor);
    a(f.multiprocessors), a(f.warp_size), a(f.max_threads_per_block);
    a(f.threads_per_multiprocessor), a(f.registers_per_multiprocessor);
    a(f.shared_per_block), a(f.shared_per_multiprocessor);
    a(f.l2_bytes), a(f.clock_khz), a(f.memory_clock_khz), a(f.memory_bus_bits);
    a(f.cooperative), a(f.clusters), a(f.memory);
    for (auto* const d : {&f.max_block, &f.max_grid}) a(d->x), a(d->y), a(d->z);
}
template <class Archive, class Job>
void each_of_job(Archive& a, Job& j) {
    a(j.module), a(j.image), a(j.entry), a(j.cooperative);
    for (auto* const d : {&j.dimensions.grid, &j.dimensions.block}) a(d->x), a(d->y), a(d->z);
    a(j.dimensions.shared_bytes), a(j.contents), a(j.expected);
    a(j.brings_contents), a(j.brings_expected), a(j.warmups), a(j.launches), a(j.least);
    a(j.precision), a(j.sampling_seconds), a(j.give_up_seconds), a(j.cold), a(j.keep);
    a(j.poison_seed), a(j.launch_limit);
}
template <class Archive, class Argument>
void each_of_argument(Archive& a, Argument& x) {
    a(x.value), a(x.buffer), a(x.flow), a(x.size);
}
template <class Archive, class Answer>
void each_of_answer(Archive& a, Answer& r) {
    a(r.end), a(r.what), a(r.launch), a(r.seconds), a(r.megahertz), a(r.why), a(r.discarded);
    a(r.blocks_per_multiprocessor), a(r.registers), a(r.local_bytes), a(r.static_shared_bytes);
}

} // namespace job_parts

std::string pack(device_facts const& f) {
    job_parts::writing w;
    job_parts::each_of_facts(w, f);
    return std::move(w.out).bytes();
}
std::optional<device_facts> unpack_facts(std::string_view bytes) {
    job_parts::reading r{unpacker(bytes)};
    device_facts f;
    job_parts::each_of_facts(r, f);
    if (!r.in.complete()) return std::nullopt;
    return f;
}

std::string pack(run_job const& j) {
    job_parts::writing w;
    job_parts::each_of_job(w, j);
    w(static_cast<std::uint64_t>(j.arguments.size()));
    for (job_argument const& x : j.arguments) job_parts::each_of_argument(w, x);
    w(static_cast<std::uint64_t>(j.bounds.size()));
    for (job_bound const& b : j.bounds) w(b.how), w(b.relative), w(b.absolute);
    return std::move(w.out).bytes();
}
std::optional<run_job> unpack_job(std::string_view bytes) {
    job_parts::reading r{unpacker(bytes)};
    run_job j;
    job_parts::each_of_job(r, j);
    j.arguments.resize(r.in.count(sizeof(std::uint64_t)));
    for (job_argument& x : j.arguments) job_parts::each_of_argument(r, x);
    j.bounds.resize(r.in.count(2 * sizeof(double)));
    for (job_bound& b : j.bounds) r(b.how), r(b.relative), r(b.absolute);
    if (!r.in.complete() || j.launches < 0 || j.warmups < 0) return std::nullopt;
    return j;
}

std::string pack(run_answer const& answer) {
    job_parts::writing w;
    job_parts::each_of_answer(w, answer);
    w(static_cast<std::uint64_t>(answer.outputs.size()));
    for (run_answer::kept const& k : answer.outputs) w(k.launch), w(k.as_expected);
    return std::move(w.out).bytes();
}
std::optional<run_answer> unpack_answer(std::string_view bytes) {
    job_parts::reading r{unpacker(bytes)};
    run_answer answer;
    job_parts::each_of_answer(r, answer);
    answer.outputs.resize(r.in.count(sizeof(int) + 1));
    for (run_answer::kept& k : answer.outputs) r(k.launch), r(k.as_expected);
    if (!r.in.complete()) return std::nullopt;
    return answer;
}

} // namespace lkt::cuda_detail
