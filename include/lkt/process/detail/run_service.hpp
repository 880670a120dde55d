// SPDX-License-Identifier: BSL-1.0
// The service behind `run_child`: a worker starts one program in its own process group, waits for
// it, and reports. Its life line covers the program and all that this starts.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/process/detail/confined_child.hpp>
#include <lkt/process/detail/life_line.hpp>
#include <lkt/process/detail/limits_watch.hpp>
#include <lkt/process/detail/lookup.hpp>
#include <lkt/process/detail/run_request.hpp>
#include <lkt/process/detail/spawn.hpp>
#include <lkt/process/shared_memory.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lkt::process_detail {

/// Lowers a limit while a child is started: children inherit it, the worker gets its own back.
class lowered_limit {
public:
    lowered_limit(__rlimit_resource which, std::uint64_t value) : which_(which) {
        if (value == 0 || ::getrlimit(which_, &before_) != 0 || value > before_.rlim_max) return;
        rlimit const now{static_cast<rlim_t>(value), before_.rlim_max};
        active_ = ::setrlimit(which_, &now) == 0;
    }
    ~lowered_limit() {
        if (active_) (void)::setrlimit(which_, &before_);
    }
    lowered_limit(lowered_limit const&) = delete;
    lowered_limit& operator=(lowered_limit const&) = delete;

private:
    __rlimit_resource which_;
    rlimit before_{};
    bool active_ = false;
};

[[nodiscard]] inline error scratch_error(std::string const& what) {
    auto const number = errno;
    auto const full = number == ENOSPC || number == EDQUOT || number == EMFILE || number == EFBIG;
    return {full ? condition::exhausted : condition::unavailable,
            full ? "lkt.child.disk-full" : "lkt.child.scratch",
            "cannot write " + what + ": " + std::strerror(number),
            number == EFBIG ? "raise the file size limit (ulimit -f)"
                            : "point TMPDIR to a directory with free space that you may write"};
}

/// A plain name inside the scratch directory: anything else could leave it.
[[nodiscard]] inline bool is_plain_name(std::string const& name) {
    return !name.empty() && name.size() < 200 && name != "." && name != ".." &&
           name.find('/') == std::string::npos && name.find('\0') == std::string::npos;
}

[[nodiscard]] inline result<std::string> make_scratch() {
    auto const base = scratch_base();
    static bool const cleaned = (remove_left_scratch(base), true); // once in each worker
    (void)cleaned;
    std::lock_guard const hold{cleanup().lock};
    auto made = make_scratch_folder(base);
    if (made.path.empty())
        return scratch_error("a directory like " + base + "/" + std::string{scratch_stem});
    cleanup().scratch = made.path;
    cleanup().scratch_lock = std::move(made.lock);
    return made.path;
}

inline result<void> write_file(std::string const& path, std::string const& text) {
    unique_fd const fd{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (!fd) return scratch_error(path);
    for (std::size_t done = 0; done < text.size();) {
        auto const n = ::write(fd.get(), text.data() + done, text.size() - done);
        if (n < 0 && errno != EINTR) return scratch_error(path);
        if (n > 0) done += static_cast<std::size_t>(n);
    }
    return {};
}

/// An open file, from its beginning, as frozen memory.
[[nodiscard]] inline result<shared_memory> read_open_file(int fd, std::uint64_t limit) {
    struct stat about{};
    if (::fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return shared_memory{};
    if (static_cast<std::uint64_t>(about.st_size) > limit)
        return error{condition::rejected,
                     "lkt.child.file-size",
                     "a collected file has " + std::to_string(about.st_size) +
                         " bytes, but the limit is " + std::to_string(limit),
                     "raise child_options::collect_limit if that is intended"};
    std::string text(static_cast<std::size_t>(about.st_size), '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        auto const n =
            ::pread(fd, text.data() + done, text.size() - done, static_cast<off_t>(done));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        done += static_cast<std::size_t>(n);
    }
    return shared_memory::frozen(std::string_view{text}.substr(0, done));
}

/// One file as frozen memory. A file that is not there is no error: the program did not write it.
[[nodiscard]] inline result<shared_memory> read_file(std::string const& path, std::uint64_t limit) {
    // O_NOFOLLOW, O_NONBLOCK: the program may have left a link or a FIFO under that name.
    unique_fd const fd{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
    return fd ? read_open_file(fd.get(), limit) : result<shared_memory>{shared_memory{}};
}

/// Whether there is such a file at all, executable or not. Names with a slash are taken as they
/// are.
[[nodiscard]] inline bool is_on_path(std::string const& name) {
    auto const* const set = std::getenv("PATH");
    if (name.find('/') != std::string::npos || set == nullptr) return true;
    for (std::string_view rest = set; !rest.empty();) {
        auto const end = std::min(rest.find(':'), rest.size());
        struct stat about{};
        if (::stat((std::string{rest.substr(0, end)} + "/" + name).c_str(), &about) == 0)
            return true;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

[[nodiscard]] inline result<pid_t> spawn_in_group(run_request& r, worker_message const& from) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    plain_attributes(attributes, 0);
    for (int i = 0; i < 3; ++i) {
        auto const fd = from.fds[static_cast<std::size_t>(i)].get();
        posix_spawn_file_actions_adddup2(&actions, fd, i);
    }
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    if (!r.directory.empty()) posix_spawn_file_actions_addchdir_np(&actions, r.directory.c_str());
    auto argv = pointers(r.arguments);
    auto envp = pointers(r.environment);
    pid_t pid = -1;
    int failed = 0;
    {
        std::lock_guard const hold{cleanup().lock};
        auto const start = [&] {
            return ::posix_spawnp(&pid, argv[0], &actions, &attributes, argv.data(), envp.data());
        };
        lowered_limit const a{RLIMIT_FSIZE, r.file_size};
        lowered_limit const b{RLIMIT_CPU, r.cpu_seconds};
        {
            lowered_limit const c{RLIMIT_AS, r.memory};
            failed = start();
        }
        if (failed == ENOMEM && r.memory != 0) { // this worker itself is larger than the limit
            failed = start();
            rlimit const now{static_cast<rlim_t>(r.memory), static_cast<rlim_t>(r.memory)};
            if (failed == 0) (void)::prlimit(pid, RLIMIT_AS, &now, nullptr);
        }
    }
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failed == 0) return pid;
    // "Permission denied" also means that a folder on PATH may not be looked into.
    if (failed == EACCES && !is_on_path(r.arguments[0])) failed = ENOENT;
    // posix_spawn reports a missing directory as it reports a missing program.
    auto const bad_directory = !r.directory.empty() && ::access(r.directory.c_str(), X_OK) != 0;
    auto const missing = failed == ENOENT || failed == EACCES || failed == ENOEXEC;
    return error{missing ? condition::unavailable : condition::exhausted,
                 "lkt.child.start",
                 bad_directory ? "cannot enter '" + r.directory + "': " + std::strerror(errno)
                               : "cannot start '" + r.arguments[0] + "': " + std::strerror(failed),
                 bad_directory ? ""
                 : missing     ? "install it, or give its full path"
                           : "raise the limits of processes and of memory (ulimit -u, ulimit -v)"};
}

/// The files that a confined program writes, for it cannot open any: made here, and open in it.
[[nodiscard]] inline result<std::vector<unique_fd>> open_outputs(run_request const& r) {
    std::vector<unique_fd> outputs;
    for (auto const& name : r.collect) {
        auto const path = r.directory + "/" + name;
        outputs.emplace_back(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        if (!outputs.back()) return scratch_error(path);
    }
    return outputs;
}

[[nodiscard]] inline result<started_child> start_child(run_request& r, worker_message const& from) {
    if (r.confined == confined_as::none) {
        auto const pid = spawn_in_group(r, from);
        if (!pid) return pid.error();
        return started_child{*pid, file_wall::none};
    }
    auto const outputs = r.confined == confined_as::interpreter
                             ? open_outputs(r)
                             : result<std::vector<unique_fd>>{std::vector<unique_fd>{}};
    if (!outputs) return outputs.error();
    return start_confined(r, from.fds, *outputs);
}

/// See `run_key`. Descriptors of the request: standard input, output and error of the program, then
/// what an interpreter has besides.
inline result<worker_message> serve_run(worker_message request) {
    run_request r;
    if (!unpack(request.bytes, r) || request.fds.size() < 3 ||
        (request.fds.size() > 3 && r.confined != confined_as::interpreter))
        return error{condition::rejected, "lkt.worker.protocol", "a malformed run request", {}};
    std::string scratch;
    if (r.scratch) {
        auto made = make_scratch();
        if (!made) return made.error();
        scratch = absolute_path(*made); // its rules are by path
        r.directory = scratch;
        // A killed compiler leaves its files there, and reads the first variable of a name.
        std::erase_if(r.environment, [](auto const& v) { return v.starts_with("TMPDIR="); });
        r.environment.push_back("TMPDIR=" + scratch);
        for (auto const& [name, text] : r.files)
            if (auto ok = write_file(scratch + "/" + name, text); !ok) return ok.error();
    }
    auto const start = std::chrono::steady_clock::now();
    auto const child = start_child(r, request);
    if (!child) return child.error();
    request.fds.clear(); // or the reader of the output would never see its end

    run_reply reply;
    reply.behind = child->behind;
    reply.over = watch_limits(child->pid, r, scratch);
    if (!reply.over.empty()) kill_children(child->pid);
    int status = 0;
    rusage used{};
    while (::wait4(child->pid, &status, 0, &used) < 0 && errno == EINTR) {
    }
    reply.wall_ns = static_cast<std::uint64_t>((std::chrono::steady_clock::now() - start).count());
    reply.exited = WIFEXITED(status);
    reply.code = reply.exited ? WEXITSTATUS(status) : WTERMSIG(status);
    reply.peak_rss = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
    auto const ns = [](timeval const& t) {
        return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U +
               static_cast<std::uint64_t>(t.tv_usec) * 1'000U;
    };
    reply.cpu_ns = ns(used.ru_utime) + ns(used.ru_stime);

    kill_children(); // what the program left running would still write
    worker_message answer;
    for (auto const& name : r.collect) {
        auto file = read_file(scratch + "/" + name, r.collect_limit);
        if (!file) return file.error();
        // A confined program finds all of them there, and leaves empty what it does not write.
        if (!*file || (r.confined == confined_as::interpreter && file->size() == 0)) continue;
        reply.collected.push_back(name);
        answer.fds.push_back(unique_fd{::fcntl(file->fd(), F_DUPFD_CLOEXEC, first_free_fd)});
    }
    if (!scratch.empty()) {
        std::lock_guard const hold{cleanup().lock};
        remove_tree(scratch);
        cleanup().scratch.clear();
        cleanup().scratch_lock.reset();
    }
    answer.bytes = pack(reply);
    return answer;
}

inline service_entry const run_entry{run_key, &serve_run};

} // namespace lkt::process_detail
