// SPDX-License-Identifier: BSL-1.0
#include <lkt/tuner/verifier.hpp>

#include <lkt/gpu/host.hpp>
#include <lkt/report/json.hpp>
#include <lkt/report/text.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <doctest/doctest.h>

#include "../support/fake_gpu.hpp"

#include <string>

using namespace lkt_test;

namespace {

std::string replaced(std::string text, std::string const& what, std::string const& by) {
    return text.replace(text.find(what), what.size(), by);
}

lkt::kernel_source cuda(std::string text) { return {lkt::language::cuda, std::move(text), {}}; }

} // namespace

TEST_CASE("One preparation is good for many candidates") {
    lkt::verifier verifier{lkt::host{}};
    REQUIRE(verifier.prepare(twice_problem()).has_value());

    auto const honest = verifier.verify(cuda(replaced(original_text, "2 * x[i]", "x[i] + x[i]")));
    REQUIRE(honest.has_value());
    CHECK(honest->accepted());
    CHECK(text_report(*honest).starts_with("accepted"));
    CHECK(text_report(*honest).find(", at the listed sizes only: ") != std::string::npos);

    auto const wrong = verifier.verify(cuda(replaced(original_text, "2 * x[i]", "3 * x[i]")));
    REQUIRE(wrong.has_value());
    CHECK_FALSE(wrong->accepted());
    CHECK(text_report(*wrong).starts_with("rejected: "));
    auto const json = json_report(*wrong);
    CHECK(json.at("accepted") == false);
    CHECK(json.at("reason").as_string().size() > 10);
    auto const& evidence = json.at("evidence").as_object();
    CHECK(evidence.at("argument") == "y");
    CHECK(evidence.at("size").as_object().at("N") == 64);
    CHECK(json.at("stages").as_array().size() == wrong->stages.size());

    auto const beside = verifier.verify(cuda(replaced(original_text, "if (i < n)", "")));
    REQUIRE(beside.has_value());
    CHECK(beside->accepted()); // 64 is a multiple of 32: nothing at this size tells
}

TEST_CASE("An original that cannot be a reference is an error, not a verdict") {
    auto task = twice_problem();
    task.reference.text = "__global__ void twice(float const* x, float* y, int n) { y[0] = z; }";
    lkt::verifier verifier{lkt::host{}};
    auto const ready = verifier.prepare(task);
    REQUIRE_FALSE(ready.has_value());
    CHECK(ready.error().code == "lkt.verify.reference");
    CHECK_FALSE(verifier.verify(cuda(original_text)).has_value());
}
