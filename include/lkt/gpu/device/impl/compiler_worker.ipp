// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/device/detail/compiler_worker.hpp>
#include <lkt/process/confined_helper.hpp>
#include <lkt/process/wire.hpp>

#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace lkt::device_detail::service {

/// Of this worker: it serves one pool, so it holds one compiler. Set before its helper is forked.
compiler_kind const* kind = nullptr;

/// An empty folder that nobody can fill: what a text names by a relative path is not there. NVRTC
/// looks for `#include "x"` in the folder that its process runs in.
bool leave_folder() {
    char const* const temporary = std::getenv("TMPDIR");
    std::string path = std::string{temporary != nullptr ? temporary : "/tmp"} + "/lkt-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) {
        path = "/dev/shm/lkt-XXXXXX";
        if (::mkdtemp(path.data()) == nullptr) return false;
    }
    bool const there = ::chdir(path.c_str()) == 0;
    return ::rmdir(path.c_str()) == 0 && there;
}

/// AddressSanitizer reserves terabytes: then there is no limit that would make sense.
void limit_memory(std::uint64_t limit) {
    unsigned long long pages = 0;
    if (auto* const file = std::fopen("/proc/self/statm", "re")) {
        if (std::fscanf(file, "%llu", &pages) != 1) pages = 0;
        std::fclose(file);
    }
    if (limit == 0 || pages > (1ULL << 28)) return;
    rlimit const both{static_cast<rlim_t>(limit), static_cast<rlim_t>(limit)};
    (void)::setrlimit(RLIMIT_AS, &both);
}

/// Its own folder in `base`: what one process made of the headers fits no other.
std::string own_folder(std::string const& base) {
    static std::string const made = [&] {
        std::string path = base + "/XXXXXX";
        return ::mkdtemp(path.data()) != nullptr ? path : std::string{};
    }();
    return made;
}

} // namespace lkt::device_detail::service

namespace lkt::device_detail {

std::string pack(service_request const& r) {
    packer out;
    out.put(r.library).put(r.program.text).put(r.program.kernel).put(r.program.options);
    out.put(r.program.headers).put(r.memory_limit).put(r.pch_folder);
    out.put(r.readable).put(r.precompile).put(r.unconfined_allowed).put(r.lack);
    return std::move(out).bytes();
}

bool unpack(std::string_view bytes, service_request& r) {
    unpacker in{bytes};
    r.library = in.text();
    r.program.text = in.text();
    r.program.kernel = in.text();
    r.program.options.clear();
    for (auto n = in.count(8); n > 0; --n) r.program.options.emplace_back(in.text());
    r.program.headers.clear();
    for (auto n = in.count(8); n > 0; --n) r.program.headers.emplace_back(in.text());
    r.memory_limit = in.get<std::uint64_t>();
    r.pch_folder = in.text();
    r.readable.clear();
    for (auto n = in.count(8); n > 0; --n) r.readable.emplace_back(in.text());
    r.precompile = in.get<bool>();
    r.unconfined_allowed = in.get<bool>();
    r.lack = in.get<process_detail::kernel_lack>();
    return in.complete();
}

std::string pack(compiler_answer const& a) {
    packer out;
    out.put(a.compiled).put(a.log).put(a.image).put(a.entry).put(a.major).put(a.minor);
    out.put(a.confined).put(a.refused);
    return std::move(out).bytes();
}

bool unpack(std::string_view bytes, compiler_answer& a) {
    unpacker in{bytes};
    a.compiled = in.get<bool>();
    a.log = in.text();
    a.image = in.text();
    a.entry = in.text();
    a.major = in.get<int>();
    a.minor = in.get<int>();
    a.confined = in.get<bool>();
    a.refused = in.get<bool>();
    return in.complete();
}

namespace service {

/// In the process that compiles, before it is confined. `what`: a request without a text.
result<void> prepare(std::string_view what) {
    service_request request;
    if (!unpack(what, request))
        return error{condition::rejected, "lkt.worker.protocol", "a malformed compilation", {}};
    limit_memory(request.memory_limit);
    if (!leave_folder())
        return error{condition::unavailable,
                     "lkt." + std::string(kind->back_end) + ".scratch",
                     "a compile worker cannot create a folder in TMPDIR, /tmp or /dev/shm",
                     "set TMPDIR to a writable folder"};
    return kind->load(request.library);
}

result<std::string> answer(std::string_view bytes) {
    service_request request;
    if (!unpack(bytes, request))
        return error{condition::rejected, "lkt.worker.protocol", "a malformed compilation", {}};
    auto const made = kind->compile(request.library, request.program);
    if (!made) return made.error();
    return pack(*made);
}

} // namespace service

result<worker_message> serve_compiler(compiler_kind const& kind, worker_message message) {
    service::kind = &kind;
    service_request request;
    if (!unpack(message.bytes, request))
        return error{condition::rejected, "lkt.worker.protocol", "a malformed compilation", {}};
    static confined_helper compiler;
    auto const folder =
        request.pch_folder.empty() ? std::string{} : service::own_folder(request.pch_folder);
    helper_plan plan;
    plan.readable = request.readable;
    plan.writable = folder;
    plan.folders = kind.writes_files;
    plan.unconfined_allowed = request.unconfined_allowed;
    plan.lack = request.lack;
    auto first = request;
    first.program = {};
    if (auto const ok = compiler.start(plan, pack(first), &service::prepare, &service::answer); !ok)
        return ok.error();
    if (request.precompile && !folder.empty() && compiler.behind() != file_wall::none) {
        request.program.options.emplace_back("--pch");
        request.program.options.push_back("--pch-dir=" + folder);
        request.program.options.emplace_back("--pch-messages=false");
    }
    auto bytes = compiler.ask(pack(request));
    compiler_answer made;
    if (!bytes) return bytes.error();
    if (!unpack(*bytes, made))
        return error{condition::transient,
                     "lkt.worker.protocol",
                     "a confined compiler sent something other than an answer",
                     {}};
    made.confined = compiler.behind() != file_wall::none;
    return worker_message{pack(made), {}};
}

} // namespace lkt::device_detail
