// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/files.hpp>
#include <lkt/gpu/device/detail/compile_record.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/process/service.hpp>
#include <lkt/process/wire.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace lkt::device_detail {

std::string job_key(compile_job const& j) {
    packer out;
    out.put(j.source.language).put(j.source.text).put(j.kernel).put(j.arch).put(j.options);
    for (auto const& [name, value] : j.definitions.values)
        out.put(name).put(value.index()).put(definition_text(value));
    return std::move(out).bytes();
}

std::string program_key(compiler_program const& p, std::uint64_t headers) {
    packer out;
    out.put("cubin 1").put(p.text).put(p.kernel).put(p.options);
    if (!p.headers.empty()) out.put(p.headers).put(headers);
    return std::move(out).bytes();
}

std::optional<std::string> contents_of(std::vector<std::string> const& folders) {
    namespace fs = std::filesystem;
    constexpr std::size_t max_files = 1024, max_bytes = std::size_t{16} << 20;
    std::size_t bytes = 0;
    std::string text;
    for (auto const& folder : folders) {
        std::vector<fs::path> files;
        std::error_code failed;
        for (fs::recursive_directory_iterator at{folder, failed}, end; !failed && at != end;
             at.increment(failed)) {
            std::error_code ignored;
            if (at->is_symlink(ignored)) return {}; // leads elsewhere
            if (at->is_regular_file(ignored)) files.push_back(at->path());
            if (files.size() > max_files) return {};
        }
        if (failed && failed != std::errc::no_such_file_or_directory) return {};
        std::sort(files.begin(), files.end());
        text += folder + '\n';
        for (auto const& f : files) {
            auto const content = read_text_file(f.string(), max_bytes - bytes);
            if (!content) return {};
            bytes += content->size();
            if (content->find("include") != content->npos && reaches_outside(*content)) return {};
            packer out;
            out.put(f.string()).put(*content);
            text += out.bytes();
        }
    }
    return text;
}

std::string pack_cubin(compiled_cubin const& c) {
    packer out;
    auto const& r = c.resources;
    out.put(c.image).put(c.entry).put(c.log).put(c.compile_time.count());
    out.put(r.registers).put(r.spill_store_bytes).put(r.spill_load_bytes).put(r.stack_bytes);
    out.put(r.static_shared_bytes).put(r.constant_bytes).put(r.remarks.size());
    for (std::string const& remark : r.remarks) out.put(remark);
    return std::move(out).bytes();
}

std::optional<compiled_cubin> unpack_cubin(std::string_view bytes) {
    unpacker in{bytes};
    compiled_cubin c;
    auto& r = c.resources;
    c.image = in.text();
    c.entry = in.text();
    c.log = in.text();
    c.compile_time = seconds{in.get<double>()};
    for (auto* const number : {&r.registers,
                               &r.spill_store_bytes,
                               &r.spill_load_bytes,
                               &r.stack_bytes,
                               &r.static_shared_bytes,
                               &r.constant_bytes})
        *number = in.get<int>();
    constexpr std::size_t most_remarks = 16; // of what may be torn
    for (auto left = std::min(in.get<std::size_t>(), most_remarks); left > 0; --left)
        r.remarks.emplace_back(in.text());
    if (!in.complete()) return {};
    return c;
}

std::string make_pch_folder() {
    namespace fs = std::filesystem;
    constexpr std::string_view stem = "lkt-pch-";
    std::error_code failed;
    auto const base = fs::temp_directory_path(failed);
    if (failed) return {};
    for (fs::directory_iterator at{base, failed}, end; !failed && at != end; at.increment(failed)) {
        auto const name = at->path().filename().string();
        if (!name.starts_with(stem)) continue;
        int pid = 0;
        (void)std::from_chars(name.data() + stem.size(), name.data() + name.size(), pid);
        struct stat about{};
        std::error_code ignored;
        if (pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH &&
            ::lstat(at->path().c_str(), &about) == 0 && S_ISDIR(about.st_mode) &&
            about.st_uid == ::geteuid())
            fs::remove_all(at->path(), ignored);
    }
    auto path = (base / (std::string{stem} + std::to_string(::getpid()) + "-XXXXXX")).string();
    return ::mkdtemp(path.data()) != nullptr ? path : std::string{};
}

} // namespace lkt::device_detail
