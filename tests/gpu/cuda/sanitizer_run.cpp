// SPDX-License-Identifier: BSL-1.0
// The whole way of a checked launch: a stand-in for the tool starts a worker on the imitated
// driver, and leaves a log.
#include <lkt/gpu/cuda/detail/sanitizer_run.hpp>

#include <doctest/doctest.h>

#include <lkt/gpu/cuda/device_service.hpp>
#include <lkt/gpu/device/client.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <unistd.h>

using namespace lkt::cuda_detail;
namespace fs = std::filesystem;

namespace {

constexpr char const* clean = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n";

/// A folder with a program that is called like the tool, and the logs that it is to leave.
struct stand_in {
    fs::path folder = fs::temp_directory_path() / ("lkt-cs-run-" + std::to_string(::getpid()));
    std::string driver = "works=1";

    explicit stand_in(std::string const& program = "\"$@\"\ncode=$?\n"
                                                   "sleep 0.2\n"
                                                   "cat \"$LOGS/$tool\" >\"$log\"\nexit $code\n") {
        fs::create_directories(folder);
        std::ofstream(folder / "tool")
            << "#!/bin/sh\n"
               "while [ $# -gt 0 ]; do case \"$1\" in\n"
               "--tool) tool=$2; shift 2 ;; --log-file) log=$2; shift 2 ;;\n"
               "--*) shift 2 ;; *) break ;; esac; done\n"
               "echo \"$tool\" >>\"$LOGS/order\"\n"
            << program;
        fs::permissions(folder / "tool", fs::perms::owner_all);
        for (char const* const tool : {"memcheck", "racecheck", "initcheck", "synccheck"})
            leave(tool, clean);
    }
    ~stand_in() { fs::remove_all(folder); }
    void leave(char const* tool, std::string const& log) const {
        std::ofstream(folder / tool) << log;
    }
    /// The tools that were started.
    [[nodiscard]] std::multiset<std::string> started() const {
        std::ifstream file(folder / "order");
        return {std::istream_iterator<std::string>(file), {}};
    }
    [[nodiscard]] lkt::result<lkt::run_outcome> run(lkt::call_context const& context = {},
                                                    bool own_barriers = false) const {
        return run_all(1, context, own_barriers).front();
    }
    /// So many launches: of element 0 the first has 1, the second 2.
    [[nodiscard]] std::vector<lkt::result<lkt::run_outcome>> run_all(
        std::size_t count, lkt::call_context const& context = {}, bool own_barriers = false) const {
        sanitizer_settings how;
        how.own_barriers = own_barriers;
        how.program = (folder / "tool").string();
        how.tools = {"memcheck", "racecheck", "initcheck", "synccheck"};
        how.worker.environment = {std::string("LKT_CUDA_DRIVER=") + LKT_FAKE_DRIVER_LIBRARY,
                                  "LKT_FAKE_DRIVER=" + driver,
                                  "LOGS=" + folder.string()};
        lkt::compiled_kernel kernel;
        kernel.checked = true;
        kernel.signature.name = "k";
        kernel.signature.arguments.resize(2);
        for (auto& a : kernel.signature.arguments) a.pointer = true;
        kernel.handle = std::make_shared<device_program>(
            device_program{lkt::fresh_contents(), pack(cubin_program{"k", "image", false})});
        std::vector<std::vector<lkt::argument_data>> arguments;
        for (std::size_t k = 0; k < count; ++k) {
            std::vector<float> const x{static_cast<float>(k + 1), 2, 3};
            arguments.push_back({lkt::make_buffer({lkt::scalar_type::float32}, std::span{x}),
                                 lkt::make_buffer({lkt::scalar_type::float32}, std::span{x})});
        }
        std::vector<lkt::direction> const directions{lkt::direction::in, lkt::direction::inout};
        std::vector<lkt::run_request> requests;
        for (std::size_t k = 0; k < count; ++k) {
            lkt::run_request& request = requests.emplace_back();
            request.arguments = arguments[k];
            request.directions = directions;
            request.launches = 4;
            request.keep = {1, 3};
            request.sampling.min_launches = 4;
            request.time_limit = lkt::seconds{0.5};
        }
        return run_sanitized(how, kernel, requests, context);
    }
    using device_program = lkt::device_detail::program;
};

} // namespace

TEST_CASE("sanitized run: a kernel that no tool objects to has a report with its outputs") {
    stand_in const tool;
    auto const outcome = tool.run();
    REQUIRE_MESSAGE(outcome.has_value(), lkt::to_string(outcome.error()));
    auto const& report = std::get<lkt::run_report>(*outcome);
    CHECK(tool.started() ==
          std::multiset<std::string>{"memcheck", "racecheck", "initcheck", "synccheck"});
    CHECK(report.samples.size() == 1);
    REQUIRE(report.kept.size() == 1);
    CHECK(report.kept[0].launch == 1);
    REQUIRE(report.kept[0].outputs.size() == 1);
    CHECK(report.kept[0].outputs[0].lane<float>(2) == 3);
    CHECK(report.timing.find("synccheck") != std::string::npos);
}

TEST_CASE("sanitized run: several launches share the processes of the tools") {
    stand_in const tool;
    auto const outcomes = tool.run_all(3);
    CHECK(tool.started() ==
          std::multiset<std::string>{"memcheck", "racecheck", "initcheck", "synccheck"});
    REQUIRE(outcomes.size() == 3);
    for (std::size_t k = 0; k < 3; ++k) {
        REQUIRE_MESSAGE(outcomes[k].has_value(), lkt::to_string(outcomes[k].error()));
        auto const& report = std::get<lkt::run_report>(*outcomes[k]);
        REQUIRE(report.kept.size() == 1);
        CHECK(report.kept[0].launch == 1);
        CHECK(report.kept[0].outputs[0].lane<float>(0) == static_cast<float>(k + 1));
    }
}

TEST_CASE("sanitized run: where something is found in one of several, each is looked at alone") {
    // The log of both together has a finding, and of the two alone the second's.
    stand_in const tool("\"$@\"\ncode=$?\nruns=$(grep -c memcheck \"$LOGS/order\")\n"
                        "if [ $tool = memcheck ] && [ $runs != 2 ]\n"
                        "then cat \"$LOGS/found\" >\"$log\"\n"
                        "else cat \"$LOGS/$tool\" >\"$log\"\nfi\nexit $code\n");
    tool.leave("found",
               "========= Invalid __global__ write of size 4 bytes\n"
               "=========     at k(int *)+0x160 in kernel:6\n"
               "========= ERROR SUMMARY: 1 error\n");
    auto const outcomes = tool.run_all(2);
    REQUIRE(outcomes.size() == 2);
    REQUIRE_MESSAGE(outcomes[0].has_value(), lkt::to_string(outcomes[0].error()));
    CHECK(std::get<lkt::run_report>(*outcomes[0]).unchecked.empty());
    auto const& wrong = std::get<lkt::failure>(*outcomes[1]);
    CHECK(std::get<lkt::out_of_bounds>(wrong).where.line == 6);
    CHECK(tool.started().count("memcheck") == 3);
}

TEST_CASE("sanitized run: where no tool ends on several launches, each is looked at alone") {
    stand_in tool;
    tool.driver = "works=1,launch=719";
    auto const outcomes = tool.run_all(2);
    REQUIRE(outcomes.size() == 2);
    for (auto const& one : outcomes) {
        REQUIRE(one.has_error());
        CHECK(one.error().message.find("under it alone") != std::string::npos);
    }
    CHECK(tool.started().count("memcheck") == 3);
}

TEST_CASE("sanitized run: of the tools that find something, the first one gives the verdict") {
    stand_in const tool;
    tool.leave("racecheck",
               "========= Error: Race reported between Write access at k(int *)+0x3a0 in kernel:2\n"
               "=========     and Read access at k(int *)+0x7e0 in kernel:3 [8 hazards]\n"
               "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n");
    tool.leave("synccheck",
               "========= Barrier error detected. Missing wait.\n"
               "=========     at k(int *)+0x210 in kernel:13\n"
               "=========     by thread (32,0,0) in block (0,0,0)\n"
               "========= ERROR SUMMARY: 1 error\n");
    auto const outcome = tool.run();
    REQUIRE_MESSAGE(outcome.has_value(), lkt::to_string(outcome.error()));
    auto const& f = std::get<lkt::failure>(*outcome);
    CHECK(std::get<lkt::race>(f).what.find("line 3") != std::string::npos);
}

TEST_CASE("sanitized run: of barriers that a tool may not know, its objection is a note") {
    stand_in const tool;
    tool.leave("synccheck",
               "========= Barrier error detected. Missing wait.\n"
               "=========     at k(int *)+0x210 in kernel:13\n"
               "=========     by thread (32,0,0) in block (0,0,0)\n"
               "========= ERROR SUMMARY: 1 error\n");
    auto const note = tool.run({}, true);
    REQUIRE_MESSAGE(note.has_value(), lkt::to_string(note.error()));
    auto const& report = std::get<lkt::run_report>(*note);
    CHECK(report.unchecked.find("Missing wait") != std::string::npos);
    CHECK(report.unchecked.find("nothing was found by memcheck, racecheck, initcheck") !=
          std::string::npos);
    CHECK(report.kept.size() == 1);
    auto const verdict = tool.run({}, false);
    CHECK(std::holds_alternative<lkt::race>(std::get<lkt::failure>(*verdict)));
    tool.leave("memcheck",
               "========= Invalid __global__ write of size 4 bytes\n"
               "=========     at k(int *)+0x160 in kernel:6\n"
               "========= ERROR SUMMARY: 1 error\n");
    auto const other = tool.run({}, true);
    CHECK(std::holds_alternative<lkt::out_of_bounds>(std::get<lkt::failure>(*other)));
    CHECK(has_own_barriers("asm volatile(\"bar.sync 1, 64;\");"));
    CHECK(has_own_barriers("cuda::barrier<cuda::thread_scope_block> b;"));
    CHECK(!has_own_barriers("__syncthreads(); __syncwarp(); // the barrier"));
}

TEST_CASE("sanitized run: a launch that the tool ends, and whose error it tells") {
    stand_in tool;
    tool.driver = "works=1,launch=719";
    tool.leave("memcheck",
               "========= Invalid __global__ write of size 4 bytes\n"
               "=========     at k(int *)+0x160 in kernel:6\n"
               "=========     by thread (0,0,0) in block (0,0,0)\n"
               "=========     Access at 0x7f6510c0000c is out of bounds\n"
               "========= ERROR SUMMARY: 1 error\n");
    auto const outcome = tool.run();
    REQUIRE_MESSAGE(outcome.has_value(), lkt::to_string(outcome.error()));
    CHECK(std::get<lkt::out_of_bounds>(std::get<lkt::failure>(*outcome)).where.line == 6);
}

TEST_CASE("sanitized run: a tool that cannot work is no verdict") {
    struct way {
        char const* what;
        std::string program, log, driver, told;
    };
    std::string const runs = "\"$@\"\ncat \"$LOGS/$tool\" >\"$log\"\n";
    for (way const& w :
         {way{"no worker", "echo driver mismatch >&2\nexit 1\n", clean, "works=1", "mismatch"},
          way{"no log", "\"$@\"\n", clean, "works=1", "no summary"},
          way{"half a log", runs, "========= COMPUTE-SANITIZER\n", "works=1", "no summary"},
          way{"complaint",
              runs,
              "========= Error: Device not supported.\n",
              "works=1",
              "Device not supported"},
          way{"errors of the host",
              runs,
              "========= ERROR SUMMARY: 2 errors\n",
              "works=1",
              "2 err"},
          way{"no device", runs, clean, "init=100", "no device"},
          way{"no end", runs, clean, "works=1,launch=600", "under it alone"},
          way{"a crash under it alone", runs, clean, "works=1,launch=719", "under it alone"}}) {
        CAPTURE(w.what);
        stand_in tool(w.program);
        tool.driver = w.driver;
        tool.leave("memcheck", w.log);
        auto const outcome = tool.run();
        std::string told;
        if (outcome.has_error()) { // all of them are so
            told = outcome.error().message;
            CHECK(outcome.error().code == "lkt.cuda.sanitizer");
            CHECK(outcome.error().kind == lkt::condition::unavailable);
        } else {
            told = std::get<lkt::run_report>(*outcome).unchecked;
            CHECK(told.find("nothing was found by racecheck") != std::string::npos);
        }
        CHECK_MESSAGE(told.find(w.told) != std::string::npos, told);
        CHECK(told.find("memcheck: ") != std::string::npos);
        // The others had their turn.
        CHECK(tool.started() ==
              std::multiset<std::string>{"memcheck", "racecheck", "initcheck", "synccheck"});
    }
}

TEST_CASE("sanitized run: it can be cancelled") {
    stand_in const tool("sleep 60\n");
    std::stop_source stop;
    stop.request_stop();
    auto const begin = std::chrono::steady_clock::now();
    auto const outcome = tool.run({stop.get_token(), {}});
    CHECK(outcome.error().kind == lkt::condition::cancelled);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{10});
}
