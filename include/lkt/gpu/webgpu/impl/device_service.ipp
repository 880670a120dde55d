// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/webgpu/device_service.hpp>

#include <lkt/gpu/device/detail/archive.hpp>
#include <lkt/gpu/device/series.hpp>
#include <lkt/gpu/webgpu/detail/device_session.hpp>
#include <lkt/process/wire.hpp>

#include <cstdio>
#include <memory>
#include <unistd.h>
#include <utility>

namespace lkt::webgpu_detail {

namespace service_parts {

template <class Archive, class Facts>
void each_of_facts(Archive& a, Facts& f) {
    a(f.name), a(f.driver), a(f.interface), a(f.version), a(f.kind), a(f.f16), a(f.subgroups);
    a(f.subgroup_most), a(f.period), a(f.quantum), a(f.bind_groups), a(f.bindings_per_group);
    a(f.storage_buffers), a(f.uniform_buffers), a(f.storage_binding), a(f.uniform_binding);
    a(f.buffer_size), a(f.workgroup_storage), a(f.invocations), a(f.workgroups);
    a(f.workgroup.x), a(f.workgroup.y), a(f.workgroup.z);
}
template <class Archive, class Program>
void each_of_program(Archive& a, Program& p) {
    a(p.text), a(p.entry), a(p.block.x), a(p.block.y), a(p.block.z), a(p.folds);
    a(p.workgroup_bytes);
}
template <class Archive, class Binding>
void each_of_binding(Archive& a, Binding& b) {
    a(b.group), a(b.binding), a(b.uniform), a(b.read_only), a(b.size);
}
template <class Archive, class Argument>
void each_of_argument(Archive& a, Argument& x) {
    a(x.binding), a(x.packed), a(x.stride), a(x.name);
}
template <class Archive, class Answer>
void each_of_build(Archive& a, Answer& b) {
    a(b.built), a(b.log), a(b.where.line), a(b.where.column);
}
template <class Archive, class Counts>
void each_of_counts(Archive& a, Counts& c) {
    a(c.buffers), a(c.bind_groups), a(c.pipelines), a(c.shaders), a(c.layouts);
    a(c.command_buffers), a(c.query_sets);
}

template <class Value, class Each>
std::string packed(Value const& value, Each each) {
    writing w;
    each(w, value);
    return std::move(w.out).bytes();
}
template <class Value, class Each>
std::optional<Value> unpacked(std::string_view bytes, Each each) {
    reading r{unpacker(bytes)};
    Value value;
    each(r, value);
    if (!r.in.complete()) return std::nullopt;
    return value;
}

} // namespace service_parts

std::string pack(device_facts const& f) {
    return service_parts::packed(f, [](auto& a, auto& x) { service_parts::each_of_facts(a, x); });
}
std::optional<device_facts> unpack_facts(std::string_view bytes) {
    return service_parts::unpacked<device_facts>(
        bytes, [](auto& a, auto& x) { service_parts::each_of_facts(a, x); });
}
std::string pack(build_answer const& b) {
    return service_parts::packed(b, [](auto& a, auto& x) { service_parts::each_of_build(a, x); });
}
std::optional<build_answer> unpack_build(std::string_view bytes) {
    return service_parts::unpacked<build_answer>(
        bytes, [](auto& a, auto& x) { service_parts::each_of_build(a, x); });
}
std::string pack(object_counts const& c) {
    return service_parts::packed(c, [](auto& a, auto& x) { service_parts::each_of_counts(a, x); });
}
std::optional<object_counts> unpack_counts(std::string_view bytes) {
    return service_parts::unpacked<object_counts>(
        bytes, [](auto& a, auto& x) { service_parts::each_of_counts(a, x); });
}

std::string pack(wgsl_program const& p) {
    writing w;
    service_parts::each_of_program(w, p);
    w(static_cast<std::uint64_t>(p.constants.size()));
    for (auto const& [key, value] : p.constants) w(key), w(value);
    w(static_cast<std::uint64_t>(p.bindings.size()));
    for (auto const& b : p.bindings) service_parts::each_of_binding(w, b);
    w(static_cast<std::uint64_t>(p.arguments.size()));
    for (auto const& x : p.arguments) service_parts::each_of_argument(w, x);
    return std::move(w.out).bytes();
}
std::optional<wgsl_program> unpack_program(std::string_view bytes) {
    reading r{unpacker(bytes)};
    wgsl_program p;
    service_parts::each_of_program(r, p);
    p.constants.resize(r.in.count(sizeof(double)));
    for (auto& [key, value] : p.constants) r(key), r(value);
    p.bindings.resize(r.in.count(2 * sizeof(std::uint32_t)));
    for (auto& b : p.bindings) service_parts::each_of_binding(r, b);
    p.arguments.resize(r.in.count(sizeof(std::uint32_t)));
    for (auto& x : p.arguments) service_parts::each_of_argument(r, x);
    if (!r.in.complete()) return std::nullopt;
    for (auto const& x : p.arguments)
        if (x.binding >= p.bindings.size() || x.packed == 0 || x.stride < x.packed)
            return std::nullopt;
    return p;
}

result<worker_message> serve_device(worker_message request) {
    // One device a worker, for as long as the process lives: one that is lost goes with it.
    static std::unique_ptr<device_session> session;
    unpacker in(request.bytes);
    auto const kind = in.get<request_kind>();
    auto const malformed =
        error{condition::rejected, "lkt.worker.protocol", "a malformed request for the device", {}};
    if (kind == request_kind::open) {
        std::string const library(in.text());
        auto opened = device_session::open(library, in.text());
        if (!opened) return opened.error();
        session = std::move(*opened);
        return worker_message{pack(session->facts()), {}};
    }
    if (session == nullptr) return malformed;
    if ((kind == request_kind::build || kind == request_kind::run) && !session->alive()) {
        std::fputs("the device is lost\n", stderr);
        std::fflush(stderr);
        ::_exit(lost_exit);
    }
    if (kind == request_kind::build) {
        std::string const packed(in.rest());
        if (!unpack_program(packed)) return malformed;
        return worker_message{pack(session->builder().get(packed)->answer), {}};
    }
    if (kind == build_ahead) {
        std::string packed(in.rest());
        if (!unpack_program(packed)) return malformed;
        session->builder().ahead(std::move(packed));
        return worker_message{};
    }
    if (kind == count_objects) return worker_message{pack(session->count()), {}};
    if (kind == lose_device) {
        session->lose();
        return worker_message{};
    }
    if (kind != request_kind::run) return malformed;
    return serve_job(
        in.rest(),
        std::move(request.fds),
        [&](run_job const& job,
            std::span<set_data const> data,
            std::vector<shared_memory>& outputs) { return session->run(job, data, outputs); });
}

} // namespace lkt::webgpu_detail
