// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/sha256.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/scan/detail/kernel_parts.hpp>
#include <lkt/scan/detail/scan_check.hpp>
#include <lkt/scan/detail/scan_words.hpp>
#include <lkt/scan/kernel_engine.hpp>
#include <lkt/search/space.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace lkt {

result<kernel_engine> kernel_engine::make(gpu_ref gpu, kernel_engine_options options) {
    using namespace detail::scan;
    auto const& task = options.task;
    if (!options.kernel)
        options.kernel =
            candidate{task.reference, task.parameters, task.restrictions, task.launch, {}};
    kernel_engine engine(gpu, std::move(options));
    auto const& of = engine.options_.task;
    auto const no = [&](std::string why) {
        return no_kernel_for(engine.options_.operation, std::move(why));
    };
    if (of.unwritten && engine.options_.kernel->source == of.reference)
        return no("it has no kernel yet");
    std::vector<std::size_t> outputs;
    for (std::size_t i = 0; i < of.arguments.size(); ++i) {
        if (!of.signature.arguments[i].pointer || of.arguments[i].scratch) continue;
        (of.flow(i) == direction::in ? engine.inputs_ : outputs).push_back(i);
    }
    auto const operation = engine.options_.operation;
    auto const reads = engine.inputs_.size();
    bool const enough = operation == scan_operation::elementwise ? reads >= 1
                        : operation == scan_operation::gemm      ? reads == 2 || reads == 3
                                                                 : reads == 2;
    if (!enough || outputs.size() != 1)
        return no("it has " + std::to_string(reads) + " buffers that are read, and " +
                  std::to_string(outputs.size()) + " that are written");
    engine.output_ = outputs[0];
    auto buffers = engine.inputs_;
    buffers.push_back(engine.output_);
    for (std::size_t const b : buffers) {
        auto const& argument = of.signature.arguments[b];
        auto const type = gemm_type_of(argument.type.scalar);
        if (!type) return no("`" + argument.name + "` has a type of no matrix here");
        if (b == engine.output_) {
            engine.output_type_ = *type;
            continue;
        }
        engine.types_.push_back(*type);
        bool const bias = operation == scan_operation::gemm && engine.types_.size() == 3;
        if (*type != engine.type() && !bias) return no("its inputs have different types");
    }
    if (auto bound = engine.bind_extents(); !bound) return bound.error();
    return engine;
}

result<void> kernel_engine::bind_extents() {
    using namespace detail::scan;
    auto const& task = options_.task;
    auto const no = [&](std::string why) {
        return no_kernel_for(options_.operation, std::move(why));
    };
    if (options_.operation == scan_operation::convolution) {
        for (std::size_t e = 0; e < task.size.size(); ++e) {
            auto const& name = task.size[e].first;
            std::size_t place = e;
            if (!name.starts_with("ProblemSize["))
                for (place = 0; place < std::size(convolution_spec::extents) &&
                                !same_name(convolution_spec::extents[place].name, name);)
                    ++place;
            if (place >= std::size(convolution_spec::extents))
                return no("its extent " + in_backticks(name) + " is none of a convolution");
            extents_.push_back(place);
        }
        return {};
    }
    bool const gemm = options_.operation == scan_operation::gemm;
    if (task.size.size() != (gemm ? 3 : 1))
        return no("it has " + std::to_string(task.size.size()) + " extents");
    // Sizes whose products tell from which two they are.
    constexpr std::int64_t probe[] = {404, 412, 428};
    problem_size size = task.size;
    for (std::size_t e = 0; e < size.size(); ++e) size[e].second = probe[e];
    auto const scope = scope_of(size, default_configuration(kernel().parameters));
    std::vector<std::int64_t> counts;
    for (std::size_t const b : inputs_) {
        auto const count = elements_of(task, b, scope);
        if (!count) return count.error();
        counts.push_back(*count);
    }
    auto const written = elements_of(task, output_, scope);
    if (!written) return written.error();
    counts.push_back(*written);
    if (!gemm) {
        extents_ = {0};
        if (std::count(counts.begin(), counts.end(), probe[0]) ==
            static_cast<std::ptrdiff_t>(counts.size()))
            return {};
        return no("its buffers have other numbers of elements than its extent");
    }
    std::array<std::size_t, 3> order{0, 1, 2}; // which extents are M, N and K
    do {
        auto const m = probe[order[0]], n = probe[order[1]], k = probe[order[2]];
        auto wanted = std::vector{m * k, k * n, m * n};
        // A bias is as long as a row of C, or as a column.
        if (counts.size() == 4 && (counts[2] == n || counts[2] == m))
            wanted.insert(wanted.begin() + 2, counts[2]);
        if (counts != wanted) continue;
        extents_.resize(3);
        for (std::size_t i = 0; i < 3; ++i) extents_[order[i]] = i;
        return {};
    } while (std::next_permutation(order.begin(), order.end()));
    return no("its buffers do not have M K, K N" +
              std::string(counts.size() == 4 ? ", N or M," : "") + " and M N elements");
}

problem_size kernel_engine::size_of(scan_spec const& spec) const {
    problem_size size = options_.task.size;
    auto const given = spec.sizes();
    for (std::size_t e = 0; e < size.size(); ++e) size[e].second = given[extents_[e]].second;
    return size;
}

std::string kernel_engine::refuses(scan_spec const& spec) const {
    using namespace detail::scan;
    if (auto why = refused_operation("the kernel", options_.operation, spec); !why.empty())
        return why;
    if (spec.type() != type() && !(spec.type() == gemm_type::tf32 && type() == gemm_type::f32))
        return "the kernel reads " + std::string(to_string(type()));
    if (spec.output() != output_type_)
        return "the kernel writes " + std::string(to_string(output_type_));
    if (auto const* const s = spec.gemm()) {
        if (s->batch() != 1) return "the kernel has no batch";
        if (s->alpha() != 1 || s->beta() != 0) return "the kernel has no alpha and no beta";
        for (auto const& place : {place_a(*s), place_b(*s), place_c(*s)})
            if (place.stride != place.length()) return "the kernel's matrices have no gaps";
    }
    if (auto const* const s = spec.convolution(); s != nullptr && !comparable(*s))
        return "it is too large to be compared";
    auto const wanted = operands_of(spec);
    if (wanted.inputs.size() != inputs_.size())
        return spec.gemm() == nullptr
                   ? "the kernel has " + std::to_string(inputs_.size()) + " inputs"
               : inputs_.size() == 3 ? "the kernel reads a bias, and this product has none"
                                     : "the kernel reads no bias";
    if (spec.gemm() != nullptr && inputs_.size() == 3 && wanted.types[2] != types_[2])
        return "the kernel reads a bias of " + std::string(to_string(types_[2]));
    auto const scope = scope_of(size_of(spec), default_configuration(kernel().parameters));
    for (expression const& constraint : options_.task.size_constraints)
        if (auto const met = constraint.evaluate_condition(scope); !met || !*met)
            return "the problem excludes these extents: " + constraint.text();
    for (std::size_t i = 0; i <= inputs_.size(); ++i) {
        bool const written = i == inputs_.size();
        std::size_t const argument = written ? output_ : inputs_[i];
        auto const has = elements_of(options_.task, argument, scope);
        if (!has || static_cast<double>(*has) != (written ? wanted.output : wanted.inputs[i]))
            return in_backticks(options_.task.signature.arguments[argument].name) +
                   (has ? " has " + std::to_string(*has) + " elements instead of " +
                              std::to_string(static_cast<std::int64_t>(written ? wanted.output
                                                                               : wanted.inputs[i]))
                        : " has no length for these extents");
    }
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

result<scanned_product> kernel_engine::measure(scan_spec const& spec, call_context const& context) {
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

    std::vector<gemm_values> values;
    for (gemm_type const type : operands_of(spec).types)
        values.emplace_back(type, options_.seed + values.size());
    scan_check check(spec, values);
    auto const scope = scope_of(size, default_configuration(kernel().parameters));
    std::vector<argument_data> arguments;
    std::vector<direction> directions;
    for (std::size_t i = 0; i < task.arguments.size(); ++i) {
        auto const& declared = task.signature.arguments[i];
        directions.push_back(task.flow(i));
        auto const input = std::find(inputs_.begin(), inputs_.end(), i);
        if (input != inputs_.end() || i == output_) {
            auto const count = elements_of(task, i, scope);
            if (!count) return count.error();
            auto const bytes =
                static_cast<std::size_t>(*count) * lkt::size_of(declared.type.scalar);
            std::string const text =
                i == output_
                    ? std::string(bytes, '\0')
                    : values[static_cast<std::size_t>(input - inputs_.begin())].filled(bytes);
            arguments.push_back({declared.type,
                                 true,
                                 byte_buffer(std::as_bytes(std::span(text.data(), text.size())))});
        } else if (declared.pointer) {
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
            for (std::size_t i = 0; i < output_; ++i) at += directions[i] != direction::in ? 1 : 0;
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
