// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/report/detail/trace_file.hpp>

#include <lkt/report/detail/to_json.hpp>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace lkt::detail {

error trace_error(std::string const& path, int number) {
    bool const full = number == ENOSPC || number == EDQUOT || number == EFBIG;
    return {full ? condition::exhausted : condition::rejected,
            full ? "lkt.file.full" : "lkt.file.write",
            "the trace " + path + " cannot be written: " + std::generic_category().message(number),
            full ? "free some space, or write the trace to another disk"
                 : "check the path, its folder and their permissions"};
}

trace_file::trace_file(std::string path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {}
trace_file::trace_file(trace_file&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)),
      trouble_(std::move(other.trouble_)) {}
trace_file::~trace_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

result<trace_file> trace_file::open(std::string const& path, bool go_on) {
    int const how = O_CREAT | O_CLOEXEC | (go_on ? O_RDWR : O_WRONLY | O_TRUNC);
    int made = -1;
    do made = ::open(path.c_str(), how, 0666);
    while (made < 0 && errno == EINTR);
    if (made < 0) return trace_error(path, errno);
    return trace_file(path, made);
}

void trace_file::write(std::string_view text) {
    while (!trouble_ && !text.empty()) {
        auto const n = ::write(descriptor_, text.data(), text.size());
        if (n >= 0)
            text.remove_prefix(static_cast<std::size_t>(n));
        else if (errno != EINTR)
            trouble_ = trace_error(path_, errno);
    }
}

std::string trace_file::text() {
    std::string all, block(std::size_t{1} << 16, '\0');
    for (;;) {
        auto const n = ::read(descriptor_, block.data(), block.size());
        if (n == 0) return all;
        if (n > 0)
            all.append(block.data(), static_cast<std::size_t>(n));
        else if (errno != EINTR) {
            trouble_ = trace_error(path_, errno);
            return {};
        }
    }
}

void trace_file::cut(std::size_t size) {
    auto const at = static_cast<off_t>(size);
    // A pipe has nothing to be cut.
    if (::lseek(descriptor_, at, SEEK_SET) >= 0 && ::ftruncate(descriptor_, at) != 0 && !trouble_)
        trouble_ = trace_error(path_, errno);
}

boost::json::object trace_json(error const& e) {
    return {{"condition", to_string(e.kind)}, {"code", e.code}, {"message", e.message}};
}

boost::json::object trace_json(node_exit const& x) {
    boost::json::object o;
    if (x.failure != nullptr)
        o["error"] = trace_json(*x.failure);
    else
        o["outcome"] = x.outcome;
    return o;
}

boost::json::object trace_json(retry_event const& r) {
    return {{"attempt", r.attempt}, {"delay_ms", r.delay.count()}, {"error", trace_json(r.why)}};
}

boost::json::object trace_json(progress_event const& e) {
    return {{"activity", to_string(e.what)},
            {"done", e.done},
            {"total", e.total},
            {"step", e.step},
            {"attempt", e.attempt},
            {"best_s", e.best.count() > 0 ? to_json(e.best) : boost::json::value()},
            {"model_calls", e.model_calls},
            {"model_requests", e.model_requests},
            {"input_tokens", e.tokens.input},
            {"output_tokens", e.tokens.output},
            {"last", e.last}};
}

std::int64_t microseconds(seconds t) { return std::llround(t.count() * 1e6); }

std::function<seconds()> trace_clock(std::function<seconds()> given) {
    if (given) return given;
    return [] { return seconds(std::chrono::steady_clock::now().time_since_epoch()); };
}

} // namespace lkt::detail
