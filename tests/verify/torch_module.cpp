// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/torch_module.hpp>

#include <lkt/problems/problem_file.hpp>
#include <lkt/verify/python_script.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

std::string const linear = R"(
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.norm = nn.BatchNorm1d(n)
        self.linear = nn.Linear(n, m)
    def forward(self, size):
        return torch.relu(self.linear(self.norm(size)))

class Weird(nn.Module):
    def __init__(self, *a):
        super().__init__()
        self.hidden = torch.ones(3)
    def forward(self, size):
        return size

class Random(nn.Module):
    def __init__(self, *a):
        super().__init__()
    def forward(self, size):
        return size + torch.rand(5)

class Product(nn.Module):
    def __init__(self, *a):
        super().__init__()
    def forward(self, x, half, count):
        return x @ x.t() * count, half

def get_init_inputs():
    return [5, 3]
)";
std::string const one_input = "def get_inputs():\n    return [torch.rand(8, 5)]\n";

lkt::result<lkt::problem_file> problem_of(std::string const& name, std::string const& inputs) {
    auto const text = lkt::problem_of_module(
        {.text = linear + inputs, .name = name, .kernel = "layer", .origin = "m.py"});
    if (!text) return text.error();
    return lkt::parse_problem_file(*text, {}, "m.py");
}

} // namespace

TEST_CASE("a module becomes an operation whose inputs are its arguments and weights") {
    if (auto const python = lkt::find_python(lkt::array_library::torch); !python) {
        MESSAGE("skipped: " << python.error().message);
        return;
    }
    auto const made = problem_of("Model", one_input);
    REQUIRE_MESSAGE(made.has_value(), (made ? "" : made.error().message));
    auto const& task = made->task;
    CHECK(task.unwritten);
    CHECK(task.signature.name == "layer");
    CHECK(task.size == lkt::problem_size{{"batch", 8}});
    std::string names;
    for (auto const& a : task.signature.arguments) names += a.name + " ";
    CHECK(names == "size_in norm_weight norm_bias norm_running_mean norm_running_var linear_weight "
                   "linear_bias out batch ");
    CHECK(task.further_sizes.size() == 2); // any number of examples
    CHECK(task.arguments[4].min.value() > 0);
    CHECK(task.oracle->from == lkt::oracle_source::kind::torch);
    CHECK(task.oracle->text.find("functional_call") != std::string::npos);

    // Several arguments and outputs, a number, and a first extent that is not free.
    auto const product = problem_of(
        "Product", "def get_inputs():\n    return [torch.rand(4, 5), torch.rand(4).half(), 3]\n");
    REQUIRE_MESSAGE(product.has_value(), (product ? "" : product.error().message));
    CHECK(product->task.further_sizes.empty());
    CHECK(product->task.signature.arguments.size() == 6);

    for (auto const& [name, inputs, word] :
         {std::tuple("Weird", one_input, "register_buffer"),
          std::tuple("Random", one_input, "something else each time"),
          std::tuple("Model", std::string(), "get_inputs"),
          std::tuple("a b", one_input, "no name")}) {
        auto const wrong = problem_of(name, inputs);
        REQUIRE_FALSE(wrong.has_value());
        CHECK(wrong.error().code == "lkt.verify.torch_module");
        CHECK_MESSAGE(wrong.error().message.find(word) != std::string::npos, wrong.error().message);
    }
}
