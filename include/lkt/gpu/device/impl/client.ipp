// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/detail/launch_parameters.hpp>
#include <lkt/gpu/device/client.hpp>
#include <lkt/gpu/device/detail/job_maps.hpp>
#include <lkt/process/shared_memory.hpp>
#include <lkt/process/wire.hpp>

#include <algorithm>
#include <csignal>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::device_detail {

namespace client_parts {

comparer comparer_of(scalar_type t, tolerance bound) {
    switch (t) {
    case scalar_type::float16:
        return comparer::float16;
    case scalar_type::bfloat16:
        return comparer::bfloat16;
    case scalar_type::float32:
        return comparer::float32;
    case scalar_type::float64:
        return comparer::float64;
    case scalar_type::float4_e2m1:
    case scalar_type::float8_e4m3:
    case scalar_type::float8_e5m2:
        return comparer::none;
    case scalar_type::int4:
    case scalar_type::uint4:
    case scalar_type::boolean:
    case scalar_type::int8:
    case scalar_type::uint8:
    case scalar_type::int16:
    case scalar_type::uint16:
    case scalar_type::int32:
    case scalar_type::uint32:
    case scalar_type::int64:
    case scalar_type::uint64:
        break;
    }
    return bound == tolerance{} ? comparer::bytes : comparer::none;
}

/// Buffers one after the other, as job_argument says. What `out` arguments hold (zeros here) the
/// device overwrites before anybody reads it. Without `directions` none is one.
result<shared_memory> gather(std::span<argument_data const> data,
                             std::span<direction const> directions = {}) {
    std::uint64_t size = 0;
    for (argument_data const& a : data)
        if (a.buffer) size = next_place(size + a.bytes.size());
    auto memory = shared_memory::create(static_cast<std::size_t>(size));
    if (!memory) return memory;
    std::uint64_t at = 0;
    for (std::size_t k = 0; k < data.size(); ++k) {
        if (!data[k].buffer) continue;
        if (directions.empty() || directions[k] != direction::out)
            memory->write(static_cast<std::size_t>(at), data[k].bytes);
        at = next_place(at + data[k].bytes.size());
    }
    return memory;
}

job_set set_of(std::span<argument_data const> arguments,
               std::uint64_t contents,
               expected_outputs const& expected,
               std::span<argument const> declared) {
    job_set set;
    set.contents = contents;
    if (expected.id != 0 && expected.values.size() == expected.bounds.size()) {
        set.expected = expected.id;
        for (std::size_t k = 0; k < expected.values.size(); ++k) {
            tolerance const& bound = expected.bounds[k];
            set.bounds.push_back({comparer_of(expected.values[k].type.scalar, bound),
                                  bound.relative,
                                  bound.absolute});
        }
    }
    for (auto const& p : gpu_detail::launch_parameters(declared, arguments.size()))
        set.values.push_back(arguments[p.first].buffer
                                 ? std::string{}
                                 : gpu_detail::value_bytes(p, declared, arguments));
    return set;
}

run_job job_of(run_request const& request, std::span<argument const> declared) {
    run_job job;
    job.dimensions = request.dimensions;
    for (auto const& p : gpu_detail::launch_parameters(declared, request.arguments.size())) {
        argument_data const& a = request.arguments[p.first];
        auto& to = job.arguments.emplace_back();
        to.buffer = a.buffer;
        to.flow = request.directions[p.first];
        if (declared[p.first].constant_count > 0) to.constant = declared[p.first].name;
        to.type = a.type.scalar;
        if (a.buffer) to.size = a.bytes.size();
    }
    job.sets.push_back(set_of(request.arguments, request.contents, request.expected, declared));
    for (argument_variant const& v : request.ring)
        job.sets.push_back(set_of(v.arguments, v.contents, v.expected, declared));
    job.fresh = request.fresh;
    job.warmups = request.warmups;
    job.launches = request.launches;
    job.min_launches = std::max(1, request.sampling.min_launches);
    job.precision = request.sampling.precision;
    job.sampling_seconds = request.sampling.time.count();
    job.min_seconds = request.sampling.min_time.count();
    job.give_up_seconds = request.sampling.give_up_above.count();
    job.cold = request.sampling.cold;
    job.keep = request.keep;
    job.secrets = secrets_of_run(request);
    job.launch_limit = std::clamp(request.time_limit.count(), 0.001, 86400.0);
    return job;
}

/// How a worker went that a kernel took with it. What it wrote last is not the kernel's.
std::string ending_of(worker_failure const& lost) {
    return "the process that drives the device ended twice during this kernel's run: " +
           lost.detail;
}

} // namespace client_parts

result<void> device_client::open(call_context const& context) {
    if (opened_) return {};
    if (auto ready = on_new_worker(context); !ready) return ready.error();
    opened_ = true;
    return {};
}

result<worker_answer> device_client::ask(std::string const& bytes,
                                         std::chrono::milliseconds limit,
                                         call_context const& context) {
    auto reply = worker_.call({service_, bytes}, limit, context);
    if (reply && std::holds_alternative<worker_failure>(*reply)) forget_worker();
    return reply;
}

result<worker_message> device_client::call(std::string const& bytes,
                                           std::chrono::milliseconds limit,
                                           call_context const& context) {
    auto reply = ask(bytes, limit, context);
    if (!reply) return reply.error();
    if (auto* const lost = std::get_if<worker_failure>(&*reply)) return to_error(*lost);
    return std::get<worker_message>(std::move(*reply));
}

result<run_outcome> device_client::run(compiled_kernel const& kernel,
                                       run_request const& request,
                                       call_context const& context) {
    if (auto wrong = fault_in(kernel, request)) return *wrong;
    auto const& what = *static_cast<program const*>(kernel.handle.get());
    std::vector<std::vector<job_map>> maps;
    for (std::size_t k = 0; k <= request.ring.size(); ++k) {
        auto made = maps_of(kernel.signature,
                            what.definitions,
                            k == 0 ? request.arguments : request.ring[k - 1].arguments,
                            request.directions);
        if (auto* const why = std::get_if<std::string>(&made))
            return run_outcome{failure{launch_failed{std::move(*why)}}};
        maps.push_back(std::get<std::vector<job_map>>(std::move(made)));
    }
    // A worker that died is replaced once: whoever killed it, and whatever the kernels before left
    // behind, is no verdict on this one. The second worker was new, and had nothing but this job:
    // if it dies too, the job did it. SIGKILL alone comes from outside (a user, a system that is
    // out of memory), however often.
    bool died = false, sent_again = false;
    while (true) {
        if (auto ready = open(context); !ready) return ready.error();
        auto answer = send(what, kernel.signature.arguments, maps, request, context);
        if (!answer) return answer.error();
        if (auto* const lost = std::get_if<worker_failure>(&*answer)) {
            forget_worker();
            if (lost->how == worker_end::cancelled) return cancelled("a run on the device");
            if (lost->how != worker_end::died) return to_error(*lost);
            if (alone) return to_error(*lost);
            if (!std::exchange(died, true)) continue;
            if (lost->signal == SIGKILL) return to_error(*lost);
            return run_outcome{failure{crashed{client_parts::ending_of(*lost), {}}}};
        }
        auto& reply = std::get<worker_message>(*answer);
        auto found = unpack_answer(reply.bytes);
        if (!found)
            return error{condition::transient, "lkt.worker.protocol", "a malformed answer", {}};
        if (found->end == run_end::unknown_contents && !std::exchange(sent_again, true)) {
            known_contents_.clear();
            known_programs_.clear();
            continue;
        }
        return outcome_of(*found, reply, request);
    }
}

void device_client::release() {
    worker_.stop();
    opened_ = false; // given back, not lost
    forget_worker();
}

/// A new worker knows nothing of what the old one had.
void device_client::forget_worker() {
    if (opened_) ++counters_.workers_lost;
    opened_ = false;
    known_contents_.clear();
    known_programs_.clear();
}

std::optional<error> device_client::fault_in(compiled_kernel const& kernel,
                                             run_request const& request) const {
    auto const bad = [&](std::string why) {
        return error{condition::rejected,
                     "lkt." + name_ + ".request",
                     "the run request is invalid: " + std::move(why),
                     {}};
    };
    if (!kernel.handle) return bad("the kernel was not compiled by this back end");
    if (auto why = lkt::fault_in(request, kernel.signature); !why.empty())
        return bad(std::move(why));
    return {};
}

result<worker_answer> device_client::send(program const& what,
                                          std::span<argument const> declared,
                                          std::vector<std::vector<job_map>> const& maps,
                                          run_request const& request,
                                          call_context const& context) {
    using namespace client_parts;
    run_job job = job_of(request, declared);
    job.program = what.id;
    job.bare = alone;
    job.unfilled = alone && unfilled;
    if (!known_programs_.contains(what.id)) job.program_bytes = what.bytes;

    std::vector<int> fds;
    std::vector<shared_memory> brought;
    auto const bring = [&](result<shared_memory> made) -> result<void> {
        if (!made) return made.error();
        fds.push_back(made->fd());
        brought.push_back(std::move(*made));
        return {};
    };
    for (std::size_t k = 0; k < job.sets.size(); ++k) {
        job_set& set = job.sets[k];
        set.maps = maps[k];
        auto const arguments = k == 0 ? request.arguments : request.ring[k - 1].arguments;
        auto const& e = k == 0 ? request.expected : request.ring[k - 1].expected;
        set.brings_contents = set.contents == 0 || !known_contents_.contains(set.contents);
        if (set.brings_contents)
            if (auto ok = bring(gather(arguments, request.directions)); !ok) return ok.error();
        set.brings_expected = set.expected != 0 && !known_contents_.contains(set.expected);
        if (set.brings_expected)
            if (auto ok = bring(gather(e.values)); !ok) return ok.error();
    }
    packer request_bytes;
    request_bytes.put(request_kind::run);
    auto const bytes = std::move(request_bytes).bytes() + pack(job);
    double const all =
        job.launch_limit * (job.warmups + job.launches) + static_cast<double>(lost_after.count());
    auto reply = worker_.call(
        {service_, bytes, fds},
        std::chrono::milliseconds{static_cast<std::int64_t>(std::min(all, 864000.0) * 1e3)},
        context);
    if (reply && std::holds_alternative<worker_message>(*reply)) {
        known_programs_.insert(what.id);
        for (job_set const& set : job.sets)
            for (std::uint64_t const id : {set.contents, set.expected})
                if (id != 0) known_contents_.insert(id);
    }
    give_back(std::move(brought));
    return reply;
}

result<run_outcome> device_client::outcome_of(run_answer const& answer,
                                              worker_message& reply,
                                              run_request const& request) {
    auto const lose_worker = [&] {
        if (alone) return;
        worker_.stop();
        forget_worker();
    };
    switch (answer.end) {
    case run_end::done:
        return report_of(answer, reply, request);
    case run_end::bad_program:
    case run_end::launch_failed:
        return run_outcome{failure{launch_failed{answer.what}}};
    case run_end::crashed:
        lose_worker();
        return run_outcome{failure{crashed{answer.what, {}}}};
    case run_end::timed_out:
        lose_worker();
        return run_outcome{failure{timed_out{request.time_limit, "launch"}}};
    case run_end::overrun:
        return run_outcome{failure{out_of_bounds{answer.what, {}}}};
    case run_end::input_written:
        return run_outcome{failure{out_of_bounds{answer.what, {}, verdict::input_mutated}}};
    case run_end::out_of_memory:
        return error{condition::exhausted,
                     "lkt." + name_ + ".memory",
                     "the device has no memory for the arguments: " + answer.what,
                     "choose a smaller problem, or free device memory that other programs use"};
    case run_end::unknown_contents:
    case run_end::broken:
        lose_worker();
        return error{condition::transient, "lkt." + name_ + ".broken", answer.what, {}};
    }
    return error{condition::transient, "lkt.worker.protocol", "an unknown answer", {}};
}

result<run_outcome> device_client::report_of(run_answer const& answer,
                                             worker_message& reply,
                                             run_request const& request) {
    run_report report;
    for (double const s : answer.seconds) {
        report.samples.emplace_back(s);
        counters_.device_time += seconds(s);
    }
    counters_.launches += answer.seconds.size();
    report.megahertz = answer.megahertz;
    report.discarded = answer.discarded;
    report.end = answer.why;
    report.occupancy = answer.occupancy;
    report.timing = answer.timing;
    report.sets = static_cast<std::size_t>(answer.sets);
    std::size_t next = 0;
    std::vector<shared_memory> read;
    for (auto const& kept : answer.outputs) {
        auto& to = report.kept.emplace_back(
            kept_outputs{kept.launch, kept.as_expected, {}, static_cast<std::size_t>(kept.set)});
        if (kept.as_expected) continue;
        if (next >= reply.fds.size())
            return error{condition::transient, "lkt.worker.protocol", "outputs are missing", {}};
        auto memory = shared_memory::adopt(std::move(reply.fds[next++]), memory_access::read_only);
        if (!memory) return memory.error();
        std::uint64_t at = 0;
        for (std::size_t k = 0; k < request.arguments.size(); ++k) {
            argument_data const& a = request.arguments[k];
            if (!a.buffer || request.directions[k] == direction::in) continue;
            if (at + a.bytes.size() > memory->size())
                return error{
                    condition::transient, "lkt.worker.protocol", "outputs are cut off", {}};
            auto const bytes =
                memory->bytes().subspan(static_cast<std::size_t>(at), a.bytes.size());
            // Of the type that was asked for: a text in WGSL may see the same bytes as another.
            to.outputs.push_back({a.type, true, byte_buffer(bytes)});
            at = next_place(at + a.bytes.size());
        }
        read.push_back(std::move(*memory));
    }
    give_back(std::move(read));
    return run_outcome{std::move(report)};
}

void device_client::give_back(std::vector<shared_memory> memory) {
    std::size_t size = 0;
    for (shared_memory const& m : memory) size += m.size();
    if (size < std::size_t{64} << 20) return; // at once, faster than a thread begins
    try {
        giving_back_ = std::jthread([all = std::move(memory)]() mutable { all.clear(); });
    } catch (std::system_error const&) { // no thread is left: it is given back here
    }
}

} // namespace lkt::device_detail
