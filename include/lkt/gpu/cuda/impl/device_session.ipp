// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/detail/device_session.hpp>
#include <lkt/gpu/sampling.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <new>
#include <thread>

namespace lkt::cuda_detail {

namespace session_parts {

/// Bytes before and after each buffer that a kernel has no business to change. The guard behind
/// begins at a multiple of 8, where poison can write, and is shorter by as much at most.
constexpr std::uint64_t guard_bytes = 4096, guard_bytes_behind = guard_bytes - 8;
/// Buffers begin where large allocations do, at a page of the device. A few KiB further on, an H200
/// takes up to 14 % longer for the same atomics, and half a per cent less for the same softmax.
constexpr std::uint64_t page_bytes = std::uint64_t{2} << 20;
constexpr std::uint64_t guard_key = 0x6a09e667f3bcc908u;
constexpr std::size_t most_modules = 256;
constexpr std::size_t most_counters = 1024;

std::uint64_t key_of(std::uint64_t seed, int launch, std::size_t argument) {
    return seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(launch) * 0xbf58476d1ce4e5b9u +
           argument * 0x94d049bb133111ebu;
}

std::string uuid_text(cu_uuid const& u) {
    std::string text = "GPU-";
    for (int i = 0; i < 16; ++i) {
        char two[3];
        std::snprintf(two, sizeof two, "%02x", static_cast<unsigned>(u.bytes[i]));
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += two;
    }
    return text;
}

bool is_index(std::string_view text) {
    return !text.empty() && text.size() < 6 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string kind_of_crash(driver_api const& d, cu_status s) {
    switch (s) {
    case cu_status::illegal_address:
        return "illegal address: a thread read or wrote memory that is not the kernel's";
    case cu_status::misaligned_address:
        return "misaligned address: a load or store of a wide type is not aligned to its size";
    case cu_status::illegal_instruction:
        return "trap or illegal instruction";
    case cu_status::assert_failed:
        return "an assertion of the kernel failed";
    case cu_status::hardware_stack_error:
        return "stack overflow, or a corrupt call stack";
    case cu_status::launch_failed:
        return "the launch failed on the device (a trap, or a wild address in shared or local "
               "memory)";
    default:
        return d.describe(s);
    }
}

} // namespace session_parts

cu_pointer argument_set::buffer::begin() const {
    using namespace session_parts;
    return (work.at() + guard_bytes + page_bytes - 1) / page_bytes * page_bytes;
}
cu_pointer argument_set::buffer::guard_before() const {
    return begin() - session_parts::guard_bytes;
}
cu_pointer argument_set::buffer::guard_behind() const { return begin() + (size + 7) / 8 * 8; }

void device_session::check(cu_status s, char const* doing) const {
    if (s == cu_status::success) return;
    if (is_fatal(s)) throw mishap{run_end::crashed, session_parts::kind_of_crash(driver_, s)};
    throw mishap{s == cu_status::out_of_memory ? run_end::out_of_memory : run_end::broken,
                 std::string(doing) + ": " + driver_.describe(s)};
}

// --- Opening ---------------------------------------------------------------------------------

result<std::unique_ptr<device_session>> device_session::open(std::string_view which) {
    auto driver = load_driver();
    if (!driver) return driver.error();
    // In its final place at once: what it allocates points to its driver.
    std::unique_ptr<device_session> made(new device_session);
    device_session& s = *made;
    s.driver_ = *driver;
    auto const& d = s.driver_;
    device_facts& f = s.facts_;
    auto const failed = [&](char const* doing, cu_status status) {
        return error{status == cu_status::out_of_memory ? condition::exhausted
                                                        : condition::unavailable,
                     "lkt.cuda.open",
                     std::string(doing) + " failed: " + d.describe(status),
                     "see whether nvidia-smi shows the device, and whether others fill its memory"};
    };
    if (auto const e = d.device_count(&f.devices); e != cu_status::success)
        return failed("counting the devices", e);
    d.driver_version(&f.driver);

    std::string list;
    f.index = -1;
    for (int k = 0; k < f.devices; ++k) {
        cu_device device = 0;
        cu_uuid uuid{};
        char name[256] = "";
        if (d.device_get(&device, k) != cu_status::success) continue;
        d.device_uuid(&uuid, device);
        d.device_name(name, sizeof name, device);
        std::string const id = session_parts::uuid_text(uuid);
        list += "\n  " + std::to_string(k) + ": " + name + " (" + id + ")";
        bool const chosen = which.empty() ? k == 0
                            : session_parts::is_index(which)
                                ? std::to_string(k) == which
                                : which.size() >= 8 && id.starts_with(which);
        if (!chosen || f.index >= 0) continue;
        f.index = k;
        f.name = name;
        f.uuid = id;
        s.device_ = device;
    }
    if (f.index < 0)
        return error{condition::rejected,
                     "lkt.cuda.device",
                     "there is no CUDA device " + std::string(which) + "; there are:" + list,
                     "give an index, or a UUID as nvidia-smi -L prints it"};

    auto const get = [&](cu_attribute a) {
        int value = 0;
        d.device_attribute(&value, a, s.device_);
        return value;
    };
    auto const extent = [&](cu_attribute a) { return static_cast<std::uint32_t>(get(a)); };
    f.major = get(cu_attribute::capability_major);
    f.minor = get(cu_attribute::capability_minor);
    f.multiprocessors = get(cu_attribute::multiprocessors);
    f.warp_size = get(cu_attribute::warp_size);
    f.max_threads_per_block = get(cu_attribute::max_threads_per_block);
    f.threads_per_multiprocessor = get(cu_attribute::max_threads_per_multiprocessor);
    f.registers_per_multiprocessor = get(cu_attribute::registers_per_multiprocessor);
    f.shared_per_block = get(cu_attribute::shared_memory_per_block_optin);
    f.shared_per_multiprocessor = get(cu_attribute::shared_memory_per_multiprocessor);
    f.l2_bytes = get(cu_attribute::l2_bytes);
    f.clock_khz = get(cu_attribute::clock_khz);
    f.memory_clock_khz = get(cu_attribute::memory_clock_khz);
    f.memory_bus_bits = get(cu_attribute::memory_bus_bits);
    f.cooperative = get(cu_attribute::cooperative_launch) != 0;
    f.clusters = get(cu_attribute::cluster_launch) != 0;
    f.max_block = {extent(cu_attribute::max_block_x),
                   extent(cu_attribute::max_block_y),
                   extent(cu_attribute::max_block_z)};
    f.max_grid = {extent(cu_attribute::max_grid_x),
                  extent(cu_attribute::max_grid_y),
                  extent(cu_attribute::max_grid_z)};
    std::size_t memory = 0;
    d.device_memory(&memory, s.device_);
    f.memory = memory;

    cu_context context = nullptr;
    if (auto const e = d.context_retain(&context, s.device_); e != cu_status::success)
        return failed("making a context on the device", e);
    d.context_use(context);
    constexpr unsigned non_blocking = 1, mapped = 2;
    void* words = nullptr;
    if (auto const e = d.stream_create(&s.stream_, non_blocking); e != cu_status::success)
        return failed("making a stream", e);
    d.event_create(&s.begin_, 0);
    if (auto const e = d.event_create(&s.end_, 0); e != cu_status::success)
        return failed("making an event", e);
    if (auto const e = d.host_allocate(&words, sizeof(mapped_words), mapped);
        e != cu_status::success)
        return failed("mapping memory of the host", e);
    s.mapped_ = new (words) mapped_words;
    d.host_pointer(&s.mapped_on_device_, words, 0);
    return made;
}

result<void> device_session::load_tools(std::string_view image) {
    cu_module module = nullptr;
    if (auto const e = driver_.module_load(&module, std::string(image).c_str());
        e != cu_status::success)
        return error{condition::unavailable,
                     "lkt.cuda.tools",
                     "lkt's own kernels do not load: " + driver_.describe(e),
                     "the compiler is newer than the driver: install a newer driver, or an older "
                     "NVRTC and point LKT_NVRTC to it"};
    auto const find = [&](char const* name, cu_function& f) {
        return driver_.module_function(&f, module, name) == cu_status::success;
    };
    auto& w = tools_.wrong;
    bool const all = find("lkt_poison", tools_.poison) && find("lkt_disturbed", tools_.disturbed) &&
                     find("lkt_digest", tools_.digest) && find("lkt_hold", tools_.hold) &&
                     find("lkt_stamp", tools_.stamp) &&
                     find("lkt_wrong_bytes", w[static_cast<std::size_t>(comparer::bytes)]) &&
                     find("lkt_wrong_f16", w[static_cast<std::size_t>(comparer::float16)]) &&
                     find("lkt_wrong_bf16", w[static_cast<std::size_t>(comparer::bfloat16)]) &&
                     find("lkt_wrong_f32", w[static_cast<std::size_t>(comparer::float32)]) &&
                     find("lkt_wrong_f64", w[static_cast<std::size_t>(comparer::float64)]);
    if (!all)
        return error{condition::rejected, "lkt.cuda.tools", "lkt's own kernels are incomplete", {}};
    return {};
}

// --- Memory ----------------------------------------------------------------------------------

device_memory device_session::allocate(std::uint64_t size) {
    cu_pointer p = 0;
    cu_status s = driver_.allocate(&p, std::max<std::uint64_t>(size, 1));
    // What other jobs left here makes room, the longest unused first.
    while (s == cu_status::out_of_memory && (sets_.size() > 1 || expected_.size() > 1)) {
        if (sets_.size() > 1)
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

void device_session::poison(cu_pointer at, std::uint64_t bytes, std::uint64_t key) {
    if (bytes == 0) return;
    void* const of[] = {&at, &bytes, &key};
    auto const blocks = std::clamp<std::uint64_t>(
        bytes / 8 / 256 + 1, 1, static_cast<std::uint64_t>(facts_.multiprocessors) * 16);
    launch_tool(tools_.poison, static_cast<unsigned>(blocks), 256, of);
}

void device_session::begin_counting() {
    if (counters_.size() == 0) counters_ = allocate(session_parts::most_counters * 8);
    counting_ = 0;
    check(driver_.fill_bytes(counters_.at(), 0, counters_.size(), stream_), "clearing counters");
}

cu_pointer device_session::next_counter() {
    if (counting_ == session_parts::most_counters)
        throw mishap{run_end::broken, "there are too many arguments"};
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
    void* const of[] = {&at, &bytes, &sum};
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
            throw mishap{run_end::timed_out, "no end within " + to_string(seconds(limit))};
        // Short kernels are waited for actively, others cost the processor nothing.
        if (polls > 2000) std::this_thread::sleep_for(std::chrono::microseconds{50});
    }
}

argument_set& device_session::arguments_of(run_job const& job,
                                           std::span<std::byte const> contents) {
    if (job.contents != 0 && !job.brings_contents) {
        auto const known = std::find_if(
            sets_.begin(), sets_.end(), [&](auto const& s) { return s.first == job.contents; });
        if (known == sets_.end()) throw mishap{run_end::unknown_contents, {}};
        sets_.splice(sets_.begin(), sets_, known);
        return sets_.front().second;
    }
    // Anonymous contents are used once: one set of them at a time is enough.
    std::erase_if(sets_, [&](auto const& s) { return s.first == job.contents; });
    sets_.emplace_front(job.contents, argument_set{});
    argument_set& set = sets_.front().second;
    std::uint64_t at = 0;
    for (job_argument const& a : job.arguments) {
        auto& b = set.buffers.emplace_back();
        if (!a.buffer) continue;
        if (at + a.size > contents.size())
            throw mishap{run_end::broken, "the contents of the arguments are incomplete"};
        b.size = a.size;
        b.flow = a.flow;
        b.work = allocate(a.size + 2 * session_parts::guard_bytes + session_parts::page_bytes);
        poison(b.guard_before(), session_parts::guard_bytes, session_parts::guard_key);
        poison(b.guard_behind(), session_parts::guard_bytes_behind, session_parts::guard_key);
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

std::vector<expected_buffer> const&
device_session::expected_of(run_job const& job, std::span<std::byte const> expected) {
    if (!job.brings_expected) {
        auto const known = std::find_if(expected_.begin(), expected_.end(), [&](auto const& e) {
            return e.first == job.expected;
        });
        if (known == expected_.end()) throw mishap{run_end::unknown_contents, {}};
        expected_.splice(expected_.begin(), expected_, known);
        return expected_.front().second;
    }
    std::erase_if(expected_, [&](auto const& e) { return e.first == job.expected; });
    expected_.emplace_front(job.expected, std::vector<expected_buffer>{});
    auto& made = expected_.front().second;
    std::uint64_t at = 0;
    for (job_argument const& a : job.arguments) {
        if (!a.buffer || a.flow == direction::in) continue;
        if (at + a.size > expected.size())
            throw mishap{run_end::broken, "the expected outputs are incomplete"};
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

// --- One job ---------------------------------------------------------------------------------

cu_function device_session::function_of(run_job const& job, run_answer& answer) {
    auto known = modules_.find(job.module);
    if (known == modules_.end()) {
        if (job.image.empty()) throw mishap{run_end::unknown_contents, {}};
        if (modules_.size() >= session_parts::most_modules) {
            auto const oldest =
                std::min_element(modules_.begin(), modules_.end(), [](auto& a, auto& b) {
                    return a.second.last_use < b.second.last_use;
                });
            driver_.module_unload(oldest->second.handle);
            modules_.erase(oldest);
        }
        cu_module handle = nullptr;
        cu_status const s = driver_.module_load(&handle, job.image.c_str());
        if (s != cu_status::success && !is_fatal(s))
            throw mishap{run_end::bad_image,
                         "the compiled kernel does not load: " + driver_.describe(s)};
        check(s, "loading a kernel");
        known = modules_.emplace(job.module, loaded_module{handle, 0}).first;
    }
    known->second.last_use = ++uses_;
    cu_function f = nullptr;
    if (driver_.module_function(&f, known->second.handle, job.entry.c_str()) != cu_status::success)
        throw mishap{run_end::bad_image, "the compiled kernel has no entry " + job.entry};

    auto const get = [&](cu_function_attribute a) {
        int value = 0;
        driver_.function_attribute(&value, a, f);
        return value;
    };
    answer.registers = get(cu_function_attribute::registers);
    answer.local_bytes = get(cu_function_attribute::local_bytes);
    answer.static_shared_bytes = get(cu_function_attribute::static_shared_bytes);
    std::uint64_t const threads = job.dimensions.block.count();
    int const most = get(cu_function_attribute::max_threads_per_block);
    if (threads > static_cast<std::uint64_t>(most))
        throw mishap{run_end::launch_failed,
                     "the block has " + std::to_string(threads) +
                         " threads, and the kernel as it was compiled (" +
                         std::to_string(answer.registers) + " registers a thread) allows " +
                         std::to_string(most)};
    std::uint64_t const shared = std::uint64_t{job.dimensions.shared_bytes} +
                                 static_cast<std::uint64_t>(answer.static_shared_bytes);
    if (shared > static_cast<std::uint64_t>(facts_.shared_per_block))
        throw mishap{run_end::launch_failed,
                     "a block needs " + to_string(bytes{shared}) + " of shared memory, and " +
                         facts_.name + " has " +
                         to_string(bytes{static_cast<std::uint64_t>(facts_.shared_per_block)})};
    if (job.dimensions.shared_bytes > 0) {
        cu_status const s = driver_.function_set(f,
                                                 cu_function_attribute::max_dynamic_shared,
                                                 static_cast<int>(job.dimensions.shared_bytes));
        if (s != cu_status::success)
            throw mishap{run_end::launch_failed,
                         to_string(bytes{job.dimensions.shared_bytes}) +
                             " of dynamic shared memory are refused: " + driver_.describe(s)};
    }
    driver_.occupancy(&answer.blocks_per_multiprocessor,
                      f,
                      static_cast<int>(threads),
                      job.dimensions.shared_bytes);
    return f;
}

void device_session::prepare(run_job const& job, argument_set& set, int launch) {
    for (std::size_t k = 0; k < set.buffers.size(); ++k) {
        auto& b = set.buffers[k];
        if (b.size == 0) continue;
        // The directions may have changed since the contents were sent.
        direction const flow = job.arguments[k].flow;
        if (flow == direction::inout && b.pristine.at() != 0)
            check(driver_.copy_on_device(b.begin(), b.pristine.at(), b.size, stream_),
                  "restoring an argument");
        if (flow == direction::out)
            poison(b.begin(), b.size, session_parts::key_of(job.poison_seed, launch, k));
    }
}

device_session::timed_launch
device_session::launch_once(run_job const& job, cu_function f, argument_set& set) {
    std::vector<cu_pointer> pointers(job.arguments.size());
    std::vector<std::vector<char>> values(job.arguments.size());
    std::vector<void*> parameters;
    for (std::size_t k = 0; k < job.arguments.size(); ++k) {
        if (job.arguments[k].buffer) {
            pointers[k] = set.buffers[k].begin();
            parameters.push_back(&pointers[k]);
        } else {
            auto const& value = job.arguments[k].value;
            values[k].assign(value.begin(), value.end());
            parameters.push_back(values[k].data());
        }
    }
    if (job.cold)
        check(driver_.fill_bytes(flush_.at(), 0x5a, flush_.size(), stream_), "emptying the caches");

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
    auto const& d = job.dimensions;
    cu_status const s = job.cooperative ? driver_.launch_cooperative(f,
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
    cu_status const ended = driver_.event_record(end_, stream_);
    if (s == cu_status::success && ended == cu_status::success) stamp(1);
    words->flag = 1;
    auto const deadline =
        clock::now() + std::chrono::duration_cast<clock::duration>(seconds(job.launch_limit + 0.1));
    if (s != cu_status::success) {
        wait(deadline, job.launch_limit);
        if (is_fatal(s)) check(s, "launching");
        throw mishap{run_end::launch_failed, driver_.describe(s)};
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
    return result;
}

/// A kernel may write beside its buffers, cast a const away, or write anywhere: then neither this
/// verdict nor a later one could be trusted. All that is asked runs in one go, with one wait.
bool device_session::inspect(run_job const& job,
                             argument_set const& set,
                             std::vector<expected_buffer> const* expected) {
    struct promise {
        std::uint64_t value;
        std::string broken; ///< what to say where the counter has another
    };
    std::vector<promise> promises;
    begin_counting();
    std::uint64_t key = session_parts::guard_key;
    for (std::size_t k = 0; k < set.buffers.size(); ++k) {
        auto const& b = set.buffers[k];
        if (b.work.at() == 0) continue;
        std::string const argument = "argument " + std::to_string(k + 1);
        cu_pointer places[] = {b.guard_before(), b.guard_behind()};
        std::uint64_t sizes[] = {session_parts::guard_bytes, session_parts::guard_bytes_behind};
        cu_pointer count = next_counter();
        for (int side = 0; side < 2; ++side) {
            void* const of[] = {&places[side], &sizes[side], &key, &count};
            launch_tool(tools_.disturbed, 4, 256, of);
        }
        promises.push_back({0, "bytes beside " + argument + " were written"});
        if (b.flow == direction::out) continue;
        bool const input = b.pristine.at() == 0;
        count_digest(input ? b.begin() : b.pristine.at(), b.size);
        promises.push_back({b.digest,
                            input ? argument + ", which is an input, was written"
                                  : "memory that is not the kernel's was written"});
    }
    if (expected != nullptr)
        for (auto const& e : *expected) {
            count_digest(e.memory.at(), e.memory.size());
            promises.push_back({e.digest, "memory that is not the kernel's was written"});
        }
    bool const compared = expected != nullptr && count_wrong(job, set, *expected);
    auto const values = counted();
    for (std::size_t k = 0; k < promises.size(); ++k)
        if (values[k] != promises[k].value) throw mishap{run_end::overrun, promises[k].broken};
    return compared && std::all_of(values.begin() + static_cast<std::ptrdiff_t>(promises.size()),
                                   values.end(),
                                   [](std::uint64_t wrong) { return wrong == 0; });
}

/// False: one of the outputs is of a kind that the device does not compare.
bool device_session::count_wrong(run_job const& job,
                                 argument_set const& set,
                                 std::vector<expected_buffer> const& expected) {
    std::size_t output = 0;
    for (std::size_t k = 0; k < job.arguments.size(); ++k) {
        if (!job.arguments[k].buffer || job.arguments[k].flow == direction::in) continue;
        job_bound bound = job.bounds[output];
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
    if (!memory) throw mishap{run_end::broken, to_string(memory.error())};
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

void device_session::take_samples(run_job const& job,
                                  cu_function f,
                                  argument_set& set,
                                  std::vector<expected_buffer> const* expected,
                                  run_answer& answer,
                                  std::vector<shared_memory>& outputs) {
    // A clock below three quarters of the device's own means that it sleeps, or is throttled.
    constexpr double slow_clock = 0.75;
    constexpr int most_discarded = 20;
    sampling_rule rule({job.least,
                        job.precision,
                        seconds(job.sampling_seconds),
                        seconds(job.give_up_seconds),
                        job.cold},
                       job.launches);
    std::chrono::duration<double> pause{0.002};
    bool inspected = false;
    for (int launch = 0; launch < job.launches;) {
        answer.launch = launch;
        inspected = false;
        prepare(job, set, launch);
        auto const time = launch_once(job, f, set);
        bool const slow = time.megahertz > 0 && facts_.clock_khz > 0 &&
                          time.megahertz < slow_clock * facts_.clock_khz * 1e-3;
        if (slow && answer.discarded < most_discarded && job.launches > 1) {
            // A device that wakes up needs work; one that is too hot needs rest.
            if (++answer.discarded > 5) {
                std::this_thread::sleep_for(pause);
                pause = std::min(pause * 1.5, std::chrono::duration<double>{0.5});
            }
            continue;
        }
        if (std::binary_search(job.keep.begin(), job.keep.end(), launch)) {
            bool const right = inspect(job, set, expected);
            inspected = true;
            answer.outputs.push_back({launch, right});
            if (!right) outputs.push_back(fetch_outputs(set));
        }
        answer.seconds.push_back(time.seconds);
        answer.megahertz.push_back(time.megahertz);
        ++launch;
        auto const end = rule.add(seconds(time.seconds));
        if (end == sampling_end::not_yet) continue;
        answer.why = end;
        break;
    }
    if (!inspected) (void)inspect(job, set, nullptr);
}

run_answer device_session::run(run_job const& job,
                               std::span<std::byte const> contents,
                               std::span<std::byte const> expected,
                               std::vector<shared_memory>& outputs) {
    run_answer answer;
    try {
        if (tools_.poison == nullptr)
            throw mishap{run_end::broken, "lkt's own kernels are missing"};
        if (flush_.size() == 0)
            flush_ = allocate(2 * static_cast<std::uint64_t>(std::max(facts_.l2_bytes, 1 << 20)));
        cu_function const f = function_of(job, answer);
        argument_set& set = arguments_of(job, contents);
        for (std::size_t k = 0; k < set.buffers.size() && k < job.arguments.size(); ++k)
            set.buffers[k].flow = job.arguments[k].flow;
        std::vector<expected_buffer> const* wanted = nullptr;
        if (job.expected != 0 && !job.bounds.empty()) wanted = &expected_of(job, expected);
        for (int k = 0; k < job.warmups; ++k) {
            prepare(job, set, -1 - k);
            (void)launch_once(job, f, set);
        }
        take_samples(job, f, set, wanted, answer, outputs);
    } catch (mishap const& m) {
        answer.end = m.end;
        answer.what = m.what;
        // What was written astray is not left for the next kernel to stumble over.
        if (m.end == run_end::overrun) {
            sets_.clear();
            expected_.clear();
        }
    }
    return answer;
}

// --- The service -----------------------------------------------------------------------------

result<worker_message> serve_device(worker_message request) {
    // One device a worker, for as long as the process lives: a context that broke goes with it.
    static std::unique_ptr<device_session> session;
    unpacker in(request.bytes);
    auto const kind = in.get<request_kind>();
    auto const malformed =
        error{condition::rejected, "lkt.worker.protocol", "a malformed request for the device", {}};
    if (kind == request_kind::open) {
        auto opened = device_session::open(in.text());
        if (!opened) return opened.error();
        session = std::move(*opened);
        return worker_message{pack(session->facts()), {}};
    }
    if (session == nullptr) return malformed;
    if (kind == request_kind::tools) {
        auto const loaded = session->load_tools(in.text());
        if (!loaded) return loaded.error();
        return worker_message{};
    }
    auto const job = unpack_job(in.rest());
    if (!job) return malformed;
    std::size_t used = 0;
    shared_memory contents, expected;
    for (auto* const place : {&contents, &expected}) {
        if (!(place == &contents ? job->brings_contents : job->brings_expected)) continue;
        if (used >= request.fds.size()) return malformed;
        auto adopted =
            shared_memory::adopt(std::move(request.fds[used++]), memory_access::read_only);
        if (!adopted) return adopted.error();
        *place = std::move(*adopted);
    }
    std::vector<shared_memory> outputs;
    auto const answer = session->run(*job, contents.bytes(), expected.bytes(), outputs);
    worker_message reply{pack(answer), {}};
    for (auto& memory : outputs) {
        unique_fd fd(::fcntl(memory.fd(), F_DUPFD_CLOEXEC, 0));
        reply.fds.push_back(std::move(fd));
    }
    return reply;
}

} // namespace lkt::cuda_detail
