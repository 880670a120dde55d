// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/write_kernel.hpp>

#include <doctest/doctest.h>

#include <lkt/problems/problem_file.hpp>

#include <string>

namespace {

lkt::problem operation(std::string const& language) {
    auto const p =
        lkt::parse_problem(R"({
        "KernelSpecification": {"Language": ")" +
                               language + R"(", "KernelName": "scale", "ProblemSize": [64]},
        "lkt": {"size_names": ["N"], "operation": {
            "numpy": {"source": "def scale(x, f):\n    return f * x", "function": "scale"},
            "inputs": [{"name": "x", "shape": ["N"]}, {"name": "f", "value": 2.5}],
            "outputs": [{"name": "y", "shape": ["N", 2]}]}}})",
                           ".");
    REQUIRE_MESSAGE(p.has_value(), to_string(p.error()));
    return *p;
}

} // namespace

TEST_CASE("An operation declares a kernel in each language, with the same arguments") {
    for (std::string const language : {"CUDA", "HIP", "WGSL"}) {
        CAPTURE(language);
        auto const task = operation(language);
        CHECK(task.unwritten);
        REQUIRE(task.signature.arguments.size() == 4);
        std::string names;
        for (lkt::argument const& a : task.signature.arguments) names += a.name + " ";
        CHECK(names == "x y f N ");
        CHECK(task.flow(0) == lkt::direction::in);
        CHECK(task.flow(1) == lkt::direction::out);
        CHECK(task.arguments[1].count.text() == "(N) * (2)");
        CHECK(task.oracle->function == "lkt_operation");
    }
}

TEST_CASE("The prompts ask for a kernel, and show the function") {
    auto const task = operation("WGSL");
    lkt::tuned_kernel declared;
    declared.kernel.source = task.reference;
    declared.kernel.launch = task.launch;
    lkt::device_description const device;
    lkt::brief const b{task, declared, declared.time, device};
    lkt::first_kernel_prompts const prompts;
    auto const system = prompts.system(b), words = prompts.task(b);
    CHECK(system.find("You write GPU kernels") == 0);
    CHECK(system.find("original") == std::string::npos);
    CHECK(words.find("Write this kernel.") == 0);
    CHECK(words.find("return f * x") != std::string::npos);
    CHECK(words.find("faster") == std::string::npos);
    CHECK(prompts(lkt::wrong_signature{"a", "b"}).find("declaration") != std::string::npos);
}

TEST_CASE("A kernel becomes the reference, in the configuration that it was judged in") {
    auto task = operation("CUDA");
    lkt::candidate kernel;
    kernel.source = task.reference;
    kernel.source.text += "// written\n";
    kernel.launch = task.launch;
    kernel.parameters = {{"BLOCK", {std::int64_t{32}, std::int64_t{64}}}};
    lkt::configuration config;
    config.values.emplace_back("BLOCK", std::int64_t{64});
    REQUIRE(lkt::take_first_kernel(task, kernel, config).has_value());
    CHECK_FALSE(task.unwritten);
    CHECK(task.reference.text == kernel.source.text);
    CHECK(task.parameters.front().values.front() == lkt::parameter_value(std::int64_t{64}));
    kernel.source.text = "no kernel";
    CHECK_FALSE(lkt::take_first_kernel(task, kernel, config).has_value());
}
