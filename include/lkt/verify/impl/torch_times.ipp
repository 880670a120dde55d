// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/torch_times.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/process/child.hpp>
#include <lkt/verify/detail/torch_stopwatch.hpp>
#include <lkt/verify/python_script.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace lkt {

namespace torch_times_parts {

namespace json = boost::json;

error wrong(std::string message) {
    return {condition::rejected,
            "lkt.verify.torch_times",
            std::move(message),
            "docs/operations.md, beside torch, says what is timed, and how"};
}

/// What the operation's function gets, drawn by torch: one number, or as many as the buffer has.
result<json::object> argument_json(problem const& task, std::size_t k) {
    argument const& a = task.signature.arguments[k];
    argument_spec const& spec = task.arguments[k];
    auto const scope = scope_of(task.size, {});
    if (!a.pointer) {
        auto const value = spec.value.evaluate(scope);
        if (!value) return value.error();
        return std::visit([](auto const& v) { return json::object{{"value", v}}; }, *value);
    }
    auto const count = spec.count.evaluate_integer(scope);
    if (!count) return count.error();
    bool const real = is_floating(a.type.scalar);
    constexpr double widest = 1e9; // of whole numbers; infinite bounds are not drawn from
    double const low = real ? -1 : 0, high = real ? 1 : 9;
    double const least = std::max(spec.min.value_or(low), -widest);
    double const most = std::min(spec.max.value_or(std::max(high, least)), widest);
    return json::object{{"dtype", to_string(a.type.scalar)},
                        {"count", *count},
                        {"min", std::min(least, most)},
                        {"max", most}};
}

/// The last line that is JSON's, as three lists.
result<std::vector<alternative_time>> times_of(std::string_view said) {
    while (said.ends_with('\n')) said.remove_suffix(1);
    said.remove_prefix(said.rfind('\n') + 1);
    boost::system::error_code failed;
    auto const value = json::parse(said, failed);
    auto const* const o = failed ? nullptr : value.if_object();
    auto const* const version = o == nullptr ? nullptr : o->if_contains("torch");
    if (version == nullptr || !version->is_string()) return wrong("torch's times cannot be read");
    std::string const name = "torch " + std::string(version->get_string());
    std::vector<alternative_time> all;
    for (auto const& [which, words] :
         {std::pair("eager", ", eager"), std::pair("compiled", ", torch.compile")}) {
        alternative_time one{name + words, {}, {}};
        auto const* const samples = o->if_contains(which);
        if (samples != nullptr && samples->is_array())
            for (auto const& s : samples->get_array())
                if (s.is_number()) one.time.samples.emplace_back(s.to_number<double>());
        auto const* const why = o->if_contains("why");
        if (one.time.empty() && why != nullptr && why->is_string())
            one.why = plain_text(std::string(why->get_string()));
        all.push_back(std::move(one));
    }
    return all;
}

} // namespace torch_times_parts

result<std::vector<alternative_time>>
time_torch(problem const& task, torch_times_options const& options, call_context const& context) {
    using namespace torch_times_parts;
    if (!task.oracle || task.oracle->from != oracle_source::kind::torch ||
        task.oracle->function != "lkt_operation" || task.oracle->text.empty())
        return wrong("the problem is not an operation of torch");
    json::array arguments;
    for (std::size_t k = 0; k < task.arguments.size(); ++k) {
        if (task.flow(k) == direction::out) continue;
        auto one = argument_json(task, k);
        if (!one) return one.error();
        arguments.push_back(std::move(*one));
    }
    auto const python = find_python(array_library::torch, context);
    if (!python) return python.error();
    child_options run;
    run.arguments = {python->path, "-E", "-B", "-c", detail::torch_stopwatch};
    for (char const* const variable : {"HOME",
                                       "USER",
                                       "VIRTUAL_ENV",
                                       "CONDA_PREFIX",
                                       "CUDA_HOME",
                                       "HIP_VISIBLE_DEVICES",
                                       "CC",
                                       "CXX",
                                       "TORCHINDUCTOR_CACHE_DIR",
                                       "TRITON_CACHE_DIR"})
        run.keep.emplace_back(variable);
    bool const by_uuid = options.device.starts_with("GPU-") || options.device.starts_with("MIG-");
    if (by_uuid)
        run.environment.push_back("CUDA_VISIBLE_DEVICES=" + options.device);
    else
        run.keep.emplace_back("CUDA_VISIBLE_DEVICES");
    run.input = json::serialize(json::object{{"text", task.oracle->text},
                                             {"arguments", std::move(arguments)},
                                             {"device", by_uuid ? "cuda:0" : options.device},
                                             {"launches", options.launches}});
    run.time_limit = options.time_limit;
    auto const ran = run_child(run, context);
    if (!ran) return ran.error();
    if (ran->how == child_end::cancelled) return cancelled("torch's times");
    if (ran->how == child_end::timed_out)
        return wrong("torch took more than " + std::to_string(options.time_limit.count()) + " ms");
    if (!ran->succeeded()) {
        std::string_view err = ran->err;
        while (err.ends_with('\n')) err.remove_suffix(1);
        err.remove_prefix(err.rfind('\n') + 1);
        return wrong("torch failed on " + options.device + ": " +
                     plain_text(std::string(err.empty() ? "it said nothing" : err.substr(0, 400))));
    }
    return times_of(ran->out);
}

} // namespace lkt
