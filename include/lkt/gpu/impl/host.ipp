// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/host.hpp>

#include <lkt/gpu/detail/host/execute.hpp>
#include <lkt/gpu/detail/host/session.hpp>

#include <utility>

namespace lkt {

namespace host_detail {

result<worker_message> serve_run(worker_message request) {
    job j;
    if (!unpack(request.bytes, j) || request.fds.size() != 2)
        return error{condition::rejected, "lkt.host.request", "a malformed run request", {}};
    cell_options options;
    options.time_limit = std::chrono::milliseconds{j.run_limit_ms};
    options.memory_limit = j.memory_limit;
    options.thread_limit = static_cast<int>(j.threads) + 8;
    options.sandbox.unsandboxed = j.unsandboxed;
    options.sandbox.strict = j.strict;
    int const library = request.fds[0].get();
    options.keep_fds = {library};
    buffers arguments;
    if (auto const* const what = arguments.map(j, request.fds[1].get()))
        return error{condition::exhausted,
                     "lkt.memory.exhausted",
                     std::string{"no memory for "} + what,
                     "work on a smaller problem, or free memory"};
    auto outcome = run_cell(
        options, [&](cell const& inside) { return run_in_cell(inside, j, arguments, library); });
    if (!outcome) return outcome.error();
    packer out;
    put(out, *outcome);
    return worker_message{std::move(out).bytes(), {}};
}

} // namespace host_detail

host::host(host_options options)
    : session_(std::make_unique<host_detail::session>(std::move(options))) {}
host::host(host&&) noexcept = default;
host& host::operator=(host&&) noexcept = default;
host::~host() = default;

result<device_description> host::device(call_context const& context) {
    return session_->device(context);
}

result<compile_outcome> host::compile(compile_request const& request, call_context const& context) {
    return session_->compile(request, context);
}

result<run_outcome>
host::run(compiled_kernel const& kernel, run_request const& request, call_context const& context) {
    return session_->run(kernel, request, context);
}

} // namespace lkt
