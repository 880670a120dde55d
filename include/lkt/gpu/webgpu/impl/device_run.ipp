// SPDX-License-Identifier: BSL-1.0
// A job: a kernel prepared, launched, timed, inspected.
#pragma once

#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/webgpu/detail/device_session.hpp>
#include <lkt/kernel/launch_dimensions.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

namespace lkt::webgpu_detail {

namespace session_parts {

/// What is written so that nothing of the arguments is left in caches. WebGPU does not tell their
/// size: 128 MiB is twice what an H200 has, or it is twice the third level of a processor.
std::uint64_t flush_bytes(wg_adapter_kind kind) {
    constexpr std::uint64_t of_a_gpu = std::uint64_t{128} << 20;
    if (kind != wg_adapter_kind::software) return of_a_gpu;
    long const cache = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
    return std::clamp<std::uint64_t>(
        2 * static_cast<std::uint64_t>(std::max(cache, 0L)), 16u << 20, 64u << 20);
}

std::string argument_text(std::size_t k, wgsl_program const& program) {
    return "argument " + std::to_string(k + 1) + ", `" + program.arguments[k].name + "`";
}

/// The grid as it is dispatched: one that is too long is folded into y where the kernel allows.
dim3 folded(dim3 grid, std::uint32_t most) {
    if (grid.x <= most) return grid;
    std::uint32_t const rows = (grid.x - 1) / most + 1;
    return {most, rows, 1};
}

} // namespace session_parts

/// A kernel of this session with its arguments.
class device_session::prepared_kernel final : public launcher {
public:
    prepared_kernel(device_session& session,
                    run_job const& job,
                    built_program const& built,
                    std::vector<ready_set>& sets)
        : s_(session), job_(job), built_(built), sets_(sets) {
        grid_ = session_parts::folded(job.dimensions.grid, s_.facts_.workgroups);
    }

    void prepare(int launch) override;
    timed_launch launch() override;
    bool inspect() override;
    void inspect_rest() override;
    std::size_t set() const override { return set_; }
    shared_memory outputs() override;

    /// How the times were taken, where that is not plain.
    [[nodiscard]] std::string timing() const;

private:
    [[nodiscard]] std::vector<argument_set::buffer>& buffers() {
        return sets_[set_].arguments->buffers;
    }
    [[nodiscard]] bool is_output(std::size_t k) const {
        return job_.arguments[k].buffer && job_.arguments[k].flow != direction::in;
    }
    /// Whether launches may follow one another without being prepared.
    [[nodiscard]] bool repeatable() const;
    [[nodiscard]] double dispatch(int times, bool timed);
    [[nodiscard]] timed_launch paced(double time);
    [[nodiscard]] bool add_comparisons(batch& work);
    void add_fill(batch& work, std::size_t k, std::size_t output, int launch);

    device_session& s_;
    run_job const& job_;
    built_program const& built_;
    std::vector<ready_set>& sets_;
    std::size_t set_ = 0;
    dim3 grid_{};
    int max_repeats_ = 1;
};

void device_session::bind(run_job const& job, built_program const& built, ready_set& set) {
    auto const& program = built.program;
    std::vector<wg_buffer> of_binding(program.bindings.size(), nullptr);
    std::vector<std::uint64_t> sizes(program.bindings.size(), 0);
    for (std::size_t b = 0; b < program.bindings.size(); ++b) {
        auto const& binding = program.bindings[b];
        if (binding.size == 0) continue;
        std::vector<std::byte> bytes(
            static_cast<std::size_t>(std::max<std::uint64_t>(16, (binding.size + 15) / 16 * 16)));
        for (std::size_t k = 0; k < program.arguments.size(); ++k) {
            auto const& value = job.sets[set.k].values[k];
            if (program.arguments[k].binding != b || job.arguments[k].buffer) continue;
            std::memcpy(bytes.data(), value.data(), std::min(value.size(), bytes.size()));
        }
        auto& made = set.values.emplace_back(
            allocate(bytes.size(), wg_usage::uniform | wg_usage::storage | wg_usage::copy_to));
        api_.write_buffer(queue_.get(), made.get(), 0, bytes.data(), bytes.size());
        of_binding[b] = made.get();
        sizes[b] = made.size;
    }
    for (std::size_t k = 0; k < program.arguments.size(); ++k) {
        if (!job.arguments[k].buffer) continue;
        auto const& work = set.arguments->buffers[k].work;
        of_binding[program.arguments[k].binding] = work.get();
        sizes[program.arguments[k].binding] = work.size;
    }
    for (std::size_t group = 0; group < built.groups.size(); ++group) {
        std::vector<wg_group_entry> entries;
        for (std::size_t b = 0; b < program.bindings.size(); ++b) {
            if (program.bindings[b].group != group) continue;
            auto& entry = entries.emplace_back();
            entry.binding = program.bindings[b].binding;
            entry.buffer = of_binding[b];
            entry.size = sizes[b];
            if (entry.buffer == nullptr)
                throw run_failure{run_end::broken, "a binding of the kernel has no argument"};
        }
        wg_group_descriptor group_is;
        group_is.layout = built.groups[group].get();
        group_is.entry_count = entries.size();
        group_is.entries = entries.data();
        auto const error = caught(api_, device_.get(), [&] {
            set.groups.emplace_back(api_, api_.create_bind_group(device_.get(), &group_is));
        });
        if (error.kind != wg_error::none)
            raise(error.kind, "the arguments cannot be bound: " + error.text);
    }
}

bool device_session::prepared_kernel::repeatable() const {
    for (std::size_t k = 0; k < job_.arguments.size(); ++k)
        if (job_.arguments[k].buffer && job_.arguments[k].flow == direction::inout) return false;
    return true;
}

void device_session::prepared_kernel::prepare(int launch) {
    set_ = set_of_launch(job_.secrets, launch, sets_.size());
    batch work(s_);
    std::size_t output = 0;
    for (std::size_t k = 0; k < buffers().size(); ++k) {
        auto const& b = buffers()[k];
        if (!is_output(k)) continue;
        if (job_.arguments[k].flow == direction::inout) {
            ++output;
            if (b.pristine.handle) work.copy(b.pristine.get(), 0, b.work.get(), 0, b.work.size);
            continue;
        }
        add_fill(work, k, output++, launch);
    }
    if (job_.cold) {
        if (!s_.flush_.handle)
            s_.flush_ = s_.allocate(session_parts::flush_bytes(s_.facts_.kind),
                                    wg_usage::storage | wg_usage::copy_to);
        work.clear(s_.flush_);
    }
    work.submit();
    s_.wait_idle(in(60), 60);
}

/// Where a buffer lies no text can see: WGSL has no addresses, and an array begins where its
/// binding does. So buffers stay where they are.
void device_session::prepared_kernel::add_fill(batch& work,
                                               std::size_t k,
                                               std::size_t output,
                                               int launch) {
    auto const& b = buffers()[k];
    auto const* const right = sets_[set_].expected;
    auto const* const other = sets_[other_set(job_, launch, set_, sets_.size())].expected;
    auto const at_hand = [&](std::vector<argument_set::buffer> const* e) {
        return e != nullptr && output < e->size() && (*e)[output].bytes() == b.bytes() &&
               (*e)[output].stride == b.stride && b.packed % 4 == b.stride % 4;
    };
    scalar_type const type = job_.arguments[k].type;
    auto const kind = fill_of(job_, launch, k, sets_.size() > 1 && at_hand(other), at_hand(right));
    bool const nearly = kind == fill_kind::nearly_right;
    if (nearly || kind == fill_kind::other_test) {
        auto const& from = (*(nearly ? right : other))[output].work;
        work.copy(from.get(), 0, b.work.get(), 0, std::min(from.size, b.work.size));
        if (!nearly) return;
    }
    auto const mask = mask_of(kind, type);
    tool_parameters how;
    if (mask.keep != 0) {
        auto const pattern = nearly ? noise_period : pattern_bytes(b.work.size);
        how.words = static_cast<std::uint32_t>(pattern / 4);
        how.stride_words = how.words / 16;
        auto const key = fill_key(job_.secrets, launch, k);
        std::copy(key.words.begin(), key.words.end(), how.key);
        work.tool(s_.tools_.stream, s_.pattern_.get(), s_.nothing_.get(), how);
    }
    how = {};
    if (nearly) {
        bool const plain = b.packed == b.stride;
        how.words = static_cast<std::uint32_t>((plain ? b.work.size : b.bytes()) / 4);
        how.packed_words = plain ? 1 : b.packed / 4;
        how.stride_words = plain ? 1 : b.stride / 4;
        how.key_low = noise_period / 4;
        work.tool(s_.tools_.nearly, b.work.get(), s_.pattern_.get(), how);
        return;
    }
    how.words = static_cast<std::uint32_t>(b.work.size / 4);
    how.stride_words = noise_period / 4;
    how.key[0] = static_cast<std::uint32_t>(mask.keep);
    how.key[1] = static_cast<std::uint32_t>(mask.keep >> 32);
    how.key[2] = static_cast<std::uint32_t>(mask.set);
    how.key[3] = static_cast<std::uint32_t>(mask.set >> 32);
    work.tool(s_.tools_.fill, b.work.get(), s_.pattern_.get(), how);
}

/// Seconds of so many dispatches.
double device_session::prepared_kernel::dispatch(int times, bool timed) {
    std::vector<wg_bind_group> groups;
    for (auto const& g : sets_[set_].groups) groups.push_back(g.get());
    batch work(s_);
    work.dispatch(built_.pipeline.get(), groups, grid_, times, timed);
    double const limit = job_.launch_limit * times;
    auto const begin = clock::now();
    work.submit();
    s_.wait_idle(in(limit + 0.1), job_.launch_limit);
    std::chrono::duration<double> const wall = clock::now() - begin;
    if (!timed || s_.facts_.period <= 0) return wall.count();
    auto const [from, to] = s_.stamps();
    return to > from ? static_cast<double>(to - from) * s_.facts_.period : 0;
}

timed_launch device_session::prepared_kernel::launch() {
    sets_[set_].touched = true;
    double const quantum = s_.facts_.quantum;
    constexpr double steps = 50; // so that a step of the clock is 2 % of a time
    constexpr int most = 4096;
    if (s_.facts_.period <= 0) return {dispatch(1, false)};
    double const once = dispatch(1, true);
    if (once >= steps * quantum || quantum < 1e-6) return paced(once);
    if (!repeatable()) return {once > 0 ? once : quantum};
    int const times = static_cast<int>(
        std::clamp(std::ceil(steps * quantum / std::max(once, quantum / 16)), 2.0, double{most}));
    max_repeats_ = std::max(max_repeats_, times);
    return {dispatch(times, true) / times};
}

/// With the clock's pace right after the launch. A device that has slowed down gets work.
timed_launch device_session::prepared_kernel::paced(double time) {
    timed_launch made{time, 0, s_.pace()};
    if (made.pace > 0 && made.pace < 0.75) s_.keep_busy();
    return made;
}

std::string device_session::prepared_kernel::timing() const {
    auto const step = to_string(seconds(s_.facts_.quantum));
    if (s_.facts_.period <= 0)
        return "times come from the CPU's clock, from a launch to its end: the device has no "
               "timestamps";
    if (max_repeats_ > 1)
        return "the device's clock has a resolution of " + step + ": up to " +
               std::to_string(max_repeats_) +
               " warm launches in a row are timed together, and their time is divided";
    if (s_.facts_.quantum >= 1e-6)
        return "the device's clock has a resolution of " + step + ", and so do the times";
    return {};
}

/// False: one of the outputs is of a kind that the device does not compare.
bool device_session::prepared_kernel::add_comparisons(batch& work) {
    auto const& bounds = job_.sets[sets_[set_].k].bounds;
    auto const& expected = *sets_[set_].expected;
    std::size_t output = 0;
    for (std::size_t k = 0; k < job_.arguments.size(); ++k) {
        if (!is_output(k)) continue;
        if (output >= bounds.size() || output >= expected.size()) return false;
        auto const& b = buffers()[k];
        auto const& bound = bounds[output];
        bool const plain = b.packed == b.stride;
        bool const words = b.packed % 4 == 0 && b.stride % 4 == 0;
        owned_pipeline const* tool = nullptr;
        switch (bound.how) {
        case comparer::bytes:
            if (plain || words) tool = &s_.tools_.wrong_words;
            break;
        case comparer::float32:
            if (words) tool = &s_.tools_.wrong_f32;
            break;
        case comparer::float16:
            if (plain) tool = &s_.tools_.wrong_f16;
            break;
        case comparer::bfloat16:
            if (plain) tool = &s_.tools_.wrong_bf16;
            break;
        case comparer::float64:
        case comparer::none:
            break;
        }
        if (tool == nullptr || b.bytes() / 4 > 0xffffffffu) return false;
        tool_parameters how;
        how.words = static_cast<std::uint32_t>(b.bytes() / 4);
        how.tail = static_cast<std::uint32_t>(b.bytes() % 4);
        if (!plain) {
            how.packed_words = b.packed / 4;
            how.stride_words = b.stride / 4;
        }
        how.counter = static_cast<std::uint32_t>(output);
        how.relative = static_cast<float>(bound.relative);
        how.absolute = static_cast<float>(bound.absolute);
        work.tool(*tool, b.work.get(), expected[output].work.get(), how);
        ++output;
    }
    return true;
}

/// An input that the kernel may write must be as it was; the rest of what it could write is its
/// own: WebGPU confines every access to the buffers that are bound.
bool device_session::prepared_kernel::inspect() {
    sets_[set_].touched = false;
    for (std::size_t k = 0; k < buffers().size(); ++k) {
        auto const& b = buffers()[k];
        if (b.digested && job_.arguments[k].flow == direction::in &&
            s_.digest_of(b.work) != b.digest)
            throw run_failure{run_end::input_written,
                              session_parts::argument_text(k, built_.program) +
                                  ", an input, was written"};
    }
    auto const* const expected = sets_[set_].expected;
    if (expected == nullptr) return false;
    batch work(s_);
    work.clear(s_.counters_);
    if (!add_comparisons(work)) return false;
    work.submit();
    auto const wrong = s_.counted(std::max<std::size_t>(1, expected->size()));
    return std::all_of(wrong.begin(), wrong.end(), [](std::uint32_t n) { return n == 0; });
}

void device_session::prepared_kernel::inspect_rest() {
    std::size_t const last = set_;
    for (set_ = 0; set_ < sets_.size(); ++set_)
        if (sets_[set_].touched) (void)inspect();
    set_ = last;
}

shared_memory device_session::prepared_kernel::outputs() {
    std::uint64_t size = 0;
    for (std::size_t k = 0; k < buffers().size(); ++k)
        if (is_output(k)) size = next_place(size + buffers()[k].bytes());
    auto memory = shared_memory::create(static_cast<std::size_t>(size));
    if (!memory) throw run_failure{run_end::broken, to_string(memory.error())};
    memory->populate();
    std::uint64_t at = 0;
    for (std::size_t k = 0; k < buffers().size(); ++k) {
        if (!is_output(k)) continue;
        auto const n = static_cast<std::size_t>(buffers()[k].bytes());
        s_.fetch(buffers()[k], memory->writable_bytes().subspan(static_cast<std::size_t>(at), n));
        at = next_place(at + n);
    }
    return std::move(*memory);
}

run_answer device_session::run(run_job const& job,
                               std::span<set_data const> data,
                               std::vector<shared_memory>& outputs) {
    run_answer answer;
    // Nothing is built while something is measured.
    std::unique_lock<std::mutex> use;
    try {
        std::shared_ptr<built_program const> const built = program_of(job);
        use = std::unique_lock(builder_->device_use());
        fit(job, built->program);
        std::vector<ready_set> sets = sets_of(job, *built, data);
        answer.sets = sets.size();
        prepared_kernel kernel(*this, job, *built, sets);
        if (job.warmups == 0 && warmed_.insert(built.get()).second) {
            // The first launch of a pipeline compiles it on some drivers.
            kernel.prepare(-1);
            (void)kernel.launch();
        }
        run_series(job, kernel, answer, outputs);
        answer.timing = kernel.timing();
    } catch (run_failure const& m) {
        answer.end = m.end;
        answer.what = m.what;
        if (m.end == run_end::overrun || m.end == run_end::input_written) {
            sets_.clear();
            expected_.clear();
        }
    }
    return answer;
}

} // namespace lkt::webgpu_detail
