// SPDX-License-Identifier: BSL-1.0
// What the client of `run_child` and the worker that supervises the child say to each other.
#pragma once

#include <lkt/process/child.hpp>
#include <lkt/process/sandbox.hpp>
#include <lkt/process/service.hpp>
#include <lkt/process/wire.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lkt::process_detail {

inline constexpr service_key run_key{"lkt.run", layout_hash("run 5")};

struct run_request {
    std::vector<std::string> arguments, environment;
    std::string directory;
    bool scratch = false, unconfined_allowed = false;
    confined_as confined = confined_as::none;
    kernel_lack lack = kernel_lack::nothing;
    std::vector<std::string> readable; ///< of a confined program
    std::vector<std::pair<std::string, std::string>> files;
    std::vector<std::string> collect;
    std::uint64_t collect_limit = 0, memory = 0, file_size = 0, cpu_seconds = 0;
    std::uint64_t scratch_bytes = 0, processes = 0;
};

struct run_reply {
    bool exited = false; ///< else killed by `code`, a signal
    int code = 0;
    file_wall behind = file_wall::none;
    std::string over; ///< the limit that it was killed for
    std::uint64_t peak_rss = 0, cpu_ns = 0, wall_ns = 0;
    std::vector<std::string> collected; ///< one descriptor each
};

[[nodiscard]] inline std::string pack(run_request const& r) {
    packer out;
    out.put(r.arguments).put(r.environment).put(r.directory).put(r.scratch);
    out.put(static_cast<std::uint64_t>(r.files.size()));
    for (auto const& [name, text] : r.files) out.put(name).put(text);
    out.put(r.collect).put(r.collect_limit).put(r.memory).put(r.file_size).put(r.cpu_seconds);
    out.put(r.scratch_bytes).put(r.processes).put(r.unconfined_allowed);
    out.put(r.confined).put(r.lack).put(r.readable);
    return std::move(out).bytes();
}

[[nodiscard]] inline std::vector<std::string> read_texts(unpacker& in) {
    std::vector<std::string> texts(in.count(sizeof(std::uint64_t)));
    for (auto& text : texts) text = in.text();
    return texts;
}

[[nodiscard]] inline bool unpack(std::string_view bytes, run_request& r) {
    unpacker in{bytes};
    r.arguments = read_texts(in);
    r.environment = read_texts(in);
    r.directory = in.text();
    r.scratch = in.get<bool>();
    r.files.resize(in.count(2 * sizeof(std::uint64_t)));
    for (auto& [name, text] : r.files) {
        name = in.text();
        text = in.text();
    }
    r.collect = read_texts(in);
    for (auto* const number : {&r.collect_limit,
                               &r.memory,
                               &r.file_size,
                               &r.cpu_seconds,
                               &r.scratch_bytes,
                               &r.processes})
        *number = in.get<std::uint64_t>();
    r.unconfined_allowed = in.get<bool>();
    r.confined = in.get<confined_as>();
    r.lack = in.get<kernel_lack>();
    r.readable = read_texts(in);
    return in.complete() && !r.arguments.empty();
}

[[nodiscard]] inline std::string pack(run_reply const& r) {
    packer out;
    out.put(r.exited).put(r.code).put(r.peak_rss).put(r.cpu_ns).put(r.wall_ns).put(r.collected);
    out.put(r.behind).put(r.over);
    return std::move(out).bytes();
}

[[nodiscard]] inline bool unpack(std::string_view bytes, run_reply& r) {
    unpacker in{bytes};
    r.exited = in.get<bool>();
    r.code = in.get<int>();
    for (auto* const number : {&r.peak_rss, &r.cpu_ns, &r.wall_ns})
        *number = in.get<std::uint64_t>();
    r.collected = read_texts(in);
    r.behind = in.get<file_wall>();
    r.over = in.text();
    return in.complete();
}

} // namespace lkt::process_detail
