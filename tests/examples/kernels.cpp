// SPDX-License-Identifier: BSL-1.0
// examples/kernels: what each of them computes, in both languages, on all inputs that lkt tests it
// with, against references that were written from what the kernels' comments promise.
#include "judged.hpp"

#include <lkt/gpu/host.hpp>
#include <lkt/gpu/webgpu.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

using judged::inputs;
using judged::problem_of;
using judged::results;

results matrix_add(inputs const& in) {
    auto sum = in.at(0);
    auto const b = in.at(1);
    std::transform(sum.begin(), sum.end(), b.begin(), sum.begin(), std::plus{});
    return {sum};
}

results matrix_multiply(inputs const& in) {
    auto const m = in.extent(0), k = in.extent(1), n = in.extent(2);
    auto const a = in.at(0), b = in.at(1);
    REQUIRE(a.size() == m * k);
    REQUIRE(b.size() == k * n);
    std::vector<double> c(m * n);
    for (std::size_t i = 0; i < k; ++i)
        for (std::size_t row = 0; row < m; ++row)
            for (std::size_t column = 0; column < n; ++column)
                c[row * n + column] += a[row * k + i] * b[i * n + column];
    return {c};
}

results transpose(inputs const& in) {
    auto const matrix = in.at(0);
    std::vector<double> turned;
    for (std::size_t column = 0; column < in.extent(1); ++column)
        for (std::size_t row = 0; row < in.extent(0); ++row)
            turned.push_back(matrix[row * in.extent(1) + column]);
    return {turned};
}

results sigmoid(inputs const& in) {
    auto y = in.at(0);
    for (double& v : y) v = 0.5 + 0.5 * std::tanh(0.5 * v);
    return {y};
}

results kmeans(inputs const& in) {
    auto const points = in.at(0), centres = in.at(1);
    auto const dimensions = in.extent(2);
    REQUIRE(points.size() == in.extent(0) * dimensions);
    REQUIRE(centres.size() == in.extent(1) * dimensions);
    std::vector<double> nearest;
    for (std::size_t p = 0; p < in.extent(0); ++p) {
        std::vector<double> distances;
        for (std::size_t c = 0; c < in.extent(1); ++c) {
            double square = 0;
            for (std::size_t d = 0; d < dimensions; ++d)
                square += std::pow(points[p * dimensions + d] - centres[c * dimensions + d], 2);
            distances.push_back(std::sqrt(square));
        }
        auto const least = std::min_element(distances.begin(), distances.end());
        nearest.push_back(static_cast<double>(least - distances.begin()));
    }
    return {nearest};
}

results mandelbrot(inputs const& in) {
    auto const width = in.extent(0), height = in.extent(1);
    int const limit = in.test.arguments[3].lane<std::int32_t>(0);
    std::vector<double> steps;
    for (std::size_t row = 0; row < height; ++row)
        for (std::size_t column = 0; column < width; ++column) {
            std::complex<double> const c{
                -2 + 3 * static_cast<double>(column) / static_cast<double>(width),
                -1 + 2 * static_cast<double>(row) / static_cast<double>(height)};
            std::complex<double> z = 0;
            int k = 0;
            for (; k < limit && std::norm(z) <= 4; ++k) z = z * z + c;
            steps.push_back(k);
        }
    return {steps};
}

results game_of_life(inputs const& in) {
    auto const width = in.extent(0), height = in.extent(1);
    auto const now = in.at(0);
    // A dead rim makes all cells alike.
    std::vector<double> rimmed((width + 2) * (height + 2)), next;
    for (std::size_t row = 0; row < height; ++row)
        for (std::size_t column = 0; column < width; ++column)
            rimmed[(row + 1) * (width + 2) + column + 1] = now[row * width + column];
    for (std::size_t row = 0; row < height; ++row)
        for (std::size_t column = 0; column < width; ++column) {
            double square = 0; // the cell itself too
            for (std::size_t k = 0; k < 9; ++k)
                square += rimmed[(row + k / 3) * (width + 2) + column + k % 3];
            next.push_back(square == 3 || (square == 4 && now[row * width + column] == 1) ? 1 : 0);
        }
    return {next};
}

results verlet(inputs const& in) {
    auto const here = in.at(0), before = in.at(1), acceleration = in.at(2);
    double const dt = double{in.test.arguments[3].lane<float>(0)};
    std::vector<double> next;
    for (std::size_t i = 0; i < here.size(); ++i)
        next.push_back(here[i] + (here[i] - before[i]) + acceleration[i] * dt * dt);
    return {next, here};
}

struct example {
    std::string name;
    results (*reference)(inputs const&);
    double within = 0;      ///< of |difference|, over the larger of the reference's number and 1
    double may_differ = 0;  ///< share of the elements: borderline cases
    char const* right = ""; ///< of the CUDA text, and
    char const* wrong = ""; ///< what stands there in a defective one
};

example const examples[] = {
    {"matrix_add", matrix_add, 1e-6, 0, "column] + b", "column] - b"},
    {"matrix_multiply", matrix_multiply, 1e-5, 0, "i < k", "i < k - 1"},
    {"transpose", transpose, 0, 0, "column * rows + row", "row * columns + column"},
    {"sigmoid", sigmoid, 1e-6, 0, "expf(-x", "expf(x"},
    {"kmeans", kmeans, 0, 0, "distance < least", "distance > least"},
    // At the border of the set the last bit of a float decides.
    {"mandelbrot", mandelbrot, 0, 0.01, "2.0f * x * y", "2.0f * y"},
    {"game_of_life", game_of_life, 0, 0, "alive && ", ""},
    {"verlet", verlet, 1e-6, 0, "before.y", "before.x"},
};

/// Elements that are wrong, over all tests, as a share of the elements of the test where they are
/// most. `looked_at` counts elements.
template <class Backend>
double
wrong_share(Backend& gpu, lkt::problem const& task, example const& e, std::size_t& looked_at) {
    double most = 0;
    for (auto const& [wrong, all] : judged::wrong_elements(gpu, task, e.reference, e.within, 1)) {
        most = std::max(most, static_cast<double>(wrong) / static_cast<double>(all));
        looked_at += all;
    }
    return most;
}

} // namespace

TEST_CASE("examples/kernels: each CUDA text computes what its comment says") {
    lkt::host gpu;
    for (example const& e : examples) {
        CAPTURE(e.name);
        std::size_t looked_at = 0;
        lkt::problem task = problem_of(e.name + ".json");
        CHECK(task.further_sizes.size() >= 2);
        CHECK(wrong_share(gpu, task, e, looked_at) <= e.may_differ);
        CHECK(looked_at > 10'000);

        // The reference tells a defective text apart.
        auto const at = task.reference.text.find(e.right);
        REQUIRE(at != std::string::npos);
        task.reference.text.replace(at, std::string(e.right).size(), e.wrong);
        CHECK(wrong_share(gpu, task, e, looked_at) > 5 * e.may_differ);
    }
}

TEST_CASE("examples/kernels: each WGSL text computes the same") {
    lkt::webgpu gpu;
    if (auto const device = gpu.device(); device.has_error()) {
        CHECK(device.error().kind == lkt::condition::unavailable);
        MESSAGE("skipped: " << to_string(device.error()));
        return;
    }
    for (example const& e : examples) {
        CAPTURE(e.name);
        std::size_t looked_at = 0;
        lkt::problem const task = problem_of(e.name + ".wgsl.json");
        CHECK(wrong_share(gpu, task, e, looked_at) <= e.may_differ);
        CHECK(looked_at > 3'000);
    }
}

TEST_CASE("examples/kernels: the problems for a GPU differ in sizes alone") {
    for (example const& e : examples) {
        CAPTURE(e.name);
        lkt::problem const small = problem_of(e.name + ".json");
        lkt::problem const large = problem_of(e.name + ".gpu.json");
        CHECK(large.reference == small.reference);
        CHECK(large.launch == small.launch);
        auto const bytes = [](lkt::problem const& p) {
            std::uint64_t all = 0;
            for (std::size_t k = 0; k < p.arguments.size(); ++k)
                if (p.signature.arguments[k].pointer)
                    all += p.signature.arguments[k].type.bytes() *
                           static_cast<std::uint64_t>(
                               p.arguments[k]
                                   .count.evaluate_integer(lkt::scope_of(p.size, {}))
                                   .value());
            return all;
        };
        CHECK(bytes(large) > 500'000'000);
        // What lkt-tune gives a test on a machine with 96 GiB.
        CHECK(bytes(large) <= std::uint64_t{12} << 30); // or lkt would refuse it
        CHECK(bytes(small) < 5'000'000);
    }
}
