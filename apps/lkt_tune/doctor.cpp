// SPDX-License-Identifier: BSL-1.0
#include "doctor.hpp"

#include "../common/backend.hpp"
#include "../models/servers.hpp"

#include <lkt/core/plain_text.hpp>
#include <lkt/gpu/compile_cache.hpp>
#include <lkt/gpu/cuda.hpp>
#include <lkt/gpu/cuda/profiler.hpp>
#include <lkt/gpu/cuda/sanitizer.hpp>
#include <lkt/gpu/detail/host/toolchain.hpp>
#include <lkt/gpu/hip.hpp>
#include <lkt/gpu/hip/hiprtc.hpp>
#include <lkt/gpu/host.hpp>
#include <lkt/gpu/webgpu.hpp>
#include <lkt/process/sandbox.hpp>
#include <lkt/tuner/problem_from.hpp>
#include <lkt/verify/problem_tests.hpp>
#include <lkt/version.hpp>

#include <boost/version.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace lkt_tune {
namespace {

namespace fs = std::filesystem;

class report {
public:
    void found(std::string_view what, std::string const& which) { line("ok", what, which); }
    void missing(std::string_view what, std::string const& why, std::string const& todo) {
        line("--", what, why);
        if (!todo.empty()) text_ += std::string(indent, ' ') + todo + '\n';
    }
    void missing(std::string_view what, lkt::error const& e) {
        missing(what, e.message + " [" + e.code + "]", e.hint);
    }
    void heading(std::string_view title) { text_ += '\n' + std::string(title) + '\n'; }
    [[nodiscard]] std::string text() const { return lkt::plain_text(text_); }

private:
    static constexpr std::size_t indent = 26;
    void line(std::string_view mark, std::string_view what, std::string const& text) {
        std::string row = "  " + std::string(mark) + "  " + std::string(what);
        row.resize(std::max(row.size() + 1, indent), ' ');
        text_ += row + text + '\n';
    }
    std::string text_ = "lkt-tune " + std::string(lkt::version) + "\n";
};

std::string variable(char const* name) {
    char const* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

/// A kernel that is compiled and run: all that the host back end needs is there then.
lkt::result<std::string> try_host() {
    lkt::host gpu;
    auto const device = gpu.device();
    if (!device) return device.error();
    lkt::kernel_options about;
    about.size = {{"n", 1}};
    about.arguments = {{"a", "n"}};
    auto const task = lkt::problem_from(
        {lkt::language::cuda, "__global__ void probe(int* a) { a[0] = 1; }\n", "lkt"}, about);
    if (!task) return task.error();
    auto const tests = lkt::problem_tests{}.generate(*task, {});
    if (!tests) return tests.error();
    auto const broken = [](lkt::failure const& why) {
        return lkt::error{lkt::condition::unavailable,
                          "lkt.tune.doctor",
                          "a kernel of one line does not run: " + describe(why),
                          "name another compiler in LKT_CXX"};
    };
    lkt::compile_request request;
    request.source = task->reference;
    request.signature = task->signature;
    auto const compiled = gpu.compile(request);
    if (!compiled) return compiled.error();
    if (auto const* why = std::get_if<lkt::failure>(&*compiled)) return broken(*why);
    lkt::run_request launch;
    launch.arguments = tests->front().arguments;
    std::vector<lkt::direction> const flows{task->flow(0)};
    launch.directions = flows;
    auto const ran = gpu.run(std::get<lkt::compiled_kernel>(*compiled), launch);
    if (!ran) return ran.error();
    if (auto const* why = std::get_if<lkt::failure>(&*ran)) return broken(*why);
    return device->driver + ": a kernel was compiled and ran";
}

bool examine_cpu(report& r) {
    r.heading("CPU (--backend host)");
    auto const host = try_host();
    if (host)
        r.found("kernels", *host);
    else
        r.missing("kernels", host.error());
    auto const sandbox = lkt::probe_sandbox();
    r.found("sandbox", to_string(sandbox));
    return host.has_value();
}

void examine_tool(report& r, char const* name, char const* for_what) {
    auto const path = lkt::host_detail::find_program(name);
    if (path.empty())
        r.missing(name, "not on PATH", std::string("needed ") + for_what);
    else
        r.found(name, path);
}

void examine_cuda(report& r) {
    r.heading("NVIDIA GPUs (--backend cuda)");
    if (lkt_apps::has_nvidia_gpu()) r.found("GPU", "this machine has one");
    auto const device = lkt::cuda{}.device();
    if (device)
        r.found("driver and NVRTC", device->name + ", " + device->driver);
    else
        r.missing("driver and NVRTC", device.error());
    examine_tool(r, "nvcc", "only to build programs with a tuned kernel");
    if (auto const tool = lkt::cuda_detail::find_sanitizer({}))
        r.found("compute-sanitizer", *tool);
    else
        r.missing("compute-sanitizer", tool.error());
    if (auto const tool = lkt::cuda_detail::find_profiler({}))
        r.found("Nsight Compute", *tool);
    else
        r.missing("Nsight Compute", tool.error());
}

void examine_hip(report& r) {
    r.heading("AMD GPUs (--backend hip)");
    auto const device = lkt::hip{}.device();
    if (device)
        r.found("HIP and HIPRTC", device->name + ", " + device->driver);
    else
        r.missing("HIP and HIPRTC", device.error());
    if (auto const compiler = lkt::hip_detail::find_hiprtc())
        r.found("HIPRTC", compiler->library);
    else
        r.missing("HIPRTC", compiler.error());
}

void examine_webgpu(report& r) {
    r.heading("WebGPU (--backend webgpu)");
    auto const device = lkt::webgpu{}.device();
    if (!device)
        r.missing("library and adapter", device.error());
    else
        r.found("library and adapter",
                device->name + ", " + device->driver +
                    (device->simulated ? " (software on the CPU: its times say nothing)" : ""));
}

/// Those that a model could be asked on now: on this machine, or with a key that is set. They are
/// connected to; nothing is sent.
void examine_servers(report& r, std::vector<lkt_apps::server_provider> const& providers) {
    std::set<std::string> seen;
    for (lkt_apps::server_provider const& p : providers) {
        bool const here = p.base_url.starts_with("http://127.0.0.1");
        if (!here && variable(p.key_variable.c_str()).empty()) continue;
        if (!seen.insert(p.base_url).second) continue;
        if (auto const why = lkt_apps::unreachable(p.name + ":any"))
            here ? r.missing(p.name, "none at " + p.base_url, "start it to ask its models")
                 : r.missing(p.name, *why);
        else
            r.found(p.name, (here ? "listens at " : "can be reached at ") + p.base_url);
    }
}

void examine_models(report& r) {
    r.heading("Models");
    auto const providers = lkt_apps::server_providers();
    if (providers.empty())
        r.missing("servers",
                  "this program was built without OpenSSL",
                  "build it with OpenSSL's headers to ask models on servers");
    else
        r.found("servers", lkt_apps::built_with());
    std::set<std::string> names;
    for (lkt_apps::server_provider const& p : providers) names.insert(p.key_variable);
    if (!providers.empty()) names.insert("LKT_API_KEY");
    std::string set, others;
    for (std::string const& name : names)
        (variable(name.c_str()).empty() ? others : set) +=
            ((variable(name.c_str()).empty() ? others : set).empty() ? "" : ", ") + name;
    if (!set.empty())
        r.found("keys that are set", set);
    else
        r.missing("keys",
                  "none is set",
                  "set the variable of a provider to ask its models; ollama, llama.cpp and vllm on "
                  "this machine, replay: and mailbox: need none");
    if (!others.empty()) r.missing("not set", others, {});
    examine_servers(r, providers);
}

/// Whether a file can be made in a folder that is there.
bool takes_files(fs::path const& folder) {
    auto name = (folder / "lkt-doctor-XXXXXX").string();
    int const file = ::mkstemp(name.data());
    if (file < 0) return false;
    ::close(file);
    ::unlink(name.c_str());
    return true;
}

/// A folder that is made when it is needed.
bool can_be_made(fs::path folder) {
    std::error_code failed;
    while (!fs::exists(folder, failed) && folder.has_parent_path() &&
           folder != folder.parent_path())
        folder = folder.parent_path();
    return takes_files(folder);
}

void examine_folders(report& r) {
    r.heading("Folders");
    auto const look =
        [&](std::string_view what, std::string const& folder, char const* by, bool usable) {
            if (usable)
                r.found(what, folder);
            else
                r.missing(
                    what, folder + " cannot be written", std::string("name another one in ") + by);
        };
    std::string const named = variable("TMPDIR"), scratch = named.empty() ? "/tmp" : named;
    look("scratch", scratch, "TMPDIR", takes_files(scratch));
    auto const cache = lkt::gpu_detail::compile_cache({.kind = "host"}).folder();
    if (cache.empty())
        r.missing("compiled kernels",
                  "are not kept (LKT_CACHE=off, or no home folder)",
                  "set LKT_CACHE to a folder, so that a kernel is compiled once");
    else
        look("compiled kernels", cache, "LKT_CACHE", can_be_made(cache));
}

} // namespace

diagnosis examine_machine() {
    report r;
    diagnosis made;
    made.host_works = examine_cpu(r);
    examine_cuda(r);
    examine_hip(r);
    examine_webgpu(r);
    examine_models(r);
    examine_folders(r);
    r.heading("Built with");
    r.found("Boost", BOOST_LIB_VERSION);
    made.text = r.text();
    return made;
}

} // namespace lkt_tune
