// SPDX-License-Identifier: BSL-1.0
// A device that loads modules, in its worker: its context, and what was loaded into it.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/secret_stream.hpp>
#include <lkt/gpu/device/detail/module_driver.hpp>
#include <lkt/gpu/device/detail/module_service.hpp>
#include <lkt/gpu/device/fills.hpp>
#include <lkt/gpu/device/series.hpp>
#include <lkt/process/shared_memory.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lkt::device_detail {

/// Device memory with an owner.
class device_memory {
public:
    device_memory() = default;
    device_memory(driver_api const& d, cu_pointer p, std::uint64_t size)
        : driver_(&d), at_(p), size_(size) {}
    device_memory(device_memory&& other) noexcept
        : driver_(other.driver_), at_(std::exchange(other.at_, 0)), size_(other.size_) {}
    device_memory& operator=(device_memory&& other) noexcept {
        std::swap(driver_, other.driver_);
        std::swap(at_, other.at_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~device_memory() {
        if (at_ != 0) driver_->release(at_);
    }
    [[nodiscard]] cu_pointer at() const { return at_; }
    [[nodiscard]] std::uint64_t size() const { return size_; }

private:
    driver_api const* driver_ = nullptr;
    cu_pointer at_ = 0;
    std::uint64_t size_ = 0;
};

/// The buffers of a set of arguments: what kernels work on, and what `inout` ones start from.
struct argument_set {
    struct buffer {
        device_memory work, pristine; ///< `work` has a guard before and after the buffer
        std::uint64_t size = 0;
        std::uint64_t digest = 0;  ///< of what no kernel may change: an input, or `pristine`
        std::uint64_t places = 1;  ///< pages where it may begin
        std::uint64_t shift = 0;   ///< bytes from the first of them to where it begins
        secret_key before, behind; ///< of what stands in the guards during this run
        direction flow = direction::in;
        bool exact = false; ///< `work` is the buffer, and has no guards
        [[nodiscard]] cu_pointer begin() const;
        [[nodiscard]] cu_pointer guard_before() const;
        [[nodiscard]] cu_pointer guard_behind() const;
    };
    std::vector<device_memory> between; ///< keeps exact buffers at pages
    std::vector<buffer> buffers;        ///< one for each argument; empty for values
};

/// Expected outputs, and what they added up to when they were sent.
struct expected_buffer {
    device_memory memory;
    std::uint64_t digest = 0;
};

/// Owns everything that a device holds. After a fatal error it must be thrown away together with
/// its process.
class device_session {
public:
    /// `which`: nothing for the first device, an index, or (the beginning of) a UUID. Errors: those
    /// of `kind.load`; `lkt.<name>.device` (rejected) when there is no such device.
    [[nodiscard]] static result<std::unique_ptr<device_session>> open(device_kind const& kind,
                                                                      std::string_view which);

    [[nodiscard]] device_facts const& facts() const { return facts_; }
    /// Loads lkt's own kernels, compiled from a `tools_text`.
    [[nodiscard]] result<void> load_tools(std::string_view image);

    /// `data` hold what the job brings, one for each of its sets. Kept outputs that are not as
    /// expected come back in `outputs`.
    [[nodiscard]] run_answer
    run(run_job const& job, std::span<set_data const> data, std::vector<shared_memory>& outputs);

    /// The same for a job that is `bare`.
    [[nodiscard]] run_answer
    run_bare(run_job const& job, set_data const& data, std::vector<shared_memory>& outputs);
    /// Waits for the device, and lets it go.
    void leave();

private:
    struct loaded_module {
        cu_module handle = nullptr;
        cu_function function = nullptr;
        cubin_program program; ///< so that it can be loaded anew
        std::uint64_t last_use = 0;
    };
    class prepared_kernel;
    struct tools {
        cu_function stream = nullptr, fill = nullptr, nearly = nullptr, disturbed = nullptr,
                    read = nullptr;
        cu_function hold = nullptr, stamp = nullptr, digest = nullptr, scrub = nullptr;
        std::array<cu_function, 6> wrong{}; ///< by comparer
    };
    /// Memory of the host that the device sees: the flag and the stamps.
    struct mapped_words {
        std::uint32_t flag = 0, unused = 0;
        std::uint64_t stamps[4] = {};
    };
    using clock = std::chrono::steady_clock;

    device_session() = default;

    void check(cu_status s, char const* doing) const;
    [[nodiscard]] device_memory allocate(std::uint64_t size);
    void send(cu_pointer to, std::span<std::byte const> bytes);
    void launch_tool(cu_function f, unsigned blocks, unsigned threads, std::span<void* const> of);
    void write_stream(cu_pointer at, std::uint64_t bytes, secret_key key);
    void write_masked(cu_pointer at, std::uint64_t bytes, fill_mask mask);
    void write_nearly(cu_pointer at, std::uint64_t bytes, scalar_type type);
    [[nodiscard]] unsigned blocks_for(std::uint64_t threads, unsigned a_multiprocessor) const;
    void begin_counting();
    [[nodiscard]] cu_pointer next_counter();
    [[nodiscard]] std::vector<std::uint64_t> counted();
    void count_digest(cu_pointer at, std::uint64_t bytes);
    [[nodiscard]] std::uint64_t digest_of(cu_pointer at, std::uint64_t bytes);
    void wait(clock::time_point deadline, double limit);

    [[nodiscard]] loaded_module const& module_of(run_job const& job);
    void load(loaded_module& module);
    void fit(run_job const& job, loaded_module const& module, run_answer& answer);
    void fit_arguments(run_job const& job, loaded_module const& module);
    [[nodiscard]] cu_tensor_map
    encoded(job_map const& map, run_job const& job, argument_set const& set) const;
    void fill_constants(run_job const& job, loaded_module const& module, argument_set const& set);
    /// Set number `k` of a job, on the device.
    struct ready_set {
        std::size_t k = 0;
        argument_set* arguments = nullptr;
        std::vector<expected_buffer> const* expected = nullptr; ///< null: nothing is compared
        bool touched = false; ///< launched on, and not looked at since
    };
    [[nodiscard]] argument_set&
    arguments_of(run_job const& job, std::size_t k, std::span<std::byte const> contents);
    [[nodiscard]] std::vector<expected_buffer> const&
    expected_of(run_job const& job, std::size_t k, std::span<std::byte const> expected);
    [[nodiscard]] ready_set set_of(run_job const& job, std::size_t k, set_data const& data);
    [[nodiscard]] std::vector<ready_set> sets_of(run_job const& job,
                                                 std::span<set_data const> data);

    [[nodiscard]] device_memory allocate_at_page(std::uint64_t size,
                                                 std::vector<device_memory>& between);
    void fill_exact(run_job const& job, argument_set& set, std::span<std::byte const> expected);
    [[nodiscard]] argument_set exact_set(run_job const& job, std::span<std::byte const> contents);
    void settle(run_job const& job, argument_set& set, std::size_t k);
    void move(argument_set::buffer& buffer, std::uint64_t shift);
    void prepare(run_job const& job, std::span<ready_set const> sets, std::size_t set, int launch);
    void scrub(secret_key key);
    [[nodiscard]] cu_status
    launch_kernel(run_job const& job, loaded_module const& module, ready_set const& set);
    void empty_caches();
    [[nodiscard]] timed_launch launch_once(run_job const& job,
                                           loaded_module const& module,
                                           ready_set const& set,
                                           secret_key const& key);
    [[nodiscard]] bool inspect(run_job const& job, ready_set const& set);
    [[nodiscard]] bool count_wrong(run_job const& job, ready_set const& set);
    [[nodiscard]] shared_memory fetch_outputs(argument_set const& set);

    device_kind const* kind_ = nullptr;
    driver_api driver_;
    device_facts facts_;
    cu_device device_ = 0;
    cu_stream stream_ = nullptr;
    cu_event begin_ = nullptr, end_ = nullptr;
    mapped_words volatile* mapped_ = nullptr;
    cu_pointer mapped_on_device_ = 0;
    device_memory flush_, counters_, pattern_;
    std::size_t counting_ = 0;
    tools tools_;
    std::map<std::uint64_t, loaded_module> modules_;
    std::list<std::pair<std::uint64_t, argument_set>> sets_; ///< the one used last comes first
    std::size_t in_use_ = 1; ///< of the sets and of the expected outputs: those of the current job
    std::list<std::pair<std::uint64_t, std::vector<expected_buffer>>> expected_;
    std::uint64_t uses_ = 0;
    std::uint64_t digest_keys_[2] = {}; ///< drawn: no kernel can change bytes and keep a sum
};

} // namespace lkt::device_detail
