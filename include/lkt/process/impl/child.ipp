// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/process/child.hpp>

#include <lkt/process/detail/connection.hpp>
#include <lkt/process/detail/error_wire.hpp>
#include <lkt/process/detail/run_request.hpp>
#include <lkt/process/detail/run_service.hpp>

#include <fcntl.h>

namespace lkt {

shared_memory const* child_result::file(std::string_view name) const {
    for (auto const& [n, memory] : files)
        if (n == name) return &memory;
    return nullptr;
}

result<child_result> run_child(child_options const& options, call_context const& context) {
    namespace pd = process_detail;
    auto const bad = [](std::string what) {
        return error{condition::rejected, "lkt.child.request", std::move(what), {}};
    };
    if (options.arguments.empty() || options.arguments[0].empty()) return bad("no program to run");
    bool const scratch = !options.files.empty() || !options.collect.empty();
    if (scratch && !options.directory.empty())
        return bad("a child can have a directory or a scratch directory, not both");
    auto const unfit = [](std::string const& text) { return text.find('\0') != text.npos; };
    for (auto const* const list : {&options.arguments, &options.environment})
        for (auto const& text : *list)
            if (unfit(text)) return bad("an argument with a zero byte");
    for (auto const& f : options.files)
        if (!pd::is_plain_name(f.name)) return bad("'" + f.name + "' is not a plain file name");
    for (auto const& name : options.collect)
        if (!pd::is_plain_name(name)) return bad("'" + name + "' is not a plain file name");
    if (options.collect.size() > (options.confined == confined_as::interpreter ? 32 : pd::max_fds))
        return bad("too many files to collect");
    if (!options.descriptors.empty() &&
        (options.confined != confined_as::interpreter || options.descriptors.size() > 16))
        return bad("descriptors for a program that gets none, or too many of them");
    if (options.confined == confined_as::compiler && !scratch)
        return bad("a confined compiler needs a scratch directory");

    auto const start = std::chrono::steady_clock::now();
    auto const deadline = pd::deadline_in(options.time_limit);
    auto input = shared_memory::frozen(options.input);
    if (!input) return input.error();
    auto out_pipe = pd::make_pipe(), err_pipe = pd::make_pipe();
    if (!out_pipe) return out_pipe.error();
    if (!err_pipe) return err_pipe.error();
    pd::capture out{std::move(out_pipe->read), options.output_limit, false, {}, false};
    pd::capture err{std::move(err_pipe->read), options.output_limit, false, {}, false};
    for (auto const* const c : {&out, &err}) (void)::fcntl(c->fd.get(), F_SETFL, O_NONBLOCK);

    auto worker = pd::connection::open(options.worker, context.stop);
    if (!worker && worker.error().kind != condition::cancelled) return worker.error();
    child_result r;
    pd::exchange_end end = pd::exchange_end::cancelled;
    pd::frame_reader reader;
    std::string words;
    if (worker) {
        pd::run_request request;
        request.arguments = options.arguments;
        request.environment = pd::make_environment(options.keep, options.environment);
        request.directory = options.directory;
        request.scratch = scratch;
        for (auto const& f : options.files) request.files.emplace_back(f.name, f.text);
        request.collect = options.collect;
        request.collect_limit = options.collect_limit;
        request.memory = options.memory_limit;
        request.file_size = options.file_size_limit;
        request.confined = options.confined;
        request.readable = options.readable;
        request.unconfined_allowed = options.unconfined_allowed;
        request.lack = pd::pretended_lack.load();
        request.scratch_bytes = options.scratch_limit;
        request.processes = options.process_limit;
        if (options.confined != confined_as::none && request.file_size == 0)
            request.file_size = options.collect_limit;
        packer bytes;
        bytes.put(pd::run_key.name).put(pd::run_key.layout);
        std::vector<int> fds{input->fd(), out_pipe->write.get(), err_pipe->write.get()};
        fds.insert(fds.end(), options.descriptors.begin(), options.descriptors.end());
        pd::frame_writer writer{
            pd::frame_kind::request, std::move(bytes).bytes() + pack(request), fds};
        pd::capture* captures[] = {&out, &err};
        if (auto missing = worker->missing(pd::run_key)) return *missing;
        end = worker->exchange(&writer, reader, captures, context.stop, deadline);
        (void)worker->end();
        words = worker->last_words();
        out.drain(), err.drain();
    }
    r.out = std::move(out.text), r.err = std::move(err.text);
    r.out_cut = out.cut, r.err_cut = err.cut;
    r.wall = std::chrono::steady_clock::now() - start;
    switch (end) {
    case pd::exchange_end::timed_out:
        r.how = child_end::timed_out;
        return r;
    case pd::exchange_end::cancelled:
        r.how = child_end::cancelled;
        return r;
    case pd::exchange_end::closed:
    case pd::exchange_end::broken:
        // A worker that was killed could not remove its scratch directory.
        if (scratch) pd::remove_left_scratch(pd::scratch_base());
        return error{condition::transient,
                     "lkt.worker.died",
                     "the worker that ran '" + options.arguments[0] + "' was lost" +
                         (reader.why().empty() ? "" : ": " + reader.why()) +
                         (words.empty() ? "" : "; its last output: " + words),
                     "try again"};
    case pd::exchange_end::complete:
        break;
    }
    auto got = reader.take();
    if (got.kind == pd::frame_kind::failure) return pd::unpack_error(got.content.bytes);
    pd::run_reply reply;
    if (!unpack(got.content.bytes, reply) || reply.collected.size() != got.content.fds.size())
        return error{condition::transient, "lkt.worker.protocol", "a malformed run reply", {}};
    r.how = reply.exited ? child_end::exited : child_end::signalled;
    (reply.exited ? r.exit_code : r.signal) = reply.code;
    r.over = std::move(reply.over);
    r.behind = reply.behind;
    r.peak_rss = reply.peak_rss;
    r.wall = std::chrono::nanoseconds{reply.wall_ns};
    r.cpu = std::chrono::nanoseconds{reply.cpu_ns};
    for (std::size_t i = 0; i < reply.collected.size(); ++i) {
        auto memory = shared_memory::adopt(std::move(got.content.fds[i]), memory_access::read_only);
        if (!memory) return memory.error();
        r.files.emplace_back(std::move(reply.collected[i]), std::move(*memory));
    }
    return r;
}

} // namespace lkt
