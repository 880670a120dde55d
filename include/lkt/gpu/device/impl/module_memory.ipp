// SPDX-License-Identifier: BSL-1.0
// What lies on a device: buffers with their guards, expected outputs, counters.
#pragma once

#include <lkt/gpu/device/detail/guards.hpp>
#include <lkt/gpu/device/detail/module_session.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>

namespace lkt::device_detail {

namespace session_parts {

/// How far from the first place where it may begin an argument lies during this run.
std::uint64_t
shift_of(run_job const& job, std::size_t set, std::size_t argument, argument_set::buffer const& b) {
    bool const timed = job.warmups > 0 || job.launches > 4;
    if (timed || b.places < 2) return place_of(job, set, argument, b.places) * page_bytes;
    // A power of two, so that the way from one place to another takes few copies.
    auto const unit = std::clamp(std::bit_ceil(b.size / 256), min_alignment, page_bytes);
    return place_of(job, set, argument, (b.places - 1) * (page_bytes / unit)) * unit;
}

std::string kind_of_crash(driver_api const& d, cu_status s) {
    constexpr std::pair<cu_status, char const*> known[] = {
        {cu_status::illegal_address,
         "illegal address: a thread read or wrote memory outside the kernel's buffers"},
        {cu_status::misaligned_address,
         "misaligned address: a load or store of a wide type is not aligned to its size"},
        {cu_status::illegal_instruction, "trap or illegal instruction"},
        {cu_status::assert_failed, "an assertion of the kernel failed"},
        {cu_status::hardware_stack_error, "stack overflow, or a corrupt call stack"},
        {cu_status::launch_failed,
         "the launch failed on the device (a trap, or a wild address in shared or local memory)"}};
    for (auto const& [status, text] : known)
        if (s == status) return text;
    return d.describe(s);
}

} // namespace session_parts

cu_pointer argument_set::buffer::begin() const {
    using namespace session_parts;
    if (exact) return work.at();
    return (work.at() + guard_bytes + page_bytes - 1) / page_bytes * page_bytes + shift;
}
cu_pointer argument_set::buffer::guard_before() const {
    return begin() - session_parts::guard_bytes;
}
cu_pointer argument_set::buffer::guard_behind() const { return begin() + size; }

void device_session::check(cu_status s, char const* doing) const {
    if (s == cu_status::success) return;
    if (is_fatal(s)) throw run_failure{run_end::crashed, session_parts::kind_of_crash(driver_, s)};
    throw run_failure{s == cu_status::out_of_memory ? run_end::out_of_memory : run_end::broken,
                      std::string(doing) + ": " + driver_.describe(s)};
}

device_memory device_session::allocate(std::uint64_t size) {
    cu_pointer p = 0;
    cu_status s = driver_.allocate(&p, std::max<std::uint64_t>(size, 1));
    // What other jobs left here makes room, the longest unused first.
    while (s == cu_status::out_of_memory &&
           (sets_.size() > in_use_ || expected_.size() > in_use_)) {
        if (sets_.size() > in_use_)
            sets_.pop_back();
        else
            expected_.pop_back();
        s = driver_.allocate(&p, std::max<std::uint64_t>(size, 1));
    }
    check(s, "allocating device memory");
    return {driver_, p, size};
}

void device_session::send(cu_pointer to, std::span<std::byte const> bytes) {
    check(driver_.copy_to_device(to, bytes.data(), bytes.size()), "copying to the device");
    // The call returns when the host's memory has been read; streams know nothing of the rest.
    check(driver_.context_wait(), "copying to the device");
}

void device_session::launch_tool(cu_function f,
                                 unsigned blocks,
                                 unsigned threads,
                                 std::span<void* const> of) {
    check(driver_.launch(
              f, blocks, 1, 1, threads, 1, 1, 0, stream_, const_cast<void**>(of.data()), nullptr),
          "launching a kernel of lkt's own");
}

unsigned device_session::blocks_for(std::uint64_t threads, unsigned a_multiprocessor) const {
    return static_cast<unsigned>(std::clamp<std::uint64_t>(
        (threads + 255) / 256,
        1,
        static_cast<std::uint64_t>(std::max(1, facts_.multiprocessors)) * a_multiprocessor));
}

void device_session::write_stream(cu_pointer at, std::uint64_t bytes, secret_key key) {
    if (bytes == 0) return;
    void* const of[] = {&at, &bytes, &key};
    launch_tool(tools_.stream, blocks_for((bytes + 63) / 64, 8), 256, of);
}

/// Of the pattern that was written last.
void device_session::write_masked(cu_pointer at, std::uint64_t bytes, fill_mask mask) {
    if (bytes == 0) return;
    std::uint64_t period = noise_period;
    cu_pointer pattern = pattern_.at();
    auto const pieces = (std::min(bytes, period) + 15) / 16;
    auto columns = static_cast<std::uint32_t>((pieces + 255) / 256);
    auto const repetitions = (bytes + period - 1) / period;
    auto const rows = std::clamp<std::uint64_t>(
        static_cast<std::uint64_t>(facts_.multiprocessors) * 16 / columns, 1, repetitions);
    void* const of[] = {&at, &bytes, &pattern, &period, &mask.keep, &mask.set, &columns};
    launch_tool(tools_.fill, static_cast<unsigned>(columns * rows), 256, of);
}

/// Of what is right, and of the pattern that was written last.
void device_session::write_nearly(cu_pointer at, std::uint64_t bytes, scalar_type type) {
    auto size = static_cast<std::uint32_t>(size_of(type));
    std::uint64_t period = noise_period, elements = bytes / size;
    cu_pointer pattern = pattern_.at();
    if (elements == 0) return;
    void* const of[] = {&at, &elements, &size, &pattern, &period};
    launch_tool(tools_.nearly, blocks_for((elements + 7) / 8, 16), 256, of);
}

void device_session::begin_counting() {
    if (counters_.size() == 0) counters_ = allocate(session_parts::max_counters * 8);
    counting_ = 0;
    check(driver_.fill_bytes(counters_.at(), 0, counters_.size(), stream_), "clearing counters");
}

cu_pointer device_session::next_counter() {
    if (counting_ == session_parts::max_counters)
        throw run_failure{run_end::broken, "there are too many arguments"};
    return counters_.at() + 8 * counting_++;
}

std::vector<std::uint64_t> device_session::counted() {
    wait(clock::now() + std::chrono::seconds{60}, 60);
    std::vector<std::uint64_t> values(counting_);
    check(driver_.copy_from_device(values.data(), counters_.at(), counting_ * 8),
          "reading counters");
    return values;
}

void device_session::count_digest(cu_pointer at, std::uint64_t bytes) {
    cu_pointer sum = next_counter();
    void* const of[] = {&at, &bytes, &digest_keys_[0], &digest_keys_[1], &sum};
    auto const blocks = std::clamp<std::uint64_t>(
        bytes / 8 / 256 + 1, 1, static_cast<std::uint64_t>(facts_.multiprocessors) * 8);
    launch_tool(tools_.digest, static_cast<unsigned>(blocks), 256, of);
}

std::uint64_t device_session::digest_of(cu_pointer at, std::uint64_t bytes) {
    begin_counting();
    count_digest(at, bytes);
    return counted().front();
}

void device_session::wait(clock::time_point deadline, double limit) {
    for (int polls = 0;; ++polls) {
        cu_status const s = driver_.stream_query(stream_);
        if (s == cu_status::success) return;
        if (s != cu_status::not_ready) check(s, "waiting for the device");
        if (clock::now() > deadline)
            throw run_failure{run_end::timed_out,
                              "not finished within " + to_string(seconds(limit))};
        // Short kernels are waited for actively, others cost the processor nothing.
        if (polls > 2000) std::this_thread::sleep_for(std::chrono::microseconds{50});
    }
}

argument_set& device_session::arguments_of(run_job const& job,
                                           std::size_t k,
                                           std::span<std::byte const> contents) {
    // Anonymous contents are used once: one set of them for each place is enough.
    job_set const& wanted = job.sets[k];
    std::uint64_t const id = wanted.contents != 0 ? wanted.contents : ~std::uint64_t{k};
    if (wanted.contents != 0 && !wanted.brings_contents) {
        auto const known =
            std::find_if(sets_.begin(), sets_.end(), [&](auto const& s) { return s.first == id; });
        if (known == sets_.end()) throw run_failure{run_end::unknown_contents, {}};
        sets_.splice(sets_.begin(), sets_, known);
        return sets_.front().second;
    }
    std::erase_if(sets_, [&](auto const& s) { return s.first == id; });
    sets_.emplace_front(id, argument_set{});
    argument_set& set = sets_.front().second;
    std::uint64_t at = 0;
    for (job_argument const& a : job.arguments) {
        auto& b = set.buffers.emplace_back();
        if (!a.buffer) continue;
        if (at + a.size > contents.size())
            throw run_failure{run_end::broken, "the contents of the arguments are incomplete"};
        b.size = a.size;
        b.flow = a.flow;
        constexpr auto page = session_parts::page_bytes, most = session_parts::max_places;
        std::uint64_t const least = a.size + 2 * session_parts::guard_bytes + page;
        // Room to lie elsewhere must not cost what other jobs left here.
        cu_pointer roomy = 0;
        if (driver_.allocate(&roomy, least + (most - 1) * page) == cu_status::success) {
            b.work = device_memory(driver_, roomy, least + (most - 1) * page);
            b.places = most;
        } else {
            b.work = allocate(least);
        }
        cu_pointer to = b.begin();
        if (a.flow == direction::inout) {
            b.pristine = allocate(a.size);
            to = b.pristine.at();
        }
        if (a.size > 0 && a.flow != direction::out)
            send(to,
                 contents.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(a.size)));
        if (a.flow != direction::out) b.digest = digest_of(to, a.size);
        at = next_place(at + a.size);
    }
    return set;
}

std::vector<expected_buffer> const& device_session::expected_of(
    run_job const& job, std::size_t k, std::span<std::byte const> expected) {
    std::uint64_t const id = job.sets[k].expected;
    if (!job.sets[k].brings_expected) {
        auto const known = std::find_if(
            expected_.begin(), expected_.end(), [&](auto const& e) { return e.first == id; });
        if (known == expected_.end()) throw run_failure{run_end::unknown_contents, {}};
        expected_.splice(expected_.begin(), expected_, known);
        return expected_.front().second;
    }
    std::erase_if(expected_, [&](auto const& e) { return e.first == id; });
    expected_.emplace_front(id, std::vector<expected_buffer>{});
    auto& made = expected_.front().second;
    std::uint64_t at = 0;
    for (job_argument const& a : job.arguments) {
        if (!a.buffer || a.flow == direction::in) continue;
        if (at + a.size > expected.size())
            throw run_failure{run_end::broken, "the expected outputs are incomplete"};
        made.push_back({allocate(a.size), 0});
        cu_pointer const to = made.back().memory.at();
        if (a.size > 0)
            send(to,
                 expected.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(a.size)));
        made.back().digest = digest_of(to, a.size);
        at = next_place(at + a.size);
    }
    return made;
}

/// Where the set's buffers lie in this run, and what stands beside them.
void device_session::settle(run_job const& job, argument_set& set, std::size_t k) {
    for (std::size_t a = 0; a < set.buffers.size() && a < job.arguments.size(); ++a) {
        auto& b = set.buffers[a];
        if (b.work.at() == 0) continue;
        move(b, session_parts::shift_of(job, k, a, b));
        b.before = canary_key(job, k, a, 0);
        b.behind = canary_key(job, k, a, 1);
        write_stream(b.guard_before(), session_parts::guard_bytes, b.before);
        write_stream(b.guard_behind(), session_parts::guard_bytes, b.behind);
    }
}

/// What a buffer holds moves with it, unless each launch writes it anew: in parts that are no
/// longer than the way, from the end that is not overwritten.
void device_session::move(argument_set::buffer& b, std::uint64_t shift) {
    cu_pointer const from = b.begin();
    b.shift = shift;
    cu_pointer const to = b.begin();
    if (from == to || b.size == 0 || b.pristine.at() != 0 || b.flow == direction::out) return;
    std::uint64_t const step = from < to ? to - from : from - to;
    std::uint64_t const parts = (b.size + step - 1) / step;
    for (std::uint64_t k = 0; k < parts; ++k) {
        std::uint64_t const at = (from < to ? parts - 1 - k : k) * step;
        check(driver_.copy_on_device(to + at, from + at, std::min(step, b.size - at), stream_),
              "moving an argument");
    }
}

device_session::ready_set
device_session::set_of(run_job const& job, std::size_t k, set_data const& data) {
    ready_set made{k, &arguments_of(job, k, data.contents), nullptr, false};
    for (std::size_t a = 0; a < made.arguments->buffers.size() && a < job.arguments.size(); ++a)
        made.arguments->buffers[a].flow = job.arguments[a].flow;
    settle(job, *made.arguments, k);
    if (job.sets[k].expected != 0 && !job.sets[k].bounds.empty())
        made.expected = &expected_of(job, k, data.expected);
    return made;
}

/// The first set must be there; without memory for a further one the series goes on without it.
std::vector<device_session::ready_set> device_session::sets_of(run_job const& job,
                                                               std::span<set_data const> data) {
    std::vector<ready_set> sets;
    for (std::size_t k = 0; k < job.sets.size() && k < data.size(); ++k) {
        in_use_ = k + 1;
        try {
            sets.push_back(set_of(job, k, data[k]));
        } catch (run_failure const& m) {
            if (k == 0 || m.end != run_end::out_of_memory) throw;
            std::uint64_t const id = job.sets[k].contents;
            std::erase_if(sets_, [&](auto const& s) {
                return s.first == (id != 0 ? id : ~std::uint64_t{k});
            });
            std::erase_if(expected_,
                          [&](auto const& e) { return e.first == job.sets[k].expected; });
            break;
        }
    }
    return sets;
}

} // namespace lkt::device_detail
