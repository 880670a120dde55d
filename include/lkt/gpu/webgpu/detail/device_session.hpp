// SPDX-License-Identifier: BSL-1.0
// The worker's side of the WebGPU back end: one device, what was built for it and lies on it.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/gpu/device/fills.hpp>
#include <lkt/gpu/device/series.hpp>
#include <lkt/gpu/webgpu/detail/builder.hpp>
#include <lkt/gpu/webgpu/detail/objects.hpp>
#include <lkt/gpu/webgpu/device_service.hpp>
#include <lkt/process/shared_memory.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::webgpu_detail {

/// A buffer on the device; its size is a multiple of 4.
struct device_buffer {
    owned_buffer handle;
    std::uint64_t size = 0;
    [[nodiscard]] wg_buffer get() const { return handle.get(); }
};

/// The buffers of a set of arguments: what kernels work on, and what `inout` ones start from.
struct argument_set {
    struct buffer {
        device_buffer work, pristine;
        std::uint64_t elements = 0;
        std::uint32_t packed = 4, stride = 4;
        std::uint64_t digest = 0; ///< of an input that a kernel could change
        bool digested = false;
        bool uniform = false; ///< it may be bound as one
        [[nodiscard]] std::uint64_t bytes() const { return elements * packed; }
    };
    std::vector<buffer> buffers; ///< one for each argument; empty for values
};

/// Owns everything that a device holds. After a loss it must be thrown away with its process.
class device_session {
public:
    /// `adapter`: nothing for the best, an index, `discrete`, `integrated`, `software`, or a part
    /// of a name. Errors: those of load_api; `lkt.webgpu.no-adapter`, `lkt.webgpu.open`
    /// (unavailable); `lkt.webgpu.adapter` (rejected), with those that there are.
    [[nodiscard]] static result<std::unique_ptr<device_session>> open(std::string const& library,
                                                                      std::string_view adapter);
    device_session(device_session const&) = delete;
    device_session& operator=(device_session const&) = delete;
    ~device_session();

    [[nodiscard]] device_facts const& facts() const { return facts_; }
    [[nodiscard]] program_builder& builder() { return *builder_; }

    /// `data` hold what the job brings, one for each of its sets. Kept outputs that are not as
    /// expected come back in `outputs`.
    [[nodiscard]] run_answer
    run(run_job const& job, std::span<set_data const> data, std::vector<shared_memory>& outputs);
    /// False: the device was lost since.
    [[nodiscard]] bool alive();
    [[nodiscard]] object_counts count() const;
    /// For tests.
    void lose();

private:
    class prepared_kernel;
    using clock = std::chrono::steady_clock;
    /// lkt's own kernels, all with the same four bindings.
    struct tools {
        owned_group_layout group;
        owned_pipeline_layout layout;
        owned_pipeline stream, fill, nearly, chain, digest, wrong_words, wrong_f32, wrong_f16,
            wrong_bf16;
    };
    /// What a tool is given; as `parameters` in tools_source.
    struct tool_parameters {
        std::uint32_t words = 0, tail = 0; ///< whole words, and bytes of one more
        std::uint32_t key_low = 0, key_high = 0;
        std::uint32_t packed_words = 1, stride_words = 1;
        std::uint32_t counter = 0;
        float relative = 0, absolute = 0;
        std::uint32_t unused[3] = {};
        std::uint32_t key[8] = {};
    };
    /// What one step sends to the device, in one go.
    class batch {
    public:
        explicit batch(device_session& session);
        void
        copy(wg_buffer from, std::uint64_t at, wg_buffer to, std::uint64_t to_at, std::uint64_t n);
        void clear(device_buffer const& buffer);
        /// One of lkt's own kernels over `how.words` words.
        void tool(owned_pipeline const& tool,
                  wg_buffer written,
                  wg_buffer read,
                  tool_parameters const& how,
                  bool timed = false);
        /// A pass; with timestamps around it, if there are any.
        void dispatch(wg_pipeline pipeline,
                      std::span<wg_bind_group const> groups,
                      dim3 grid,
                      int times,
                      bool timed);
        void submit();

    private:
        device_session& s_;
        owned_encoder encoder_;
        std::vector<owned_bind_group> groups_;
        std::size_t tools_ = 0;
    };

    device_session() = default;

    [[nodiscard]] result<void> choose(std::string_view adapter);
    [[nodiscard]] result<void> open_device();
    [[nodiscard]] result<void> load_tools();
    void measure_clock();
    void wake_up();
    [[nodiscard]] double pace();
    void keep_busy();
    [[nodiscard]] double chain_time();

    void check(char const* doing);
    [[noreturn]] static void raise(wg_error kind, std::string const& text);
    [[nodiscard]] device_buffer allocate(std::uint64_t size, std::uint64_t usage);
    void send(device_buffer const& to, argument_set::buffer const& how, std::span<std::byte const>);
    void fetch(argument_set::buffer const& from, std::span<std::byte> to);
    void read(wg_buffer from, std::uint64_t at, std::span<std::byte> to);
    void wait(bool const& done, clock::time_point deadline, double limit);
    void wait_idle(clock::time_point deadline, double limit);
    [[nodiscard]] static clock::time_point in(double seconds);

    [[nodiscard]] std::shared_ptr<built_program const> program_of(run_job const& job);
    void fit(run_job const& job, wgsl_program const& program) const;
    /// Set number `k` of a job, on the device.
    struct ready_set {
        std::size_t k = 0;
        argument_set* arguments = nullptr;
        std::vector<argument_set::buffer> const* expected = nullptr; ///< null: none is compared
        std::vector<device_buffer> values;    ///< one for each binding that holds values
        std::vector<owned_bind_group> groups; ///< with this set's buffers
        bool touched = false;                 ///< launched on, and not looked at since
    };
    [[nodiscard]] argument_set& arguments_of(run_job const& job,
                                             std::size_t k,
                                             wgsl_program const& program,
                                             std::span<std::byte const> contents);
    [[nodiscard]] std::vector<argument_set::buffer> const&
    expected_of(run_job const& job,
                std::size_t k,
                wgsl_program const& program,
                std::span<std::byte const> expected);
    [[nodiscard]] ready_set
    set_of(run_job const& job, std::size_t k, built_program const& built, set_data const& data);
    [[nodiscard]] std::vector<ready_set>
    sets_of(run_job const& job, built_program const& built, std::span<set_data const> data);
    void bind(run_job const& job, built_program const& built, ready_set& set);
    [[nodiscard]] bool fits(argument_set& set, run_job const& job, wgsl_program const& program);
    void digest_if_needed(run_job const& job,
                          wgsl_program const& program,
                          argument_set& set,
                          std::size_t k);
    [[nodiscard]] bool make_room();

    [[nodiscard]] std::vector<std::uint32_t> counted(std::size_t n);
    [[nodiscard]] std::uint64_t digest_of(device_buffer const& of);
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> stamps();

    api api_;
    device_facts facts_;
    owned_instance instance_;
    owned_adapter adapter_;
    wg_limits limits_;
    std::unique_ptr<device_trouble> trouble_; ///< its address is the library's
    owned_device device_;
    owned_queue queue_;
    tools tools_;
    std::unique_ptr<program_builder> builder_;
    owned_queries queries_;
    device_buffer stamps_, stamps_read_, counters_, counters_read_, flush_, nothing_, ballast_;
    device_buffer pattern_;
    std::uint32_t digest_keys_[4] = {};     ///< drawn: no kernel can change words and keep a sum
    double fastest_chain_ = 0;              ///< seconds; 0: the device's pace is unknown
    std::uint64_t clock_step_ = 1;          ///< timestamps are rounded down to multiples of it
    std::vector<device_buffer> parameters_; ///< of the tools that one batch launches
    std::map<std::uint64_t, std::shared_ptr<built_program const>> programs_;
    std::set<built_program const*> warmed_;                  ///< of `programs_`
    std::list<std::pair<std::uint64_t, argument_set>> sets_; ///< the one used last comes first
    std::size_t in_use_ = 1; ///< of the sets and of the expected outputs: those of the current job
    std::list<std::pair<std::uint64_t, std::vector<argument_set::buffer>>> expected_;
};

} // namespace lkt::webgpu_detail
