// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/process/detail/life_line.hpp>
#include <lkt/process/worker_options.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace lkt::process_detail {

/// Where programs are looked for when nobody says it: a compiler that is found there looks for its
/// linker in PATH, and finds none without it.
inline constexpr char usual_path[] = "/usr/local/bin:/usr/bin:/bin";

/// The variables named in `keep` that are set here, then `extra`: a whole environment. PATH, where
/// it is to be kept and nobody has set it, is the usual one.
[[nodiscard]] inline std::vector<std::string>
make_environment(std::vector<std::string> const& keep, std::vector<std::string> const& extra) {
    std::vector<std::string> result;
    auto const overridden = [&](std::string const& name) {
        for (auto const& e : extra)
            if (e.starts_with(name + "=")) return true;
        return false;
    };
    for (auto const& name : keep)
        if (auto const* const value = std::getenv(name.c_str()); value && !overridden(name))
            result.push_back(name + "=" + value);
        else if (value == nullptr && name == "PATH" && !overridden(name))
            result.push_back(name + "=" + usual_path);
    result.insert(result.end(), extra.begin(), extra.end());
    return result;
}

[[nodiscard]] inline bool is_program(std::string const& path) {
    struct stat about{};
    return ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) &&
           ::access(path.c_str(), X_OK) == 0;
}

[[nodiscard]] inline std::string folder_of_this_program() {
    std::string path(4096, '\0');
    auto const n = ::readlink("/proc/self/exe", path.data(), path.size());
    path.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return path.substr(0, path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
}

/// The file that a link stands for.
[[nodiscard]] inline std::string absolute_path(std::string const& path) {
    char* const found = ::realpath(path.c_str(), nullptr);
    std::string const file = found != nullptr ? found : path;
    std::free(found);
    return file;
}

[[nodiscard]] inline result<std::string> named_worker(std::string path, std::string const& by) {
    if (is_program(path)) return path;
    return error{condition::unavailable,
                 "lkt.worker.executable",
                 "the worker '" + path + "', named by " + by + ", is not a program",
                 "give the path of lkt-worker, or leave it unset"};
}

/// Where the worker comes from; the order is that of `worker_options::executable`.
[[nodiscard]] inline result<std::string> find_worker(worker_options const& options) {
    if (!options.executable.empty())
        return named_worker(options.executable, "worker_options::executable");
    if (auto const* const set = std::getenv("LKT_WORKER"); set != nullptr && *set != '\0')
        return named_worker(set, "LKT_WORKER");
    if (main_serves.load()) return std::string{"/proc/self/exe"};
    std::vector<std::string> folders{folder_of_this_program()};
    if (auto const* const set = std::getenv("PATH")) {
        for (std::string_view rest = set; !rest.empty();) {
            auto const end = rest.find(':');
            folders.emplace_back(rest.substr(0, end));
            rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        }
    }
    for (auto const& folder : folders)
        if (!folder.empty() && is_program(folder + "/lkt-worker")) return folder + "/lkt-worker";
    return error{condition::unavailable,
                 "lkt.worker.none",
                 "no program was found that can be started as a worker",
                 "begin main with `if (auto rc = lkt::worker_main(argc, argv)) return *rc;`, or "
                 "install lkt-worker beside the program or on PATH"};
}

} // namespace lkt::process_detail
