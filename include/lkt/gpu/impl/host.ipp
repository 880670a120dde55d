// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/host.hpp>

#include <lkt/gpu/detail/host/execute.hpp>
#include <lkt/gpu/detail/host/guard_thread.hpp>
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
    auto const no_memory = [](char const* what) {
        return error{condition::exhausted,
                     "lkt.memory.exhausted",
                     std::string{"no memory for "} + what,
                     "work on a smaller problem, or free memory"};
    };
    buffers arguments;
    if (auto const* const what = arguments.map(j, request.fds[1].get())) return no_memory(what);
    guard_thread aside{j, arguments, request.fds[1].get()};
    if (!aside) return no_memory("the worker's part in a run");
    options.started = [&aside] { aside.begin(); };
    auto outcome = run_cell(
        options, [&](cell const& inside) { return run_in_cell(inside, j, arguments, library); });
    aside.leave();
    if (!outcome) return outcome.error();
    if (auto const* const what = aside.failed()) return no_memory(what);
    if (!aside.overrun().empty()) {
        outcome->end = cell_exited{static_cast<int>(cell_code::overrun)};
        outcome->message = aside.overrun();
        outcome->output.clear();
    }
    // Whoever says that all is done has been through the gate after each launch.
    auto const* const end = std::get_if<cell_exited>(&outcome->end);
    bool const done = end != nullptr && end->code == static_cast<int>(cell_code::done);
    if (done) arguments.head().finished = aside.finished();
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

host_counters host::counters() const { return session_->counters(); }

result<device_description> host::device(call_context const& context) {
    return session_->device(context);
}

result<compile_outcome> host::compile(compile_request const& request, call_context const& context) {
    return session_->compile(request, context);
}

result<compile_outcome> host::compile_translation(compile_request const& request,
                                                  wgsl_cpp const& translation,
                                                  call_context const& context) {
    return session_->compile(request, &translation, context);
}

result<run_outcome>
host::run(compiled_kernel const& kernel, run_request const& request, call_context const& context) {
    return session_->run(kernel, request, context);
}

evidence_offer host::offered_evidence() { return host_detail::offered_evidence(); }

result<std::vector<std::string>> host::evidence(evidence_subject const& of,
                                                evidence_question const& question,
                                                call_context const& context) {
    return session_->evidence(of, question, context);
}

} // namespace lkt
