// SPDX-License-Identifier: BSL-1.0
// What a job needs on a device: its program, its arguments, room for them.
#pragma once

#include <lkt/gpu/webgpu/detail/device_session.hpp>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>

namespace lkt::webgpu_detail {

namespace session_parts {

std::string extents(dim3 d) {
    return std::to_string(d.x) + "x" + std::to_string(d.y) + "x" + std::to_string(d.z);
}

} // namespace session_parts

std::shared_ptr<built_program const> device_session::program_of(run_job const& job) {
    constexpr std::size_t max_programs = 512;
    if (auto const known = programs_.find(job.program); known != programs_.end())
        return known->second;
    if (job.program_bytes.empty()) throw run_failure{run_end::unknown_contents, {}};
    if (!unpack_program(job.program_bytes))
        throw run_failure{run_end::bad_program, "the program is malformed"};
    auto built = builder_->get(job.program_bytes);
    if (!built->answer.built) throw run_failure{run_end::bad_program, built->answer.log};
    if (programs_.size() >= max_programs) {
        programs_.clear();
        warmed_.clear();
    }
    return programs_[job.program] = std::move(built);
}

/// Whether the device can do it at all, said before the library says it in its words.
void device_session::fit(run_job const& job, wgsl_program const& program) const {
    auto const no = [&](std::string why) -> void {
        throw run_failure{run_end::launch_failed, std::move(why)};
    };
    dim3 const block = job.dimensions.block, grid = job.dimensions.grid;
    if (block != program.block)
        no("the launch has blocks of " + session_parts::extents(block) +
           " threads, but the text's @workgroup_size is " + session_parts::extents(program.block));
    if (block.count() > facts_.invocations)
        no("a workgroup has " + std::to_string(block.count()) + " threads, but " + facts_.name +
           " allows " + std::to_string(facts_.invocations));
    if (block.x > facts_.workgroup.x || block.y > facts_.workgroup.y ||
        block.z > facts_.workgroup.z)
        no("a workgroup of " + session_parts::extents(block) + " threads is too large: " +
           facts_.name + " allows " + session_parts::extents(facts_.workgroup));
    if (job.dimensions.shared_bytes != 0)
        no("WGSL has no dynamic shared memory, but the launch asks for " +
           to_string(bytes{job.dimensions.shared_bytes}));
    if (program.workgroup_bytes > facts_.workgroup_storage)
        no("the workgroup variables take " + to_string(bytes{program.workgroup_bytes}) + ", but " +
           facts_.name + " has " + to_string(bytes{facts_.workgroup_storage}));
    std::uint32_t const most = facts_.workgroups;
    if (grid.count() == 0) no("the grid is empty");
    if (grid.y > most || grid.z > most)
        no("the grid is " + session_parts::extents(grid) + ", but " + facts_.name + " allows " +
           std::to_string(most) + " workgroups in each dimension");
    if (grid.x > most) {
        std::string const long_grid = "the grid has " + std::to_string(grid.x) +
                                      " workgroups in x, but " + facts_.name + " allows " +
                                      std::to_string(most);
        if (grid.y != 1 || grid.z != 1)
            no(long_grid + "; only a grid of one dimension can be folded into two");
        if (!program.folds)
            no(long_grid + "; such a grid is folded into x and y if the entry point takes "
                           "@builtin(num_workgroups) and computes its place from it, as in "
                           "(group.y * groups.x + group.x) * BLOCK + local; or give each thread "
                           "more to do");
        if (static_cast<std::uint64_t>(most) * most < grid.x) no(long_grid);
    }
    if (program.arguments.size() != job.arguments.size())
        throw run_failure{run_end::bad_program,
                          "the program and the job differ in their arguments"};
    std::uint32_t storage = 0, uniform = 0;
    for (auto const& b : program.bindings) {
        ++(b.uniform ? uniform : storage);
        if (b.group >= facts_.bind_groups)
            no("@group(" + std::to_string(b.group) + ") is too high: " + facts_.name + " has " +
               std::to_string(facts_.bind_groups) + " bind groups");
        if (b.binding >= facts_.bindings_per_group)
            no("@binding(" + std::to_string(b.binding) + ") is too high: " + facts_.name +
               " allows those below " + std::to_string(facts_.bindings_per_group));
    }
    if (storage > facts_.storage_buffers)
        no("the kernel has " + std::to_string(storage) + " storage buffers, but " + facts_.name +
           " allows " + std::to_string(facts_.storage_buffers));
    if (uniform > facts_.uniform_buffers)
        no("the kernel has " + std::to_string(uniform) + " uniform buffers, but " + facts_.name +
           " allows " + std::to_string(facts_.uniform_buffers));
    for (std::size_t k = 0; k < job.arguments.size(); ++k) {
        if (!job.arguments[k].buffer) continue;
        auto const& place = program.arguments[k];
        bool const is_uniform = program.bindings[place.binding].uniform;
        std::uint64_t const limit = std::min(
            is_uniform ? facts_.uniform_binding : facts_.storage_binding, facts_.buffer_size);
        std::uint64_t const size = job.arguments[k].size / place.packed * place.stride;
        auto const& binding = program.bindings[place.binding];
        std::string const name = "the buffer `" + place.name + "`, @group(" +
                                 std::to_string(binding.group) + ") @binding(" +
                                 std::to_string(binding.binding) + "),";
        if (size == 0) no(name + " is empty, and WebGPU cannot bind an empty buffer");
        if (size > limit)
            no(name + " takes " + to_string(bytes{size}) + ", but " + facts_.name +
               " binds buffers of at most " + to_string(bytes{limit}));
    }
}

argument_set& device_session::arguments_of(run_job const& job,
                                           std::size_t number,
                                           wgsl_program const& program,
                                           std::span<std::byte const> contents) {
    using namespace wg_usage;
    // Anonymous contents are used once: one set of them for each place is enough.
    job_set const& wanted = job.sets[number];
    std::uint64_t const id = wanted.contents != 0 ? wanted.contents : ~std::uint64_t{number};
    if (wanted.contents != 0 && !wanted.brings_contents) {
        auto const known =
            std::find_if(sets_.begin(), sets_.end(), [&](auto const& s) { return s.first == id; });
        if (known == sets_.end() || !fits(known->second, job, program))
            throw run_failure{run_end::unknown_contents, {}};
        sets_.splice(sets_.begin(), sets_, known);
        return sets_.front().second;
    }
    std::erase_if(sets_, [&](auto const& s) { return s.first == id; });
    sets_.emplace_front(id, argument_set{});
    argument_set& set = sets_.front().second;
    std::uint64_t at = 0;
    for (std::size_t k = 0; k < job.arguments.size(); ++k) {
        job_argument const& a = job.arguments[k];
        auto& b = set.buffers.emplace_back();
        if (!a.buffer) continue;
        if (at + a.size > contents.size())
            throw run_failure{run_end::broken, "the contents of the arguments are incomplete"};
        auto const& place = program.arguments[k];
        auto const& binding = program.bindings[place.binding];
        b.elements = a.size / place.packed;
        b.packed = place.packed;
        b.stride = place.stride;
        std::uint64_t size = b.elements * b.stride;
        b.uniform = size <= facts_.uniform_binding;
        if (binding.uniform) size = (size + 15) / 16 * 16;
        b.work = allocate(size, storage | copy_from | copy_to | (b.uniform ? uniform : 0));
        if (a.flow == direction::inout) b.pristine = allocate(size, storage | copy_from | copy_to);
        auto const data =
            contents.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(a.size));
        if (a.flow != direction::out)
            send(a.flow == direction::inout ? b.pristine : b.work, b, data);
        at = next_place(at + a.size);
    }
    for (std::size_t k = 0; k < job.arguments.size(); ++k) digest_if_needed(job, program, set, k);
    return set;
}

/// Whether a set that was made for another job serves this one as well.
bool device_session::fits(argument_set& set, run_job const& job, wgsl_program const& program) {
    if (set.buffers.size() != job.arguments.size()) return false;
    for (std::size_t k = 0; k < set.buffers.size(); ++k) {
        auto const& a = job.arguments[k];
        auto const& b = set.buffers[k];
        auto const& place = program.arguments[k];
        if (a.buffer != static_cast<bool>(b.work.handle)) return false;
        if (!a.buffer) continue;
        if (a.size != b.bytes() || place.packed != b.packed || place.stride != b.stride)
            return false;
        if (a.flow == direction::inout && !b.pristine.handle) return false;
        if (a.flow == direction::in && b.pristine.handle) return false;
        if (program.bindings[place.binding].uniform && (!b.uniform || b.work.size % 16 != 0))
            return false;
        digest_if_needed(job, program, set, k);
    }
    return true;
}

/// Of an input that this program could write: what it must still be afterwards.
void device_session::digest_if_needed(run_job const& job,
                                      wgsl_program const& program,
                                      argument_set& set,
                                      std::size_t k) {
    auto& b = set.buffers[k];
    if (!job.arguments[k].buffer || job.arguments[k].flow != direction::in || b.digested) return;
    auto const& binding = program.bindings[program.arguments[k].binding];
    if (binding.uniform || binding.read_only) return;
    b.digest = digest_of(b.work);
    b.digested = true;
}

std::vector<argument_set::buffer> const&
device_session::expected_of(run_job const& job,
                            std::size_t number,
                            wgsl_program const& program,
                            std::span<std::byte const> expected) {
    std::uint64_t const id = job.sets[number].expected;
    auto const known = std::find_if(
        expected_.begin(), expected_.end(), [&](auto const& e) { return e.first == id; });
    if (!job.sets[number].brings_expected) {
        if (known == expected_.end()) throw run_failure{run_end::unknown_contents, {}};
        std::size_t output = 0;
        for (std::size_t k = 0; k < job.arguments.size(); ++k) {
            if (!job.arguments[k].buffer || job.arguments[k].flow == direction::in) continue;
            auto const& place = program.arguments[k];
            if (output >= known->second.size() || known->second[output].stride != place.stride)
                throw run_failure{run_end::unknown_contents, {}};
            ++output;
        }
        expected_.splice(expected_.begin(), expected_, known);
        return expected_.front().second;
    }
    if (known != expected_.end()) expected_.erase(known);
    expected_.emplace_front(id, std::vector<argument_set::buffer>{});
    auto& made = expected_.front().second;
    std::uint64_t at = 0;
    for (std::size_t k = 0; k < job.arguments.size(); ++k) {
        job_argument const& a = job.arguments[k];
        if (!a.buffer || a.flow == direction::in) continue;
        if (at + a.size > expected.size())
            throw run_failure{run_end::broken, "the expected outputs are incomplete"};
        auto& b = made.emplace_back();
        b.packed = program.arguments[k].packed;
        b.stride = program.arguments[k].stride;
        b.elements = a.size / b.packed;
        b.work = allocate(b.elements * b.stride,
                          wg_usage::storage | wg_usage::copy_from | wg_usage::copy_to);
        send(b.work,
             b,
             expected.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(a.size)));
        at = next_place(at + a.size);
    }
    return made;
}

device_session::ready_set device_session::set_of(run_job const& job,
                                                 std::size_t k,
                                                 built_program const& built,
                                                 set_data const& data) {
    ready_set made;
    made.k = k;
    made.arguments = &arguments_of(job, k, built.program, data.contents);
    if (job.sets[k].expected != 0 && !job.sets[k].bounds.empty())
        made.expected = &expected_of(job, k, built.program, data.expected);
    bind(job, built, made);
    return made;
}

/// The first set must be there; without memory for a further one the series goes on without it.
std::vector<device_session::ready_set> device_session::sets_of(run_job const& job,
                                                               built_program const& built,
                                                               std::span<set_data const> data) {
    std::vector<ready_set> sets;
    for (std::size_t k = 0; k < job.sets.size() && k < data.size(); ++k) {
        in_use_ = k + 1;
        try {
            sets.push_back(set_of(job, k, built, data[k]));
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

bool device_session::alive() {
    std::lock_guard const use(builder_->device_use());
    {
        std::lock_guard const lock(trouble_->gate);
        if (trouble_->lost) return false;
    }
    // wgpu-native says it of a device only when something is wanted of it.
    wg_buffer_descriptor buffer_is;
    buffer_is.size = 4;
    buffer_is.usage = wg_usage::copy_to;
    auto const error = caught(api_, device_.get(), [&] {
        owned_buffer const made(api_, api_.create_buffer(device_.get(), &buffer_is));
    });
    return error.kind != wg_error::validation;
}

object_counts device_session::count() const {
    wg_report report;
    api_.generate_report(instance_.get(), &report);
    auto const alive = [](wg_registry const& r) { return std::uint64_t{r.allocated}; };
    return {alive(report.buffers),
            alive(report.bind_groups),
            alive(report.pipelines),
            alive(report.shaders),
            alive(report.group_layouts) + alive(report.pipeline_layouts),
            alive(report.command_buffers),
            alive(report.query_sets)};
}

void device_session::lose() { api_.destroy_device(device_.get()); }

} // namespace lkt::webgpu_detail
