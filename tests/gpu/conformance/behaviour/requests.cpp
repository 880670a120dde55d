// SPDX-License-Identifier: BSL-1.0
// Requests that make no sense are errors of whoever asks, never verdicts on a kernel.
#include "programs.hpp"

using namespace conformance;
using namespace support;

TEST_CASE("requests: those that make no sense are errors, and say so") {
    auto const t = counter();
    auto const kernel = compiled(t);
    request_over over(t);
    auto& r = over.request;
    auto const code = [&] {
        auto const o = tested().gpu.run(kernel, r, {});
        if (o) return std::string{};
        CHECK(o.error().kind == lkt::condition::rejected);
        CHECK(!o.error().message.empty());
        return o.error().code;
    };
    auto const wrong = "lkt." + tested().name + ".request";
    CHECK(code().empty());
    SUBCASE("a launch is kept that is not made") { r.keep = {1}; }
    SUBCASE("a launch is kept twice") {
        r.launches = 2;
        r.keep = {0, 0};
    }
    SUBCASE("launches are kept out of order") {
        r.launches = 2;
        r.keep = {1, 0};
    }
    SUBCASE("a warm-up is kept") {
        r.warmups = 1;
        r.keep = {-1};
    }
    SUBCASE("a launch is kept that a series may end before") {
        r.launches = 5;
        r.sampling.min_launches = 2;
        r.sampling.precision = 0.5;
        r.keep = {3};
    }
    SUBCASE("no launches") {
        r.launches = 0;
        r.keep = {};
    }
    SUBCASE("warm-ups below zero") { r.warmups = -1; }
    SUBCASE("a direction too few") { r.directions = std::span{over.directions}.first(1); }
    SUBCASE("an argument too few") {
        r.arguments = std::span{over.arguments}.first(1);
        r.directions = std::span{over.directions}.first(1);
    }
    SUBCASE("an argument too many") {
        over.arguments.push_back(value(1).data);
        over.directions.push_back(lkt::direction::in);
        r.arguments = over.arguments;
        r.directions = over.directions;
    }
    SUBCASE("a value in the place of a buffer") { over.arguments[1] = value(1).data; }
    CHECK(code() == wrong);
    CHECK(next_one_runs());
}

TEST_CASE("requests: a kernel that nobody compiled") {
    auto const t = counter();
    request_over over(t);
    CHECK(tested().gpu.run({}, over.request, {}).error().code ==
          "lkt." + tested().name + ".request");
}

TEST_CASE("requests: a language that the back end does not have is refused") {
    lkt::compile_request other;
    bool const cuda = tested().language == lkt::language::cuda;
    other.source = {cuda ? lkt::language::wgsl : lkt::language::cuda,
                    cuda ? "@compute @workgroup_size(1) fn k() {}" : "__global__ void k() {}",
                    {}};
    other.signature.name = "k";
    auto const no = tested().gpu.compile(other, {}).value();
    REQUIRE(std::holds_alternative<lkt::failure>(no));
    auto const* const why = std::get_if<lkt::refused>(&std::get<lkt::failure>(no));
    REQUIRE(why != nullptr);
    CHECK(why->what == lkt::to_string(other.source.language));
    CHECK(next_one_runs());
}
