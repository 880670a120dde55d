// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/device/client.hpp>

#include <doctest/doctest.h>

#include <lkt/gpu/device/series.hpp>
#include <lkt/process/wire.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

using namespace lkt::device_detail;

namespace {

/// In the worker: a device whose program is one word, and whose single output is the inputs' bytes.
lkt::result<lkt::worker_message> serve_echo(lkt::worker_message request) {
    static std::set<std::uint64_t> programs, contents;
    static std::string kept;
    lkt::unpacker in(request.bytes);
    if (in.get<request_kind>() != request_kind::run) return lkt::worker_message{"opened", {}};
    return serve_job(
        in.rest(),
        std::move(request.fds),
        [](run_job const& job, auto data, std::vector<lkt::shared_memory>& outputs) {
            run_answer answer;
            // Of the last set, where there are several.
            job_set const& set = job.sets.back();
            auto const bytes = data.back().contents;
            bool const lacks = (!programs.contains(job.program) && job.program_bytes.empty()) ||
                               (!set.brings_contents && !contents.contains(set.contents));
            if (lacks) {
                answer.end = run_end::unknown_contents;
                return answer;
            }
            if (job.program_bytes == "die once" && programs.insert(job.program).second) {
                auto const marker = "/tmp/lkt_client_test_" + std::to_string(::getppid());
                if (::access(marker.c_str(), F_OK) != 0) {
                    if (std::FILE* f = std::fopen(marker.c_str(), "w")) std::fclose(f);
                    std::raise(SIGKILL);
                }
                ::unlink(marker.c_str());
            }
            if (job.program_bytes.starts_with("die always")) {
                std::fputs("the driver gives up\n", stderr);
                if (job.program_bytes.ends_with("killed")) std::raise(SIGKILL);
                if (job.program_bytes.ends_with("aborted")) std::raise(SIGABRT);
                ::_exit(7);
            }
            if (job.program_bytes == "forgetful") {
                programs.clear();
                contents.clear();
                answer.end = run_end::done;
            } else {
                programs.insert(job.program);
                contents.insert(set.contents);
            }
            if (job.program_bytes == "scribble") {
                answer.end = run_end::input_written;
                answer.what = "argument 1, which is an input, was written";
                return answer;
            }
            if (job.program_bytes == "crash") {
                answer.end = run_end::crashed;
                answer.what = "illegal address";
                return answer;
            }
            if (set.brings_contents)
                kept.assign(reinterpret_cast<char const*>(bytes.data()), bytes.size());
            for (job_set const& each : job.sets)
                for (job_map const& map : each.maps) {
                    answer.timing +=
                        std::to_string(map.parameter) + " of " + std::to_string(map.argument) + ":";
                    for (auto const extent : map.layout.extent)
                        answer.timing += " " + std::to_string(extent);
                    answer.timing += "; ";
                }
            answer.seconds = {0.5};
            answer.megahertz = {0};
            answer.sets = job.sets.size();
            answer.outputs = {{0, false, job.sets.size() - 1}};
            auto memory = *lkt::shared_memory::create(std::max<std::size_t>(kept.size(), 256));
            memory.write(0, std::as_bytes(std::span(kept)));
            outputs.push_back(std::move(memory));
            return answer;
        });
}
inline lkt::service_key const echo_key{"lkt.test.echo", lkt::layout_hash("echo", job_layout)};
lkt::service_entry const echo{echo_key, &serve_echo};

/// One buffer that goes in, one that comes out.
struct call_of {
    std::vector<lkt::argument_data> arguments{
        lkt::make_buffer<int>({lkt::scalar_type::int32, 1}, std::vector{41}),
        lkt::make_buffer<int>({lkt::scalar_type::int32, 1}, std::vector{0})};
    std::vector<lkt::direction> directions{lkt::direction::in, lkt::direction::out};
    lkt::compiled_kernel kernel;

    explicit call_of(std::string text) {
        kernel.signature.name = "k";
        for (char const* const name : {"x", "y"}) {
            lkt::argument a;
            a.name = name;
            a.type = {lkt::scalar_type::int32, 1};
            a.pointer = true;
            kernel.signature.arguments.push_back(a);
        }
        kernel.handle = std::make_shared<program>(program{lkt::fresh_contents(), std::move(text)});
    }
    [[nodiscard]] lkt::run_request request(std::uint64_t contents = 0) const {
        lkt::run_request r;
        r.arguments = arguments;
        r.directions = directions;
        r.contents = contents;
        return r;
    }
};

struct echo_client : device_client {
    int opened = 0;
    echo_client() : device_client("echo", echo_key, {}) {
        on_new_worker = [this](lkt::call_context const& context) -> lkt::result<void> {
            lkt::packer ask;
            ask.put(request_kind::open);
            auto const reply = call(std::move(ask).bytes(), std::chrono::seconds{10}, context);
            if (!reply) return reply.error();
            ++opened;
            return {};
        };
    }
};

int answer_of(lkt::result<lkt::run_outcome> const& outcome) {
    REQUIRE_MESSAGE(outcome.has_value(), lkt::to_string(outcome.error()));
    REQUIRE(std::holds_alternative<lkt::run_report>(*outcome));
    return std::get<lkt::run_report>(*outcome).kept.at(0).outputs.at(0).lane<int>(0);
}

} // namespace

TEST_CASE("device client: each set of arguments travels, and is named with the outputs") {
    echo_client client;
    call_of const call("ring");
    auto const other = std::vector{
        lkt::make_buffer<int>({lkt::scalar_type::int32, 1}, std::vector{42}), call.arguments[1]};
    auto request = call.request(lkt::fresh_contents());
    request.ring = {{other, lkt::fresh_contents(), {}}};
    for (int again = 0; again < 2; ++again) {
        auto const outcome = client.run(call.kernel, request, {});
        CHECK(answer_of(outcome) == 42);
        auto const& report = std::get<lkt::run_report>(*outcome);
        CHECK(report.sets == 2);
        CHECK(report.kept[0].set == 1);
    }
    // Of another size: not the same launch.
    auto const longer = std::vector{
        lkt::make_buffer<int>({lkt::scalar_type::int32, 1}, std::vector{1, 2}), call.arguments[1]};
    request.ring = {{longer, 0, {}}};
    CHECK(client.run(call.kernel, request, {}).error().code == "lkt.echo.request");
}

TEST_CASE("device client: tensor maps travel as numbers, for each set; a bad one does not travel") {
    echo_client client;
    call_of call("maps");
    lkt::argument n;
    n.name = "n";
    n.type = {lkt::scalar_type::int32, 1};
    call.kernel.signature.arguments.push_back(n);
    call.directions.push_back(lkt::direction::in);
    auto const set = [](std::int32_t size) {
        return std::vector{lkt::make_buffer<int>({lkt::scalar_type::int32, 1}, std::vector(64, 41)),
                           lkt::make_buffer<int>({lkt::scalar_type::int32, 1}, std::vector{0}),
                           lkt::make_scalar(lkt::scalar_type::int32, size)};
    };
    call.kernel.handle = std::make_shared<program>(
        program{lkt::fresh_contents(), "maps", {{{"ROWS", std::int64_t{2}}}}});
    auto const run = [&](std::string const& map, std::int32_t size) {
        call.kernel.signature.tensor_maps = {lkt::tensor_map::parse(map).value()};
        call.kernel.signature.tensor_maps[0].parameter = 3;
        call.arguments = set(64);
        auto const other = set(size);
        auto request = call.request();
        request.ring = {{other, 0, {}}};
        auto const outcome = client.run(call.kernel, request, {}).value();
        if (auto const* const report = std::get_if<lkt::run_report>(&outcome))
            return report->timing;
        return std::get<lkt::launch_failed>(std::get<lkt::failure>(outcome)).why;
    };
    std::string const map = "m = x[ROWS][n // ROWS], box [ROWS][4]";
    CHECK(run(map, 32) == "3 of 0: 32 2; 3 of 0: 16 2; ");
    CHECK(run(map + ", if n > 32", 32) == "3 of 0: 32 2; 3 of 0:; ");
    CHECK(run(map, 128) == "the tensor map `m`: it covers 512 bytes, but the buffer `x` has 256");
    CHECK(run("m = y[1], box [4]", 32).find("`y` is not an input") != std::string::npos);
    CHECK(run("m = x[N], box [4]", 32).find("`N`") != std::string::npos);
}

TEST_CASE("device client: a write to an input is another verdict than one beside a buffer") {
    echo_client client;
    call_of const call("scribble");
    auto const outcome = client.run(call.kernel, call.request(), {});
    REQUIRE(outcome.has_value());
    REQUIRE(std::holds_alternative<lkt::failure>(*outcome));
    CHECK(lkt::verdict_of(std::get<lkt::failure>(*outcome)) == lkt::verdict::input_mutated);
}

TEST_CASE("device client: large buffers travel whole, on several threads") {
    echo_client client;
    call_of call("large");
    std::vector<int> numbers((std::size_t{40} << 18) + 3); // 40 MiB
    for (int round = 0; round < 2; ++round) {
        for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<int>(k) ^ round;
        call.arguments = {
            lkt::make_buffer<int>({lkt::scalar_type::int32, 1}, numbers),
            {{lkt::scalar_type::int32, 1}, true, lkt::byte_buffer(numbers.size() * 4)}};
        auto const outcome = client.run(call.kernel, call.request(), {});
        CHECK(answer_of(outcome) == round);
        auto const& report = std::get<lkt::run_report>(*outcome);
        CHECK(report.kept[0].outputs[0].bytes == call.arguments[0].bytes);
    }
    CHECK(client.opened == 1);
}

TEST_CASE("device client: contents and programs travel once") {
    echo_client client;
    call_of const call("word");
    auto const id = lkt::fresh_contents();
    CHECK(answer_of(client.run(call.kernel, call.request(id), {})) == 41);
    CHECK(answer_of(client.run(call.kernel, call.request(id), {})) == 41);
    CHECK(client.opened == 1);
    CHECK(client.counters().launches == 2);
    CHECK(client.counters().device_time == lkt::seconds{1.0});
}

TEST_CASE("device client: what the worker forgot is sent again") {
    echo_client client;
    call_of const forgetful("forgetful"), call("word");
    auto const id = lkt::fresh_contents();
    CHECK(answer_of(client.run(call.kernel, call.request(id), {})) == 41);
    CHECK(answer_of(client.run(forgetful.kernel, forgetful.request(id), {})) == 41);
    CHECK(answer_of(client.run(call.kernel, call.request(id), {})) == 41);
    CHECK(client.opened == 1);
}

TEST_CASE("device client: a worker that is killed during a run is replaced, and the run repeated") {
    echo_client client;
    call_of const call("die once");
    CHECK(answer_of(client.run(call.kernel, call.request(), {})) == 41);
    CHECK(client.opened == 2);
    CHECK(client.counters().workers_lost == 1);
}

TEST_CASE("device client: a kernel that ends two workers in a row crashed") {
    echo_client client;
    call_of const good("word");
    auto const crash_of = [&](char const* text) {
        call_of const bad(text);
        auto const outcome = client.run(bad.kernel, bad.request(), {});
        REQUIRE_MESSAGE(outcome.has_value(), lkt::to_string(outcome.error()));
        auto const* const why = std::get_if<lkt::failure>(&*outcome);
        REQUIRE(why != nullptr);
        REQUIRE(std::holds_alternative<lkt::crashed>(*why));
        CHECK(answer_of(client.run(good.kernel, good.request(), {})) == 41);
        return std::get<lkt::crashed>(*why).what;
    };
    auto const aborted = crash_of("die always, aborted");
    CHECK(aborted.find("signal 6") != std::string::npos);
    CHECK(aborted.find("the driver gives up") == std::string::npos); // no word of the kernel's
    CHECK(client.counters().workers_lost == 2);
    CHECK(crash_of("die always, leaving").find("status 7") != std::string::npos);
    CHECK(client.counters().workers_lost == 4);
    // Somebody else's doing, though it came twice.
    call_of const killed("die always, killed");
    auto const outcome = client.run(killed.kernel, killed.request(), {});
    REQUIRE_FALSE(outcome.has_value());
    CHECK(outcome.error().code == "lkt.worker.died");
    CHECK(outcome.error().kind == lkt::condition::transient);
    CHECK(answer_of(client.run(good.kernel, good.request(), {})) == 41);
}

TEST_CASE("device client: a crash is the kernel's verdict, and costs a worker") {
    echo_client client;
    call_of const bad("crash"), good("word");
    auto const outcome = client.run(bad.kernel, bad.request(), {});
    REQUIRE(outcome.has_value());
    auto const& why = std::get<lkt::failure>(*outcome);
    CHECK(std::get<lkt::crashed>(why).what == "illegal address");
    CHECK(client.counters().workers_lost == 1);
    CHECK(answer_of(client.run(good.kernel, good.request(), {})) == 41);
    client.release();
    CHECK(answer_of(client.run(good.kernel, good.request(), {})) == 41);
    CHECK(client.counters().workers_lost == 1); // one given back is not one lost
}

TEST_CASE("device client: a request that cannot be run is refused before anything is sent") {
    echo_client client;
    call_of const call("word");
    auto const code = [&](auto const& change) {
        auto r = call.request();
        auto k = call.kernel;
        change(k, r);
        auto const outcome = client.run(k, r, {});
        return outcome ? std::string() : outcome.error().code;
    };
    CHECK(code([](auto& k, auto&) { k.handle = nullptr; }) == "lkt.echo.request");
    CHECK(code([](auto&, auto& r) { r.arguments = r.arguments.first(1); }) == "lkt.echo.request");
    CHECK(code([](auto& k, auto&) { k.signature.arguments[1].pointer = false; }) ==
          "lkt.echo.request");
    CHECK(code([](auto&, auto& r) { r.launches = 0; }) == "lkt.echo.request");
    CHECK(code([](auto&, auto& r) { r.keep = {1}; }) == "lkt.echo.request");
    CHECK(client.opened == 0);
}
