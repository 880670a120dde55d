// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/device/detail/archive.hpp>
#include <lkt/gpu/device/job.hpp>

#include <utility>

namespace lkt::device_detail {

namespace job_parts {

template <class Archive, class Job>
void each_of_job(Archive& a, Job& j) {
    a(j.program), a(j.program_bytes);
    for (auto* const d : {&j.dimensions.grid, &j.dimensions.block}) a(d->x), a(d->y), a(d->z);
    a(j.dimensions.shared_bytes), a(j.warmups), a(j.launches), a(j.min_launches);
    a(j.precision), a(j.sampling_seconds), a(j.min_seconds), a(j.give_up_seconds);
    a(j.cold), a(j.keep), a(j.launch_limit), a(j.fresh), a(j.bare), a(j.unfilled);
    for (auto& word : j.secrets.words) a(word);
}
template <class Archive, class Argument>
void each_of_argument(Archive& a, Argument& x) {
    a(x.buffer), a(x.constant), a(x.flow), a(x.type), a(x.size);
}
template <class Archive, class Map>
void each_of_map(Archive& a, Map& m) {
    a(m.parameter), a(m.argument), a(m.layout.type), a(m.layout.extent), a(m.layout.stride);
    a(m.layout.box), a(m.layout.swizzle);
}
template <class Archive, class Set>
void each_of_set(Archive& a, Set& s) {
    a(s.contents), a(s.expected), a(s.brings_contents), a(s.brings_expected);
}
template <class Archive, class Answer>
void each_of_answer(Archive& a, Answer& r) {
    a(r.end), a(r.what), a(r.launch), a(r.seconds), a(r.megahertz), a(r.why), a(r.discarded);
    a(r.occupancy), a(r.timing), a(r.sets);
}

} // namespace job_parts

std::string pack(run_job const& j) {
    writing w;
    job_parts::each_of_job(w, j);
    w(static_cast<std::uint64_t>(j.arguments.size()));
    for (job_argument const& x : j.arguments) job_parts::each_of_argument(w, x);
    w(static_cast<std::uint64_t>(j.sets.size()));
    for (job_set const& x : j.sets) {
        job_parts::each_of_set(w, x);
        w(static_cast<std::uint64_t>(x.values.size()));
        for (std::string const& value : x.values) w(value);
        w(static_cast<std::uint64_t>(x.maps.size()));
        for (job_map const& m : x.maps) job_parts::each_of_map(w, m);
        w(static_cast<std::uint64_t>(x.bounds.size()));
        for (job_bound const& b : x.bounds) w(b.how), w(b.relative), w(b.absolute);
    }
    return std::move(w.out).bytes();
}
std::optional<run_job> unpack_job(std::string_view bytes) {
    reading r{unpacker(bytes)};
    run_job j;
    job_parts::each_of_job(r, j);
    j.arguments.resize(r.in.count(sizeof(std::uint64_t)));
    for (job_argument& x : j.arguments) job_parts::each_of_argument(r, x);
    j.sets.resize(r.in.count(3 * sizeof(std::uint64_t)));
    for (job_set& x : j.sets) {
        job_parts::each_of_set(r, x);
        x.values.resize(r.in.count(sizeof(std::uint64_t)));
        for (std::string& value : x.values) r(value);
        x.maps.resize(r.in.count(2 * sizeof(std::uint64_t)));
        for (job_map& m : x.maps) job_parts::each_of_map(r, m);
        x.bounds.resize(r.in.count(2 * sizeof(double)));
        for (job_bound& b : x.bounds) r(b.how), r(b.relative), r(b.absolute);
        if (x.values.size() != j.arguments.size()) return std::nullopt;
    }
    if (!r.in.complete() || j.sets.empty() || j.launches < 0 || j.warmups < 0) return std::nullopt;
    return j;
}

std::string pack(run_answer const& answer) {
    writing w;
    job_parts::each_of_answer(w, answer);
    w(static_cast<std::uint64_t>(answer.outputs.size()));
    for (run_answer::kept const& k : answer.outputs) w(k.launch), w(k.as_expected), w(k.set);
    return std::move(w.out).bytes();
}
std::optional<run_answer> unpack_answer(std::string_view bytes) {
    reading r{unpacker(bytes)};
    run_answer answer;
    job_parts::each_of_answer(r, answer);
    answer.outputs.resize(r.in.count(sizeof(int) + 1 + sizeof(std::uint64_t)));
    for (run_answer::kept& k : answer.outputs) r(k.launch), r(k.as_expected), r(k.set);
    if (!r.in.complete()) return std::nullopt;
    return answer;
}

} // namespace lkt::device_detail
