// SPDX-License-Identifier: BSL-1.0
// A job: a kernel prepared, launched, timed, inspected.
#pragma once

#include <lkt/gpu/device/detail/guards.hpp>
#include <lkt/gpu/device/detail/module_session.hpp>
#include <lkt/gpu/gpu_backend.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>

namespace lkt::device_detail {

void device_session::prepare(run_job const& job,
                             std::span<ready_set const> sets,
                             std::size_t which,
                             int launch) {
    ready_set const& ready = sets[which];
    auto const& buffers = ready.arguments->buffers;
    auto const* const others = sets[other_set(job, launch, which, sets.size())].expected;
    std::size_t output = 0;
    for (std::size_t k = 0; k < buffers.size(); ++k) {
        auto const& b = buffers[k];
        // The directions may have changed since the contents were sent.
        direction const flow = job.arguments[k].flow;
        if (!job.arguments[k].buffer || flow == direction::in) continue;
        std::size_t const number = output++;
        if (b.size == 0) continue;
        if (flow == direction::inout) {
            if (b.pristine.at() != 0)
                check(driver_.copy_on_device(b.begin(), b.pristine.at(), b.size, stream_),
                      "restoring an argument");
            continue;
        }
        auto const at_hand = [&](std::vector<expected_buffer> const* e) {
            return e != nullptr && number < e->size() && (*e)[number].memory.size() == b.size;
        };
        auto const kind =
            fill_of(job, launch, k, sets.size() > 1 && at_hand(others), at_hand(ready.expected));
        if (kind == fill_kind::other_test || kind == fill_kind::nearly_right) {
            auto const& from = *(kind == fill_kind::other_test ? others : ready.expected);
            check(driver_.copy_on_device(b.begin(), from[number].memory.at(), b.size, stream_),
                  "filling an output");
            if (kind == fill_kind::other_test) continue;
        }
        bool const nearly = kind == fill_kind::nearly_right;
        auto const mask = mask_of(kind, job.arguments[k].type);
        if (mask.keep != 0)
            write_stream(pattern_.at(),
                         nearly ? noise_period : pattern_bytes(b.size),
                         fill_key(job.secrets, launch, k));
        if (nearly)
            write_nearly(b.begin(), b.size, job.arguments[k].type);
        else
            write_masked(b.begin(), b.size, mask);
    }
}

/// Shared memory keeps what the launch before left there, and so would tell one launch from
/// another.
void device_session::scrub(secret_key key) {
    if (tools_.scrub == nullptr || facts_.shared_per_block <= 0) return;
    auto words = static_cast<std::uint32_t>(facts_.shared_per_block / 4);
    void* of[] = {&words, &key};
    // So much that a multiprocessor holds one block of them.
    check(driver_.launch(tools_.scrub,
                         static_cast<unsigned>(facts_.multiprocessors),
                         1,
                         1,
                         1024,
                         1,
                         1,
                         words * 4,
                         stream_,
                         of,
                         nullptr),
          "clearing shared memory");
}

cu_status device_session::launch_kernel(run_job const& job,
                                        loaded_module const& module,
                                        ready_set const& set) {
    std::vector<cu_pointer> pointers(job.arguments.size());
    std::vector<std::vector<char>> values(job.arguments.size());
    std::vector<void*> parameters;
    for (std::size_t k = 0; k < job.arguments.size(); ++k) {
        if (!job.arguments[k].constant.empty()) continue;
        if (job.arguments[k].buffer) {
            pointers[k] = set.arguments->buffers[k].begin();
            parameters.push_back(&pointers[k]);
        } else {
            auto const& value = job.sets[set.k].values[k];
            values[k].assign(value.begin(), value.end());
            parameters.push_back(values[k].data());
        }
    }
    auto const& described = job.sets[set.k].maps;
    std::vector<cu_tensor_map> maps;
    maps.reserve(described.size());
    for (job_map const& map : described) {
        maps.push_back(encoded(map, job, *set.arguments));
        parameters.insert(parameters.begin() + static_cast<std::ptrdiff_t>(map.parameter),
                          &maps.back());
    }
    auto const& d = job.dimensions;
    cu_function const f = module.function;
    return module.program.cooperative ? driver_.launch_cooperative(f,
                                                                   d.grid.x,
                                                                   d.grid.y,
                                                                   d.grid.z,
                                                                   d.block.x,
                                                                   d.block.y,
                                                                   d.block.z,
                                                                   d.shared_bytes,
                                                                   stream_,
                                                                   parameters.data())
                                      : driver_.launch(f,
                                                       d.grid.x,
                                                       d.grid.y,
                                                       d.grid.z,
                                                       d.block.x,
                                                       d.block.y,
                                                       d.block.z,
                                                       d.shared_bytes,
                                                       stream_,
                                                       parameters.data(),
                                                       nullptr);
}

/// By reading. NVBench writes: then the cache is full of what has still to be written to memory,
/// and the kernel pays for that (10 of 62 us, for 50 MiB on an H100).
void device_session::empty_caches() {
    if (flush_.size() == 0) {
        flush_ = allocate(2 * static_cast<std::uint64_t>(std::max(facts_.l2_bytes, 1 << 20)));
        check(driver_.fill_bytes(flush_.at(), 0, flush_.size(), stream_), "filling a buffer");
    }
    cu_pointer from = flush_.at(), to = from;
    std::uint64_t count = flush_.size() / 16;
    void* const of[] = {&from, &count, &to};
    launch_tool(tools_.read, blocks_for(count, 8), 256, of);
}

timed_launch device_session::launch_once(run_job const& job,
                                         loaded_module const& module,
                                         ready_set const& set,
                                         secret_key const& key) {
    if (job.cold) {
        scrub(key);
        empty_caches();
    }

    auto* const words = mapped_;
    words->flag = 0;
    for (auto& s : words->stamps) s = 0;
    auto const on_device = [&](std::size_t offset) { return mapped_on_device_ + offset; };
    cu_pointer flag = on_device(offsetof(mapped_words, flag));
    std::uint64_t hold_limit = 1'000'000'000; // ns
    void* const held[] = {&flag, &hold_limit};
    launch_tool(tools_.hold, 1, 1, held);
    auto const stamp = [&](std::size_t which) {
        cu_pointer to = on_device(offsetof(mapped_words, stamps) + which * 16);
        void* const of[] = {&to};
        launch_tool(tools_.stamp, static_cast<unsigned>(facts_.multiprocessors), 1, of);
    };
    stamp(0);
    check(driver_.event_record(begin_, stream_), "recording an event");
    cu_status const s = launch_kernel(job, module, set);
    cu_status const ended = driver_.event_record(end_, stream_);
    if (s == cu_status::success && ended == cu_status::success) stamp(1);
    words->flag = 1;
    auto const deadline =
        clock::now() + std::chrono::duration_cast<clock::duration>(seconds(job.launch_limit + 0.1));
    if (s != cu_status::success) {
        wait(deadline, job.launch_limit);
        if (is_fatal(s)) check(s, "launching");
        throw run_failure{run_end::launch_failed, driver_.describe(s)};
    }
    check(ended, "recording an event");
    wait(deadline, job.launch_limit);
    float milliseconds = 0;
    check(driver_.event_elapsed(&milliseconds, begin_, end_), "reading the time");
    timed_launch result;
    result.seconds = static_cast<double>(milliseconds) * 1e-3;
    std::uint64_t const t0 = words->stamps[0], c0 = words->stamps[1];
    std::uint64_t const t1 = words->stamps[2], c1 = words->stamps[3];
    if (t0 != 0 && t1 > t0 && c1 > c0)
        result.megahertz = static_cast<double>(c1 - c0) / static_cast<double>(t1 - t0) * 1e3;
    if (facts_.clock_khz > 0) result.pace = result.megahertz / (facts_.clock_khz * 1e-3);
    return result;
}

/// A kernel may write beside its buffers, cast a const away, or write anywhere: then neither this
/// verdict nor a later one could be trusted. All that is asked runs in one go, with one wait.
bool device_session::inspect(run_job const& job, ready_set const& ready) {
    argument_set const& set = *ready.arguments;
    struct promise {
        std::uint64_t value;
        run_end end;
        std::string broken; ///< what to say where the counter has another
    };
    std::vector<promise> promises;
    begin_counting();
    for (std::size_t k = 0; k < set.buffers.size(); ++k) {
        auto const& b = set.buffers[k];
        if (b.work.at() == 0) continue;
        std::string const argument = "argument " + std::to_string(k + 1);
        cu_pointer places[] = {b.guard_before(), b.guard_behind()};
        secret_key keys[] = {b.before, b.behind};
        std::uint64_t size = session_parts::guard_bytes;
        cu_pointer count = next_counter();
        for (int side = 0; side < 2; ++side) {
            void* const of[] = {&places[side], &size, &keys[side], &count};
            launch_tool(tools_.disturbed, 1, 64, of);
        }
        promises.push_back({0, run_end::overrun, "bytes beside " + argument + " were written"});
        if (b.flow == direction::out) continue;
        bool const input = b.pristine.at() == 0;
        count_digest(input ? b.begin() : b.pristine.at(), b.size);
        promises.push_back({b.digest,
                            input ? run_end::input_written : run_end::overrun,
                            input ? argument + ", which is an input, was written"
                                  : "memory outside the kernel's buffers was written"});
    }
    if (ready.expected != nullptr)
        for (auto const& e : *ready.expected) {
            count_digest(e.memory.at(), e.memory.size());
            promises.push_back(
                {e.digest, run_end::overrun, "memory outside the kernel's buffers was written"});
        }
    bool const compared = ready.expected != nullptr && count_wrong(job, ready);
    auto const values = counted();
    // What was written beside a buffer explains a changed input next to it, not the other way
    // round.
    for (run_end const end : {run_end::overrun, run_end::input_written})
        for (std::size_t k = 0; k < promises.size(); ++k)
            if (promises[k].end == end && values[k] != promises[k].value)
                throw run_failure{end, promises[k].broken};
    return compared && std::all_of(values.begin() + static_cast<std::ptrdiff_t>(promises.size()),
                                   values.end(),
                                   [](std::uint64_t wrong) { return wrong == 0; });
}

/// False: one of the outputs is of a kind that the device does not compare.
bool device_session::count_wrong(run_job const& job, ready_set const& ready) {
    argument_set const& set = *ready.arguments;
    auto const& expected = *ready.expected;
    auto const& bounds = job.sets[ready.k].bounds;
    std::size_t output = 0;
    for (std::size_t k = 0; k < job.arguments.size(); ++k) {
        if (!job.arguments[k].buffer || job.arguments[k].flow == direction::in) continue;
        if (output >= bounds.size() || output >= expected.size()) return false;
        job_bound bound = bounds[output];
        if (bound.how == comparer::none) return false;
        std::uint64_t const size_of_one = bound.how == comparer::float64   ? 8
                                          : bound.how == comparer::float32 ? 4
                                          : bound.how == comparer::bytes   ? 1
                                                                           : 2;
        cu_pointer wanted = expected[output].memory.at(), got = set.buffers[k].begin();
        cu_pointer count = next_counter();
        std::uint64_t n = set.buffers[k].size / size_of_one;
        void* const of[] = {&wanted, &got, &n, &bound.relative, &bound.absolute, &count};
        auto const blocks = std::clamp<std::uint64_t>(
            n / 1024 + 1, 1, static_cast<std::uint64_t>(facts_.multiprocessors) * 8);
        launch_tool(tools_.wrong[static_cast<std::size_t>(bound.how)],
                    static_cast<unsigned>(blocks),
                    256,
                    of);
        ++output;
    }
    return true;
}

shared_memory device_session::fetch_outputs(argument_set const& set) {
    std::uint64_t size = 0;
    for (auto const& b : set.buffers)
        if (b.work.at() != 0 && b.flow != direction::in) size = next_place(size + b.size);
    auto memory = shared_memory::create(static_cast<std::size_t>(size));
    if (!memory) throw run_failure{run_end::broken, to_string(memory.error())};
    memory->populate(); // the driver would, on one thread
    std::uint64_t at = 0;
    for (auto const& b : set.buffers) {
        if (b.work.at() == 0 || b.flow == direction::in) continue;
        if (b.size > 0)
            check(driver_.copy_from_device(memory->writable_bytes().data() + at, b.begin(), b.size),
                  "copying an output");
        at = next_place(at + b.size);
    }
    return std::move(*memory);
}

/// A kernel of this session with its arguments.
class device_session::prepared_kernel final : public launcher {
public:
    prepared_kernel(device_session& session,
                    run_job const& job,
                    loaded_module const& module,
                    std::vector<ready_set>& sets)
        : session_(session), job_(job), module_(module), sets_(sets) {}

    void prepare(int launch) override {
        launch_ = launch;
        set_ = set_of_launch(job_.secrets, launch, sets_.size());
        argument_set& arguments = *sets_[set_].arguments;
        session_.prepare(job_, sets_, set_, launch);
        // Contents differ from set to set, and other jobs may have used the module since.
        if (filled_ != &arguments) session_.fill_constants(job_, module_, arguments);
        filled_ = &arguments;
    }
    timed_launch launch() override {
        sets_[set_].touched = true;
        return session_.launch_once(job_, module_, sets_[set_], shared_key(job_, launch_));
    }
    bool inspect() override {
        sets_[set_].touched = false;
        return session_.inspect(job_, sets_[set_]);
    }
    void inspect_rest() override {
        for (ready_set& s : sets_)
            if (std::exchange(s.touched, false)) (void)session_.inspect(job_, s);
    }
    std::size_t set() const override { return set_; }
    shared_memory outputs() override { return session_.fetch_outputs(*sets_[set_].arguments); }

private:
    device_session& session_;
    run_job const& job_;
    loaded_module const& module_;
    std::vector<ready_set>& sets_;
    std::size_t set_ = 0;
    int launch_ = 0;
    argument_set const* filled_ = nullptr;
};

run_answer device_session::run(run_job const& job,
                               std::span<set_data const> data,
                               std::vector<shared_memory>& outputs) {
    run_answer answer;
    try {
        if (tools_.stream == nullptr)
            throw run_failure{run_end::broken, "lkt's own kernels are missing"};
        if (pattern_.size() == 0) pattern_ = allocate(noise_period);
        loaded_module const& module = module_of(job);
        fit(job, module, answer);
        fit_arguments(job, module);
        std::vector<ready_set> sets = sets_of(job, data);
        answer.sets = sets.size();
        prepared_kernel kernel(*this, job, module, sets);
        run_series(job, kernel, answer, outputs);
    } catch (run_failure const& m) {
        answer.end = m.end;
        answer.what = m.what;
        // What was written astray is not left for the next kernel to stumble over.
        if (m.end == run_end::overrun || m.end == run_end::input_written) {
            sets_.clear();
            expected_.clear();
        }
    }
    return answer;
}

} // namespace lkt::device_detail
