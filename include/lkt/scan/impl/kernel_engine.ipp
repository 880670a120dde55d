// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/sha256.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/scan/detail/gemm_check.hpp>
#include <lkt/scan/kernel_engine.hpp>
#include <lkt/search/space.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace lkt {

namespace detail::scan {

inline std::optional<gemm_type> gemm_type_of(scalar_type t) {
    switch (t) {
    case scalar_type::float64:
        return gemm_type::f64;
    case scalar_type::float32:
        return gemm_type::f32;
    case scalar_type::float16:
        return gemm_type::f16;
    case scalar_type::bfloat16:
        return gemm_type::bf16;
    case scalar_type::int8:
        return gemm_type::int8;
    default:
        return std::nullopt;
    }
}

inline error no_product_kernel(std::string why) {
    return {condition::rejected,
            "lkt.scan.kernel",
            "the problem is no matrix product: " + std::move(why),
            "give a problem with three extents, two buffers that are read (A, then B) and one that "
            "is written (C)"};
}

/// Median, extremes and deviation of single launches.
inline void take_times(scanned_instance& one, std::vector<seconds> samples) {
    if (samples.empty()) return;
    std::sort(samples.begin(), samples.end());
    auto const n = samples.size();
    one.time = n % 2 != 0 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
    one.least = samples.front();
    one.most = samples.back();
    double mean = 0, squares = 0;
    for (seconds const t : samples) mean += t.count() / static_cast<double>(n);
    for (seconds const t : samples) squares += (t.count() - mean) * (t.count() - mean);
    if (n > 1) one.deviation = seconds{std::sqrt(squares / static_cast<double>(n - 1))};
    one.iterations = static_cast<int>(n);
}

} // namespace detail::scan

result<kernel_engine> kernel_engine::make(gpu_ref gpu, kernel_engine_options options) {
    using namespace detail::scan;
    auto const& task = options.task;
    if (!options.kernel)
        options.kernel =
            candidate{task.reference, task.parameters, task.restrictions, task.launch, {}};
    kernel_engine engine(gpu, std::move(options));
    auto const& of = engine.options_.task;
    if (of.unwritten && engine.options_.kernel->source == of.reference)
        return no_product_kernel("it has no kernel yet");
    if (of.size.size() != 3)
        return no_product_kernel("it has " + std::to_string(of.size.size()) + " extents");
    std::vector<std::size_t> inputs, outputs;
    for (std::size_t i = 0; i < of.arguments.size(); ++i) {
        if (!of.signature.arguments[i].pointer || of.arguments[i].scratch) continue;
        (of.flow(i) == direction::in ? inputs : outputs).push_back(i);
    }
    if (inputs.size() != 2 || outputs.size() != 1)
        return no_product_kernel("it has " + std::to_string(inputs.size()) +
                                 " buffers that are read, and " + std::to_string(outputs.size()) +
                                 " that are written");
    engine.buffers_ = {inputs[0], inputs[1], outputs[0]};
    // Sizes whose products tell from which two they are.
    constexpr std::array<std::int64_t, 3> probe{404, 412, 428};
    problem_size size = of.size;
    for (std::size_t e = 0; e < 3; ++e) size[e].second = probe[e];
    auto const scope = scope_of(size, default_configuration(engine.kernel().parameters));
    std::array<std::int64_t, 3> counts{};
    for (std::size_t b = 0; b < 3; ++b) {
        auto const& argument = of.signature.arguments[engine.buffers_[b]];
        auto const count = of.arguments[engine.buffers_[b]].count.evaluate_integer(scope);
        if (!count) return count.error();
        counts[b] = *count * static_cast<std::int64_t>(argument.type.bytes() /
                                                       lkt::size_of(argument.type.scalar));
        auto const type = gemm_type_of(argument.type.scalar);
        if (!type) return no_product_kernel("`" + argument.name + "` has a type of no matrix here");
        engine.types_[b] = *type;
    }
    if (engine.types_[0] != engine.types_[1])
        return no_product_kernel("A and B have different types");
    std::array<std::size_t, 3> order{0, 1, 2};
    do {
        auto const m = probe[order[0]], n = probe[order[1]], k = probe[order[2]];
        if (counts != std::array{m * k, k * n, m * n}) continue;
        engine.extents_ = order;
        return engine;
    } while (std::next_permutation(order.begin(), order.end()));
    return no_product_kernel("its buffers do not have M K, K N and M N elements");
}

problem_size kernel_engine::size_of(gemm_spec const& spec) const {
    problem_size size = options_.task.size;
    std::array<std::int64_t, 3> const given{spec.m(), spec.n(), spec.k()};
    for (std::size_t e = 0; e < 3; ++e) size[extents_[e]].second = given[e];
    return size;
}

std::string kernel_engine::refuses(gemm_spec const& s) const {
    bool const same =
        s.type() == types_[0] || (s.type() == gemm_type::tf32 && types_[0] == gemm_type::f32);
    if (!same) return "the kernel multiplies " + std::string(to_string(types_[0]));
    if (s.output() != types_[2]) return "the kernel writes " + std::string(to_string(types_[2]));
    if (s.batch() != 1) return "the kernel has no batch";
    if (s.alpha() != 1 || s.beta() != 0) return "the kernel has no alpha and no beta";
    for (auto const& place :
         {detail::scan::place_a(s), detail::scan::place_b(s), detail::scan::place_c(s)})
        if (place.stride != place.length()) return "the kernel's matrices have no gaps";
    auto const scope = scope_of(size_of(s), default_configuration(kernel().parameters));
    for (expression const& constraint : options_.task.size_constraints)
        if (auto const met = constraint.evaluate_condition(scope); !met || !*met)
            return "the problem excludes these extents: " + constraint.text();
    return {};
}

result<scan_setup> kernel_engine::setup(call_context const& context) const {
    auto device = gpu_.device(context);
    if (!device) return device.error();
    auto const& k = kernel();
    sha256 digest;
    auto const add = [&](std::string_view text) { digest.add_number(text.size()).add(text); };
    add(k.source.text);
    for (tunable_parameter const& p : k.parameters) add(to_string(p));
    for (expression const& r : k.restrictions) add(r.text());
    for (auto const* const extents : {&k.launch.grid, &k.launch.block})
        for (expression const& e : *extents) add(e.text());
    add(k.launch.shared_bytes.text());
    for (std::string const& option : options_.task.compiler_options) add(option);
    return scan_setup{std::move(device->name),
                      to_string(options_.settings) +
                          " configurations=" + std::to_string(options_.configurations) + " seed=" +
                          std::to_string(options_.seed) + " kernel=" + digest.hex().substr(0, 16)};
}

result<scanned_product> kernel_engine::measure(gemm_spec const& spec, call_context const& context) {
    using namespace detail::scan;
    using clock = std::chrono::steady_clock;
    if (auto why = refuses(spec); !why.empty())
        return error{condition::rejected, "lkt.scan.refused", std::move(why), {}};
    auto const begin = clock::now();
    auto const& settings = options_.settings;
    auto const& task = options_.task;
    auto const size = size_of(spec);
    auto device = gpu_.device(context);
    if (!device) return device.error();
    auto const space = search_space::make(kernel().parameters, kernel().restrictions, size);
    if (!space) return space.error();

    gemm_values const a(spec.type(), options_.seed), b(spec.type(), options_.seed + 1);
    gemm_check check(spec, a, b, nullptr);
    auto const argument_of =
        [&](std::size_t which, matrix_place const& place, gemm_values const* v) {
            auto const& declared = task.signature.arguments[buffers_[which]];
            std::size_t const bytes =
                place.elements() * bits_of(which == 2 ? spec.output() : spec.type()) / 8;
            std::string const text = v != nullptr ? v->filled(bytes) : std::string(bytes, '\0');
            return argument_data{declared.type,
                                 true,
                                 byte_buffer(std::as_bytes(std::span(text.data(), text.size())))};
        };
    auto const scope = scope_of(size, default_configuration(kernel().parameters));
    std::vector<argument_data> arguments;
    std::vector<direction> directions;
    for (std::size_t i = 0; i < task.arguments.size(); ++i) {
        auto const& declared = task.signature.arguments[i];
        directions.push_back(task.flow(i));
        if (i == buffers_[0])
            arguments.push_back(argument_of(0, place_a(spec), &a));
        else if (i == buffers_[1])
            arguments.push_back(argument_of(1, place_b(spec), &b));
        else if (i == buffers_[2])
            arguments.push_back(argument_of(2, place_c(spec), nullptr));
        else if (declared.pointer) {
            auto const count = task.arguments[i].count.evaluate_integer(scope);
            if (!count) return count.error();
            arguments.push_back(
                {declared.type,
                 true,
                 byte_buffer(static_cast<std::size_t>(*count) * declared.type.bytes())});
        } else {
            auto const value = task.arguments[i].value.evaluate(scope);
            if (!value) return value.error();
            auto made = scalar_argument(declared.type.scalar, *value);
            if (!made) return made.error();
            arguments.push_back(std::move(*made));
        }
    }
    auto const contents = fresh_contents();

    scanned_product found;
    found.device = device->name;
    std::string last_failure;
    std::size_t tried = 0;
    std::size_t reference = 0; ///< the instance that later ones are compared with
    bool has_reference = false;
    auto walk = space->configurations();
    for (auto config = walk.next(); config; config = walk.next()) {
        if (context.stop.stop_requested()) return cancelled("the scan of a kernel");
        if (tried == options_.configurations ||
            (tried > 0 && seconds(clock::now() - begin) > settings.time_limit)) {
            found.remarks.push_back("measured " + std::to_string(tried) + " of " +
                                    std::to_string(space->count()) + " configurations");
            break;
        }
        ++tried;
        std::string const name =
            kernel().parameters.empty() ? task.signature.name : to_string(*config);
        auto const fails = [&](std::string why) {
            ++found.unsupported;
            last_failure = name + ": " + std::move(why);
        };
        auto const dimensions = kernel().launch.evaluate(scope_of(size, *config));
        if (!dimensions) {
            fails(dimensions.error().message);
            continue;
        }
        if (auto why = limit_exceeded(*device, *dimensions); !why.empty()) {
            fails(std::move(why));
            continue;
        }
        compile_request request;
        request.source = kernel().source;
        request.signature = task.signature;
        request.definitions = *config;
        request.options = task.compiler_options;
        auto compiled = gpu_.compile(request, context);
        if (!compiled) return compiled.error();
        if (auto const* why = std::get_if<failure>(&*compiled)) {
            fails(describe(*why));
            continue;
        }
        run_request run;
        run.dimensions = *dimensions;
        run.arguments = arguments;
        run.directions = directions;
        run.warmups = settings.warm_ups;
        run.launches = settings.iterations;
        run.contents = contents;
        run.sampling.cold = false;
        run.sampling.time = seconds{0.25};
        run.sampling.min_launches = std::min(settings.iterations, 5);
        run.time_limit = std::min(settings.time_limit, seconds{60});
        auto outcome = gpu_.run(std::get<compiled_kernel>(*compiled), run, context);
        if (!outcome) return outcome.error();
        if (auto const* why = std::get_if<failure>(&*outcome)) {
            fails(describe(*why));
            continue;
        }
        auto& report = std::get<run_report>(*outcome);
        scanned_instance one{.name = name};
        take_times(one, report.samples);
        if (!report.megahertz.empty())
            one.clock_mhz = std::accumulate(report.megahertz.begin(), report.megahertz.end(), 0.0) /
                            static_cast<double>(report.megahertz.size());
        if (settings.verify && !report.kept.empty() && !report.kept[0].outputs.empty()) {
            // The outputs are the arguments that are not `in`, in order.
            std::size_t at = 0;
            for (std::size_t i = 0; i < buffers_[2]; ++i)
                at += directions[i] != direction::in ? 1 : 0;
            auto const& bytes = report.kept[0].outputs[at].bytes;
            auto const answer = check.judge(
                std::span(reinterpret_cast<std::byte const*>(bytes.data()), bytes.size()));
            one.verdict = answer.verdict;
            if (answer.verdict == scan_verdict::wrong)
                found.remarks.push_back(name + ": " + answer.why);
            if (answer.first_wrong && has_reference) {
                found.instances[reference].verdict = scan_verdict::wrong;
                found.remarks.push_back(found.instances[reference].name + ": " + answer.why);
                has_reference = false;
            }
            if (answer.verdict == scan_verdict::correct && !has_reference) {
                reference = found.instances.size();
                has_reference = true;
            }
        }
        found.instances.push_back(std::move(one));
    }
    if (found.instances.empty())
        return error{condition::transient,
                     "lkt.scan.kernel-failed",
                     "no configuration runs" + (last_failure.empty()
                                                    ? std::string()
                                                    : "; of the last one: " + last_failure),
                     {}};
    if (!last_failure.empty()) found.remarks.push_back("does not run: " + last_failure);
    return found;
}

} // namespace lkt
