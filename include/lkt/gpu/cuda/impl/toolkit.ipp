// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/detail/toolkit.hpp>
#include <lkt/gpu/cuda/device_service.hpp>
#include <lkt/gpu/device/client.hpp>
#include <lkt/process/wire.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <variant>

namespace lkt::cuda_detail {

namespace toolkit_parts {

namespace fs = std::filesystem;

bool is_program(fs::path const& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

std::string variable(char const* of) {
    char const* const value = std::getenv(of);
    return value == nullptr ? std::string{} : std::string{value};
}

/// The folders of `in` whose names begin with `stem`, the last name first.
std::vector<fs::path> folders_in(char const* in, std::string_view stem) {
    std::vector<fs::path> found;
    std::error_code failed;
    for (fs::directory_iterator at{in, failed}, end; !failed && at != end; at.increment(failed))
        if (at->path().filename().string().starts_with(stem)) found.push_back(at->path());
    std::sort(found.rbegin(), found.rend());
    return found;
}

/// The folders to look in, the first one first.
std::vector<fs::path> folders(char const* versions) {
    std::vector<fs::path> all;
    for (char const* const home : {"CUDA_HOME", "CUDA_PATH"})
        if (auto const set = variable(home); !set.empty()) all.push_back(fs::path{set} / "bin");
    std::string const path = variable("PATH");
    for (std::string_view rest = path; !rest.empty();) {
        auto const end = std::min(rest.find(':'), rest.size());
        if (end > 0) all.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    all.emplace_back("/usr/local/cuda/bin");
    for (fs::path const& toolkit : folders_in("/usr/local", "cuda-"))
        all.push_back(toolkit / "bin");
    all.emplace_back("/opt/cuda/bin");
    if (*versions != '\0')
        for (fs::path const& version : folders_in(versions, "")) all.push_back(version);
    return all;
}

} // namespace toolkit_parts

result<std::string> find_program(toolkit_program const& what, std::string const& given) {
    using namespace toolkit_parts;
    auto const missing = [&](std::string message, std::string hint) {
        return error{condition::unavailable, what.code, std::move(message), std::move(hint)};
    };
    std::string named = given, by = what.option;
    if (named.empty()) named = variable(what.variable), by = what.variable;
    if (!named.empty()) {
        if (is_program(named)) return named;
        return missing("'" + named + "', named by " + by + ", is not a program",
                       std::string("give the path of NVIDIA's ") + what.name +
                           ", or leave it unset");
    }
    for (fs::path const& folder : folders(what.versions))
        if (is_program(folder / what.name)) return (folder / what.name).string();
    return missing(what.absent, what.hint);
}

private_folder::private_folder(char const* stem) {
    std::error_code failed;
    auto const parent = std::filesystem::temp_directory_path(failed);
    path_ = (failed ? std::filesystem::path{"/tmp"} : parent) / (std::string(stem) + "-XXXXXX");
    if (::mkdtemp(path_.data()) == nullptr) path_.clear();
}

private_folder::~private_folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::string text_of_file(std::string const& path) {
    constexpr std::size_t most = std::size_t{16} << 20; // of a tool that does not end
    std::ifstream file(path, std::ios::binary);
    std::string text(most, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    return text;
}

run_request single_launch(run_request const& request) {
    run_request one = request;
    one.warmups = 0;
    one.launches = 1;
    one.sampling = {};
    one.sampling.cold = false;
    one.keep = {};
    one.contents = 0;
    one.ring.clear();
    one.fresh = false;
    return one;
}

std::vector<result<run_outcome>> launch_under(watched_launch const& how,
                                              compiled_kernel const& kernel,
                                              std::span<run_request const> requests,
                                              call_context const& context) {
    auto worker = how.worker;
    worker.launcher = how.tool;
    worker.start_limit = how.step;
    device_detail::device_client client("cuda", device_key, std::move(worker));
    client.alone = true;
    client.unfilled = how.unfilled;
    client.lost_after = how.lost;
    client.on_new_worker = [&](call_context const& c) -> result<void> {
        packer ask;
        ask.put(request_kind::open).put(how.device);
        auto const opened = client.call(std::move(ask).bytes(), how.step, c);
        if (!opened) return opened.error();
        return {};
    };
    std::vector<result<run_outcome>> all;
    for (run_request const& request : requests) {
        all.push_back(client.run(kernel, request, context));
        if (!all.back() || std::holds_alternative<failure>(*all.back())) break;
    }
    auto const& outcome = all.back();
    if (!outcome && outcome.error().kind == condition::cancelled) return all;
    // What the tool writes is whole once the tool, which outlives the worker, has ended, too. A
    // worker that was lost has taken the tool with it.
    if (outcome || !outcome.error().code.starts_with("lkt.worker.")) {
        auto const* const failed = outcome ? std::get_if<failure>(&*outcome) : nullptr;
        bool const hangs = failed != nullptr && std::holds_alternative<timed_out>(*failed);
        packer leave;
        leave.put(request_kind::leave);
        (void)client.ask(
            std::move(leave).bytes(), hangs ? std::chrono::seconds{5} : how.step, context);
    }
    return all;
}

} // namespace lkt::cuda_detail
