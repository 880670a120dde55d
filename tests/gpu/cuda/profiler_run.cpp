// SPDX-License-Identifier: BSL-1.0
// The whole way of a profiled launch: a stand-in for Nsight Compute starts a worker on the imitated
// driver, and leaves a table.
#include <lkt/gpu/cuda/detail/profiler_run.hpp>

#include <doctest/doctest.h>

#include <lkt/gpu/cuda.hpp>
#include <lkt/gpu/cuda/device_service.hpp>
#include <lkt/gpu/cuda/profiler.hpp>
#include <lkt/gpu/device/client.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

using namespace lkt::cuda_detail;
namespace fs = std::filesystem;

namespace {

constexpr char const* table =
    R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","dram__bytes.sum"
"","","","","","","","byte"
"0","1","lkt-worker","127.0.0.1","k","1","7","4,096"
)";
// The real one writes its table once the program has ended.
constexpr char const* works = "\"$@\"\nsleep 0.2\ncat \"$LOGS/table\" >\"$log\"\n";

/// A folder with a program that is called like the tool, and the table that it is to leave.
struct stand_in {
    fs::path folder = fs::temp_directory_path() / ("lkt-ncu-run-" + std::to_string(::getpid()));
    std::string driver = "works=1";
    std::chrono::seconds limit{30};
    std::vector<std::string> metrics = profiler_metrics();

    explicit stand_in(std::string const& program = works, std::string const& text = table) {
        fs::create_directories(folder);
        std::ofstream(folder / "ncu")
            << "#!/bin/sh\n"
               "while [ $# -gt 0 ]; do case \"$1\" in\n"
               "--log-file) log=$2; shift 2 ;; --metrics) metrics=$2; shift 2 ;; --csv) shift ;;\n"
               "--*) shift 2 ;; *) break ;; esac; done\n"
               "echo \"$metrics\" >>\"$LOGS/calls\"\n"
            << program;
        fs::permissions(folder / "ncu", fs::perms::owner_all);
        std::ofstream(folder / "table") << text;
    }
    ~stand_in() { fs::remove_all(folder); }
    [[nodiscard]] int calls() const {
        std::ifstream file(folder / "calls");
        std::string line;
        int n = 0;
        while (std::getline(file, line)) ++n;
        return n;
    }
    [[nodiscard]] lkt::worker_options worker() const {
        lkt::worker_options w;
        w.environment = {std::string("LKT_CUDA_DRIVER=") + LKT_FAKE_DRIVER_LIBRARY,
                         "LKT_FAKE_DRIVER=" + driver,
                         "LOGS=" + folder.string()};
        return w;
    }
    [[nodiscard]] lkt::result<lkt::kernel_profile> run(lkt::call_context const& context = {}) {
        profiler_settings const how{(folder / "ncu").string(), {}, worker(), limit};
        return with_launch([&](auto const& kernel, auto const& request) {
            return run_profiled(how, metrics, kernel, request, context);
        });
    }
    /// Calls it with a kernel and a series of launches.
    static lkt::result<lkt::kernel_profile> with_launch(auto const& call) {
        lkt::compiled_kernel kernel;
        kernel.signature.name = "k";
        kernel.signature.arguments.resize(1);
        kernel.signature.arguments[0].pointer = true;
        kernel.handle = std::make_shared<lkt::device_detail::program>(lkt::device_detail::program{
            lkt::fresh_contents(), pack(cubin_program{"k", "image", false})});
        std::vector<float> const x{1, 2, 3};
        std::vector<lkt::argument_data> const arguments{
            lkt::make_buffer({lkt::scalar_type::float32}, std::span{x})};
        std::vector<lkt::direction> const directions{lkt::direction::inout};
        lkt::run_request request;
        request.arguments = arguments;
        request.directions = directions;
        request.launches = 9;
        request.warmups = 2;
        request.keep = {1, 3};
        request.contents = 7;
        return call(kernel, request);
    }
};

} // namespace

TEST_CASE("profiled run: one launch, and its table") {
    stand_in tool;
    auto const p = tool.run();
    REQUIRE_MESSAGE(p.has_value(), lkt::to_string(p.error()));
    CHECK(p->dram_bytes == 4096);
    CHECK(tool.calls() == 1);
    CHECK(tool.metrics.size() == 24);
}

TEST_CASE("profiled run: metrics that a device does not have are left out, and it is tried again") {
    stand_in tool("case \"$metrics\" in *dram__bytes.sum*)\n"
                  "echo '==ERROR== Failed to find metric regex:^dram__bytes(\\.sum)$' >\"$log\"\n"
                  "exit 1 ;; *sm__throughput*)\n"
                  "echo '==ERROR== Failed to find metric sm__throughput.avg' >\"$log\"\n"
                  "exit 1 ;; esac\n" +
                      std::string(works),
                  R"("ID","Kernel Name","lts__t_sector_hit_rate.pct"
"0","k","50"
)");
    auto const p = tool.run();
    REQUIRE_MESSAGE(p.has_value(), lkt::to_string(p.error()));
    CHECK(p->l2_hit_percent == 50);
    CHECK(tool.calls() == 3);
    CHECK(tool.metrics.size() == 22); // and are not asked for again
    CHECK(tool.run().has_value());
    CHECK(tool.calls() == 4);
}

TEST_CASE("profiled run: a tool that does not work says why") {
    struct way {
        char const* what;
        std::string program, text, driver, told;
        lkt::condition kind = lkt::condition::unavailable;
    };
    for (way const& w :
         {way{"no permission",
              "echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission' >\"$log\"\n"
              "\"$@\"\n",
              "",
              "works=1",
              "ERR_NVGPUCTRPERM"},
          way{"no library",
              "echo '==ERROR== LibraryNotLoaded' >\"$log\"\nexit 1\n",
              "",
              "works=1",
              "LibraryNotLoaded"},
          way{"no worker", "echo out of order >&2\nexit 1\n", "", "works=1", "out of order"},
          way{"no log", "\"$@\"\n", "", "works=1", "no row of numbers"},
          way{"garbage", works, "\"ID\x01\",,,\"\n\n\"\"\"", "works=1", "no row of numbers"},
          way{"a table without numbers",
              works,
              "\"ID\",\"dram__bytes.sum\"\n\"0\",\"n/a\"\n",
              "works=1",
              "no row of numbers"},
          way{"no device", works, table, "init=100", "no device"},
          way{"every metric unknown",
              "for m in $(echo \"$metrics\" | tr , ' '); do\n"
              "echo \"==ERROR== Failed to find metric $m\"; done >\"$log\"\nexit 1\n",
              "",
              "works=1",
              "Failed to find metric"},
          way{"a crash under it alone",
              works,
              table,
              "works=1,launch=719",
              "fails only under Nsight Compute",
              lkt::condition::transient}}) {
        CAPTURE(w.what);
        stand_in tool(w.program, w.text);
        tool.driver = w.driver;
        auto const p = tool.run();
        REQUIRE(p.has_error());
        CHECK(p.error().code == "lkt.cuda.profiler");
        CHECK(p.error().kind == w.kind);
        CHECK_MESSAGE(p.error().message.find(w.told) != std::string::npos, p.error().message);
        CHECK(tool.calls() == 1);
    }
}

TEST_CASE("profiled run: a tool that takes too long, before the launch or in it") {
    for (char const* program : {"sleep 60\n", "exec \"$@\"\n"}) {
        CAPTURE(program);
        stand_in tool(program);
        tool.limit = std::chrono::seconds{1};
        tool.driver = "works=1,launch=600"; // not ready, ever
        auto const begin = std::chrono::steady_clock::now();
        auto const p = tool.run();
        CHECK(p.error().code == "lkt.cuda.profiler");
        CHECK(p.error().kind == lkt::condition::unavailable);
        CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{15});
    }
}

TEST_CASE("profiled run: it can be cancelled") {
    stand_in tool("sleep 60\n");
    std::stop_source stop;
    stop.request_stop();
    auto const begin = std::chrono::steady_clock::now();
    CHECK(tool.run({stop.get_token(), {}}).error().kind == lkt::condition::cancelled);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{10});
}

TEST_CASE("profiled run: the back end tries a tool that does not work once") {
    stand_in tool("echo '==ERROR== ERR_NVGPUCTRPERM' >\"$log\"\n\"$@\"\n");
    lkt::cuda_options o;
    o.worker = tool.worker();
    o.profiler = (tool.folder / "ncu").string();
    lkt::cuda gpu(o);
    CHECK(gpu.can_profile());
    auto const profile = [&] {
        return stand_in::with_launch(
            [&](auto const& kernel, auto const& request) { return gpu.profile(kernel, request); });
    };
    auto const first = profile(), second = profile();
    CHECK(first.error().message.find("ERR_NVGPUCTRPERM") != std::string::npos);
    CHECK(second.error().message == first.error().message);
    CHECK(tool.calls() == 1);

    o.profiler = (tool.folder / "nowhere").string();
    lkt::cuda without(o);
    auto const missing =
        stand_in::with_launch([&](auto const& k, auto const& r) { return without.profile(k, r); });
    CHECK(missing.error().code == "lkt.cuda.profiler");
    CHECK(missing.error().kind == lkt::condition::unavailable);
}
