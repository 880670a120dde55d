// SPDX-License-Identifier: BSL-1.0
#include "browser_job.hpp"

#include <lkt/core/plain_text.hpp>
#include <lkt/evaluate/search_configurations.hpp>
#include <lkt/gpu/detail/launch_parameters.hpp>
#include <lkt/gpu/webgpu/detail/program_of.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/lang/wgsl/wgsl.hpp>
#include <lkt/search/space.hpp>
#include <lkt/verify/classify.hpp>
#include <lkt/verify/detail/evidence.hpp>
#include <lkt/verify/test_check.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace lkt_verify {
namespace {

namespace json = boost::json;
using lkt::gpu_detail::launch_parameters;

json::string words(std::string_view text) { return json::string(lkt::well_formed_utf8(text)); }

std::string hex(std::string_view bytes) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (char const c : bytes) {
        auto const byte = static_cast<unsigned char>(c);
        text += {digits[byte >> 4], digits[byte & 15]};
    }
    return text;
}

json::array extents(lkt::dim3 d) { return {d.x, d.y, d.z}; }

/// Its program in that configuration, and its grid on every test; or why there is none.
std::optional<lkt::failure> prepare(browser_kernel& k,
                                    lkt::problem const& task,
                                    lkt::test_suite const& suite,
                                    lkt::candidate const& kernel) {
    using lkt::failure;
    auto const& source = kernel.source;
    if (auto wrong = lkt::check_signature(task.signature, source)) return failure(*wrong);
    lkt::evaluation_options any;
    any.max_configurations = lkt::space_limits{}.configurations;
    auto space = lkt::space_of(kernel, task.size, any);
    if (auto* const why = std::get_if<failure>(&space)) return *why;
    auto first = std::get<lkt::search_space>(space).configurations().next();
    if (!first) return failure(lkt::no_configuration{"no configuration is left to run"});
    k.config = std::move(*first);

    auto const unread = [](lkt::error const& e) {
        return failure(lkt::compile_failed{e.message, {}});
    };
    auto const module = lkt::reflect_wgsl(source);
    if (!module) return unread(module.error());
    auto const found = lkt::find_wgsl_kernel(source, *module, task.signature.name);
    if (!found) return unread(found.error());
    k.declared = found->signature;
    lkt::compile_request request;
    request.source = source;
    request.signature = found->signature;
    request.definitions = k.config;
    auto program = lkt::webgpu_detail::program_of(request, *module, *found, source.text);
    if (auto* const why = std::get_if<lkt::refused>(&program)) return failure(*why);
    k.program = std::get<lkt::webgpu_detail::wgsl_program>(std::move(program));
    for (std::string const& name : module->enables) {
        if (name == "f16") k.features.emplace_back("shader-f16");
        if (name == "subgroups") k.features.emplace_back("subgroups");
    }
    for (lkt::prepared_test const& t : suite.tests) {
        auto const d = kernel.launch.evaluate(lkt::scope_of(t.test.size, k.config));
        if (!d)
            return failure(
                lkt::launch_failed{lkt::to_string(t.test.size) + ": " + d.error().message});
        if (d->block != k.program.block)
            return failure(lkt::launch_failed{"the launch has blocks of " +
                                              std::to_string(d->block.count()) +
                                              " threads, but the text's @workgroup_size has " +
                                              std::to_string(k.program.block.count())});
        k.grids.push_back(d->grid);
    }
    return std::nullopt;
}

json::object program_json(browser_kernel const& k, lkt::test_suite const& suite) {
    auto const& p = k.program;
    json::object constants;
    for (auto const& [name, value] : p.constants) constants[name] = value;
    json::array features;
    for (std::string const& f : k.features) features.push_back(json::string(f));
    auto const parameters = launch_parameters(k.declared.arguments, k.declared.arguments.size());
    json::array bindings;
    for (std::size_t b = 0; b < p.bindings.size(); ++b) {
        auto const& binding = p.bindings[b];
        json::object one{{"group", binding.group},
                         {"binding", binding.binding},
                         {"type",
                          binding.uniform     ? "uniform"
                          : binding.read_only ? "read-only-storage"
                                              : "storage"}};
        for (std::size_t a = 0; a < p.arguments.size(); ++a) {
            if (p.arguments[a].binding != b) continue;
            auto const& first = k.declared.arguments[parameters[a].first];
            one["name"] = words(first.within ? first.within->record : first.name);
            if (!first.pointer) continue;
            one["argument"] = parameters[a].first;
            one["packed"] = p.arguments[a].packed;
            one["stride"] = p.arguments[a].stride;
        }
        bindings.push_back(std::move(one));
    }
    json::array launches;
    for (std::size_t t = 0; t < suite.tests.size(); ++t) {
        // Of each binding that is a value: its bytes.
        json::array values(p.bindings.size());
        for (std::size_t a = 0; a < p.arguments.size(); ++a) {
            auto const& binding = p.bindings[p.arguments[a].binding];
            if (k.declared.arguments[parameters[a].first].pointer) continue;
            auto bytes = lkt::gpu_detail::value_bytes(
                parameters[a], k.declared.arguments, suite.tests[t].test.arguments);
            auto const size = std::max<std::size_t>(
                16, (std::max<std::size_t>(binding.size, bytes.size()) + 15) / 16 * 16);
            bytes.resize(size, '\0');
            values[p.arguments[a].binding] = hex(bytes);
        }
        launches.push_back({{"grid", extents(k.grids[t])}, {"values", std::move(values)}});
    }
    return {{"entry", words(p.entry)},
            {"constants", std::move(constants)},
            {"features", std::move(features)},
            {"block", extents(p.block)},
            {"folds", p.folds},
            {"workgroup_bytes", p.workgroup_bytes},
            {"bindings", std::move(bindings)},
            {"launches", std::move(launches)}};
}

} // namespace

browser_kernel browser_kernel_of(lkt::problem const& task,
                                 lkt::test_suite const& suite,
                                 lkt::candidate const& kernel,
                                 std::string file) {
    browser_kernel k;
    k.file = std::move(file);
    k.text = kernel.source.text;
    k.refused = prepare(k, task, suite, kernel);
    return k;
}

json::object job_json(lkt::problem const& task,
                      lkt::test_suite const& suite,
                      std::vector<browser_kernel> const& kernels,
                      int rounds) {
    json::array tests;
    for (lkt::prepared_test const& t : suite.tests) {
        json::array arguments;
        for (std::size_t a = 0; a < t.test.arguments.size(); ++a) {
            auto const& data = t.test.arguments[a];
            if (data.buffer)
                arguments.push_back({{"name", words(task.signature.arguments[a].name)},
                                     {"flow", lkt::to_string(suite.directions[a])},
                                     {"bytes", data.bytes.size()}});
            else
                arguments.push_back(nullptr);
        }
        tests.push_back({{"name", words(t.test.name)},
                         {"size", words(lkt::to_string(t.test.size))},
                         {"arguments", std::move(arguments)}});
    }
    // The smallest first: a kernel that is wrong shows it early.
    std::vector<std::size_t> order(suite.tests.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, {}, [&](std::size_t t) { return lkt::detail::bytes_of(suite.tests[t].test); });
    json::array all;
    for (browser_kernel const& k : kernels) {
        json::object one{
            {"file", words(k.file)}, {"original", k.original}, {"text", words(k.text)}};
        if (!k.config.values.empty()) one["configuration"] = words(lkt::to_string(k.config));
        if (k.refused)
            one["refused"] = words(lkt::describe(*k.refused));
        else
            one["program"] = program_json(k, suite);
        all.push_back(std::move(one));
    }
    return {{"kernel", words(task.signature.name)},
            {"kernels", std::move(all)},
            {"tests", std::move(tests)},
            {"order", json::array(order.begin(), order.end())},
            {"rounds", rounds}};
}

std::string_view
argument_bytes(lkt::test_suite const& suite, std::size_t test, std::size_t argument) {
    if (test >= suite.tests.size() || argument >= suite.directions.size() ||
        suite.directions[argument] == lkt::direction::out)
        return {};
    auto const& data = suite.tests[test].test.arguments[argument];
    if (!data.buffer) return {};
    return {reinterpret_cast<char const*>(data.bytes.data()), data.bytes.size()}; // NOLINT
}

std::uint64_t output_bytes(lkt::test_suite const& suite, std::size_t test) {
    std::uint64_t sum = 0;
    for (lkt::argument_data const& e : suite.tests[test].expected) sum += e.bytes.size();
    return sum;
}

std::optional<lkt::failure> judge_outputs(lkt::problem const& task,
                                          lkt::test_suite const& suite,
                                          browser_kernel const& kernel,
                                          std::size_t test,
                                          std::string_view outputs,
                                          bool timed) {
    lkt::prepared_test const& t = suite.tests[test];
    std::vector<lkt::argument_data> got;
    for (lkt::argument_data const& e : t.expected) {
        got.push_back({e.type, e.buffer, lkt::byte_buffer(e.bytes.size())});
        std::memcpy(got.back().bytes.data(), outputs.data(), e.bytes.size());
        outputs.remove_prefix(e.bytes.size());
    }
    auto found = lkt::detail::first_mismatch(task, suite, t, got);
    if (!found) return std::nullopt;
    auto evidence = lkt::detail::evidence_of(suite, t, *found, got[found->position]);
    evidence.timed = timed;
    evidence.subgroups = lkt::uses_subgroups({lkt::language::wgsl, kernel.text, kernel.file});
    auto kind = lkt::classify(evidence);
    found->report.as = kind.as;
    if (timed) found->report.pattern = "in a timed launch: " + found->report.pattern;
    if (!kind.why.empty()) found->report.pattern += "; " + kind.why;
    return lkt::failure(std::move(found->report));
}

} // namespace lkt_verify
