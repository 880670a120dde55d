// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/device/detail/archive.hpp>
#include <lkt/gpu/device/detail/module_service.hpp>
#include <lkt/gpu/device/detail/module_session.hpp>
#include <lkt/gpu/device/series.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

namespace lkt::device_detail {

namespace service_parts {

template <class Archive, class Facts>
void each_of_facts(Archive& a, Facts& f) {
    a(f.name), a(f.uuid), a(f.architecture), a(f.driver), a(f.index), a(f.devices), a(f.major),
        a(f.minor);
    a(f.multiprocessors), a(f.warp_size), a(f.max_threads_per_block);
    a(f.threads_per_multiprocessor), a(f.registers_per_multiprocessor);
    a(f.shared_per_block), a(f.shared_per_multiprocessor);
    a(f.l2_bytes), a(f.clock_khz), a(f.memory_clock_khz), a(f.memory_bus_bits);
    a(f.cooperative), a(f.clusters), a(f.memory);
    for (auto* const d : {&f.max_block, &f.max_grid}) a(d->x), a(d->y), a(d->z);
}
template <class Archive, class Program>
void each_of_program(Archive& a, Program& p) {
    a(p.entry), a(p.image), a(p.cooperative);
}

} // namespace service_parts

std::string pack(device_facts const& f) {
    writing w;
    service_parts::each_of_facts(w, f);
    return std::move(w.out).bytes();
}
std::optional<device_facts> unpack_facts(std::string_view bytes) {
    reading r{unpacker(bytes)};
    device_facts f;
    service_parts::each_of_facts(r, f);
    if (!r.in.complete()) return std::nullopt;
    return f;
}

std::string pack(cubin_program const& p) {
    writing w;
    service_parts::each_of_program(w, p);
    return std::move(w.out).bytes();
}
std::optional<cubin_program> unpack_program(std::string_view bytes) {
    reading r{unpacker(bytes)};
    cubin_program p;
    service_parts::each_of_program(r, p);
    if (!r.in.complete()) return std::nullopt;
    return p;
}

std::string symbol_of(std::string_view variable) {
    if (variable.starts_with("::")) variable.remove_prefix(2);
    if (variable.find("::") == variable.npos) return std::string(variable);
    std::string symbol = "_ZN";
    while (!variable.empty()) {
        auto const end = std::min(variable.find("::"), variable.size());
        symbol += std::to_string(end) + std::string(variable.substr(0, end));
        variable.remove_prefix(std::min(end + 2, variable.size()));
    }
    return symbol + "E";
}

result<worker_message> serve_module_device(device_kind const& what, worker_message request) {
    // One device a worker, for as long as the process lives: a context that broke goes with it.
    static std::unique_ptr<device_session> session;
    unpacker in(request.bytes);
    auto const kind = in.get<request_kind>();
    if (kind == request_kind::open) {
        auto opened = device_session::open(what, in.text());
        if (!opened) return opened.error();
        session = std::move(*opened);
        return worker_message{pack(session->facts()), {}};
    }
    if (session != nullptr && kind == request_kind::tools) {
        auto const loaded = session->load_tools(in.text());
        if (!loaded) return loaded.error();
        return worker_message{};
    }
    if (session != nullptr && kind == request_kind::run)
        return serve_job(
            in.rest(), std::move(request.fds), [](auto const& job, auto data, auto& outputs) {
                return job.bare ? session->run_bare(job, data.front(), outputs)
                                : session->run(job, data, outputs);
            });
    if (session != nullptr && kind == request_kind::leave) {
        session->leave();
        std::exit(0); // a tool that watches this process lives in it, and says goodbye like that
    }
    return error{
        condition::rejected, "lkt.worker.protocol", "a malformed request for the device", {}};
}

} // namespace lkt::device_detail
