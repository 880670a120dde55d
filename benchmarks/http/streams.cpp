// SPDX-License-Identifier: BSL-1.0
// 256 streams at once, asked for by one thread, against what the same server gives `wrk` (which
// reads answers but understands nothing but their HTTP): paced as a model writes, and as fast as
// the server can. Alternately, since other work on the machine hits both; medians count.
#include "server.hpp"

#include <lkt/llm/http.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;
constexpr int rounds = 5;
constexpr std::size_t in_flight = 256;
constexpr std::chrono::milliseconds to_settle{700}, window{2500};
constexpr char prompt[] = "Which block size suits a matrix multiplication of 4096 x 4096 floats?";

double cpu_seconds(int whose) {
    rusage used{};
    getrusage(whose, &used);
    auto const seconds = [](timeval const& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Memory in use, in MB; `VmHWM` is the most so far.
double megabytes(std::string const& field) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(field + ":")) return std::stod(line.substr(field.size() + 1)) / 1024;
    return 0;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    auto const middle = values.size() / 2;
    return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

lkt::http_model model_at(std::string const& url) {
    lkt::http_options options;
    options.base_url = url;
    options.model = "tiny";
    options.key = [] { return std::string(); };
    options.proxy = "none";
    options.max_in_flight = in_flight;
    return lkt::http_model(options);
}

std::vector<lkt::chat_request> requests(std::size_t n) {
    lkt::chat_request one;
    one.messages.push_back({lkt::role::user, prompt});
    return std::vector<lkt::chat_request>(n, one);
}

/// All replies but those cut off by a stop must be whole; the number of those that are.
std::size_t whole(std::vector<lkt::result<lkt::chat_reply>> const& replies) {
    std::string expected;
    for (int k = 0; k < streams::words; ++k) expected += streams::word;
    std::size_t n = 0;
    for (auto const& each : replies) {
        if (!each && each.error().kind == lkt::condition::cancelled) continue;
        if (!each) throw std::runtime_error(to_string(each.error()));
        if (each->text != expected || each->usage.output != streams::words)
            throw std::runtime_error("a reply is not what the server sent: " + each->text);
        ++n;
    }
    return n;
}

struct measured {
    double calls_a_second = 0, cpu_us_a_call = 0;
};

/// Answers that the server sends within the window.
double rate(streams::server const& server) {
    std::this_thread::sleep_for(to_settle);
    auto const before = server.done().answers.load();
    auto const begin = clock_type::now();
    std::this_thread::sleep_for(window);
    std::chrono::duration<double> const took = clock_type::now() - begin;
    return static_cast<double>(server.done().answers - before) / took.count();
}

measured with_lkt(streams::server const& server, std::string const& mode, std::size_t enough) {
    auto model = model_at(server.url(mode));
    auto const asked = requests(enough);
    std::stop_source stop;
    lkt::call_context context;
    context.stop = stop.get_token();
    std::vector<lkt::result<lkt::chat_reply>> replies;
    double const before = cpu_seconds(RUSAGE_SELF);
    std::thread asking([&] { replies = model.complete_all(asked, context); });
    measured m;
    m.calls_a_second = rate(server);
    stop.request_stop();
    asking.join();
    double const used = cpu_seconds(RUSAGE_SELF) - before;
    auto const n = whole(replies);
    if (n == enough) throw std::runtime_error("the requests ran out before the time did");
    m.cpu_us_a_call = used / static_cast<double>(n) * 1e6;
    return m;
}

measured
with_wrk(streams::server const& server, std::string const& mode, std::string const& script) {
    auto const seconds = std::chrono::ceil<std::chrono::seconds>(to_settle + window).count();
    auto const command = "wrk -t1 -c" + std::to_string(in_flight) + " -d" +
                         std::to_string(seconds) + "s -s '" + script + "' " + server.url(mode) +
                         "/chat/completions 2>&1";
    double const before = cpu_seconds(RUSAGE_CHILDREN);
    auto const sent = server.done().answers.load();
    FILE* const wrk = popen(command.c_str(), "r");
    if (!wrk) throw std::runtime_error("wrk cannot be started");
    measured m;
    m.calls_a_second = rate(server);
    std::string said;
    for (int c = 0; (c = std::fgetc(wrk)) != EOF;) said += static_cast<char>(c);
    if (pclose(wrk) != 0 || said.find("Non-2xx") != said.npos ||
        said.find("Socket errors") != said.npos)
        throw std::runtime_error("wrk was not content:\n" + said);
    m.cpu_us_a_call = (cpu_seconds(RUSAGE_CHILDREN) - before) /
                      static_cast<double>(server.done().answers - sent) * 1e6;
    return m;
}

void figure(std::string const& name, double value, char const* unit) {
    std::printf("figure http_%s %.2f %s\n", name.c_str(), value, unit);
    std::fflush(stdout);
}

int missed = 0;
void bar(bool met, char const* what) {
    if (met) return;
    ++missed;
    std::printf("missed: %s\n", what);
}

/// The ratio to wrk, where there is one.
double compare(streams::server const& server,
               std::string const& mode,
               std::size_t enough,
               std::string const& script) {
    std::vector<double> rates, cpu, wrk_rates, wrk_cpu, ratios;
    for (int k = 0; k < rounds; ++k) {
        auto const ours = with_lkt(server, mode, enough);
        rates.push_back(ours.calls_a_second);
        cpu.push_back(ours.cpu_us_a_call);
        if (script.empty()) continue;
        auto const theirs = with_wrk(server, mode, script);
        wrk_rates.push_back(theirs.calls_a_second);
        wrk_cpu.push_back(theirs.cpu_us_a_call);
        ratios.push_back(ours.calls_a_second / theirs.calls_a_second);
        std::printf("%s: lkt %.0f calls/s with %.0f us each, wrk %.0f with %.0f us\n",
                    mode.c_str(),
                    ours.calls_a_second,
                    ours.cpu_us_a_call,
                    theirs.calls_a_second,
                    theirs.cpu_us_a_call);
    }
    figure(mode + "_calls", median(rates), "calls/s");
    figure(mode + "_events", median(rates) * (streams::words + 3), "events/s");
    figure(mode + "_cpu_a_call", median(cpu), "us");
    if (mode == "unpaced") bar(median(cpu) <= 100, "a call costs at most 100 us, its text decoded");
    if (script.empty()) return 1;
    figure(mode + "_wrk_calls", median(wrk_rates), "calls/s");
    figure(mode + "_wrk_cpu_a_call", median(wrk_cpu), "us");
    figure(mode == "paced" ? "streams_ratio" : "streams_ratio_" + mode, median(ratios), "x");
    return median(ratios);
}

/// A program that asks on and on needs no more memory for it.
void memory(streams::server const& server) {
    auto model = model_at(server.url("unpaced"));
    auto const asked = requests(1000);
    double first = 0, last = 0;
    for (int k = 0; k < 10; ++k) {
        if (whole(model.complete_all(asked, {})) != asked.size())
            throw std::runtime_error("a call was not made");
        last = megabytes("VmRSS");
        if (k == 0) first = last;
    }
    figure("memory_after_1000_calls", first, "MB");
    figure("memory_growth_by_9000_more", last - first, "MB");
    bar(last - first <= 2, "memory is bounded; replies of 9,000 calls would be 3 MB");
    figure("memory_peak", megabytes("VmHWM"), "MB");
    figure("connections_for_10000_calls",
           static_cast<double>(model.counters().connections),
           "connections");
}

} // namespace

int main() try {
    streams::server const server;
    memory(server);
    std::string script;
    if (std::system("command -v wrk >/dev/null 2>&1") == 0) {
        script = std::filesystem::temp_directory_path() /
                 ("lkt-bench-" + std::to_string(::getpid()) + ".lua");
        std::ofstream(script) << "wrk.method = \"POST\"\n"
                                 "wrk.headers[\"Content-Type\"] = \"application/json\"\n"
                                 "wrk.body = [[{\"model\":\"tiny\",\"messages\":[{\"role\":"
                                 "\"user\",\"content\":\""
                              << prompt
                              << "\"}],\"stream\":true,"
                                 "\"stream_options\":{\"include_usage\":true}}]]\n";
    } else {
        std::printf("wrk is missing, so nothing is compared: apt-get install wrk\n");
    }
    bar(compare(server, "paced", 20'000, script) >= 0.95, "95 % of what the server gives wrk");
    (void)compare(server, "unpaced", 200'000, script);
    if (!script.empty()) std::filesystem::remove(script);
    return missed > 0;
} catch (std::exception const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
