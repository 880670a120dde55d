// SPDX-License-Identifier: BSL-1.0
// For the tests of back ends: a kernel text, arguments by value, outputs as vectors.
#pragma once

#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/lang/find_kernel.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace support {

template <class T>
constexpr lkt::scalar_type scalar_of() {
    if constexpr (std::is_same_v<T, float>)
        return lkt::scalar_type::float32;
    else if constexpr (std::is_same_v<T, double>)
        return lkt::scalar_type::float64;
    else if constexpr (std::is_same_v<T, std::int32_t>)
        return lkt::scalar_type::int32;
    else if constexpr (std::is_same_v<T, std::uint32_t>)
        return lkt::scalar_type::uint32;
    else if constexpr (std::is_same_v<T, std::int64_t>)
        return lkt::scalar_type::int64;
    else if constexpr (std::is_same_v<T, std::uint64_t>)
        return lkt::scalar_type::uint64;
    else if constexpr (std::is_same_v<T, std::int8_t>)
        return lkt::scalar_type::int8;
    else if constexpr (std::is_same_v<T, std::uint8_t>)
        return lkt::scalar_type::uint8;
    else if constexpr (std::is_same_v<T, std::uint16_t>)
        return lkt::scalar_type::float16;
    else
        static_assert(!sizeof(T), "a type that no test uses yet");
}

/// One argument with its direction.
struct passed {
    lkt::argument_data data;
    lkt::direction flow = lkt::direction::in;
};

template <class T>
passed in(std::vector<T> const& v, unsigned lanes = 1) {
    return {lkt::make_buffer({scalar_of<T>(), lanes}, std::span<T const>{v}), lkt::direction::in};
}
template <class T>
passed inout(std::vector<T> const& v, unsigned lanes = 1) {
    return {lkt::make_buffer({scalar_of<T>(), lanes}, std::span<T const>{v}),
            lkt::direction::inout};
}
/// `n` lanes.
template <class T>
passed out(std::size_t n, unsigned lanes = 1) {
    return {lkt::argument_data{{scalar_of<T>(), lanes}, true, lkt::byte_buffer(n * sizeof(T))},
            lkt::direction::out};
}
template <class T>
passed value(T v) {
    return {lkt::make_scalar(scalar_of<T>(), v), lkt::direction::in};
}

template <class T>
std::vector<T> numbers(lkt::argument_data const& d) {
    std::vector<T> v(d.bytes.size() / sizeof(T));
    if (!v.empty()) std::memcpy(v.data(), d.bytes.data(), d.bytes.size());
    return v;
}

/// A launch of a kernel, as tests write it.
struct trial {
    std::string text;
    lkt::dim3 grid{}, block{};
    std::vector<passed> arguments{};
    std::uint32_t shared = 0;
    lkt::configuration definitions{};
    bool checked = false;
    lkt::seconds time_limit{10};
    std::string name{};
    std::vector<std::string> options{};
    std::vector<std::string> template_parameters{};
    int launches = 1, warmups = 0;
    std::vector<int> keep{0};
    std::uint64_t seed = 1;
    lkt::language language = lkt::language::cuda;
};

/// The name after the last __global__ ... that a parenthesis follows: enough for tests.
inline std::string kernel_name(std::string const& text) {
    auto at = text.rfind("__global__");
    if (at == std::string::npos) return "kernel";
    if (auto const bounds = text.find("__launch_bounds__", at); bounds != std::string::npos)
        if (bounds < text.find('{', at)) at = text.find(')', bounds);
    auto const end = text.find('(', at);
    auto const begin = text.find_last_of(" \n*", end - 1) + 1;
    return text.substr(begin, end - begin);
}

/// The signature that the arguments of a trial make up.
inline lkt::signature signature_of(trial const& t) {
    lkt::signature s;
    s.name = t.name.empty() ? kernel_name(t.text) : t.name;
    s.template_parameters = t.template_parameters;
    for (std::size_t i = 0; i < t.arguments.size(); ++i) {
        lkt::argument a;
        a.name = "a" + std::to_string(i);
        a.type = t.arguments[i].data.type;
        a.pointer = t.arguments[i].data.buffer;
        a.flow = t.arguments[i].flow;
        s.arguments.push_back(a);
    }
    return s;
}

inline lkt::compile_request compile_request_of(trial const& t) {
    lkt::compile_request request;
    request.source.text = t.text;
    request.source.language = t.language;
    request.signature = signature_of(t);
    // Where arguments lie is in the text alone: in WGSL, in structs, in constant memory.
    if (auto found = lkt::find_kernel(request.source, t.name)) {
        auto const& all = found->arguments;
        bool const placed = all.size() == t.arguments.size() &&
                            std::any_of(all.begin(), all.end(), [](lkt::argument const& a) {
                                return a.within || a.constant_count > 0;
                            });
        if (t.language == lkt::language::wgsl || placed || !found->tensor_maps.empty())
            request.signature = std::move(*found);
    }
    request.definitions = t.definitions;
    request.options = t.options;
    request.checked = t.checked;
    return request;
}

/// A request over a trial, which owns what the request refers to.
struct request_over {
    explicit request_over(trial const& t) {
        for (auto const& a : t.arguments) {
            arguments.push_back(a.data);
            directions.push_back(a.flow);
        }
        request.dimensions = {t.grid, t.block, t.shared};
        request.arguments = arguments;
        request.directions = directions;
        request.launches = t.launches;
        request.warmups = t.warmups;
        request.keep = t.keep;
        request.poison_seed = t.seed;
        request.time_limit = t.time_limit;
    }
    request_over(request_over const&) = delete;

    /// Any end but a report throws, with what it was.
    template <class B>
    lkt::run_report run(B& backend, lkt::compiled_kernel const& k) const {
        auto outcome = backend.run(k, request, {});
        if (!outcome) throw std::runtime_error(lkt::to_string(outcome.error()));
        if (auto const* const f = std::get_if<lkt::failure>(&*outcome))
            throw std::runtime_error(lkt::describe(*f));
        return std::get<lkt::run_report>(std::move(*outcome));
    }

    std::vector<lkt::argument_data> arguments;
    std::vector<lkt::direction> directions;
    lkt::run_request request;
};

template <class B>
lkt::run_outcome run_compiled(B& backend,
                              lkt::compiled_kernel const& kernel,
                              trial const& t,
                              lkt::call_context const& c = {}) {
    request_over const over(t);
    auto outcome = backend.run(kernel, over.request, c);
    if (!outcome) throw std::runtime_error(lkt::to_string(outcome.error()));
    return std::move(*outcome);
}

/// Compiles and runs; a failure of the world throws, with its text.
template <class B>
lkt::run_outcome run(B& backend, trial const& t) {
    auto compiled = backend.compile(compile_request_of(t), {});
    if (!compiled) throw std::runtime_error(lkt::to_string(compiled.error()));
    if (auto* const f = std::get_if<lkt::failure>(&*compiled)) return std::move(*f);
    return run_compiled(backend, std::get<lkt::compiled_kernel>(*compiled), t);
}

/// The outputs of the first launch; a failure of the kernel throws, with its description.
template <class B>
std::vector<lkt::argument_data> outputs(B& backend, trial const& t) {
    auto outcome = run(backend, t);
    if (auto* const f = std::get_if<lkt::failure>(&outcome))
        throw std::runtime_error(lkt::describe(*f));
    return std::get<lkt::run_report>(outcome).kept.at(0).outputs;
}

/// The failure of type F that a trial ends in; another end throws, with what it was.
template <class F, class B>
F failure_of(B& backend, trial const& t) {
    auto outcome = run(backend, t);
    auto* const f = std::get_if<lkt::failure>(&outcome);
    if (f == nullptr) throw std::runtime_error("the kernel ran");
    if (auto* const wanted = std::get_if<F>(f)) return *wanted;
    throw std::runtime_error(std::string{lkt::name_of_failure(*f)} + ": " + lkt::describe(*f));
}

inline std::vector<float>
random_floats(std::size_t n, unsigned seed, float low = -1, float high = 1) {
    std::mt19937 engine{seed};
    std::uniform_real_distribution<float> each{low, high};
    std::vector<float> v(n);
    for (auto& x : v) x = each(engine);
    return v;
}
inline std::vector<std::int32_t> random_ints(std::size_t n, unsigned seed, int low, int high) {
    std::mt19937 engine{seed};
    std::uniform_int_distribution<std::int32_t> each{low, high};
    std::vector<std::int32_t> v(n);
    for (auto& x : v) x = each(engine);
    return v;
}

/// The largest difference, relative to the larger of the two numbers and 1.
template <class T>
double distance(std::vector<T> const& a, std::vector<T> const& b) {
    if (a.size() != b.size()) return 1e300;
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        double const x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
        if (!(x == x) || !(y == y)) return 1e300;
        worst = std::max(worst, std::abs(x - y) / std::max({1.0, std::abs(x), std::abs(y)}));
    }
    return worst;
}

} // namespace support
