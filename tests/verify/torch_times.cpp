// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/torch_times.hpp>

#include <lkt/problems/problem_file.hpp>
#include <lkt/verify/python_script.hpp>
#include <lkt/verify/torch_module.hpp>

#include <doctest/doctest.h>

#include <string>
#include <tuple>

namespace {

/// An operation of two sizes, a scalar and a parameter; `line` is the first of its function.
lkt::problem operation(std::string const& line) {
    std::string const text = R"({
        "KernelSpecification": {"KernelName": "scale", "ProblemSize": [3, 5]},
        "lkt": {"size_names": ["M", "N"], "operation": {
            "torch": {"source": ["import torch", "def scale(x, picked, by, more):", ")" +
                             line + R"(", "    return (x * by + more)[picked.long()]"],
                      "function": "scale"},
            "inputs": [{"name": "x", "shape": ["M", "N"]},
                       {"name": "picked", "shape": [2], "dtype": "int32"},
                       {"name": "by", "value": 2.5}],
            "outputs": [{"name": "y", "shape": [2, "N"]}],
            "parameters": {"more": 4}},
            "domain": {"picked": {"min": 0, "max": 2}}}})";
    auto const read = lkt::parse_problem_file(text, {}, "scale.json");
    REQUIRE_MESSAGE(read.has_value(), (read ? "" : read.error().message));
    return read->task;
}

lkt::torch_times_options const on_the_cpu{.device = "cpu", .launches = 7};

} // namespace

TEST_CASE("An operation of torch is timed as its user would call it") {
    if (auto const python = lkt::find_python(lkt::array_library::torch); !python) {
        MESSAGE("skipped: " << python.error().message);
        return;
    }
    // In the kernel's types, with its shapes and numbers; the function says what it got otherwise.
    auto const times = lkt::time_torch(
        operation("    assert x.dtype == torch.float32 and x.shape == (3, 5) and by == 2.5 and "
                  "more == 4 and picked.dtype == torch.int32 and 0 <= picked.min() and "
                  "picked.max() <= 2, (x, picked, by, more)"),
        on_the_cpu);
    REQUIRE_MESSAGE(times.has_value(), (times ? "" : times.error().message));
    REQUIRE(times->size() == 2);
    CHECK(times->front().name.starts_with("torch "));
    CHECK(times->front().name.ends_with(", eager"));
    CHECK(times->front().time.samples.size() == 7);
    CHECK(times->front().time.minimum().count() > 0);
    CHECK(times->front().why.empty());
    CHECK(times->back().name.ends_with(", torch.compile"));
    CHECK(times->back().time.empty() == !times->back().why.empty());

    // A module is made once, not for each call.
    std::string const module = R"(
import torch
made = []
class Model(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        made.append(n)
        self.linear = torch.nn.Linear(n, 3)
    def forward(self, x, by):
        assert x.dtype == torch.float64 or (made == [5] and x.dtype == torch.float32), made
        return self.linear(x) * by
def get_inputs():
    return [torch.rand(4, 5), 2.5]
def get_init_inputs():
    return [5]
)";
    auto const text =
        lkt::problem_of_module({.text = module, .name = "Model", .kernel = "k", .origin = "m.py"});
    REQUIRE_MESSAGE(text.has_value(), (text ? "" : text.error().message));
    auto const read = lkt::parse_problem_file(*text, {}, "m.py");
    REQUIRE(read.has_value());
    auto const of_module = lkt::time_torch(read->task, on_the_cpu);
    REQUIRE_MESSAGE(of_module.has_value(), (of_module ? "" : of_module.error().message));
    CHECK(of_module->front().time.samples.size() == 7);
}

TEST_CASE("What torch cannot time is an error that says why") {
    lkt::problem plain;
    auto const none = lkt::time_torch(plain, on_the_cpu);
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().code == "lkt.verify.torch_times");
    if (!lkt::find_python(lkt::array_library::torch)) return;
    auto const fails =
        lkt::time_torch(operation("    raise ValueError('no such thing')"), on_the_cpu);
    REQUIRE_FALSE(fails.has_value());
    CHECK_MESSAGE(fails.error().message.find("ValueError: no such thing") != std::string::npos,
                  fails.error().message);
    auto const nowhere =
        lkt::time_torch(operation("    pass"), {.device = "cuda:99", .launches = 3});
    REQUIRE_FALSE(nowhere.has_value());
    CHECK(nowhere.error().message.starts_with("torch failed on cuda:99: "));
    // What never ends is cut off.
    auto const endless = lkt::time_torch(operation("    import time; time.sleep(60)"),
                                         {.device = "cpu", .time_limit = std::chrono::seconds(1)});
    REQUIRE_FALSE(endless.has_value());
    CHECK(endless.error().message.find("more than 1000 ms") != std::string::npos);
}
