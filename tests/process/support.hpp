// SPDX-License-Identifier: BSL-1.0
// Processes as these tests look at them: found by a mark in their environment, which they inherit
// from whoever starts them.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/process/unique_fd.hpp>

#include <doctest/doctest.h>

#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <dirent.h>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

/// Results are printed as their error; the default would need a stream operator of every value.
template <class T>
struct doctest::StringMaker<lkt::result<T>> {
    static String convert(lkt::result<T> const& r) {
        return r ? "a value" : lkt::to_string(r.error()).c_str();
    }
};

namespace process_test {

using namespace std::chrono_literals;

/// What can be read of it: a file of /proc ends with its process, also while it is read.
inline std::string read_whole(std::string const& path) {
    std::ifstream file{path, std::ios::binary};
    std::ostringstream text;
    text << file.rdbuf(); // no exception, which an iterator over the buffer would let through
    return text.str();
}

/// `Z` for a zombie; empty: no such process.
inline std::string state_of(pid_t pid) {
    auto const stat = read_whole("/proc/" + std::to_string(pid) + "/stat");
    auto const end = stat.rfind(')');
    return end == std::string::npos ? "" : stat.substr(end + 2, 1);
}
inline bool is_running(pid_t pid) {
    auto const state = state_of(pid);
    return !state.empty() && state != "Z" && state != "X";
}

inline std::vector<std::string> names_in(std::string const& folder) {
    std::vector<std::string> names;
    if (auto* const d = ::opendir(folder.c_str())) {
        while (auto const* const entry = ::readdir(d))
            if (std::string const name = entry->d_name; name != "." && name != "..")
                names.push_back(name);
        ::closedir(d);
    }
    return names;
}

/// Running processes whose environment holds `mark` (`NAME=value`).
inline std::vector<pid_t> processes_with(std::string const& mark) {
    std::vector<pid_t> found;
    for (auto const& name : names_in("/proc")) {
        if (!std::isdigit(static_cast<unsigned char>(name[0]))) continue;
        auto const environment = '\0' + read_whole("/proc/" + name + "/environ");
        if (environment.find('\0' + mark + '\0') == std::string::npos) continue;
        if (auto const pid = std::stoi(name); is_running(pid)) found.push_back(pid);
    }
    return found;
}

template <class Predicate>
bool within(std::chrono::milliseconds limit, Predicate holds) {
    auto const end = std::chrono::steady_clock::now() + limit;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(5ms);
    }
    return true;
}

/// A program that CMake puts beside the test executable.
inline std::string beside(std::string const& name) {
    char path[4096];
    auto const n = ::readlink("/proc/self/exe", path, sizeof path);
    std::string const self{path, static_cast<std::size_t>(n > 0 ? n : 0)};
    return self.substr(0, self.rfind('/') + 1) + name;
}

/// Starts a program plainly, as a user would, not through the library.
inline pid_t start(std::vector<std::string> arguments, std::vector<std::string> environment) {
    std::vector<char*> argv, envp;
    for (auto& a : arguments) argv.push_back(a.data());
    for (auto& e : environment) envp.push_back(e.data());
    argv.push_back(nullptr), envp.push_back(nullptr);
    pid_t pid = -1;
    if (::posix_spawn(&pid, argv[0], nullptr, nullptr, argv.data(), envp.data()) != 0) return -1;
    return pid;
}

/// A new empty folder under /tmp, removed at the end.
class temporary_folder {
public:
    temporary_folder() : path_("/tmp/lkt-test-XXXXXX") { (void)!::mkdtemp(path_.data()); }
    ~temporary_folder() {
        for (auto const& name : names_in(path_)) ::unlink((path_ + "/" + name).c_str());
        ::rmdir(path_.c_str());
    }
    temporary_folder(temporary_folder const&) = delete;
    temporary_folder& operator=(temporary_folder const&) = delete;
    [[nodiscard]] std::string const& path() const { return path_; }

private:
    std::string path_;
};

} // namespace process_test
