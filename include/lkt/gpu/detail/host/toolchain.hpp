// SPDX-License-Identifier: BSL-1.0
// Which files a compiler and its parts read when they translate a text that includes nothing: what
// a confined compiler may see. Nothing here looks at a kernel's text.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/process/child.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <pwd.h>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace lkt::host_detail {

/// Where `program` is, along PATH; empty if nowhere.
[[nodiscard]] inline std::string find_program(std::string const& program) {
    auto const runs = [](std::string const& path) { return ::access(path.c_str(), X_OK) == 0; };
    if (program.find('/') != program.npos) return runs(program) ? program : std::string{};
    auto const* const path = std::getenv("PATH");
    std::string_view rest = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
    while (!rest.empty()) {
        auto const end = std::min(rest.find(':'), rest.size());
        auto const full = std::string{rest.substr(0, end)} + "/" + program;
        if (end > 0 && runs(full)) return full;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return {};
}

/// What a compiler may read and execute, and the PATH by which it finds its parts.
struct toolchain {
    std::vector<std::string> readable;
    std::string path;
    /// Folders in which something new may be found before, or beside, what was found.
    std::vector<std::string> looked_in{};
};

class toolchain_finder {
public:
    /// `ask` has the fields of a trusted run of the compiler; its arguments are set here.
    toolchain_finder(std::string program, child_options ask, call_context const& context)
        : program_(std::move(program)), ask_(std::move(ask)), context_(context) {}

    [[nodiscard]] result<toolchain> find() {
        ask_.arguments = {program_, "-print-search-dirs"};
        auto const said = answer_to(ask_);
        if (!said) return said.error();
        auto const programs = folders_in(*said, "programs: =");
        auto const libraries = folders_in(*said, "libraries: =");
        auto const* const set = std::getenv("PATH");
        result_.looked_in =
            folders_in(set == nullptr ? "PATH=" : "PATH=" + std::string{set}, "PATH=");
        for (auto const* const list : {&programs, &libraries})
            result_.looked_in.insert(result_.looked_in.end(), list->begin(), list->end());

        add(program_);
        for (auto const& path : {
                 std::string{"/etc/ld.so.cache"}
#if defined(__aarch64__)
                 ,
                 std::string{"/proc/cpuinfo"} // for -march=native
#endif
             })
            add(path);
        std::vector<std::string> started{program_};
        for (auto const* const name : {"cc1plus", "collect2", "lto-wrapper", "as", "ld", "ld.bfd"})
            if (auto const path = part(name, programs); !path.empty()) {
                add(path);
                started.push_back(path);
                // With its plug-in for the linker, which lies beside it.
                if (path.find("/gcc/") != path.npos) add_libraries(folder_of(path), true);
            }
        for (auto const* const name : {"ld.gold", "ld.lld", "lld", "addr2line", "objdump"})
            if (auto const path = part(name, programs); !path.empty()) add(path);
        for (auto const& folder : libraries) add_libraries(folder, false);
        for (auto const& path : started)
            if (auto const ok = add_needs(path); !ok) return ok.error();
        if (is_script(program_)) add_of_script(*said);

        result_.path = "/usr/bin:/bin";
        for (auto const* const name : {"ld", "as"})
            if (auto const path = part(name, programs); !path.empty())
                if (auto const folder = folder_of(path);
                    (":" + result_.path + ":").find(":" + folder + ":") == std::string::npos)
                    result_.path = folder + ":" + result_.path;
        return result_;
    }

private:
    static std::string folder_of(std::string const& path) {
        return std::filesystem::path{path}.parent_path().string();
    }
    static std::string real(std::string const& path) {
        std::error_code failed;
        auto const found = std::filesystem::canonical(path, failed);
        return failed ? std::string{} : found.string();
    }
    static bool exists(std::string const& path) {
        std::error_code ignored;
        return std::filesystem::exists(path, ignored);
    }
    /// A file that begins like a script, a wrapper around a compiler.
    static bool is_script(std::string const& path) {
        std::ifstream file{path, std::ios::binary};
        return file.get() == '#' && file.get() == '!';
    }

    /// What is found is kept in the compile cache, so an answer that was cut short must not count.
    [[nodiscard]] result<std::string> answer_to(child_options const& question) const {
        auto said = run_child(question, context_);
        if (!said) return said.error();
        if (said->how == child_end::exited) return std::move(said->out);
        if (said->how == child_end::cancelled)
            return cancelled("asking the compiler for its files");
        return error{
            condition::unavailable,
            "lkt.host.compiler",
            "the compiler did not say which files it needs: '" + question.arguments.front() + "' " +
                (said->how == child_end::timed_out ? "did not end in time"
                 : said->over.empty() ? "was killed by signal " + std::to_string(said->signal)
                                      : "had " + said->over),
            "try again; the machine may be short of memory, or busy"};
    }

    static std::vector<std::string> folders_in(std::string const& said, std::string_view label) {
        std::vector<std::string> found;
        auto const at = said.find(label);
        if (at == said.npos) return found;
        auto line = std::string_view{said}.substr(at + label.size());
        line = line.substr(0, line.find('\n'));
        while (!line.empty()) {
            auto const end = std::min(line.find(':'), line.size());
            if (end > 0) found.emplace_back(line.substr(0, end));
            line.remove_prefix(std::min(end + 1, line.size()));
        }
        return found;
    }

    /// A program that the compiler starts, as it looks for it itself.
    [[nodiscard]] std::string part(std::string const& name,
                                   std::vector<std::string> const& folders) const {
        auto all = folders;
        all.push_back(folder_of(real(program_)));
        for (auto const& folder : all) {
            auto const path = folder + "/" + name;
            if (std::error_code no;
                ::access(path.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(path, no))
                return path;
        }
        return find_program(name);
    }

    void add(std::string const& path) {
        auto& all = result_.readable;
        if (!path.empty() && exists(path) && std::find(all.begin(), all.end(), path) == all.end())
            all.push_back(path);
    }

    /// Folders that hold more than a toolchain, whatever a compiler says: whoever installs one in
    /// `/` or at home did not mean these.
    static bool too_wide(std::string const& folder) {
        auto const holds = [&](std::string const& inner) {
            return !inner.empty() && (folder == inner || inner.starts_with(folder + "/"));
        };
        auto const* const home = std::getenv("HOME");
        auto const* const user = ::getpwuid(::geteuid());
        std::error_code failed;
        auto const here = std::filesystem::current_path(failed).string();
        if (folder.size() < 2 || holds(here) || (home != nullptr && holds(real(home))) ||
            (user != nullptr && holds(real(user->pw_dir))))
            return true;
        for (auto const* const wide : {"/usr/bin",
                                       "/usr/local/bin",
                                       "/usr/share",
                                       "/etc/x",
                                       "/tmp",
                                       "/var/tmp",
                                       "/home/x",
                                       "/opt/x",
                                       "/root/x",
                                       "/proc/x",
                                       "/sys/x",
                                       "/dev/x",
                                       "/run/x",
                                       "/srv/x",
                                       "/mnt/x"})
            if (folder == wide || std::string{wide}.starts_with(folder + "/")) return true;
        return false;
    }

    /// A folder in which a linker finds what it is to add; `all`: in any case.
    void add_libraries(std::string const& folder, bool all) {
        auto const there = real(folder);
        if (there.empty()) return;
        bool wanted = all || there.find("/lib/clang/") != there.npos;
        for (auto const* const name : {"libgcc.a",
                                       "libc.so",
                                       "libc.so.6",
                                       "libm.so",
                                       "libstdc++.so",
                                       "libstdc++.so.6",
                                       "libgcc_s.so.1",
                                       "libasan.so"})
            wanted = wanted || exists(there + "/" + name);
        if (!wanted) return;
        if (!too_wide(there)) {
            add(there);
            add(folder); // as it is spelt, for a mount namespace
            // Clang lists the versions of GCC.
            if (auto const above = folder_of(there);
                there.find("/gcc/") != there.npos && !too_wide(above))
                add(above);
            return;
        }
        std::error_code failed;
        for (std::filesystem::directory_iterator at{there, failed}, end; !failed && at != end;
             at.increment(failed))
            if (auto const name = at->path().filename().string();
                name.starts_with("lib") && (name.ends_with(".a") || name.find(".so") != name.npos))
                add(at->path().string());
    }

    /// The libraries that the dynamic loader brings in for a program. Their folders are not opened,
    /// but for those that hold a link's.
    [[nodiscard]] result<void> add_needs(std::string const& path) {
        auto list = ask_;
        list.arguments = {path};
        list.environment.emplace_back("LD_TRACE_LOADED_OBJECTS=1"); // a static one just ends
        list.files = {{"empty", {}}};
        auto const said = answer_to(list);
        if (!said) return said.error();
        std::string_view rest = *said;
        while (!rest.empty()) {
            auto line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(line.size() + 1, rest.size()));
            auto const from = line.find('/');
            auto const to = line.rfind(" (0x");
            if (from == line.npos || to == line.npos || to < from) continue;
            add(std::string{line.substr(from, to - from)});
        }
        return {};
    }

    /// A script runs other programs, of the system's and of the compiler that it stands for.
    void add_of_script(std::string const& said) {
        std::ifstream file{program_};
        std::string line;
        std::getline(file, line);
        auto const from = line.find('/');
        add(from == line.npos ? "" : line.substr(from, line.find(' ', from) - from));
        add("/usr/bin");
        add("/bin");
        add("/lib64");
        for (auto const* const folder : {"/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu"})
            add(folder);
        auto const install = folders_in(said, "install: ");
        auto const at = install.empty() ? std::string::npos : install[0].find("/lib/gcc/");
        if (at != std::string::npos && !too_wide(install[0].substr(0, at) + "/bin"))
            add(install[0].substr(0, at) + "/bin");
    }

    std::string program_;
    child_options ask_;
    call_context const& context_;
    toolchain result_;
};

} // namespace lkt::host_detail
