// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/builder.hpp>

#include <lkt/evaluate/evaluation_setup.hpp>
#include <lkt/kernel/launch_dimensions.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace lkt {

namespace detail {

compile_request request_for(evaluation_setup const& in, build_request const& one) {
    compile_request request;
    request.source = one.kernel.source;
    request.signature = one.declared;
    request.definitions = one.config;
    request.options = in.task.compiler_options;
    request.checked = one.checked;
    request.branches = one.branches;
    request.constants = one.constants;
    request.time_limit = in.options.compile_limit;
    return request;
}

/// Geometry within the device's limits, or why not.
std::variant<launch_dimensions, failure> dimensions_of(evaluation_setup const& in,
                                                       build_request const& one) {
    auto const d = one.kernel.launch.evaluate(scope_of(in.task.size, one.config));
    if (!d) return failure(launch_failed{d.error().message});
    if (std::string why = limit_exceeded(in.device, *d); !why.empty())
        return failure(launch_failed{std::move(why)});
    return *d;
}

} // namespace detail

std::vector<result<build_outcome>>
backend_builder::build_all(evaluation_setup const& in,
                           std::span<build_request const> requests) const {
    std::vector<result<build_outcome>> all;
    std::vector<compile_request> wanted;
    std::vector<std::size_t> whose;
    for (build_request const& one : requests) {
        auto const d = detail::dimensions_of(in, one);
        if (auto const* why = std::get_if<failure>(&d)) {
            all.emplace_back(build_outcome(*why));
            continue;
        }
        trial t;
        t.kernel = &one.kernel;
        t.declared = &one.declared;
        t.config = one.config;
        t.dimensions = std::get<launch_dimensions>(d);
        whose.push_back(all.size());
        all.emplace_back(build_outcome(std::move(t)));
        wanted.push_back(detail::request_for(in, one));
    }
    if (wanted.empty()) return all;
    auto made = in.gpu.compile_all(wanted, in.context);
    for (std::size_t k = 0; k < whose.size(); ++k) {
        auto& of = all[whose[k]];
        if (!made[k])
            of = made[k].error();
        else if (auto* why = std::get_if<failure>(&*made[k]))
            of = build_outcome(std::move(*why));
        else
            std::get<trial>(*of).compiled = std::get<compiled_kernel>(std::move(*made[k]));
    }
    return all;
}

void backend_builder::prefetch(evaluation_setup const& in, build_request const& request) const {
    if (std::holds_alternative<launch_dimensions>(detail::dimensions_of(in, request)))
        in.gpu.prefetch(detail::request_for(in, request));
}

builder_ref::builder_ref() : calls_(&calls_of<backend_builder const>) {
    static constexpr backend_builder standard{};
    builder_ = &standard;
}

} // namespace lkt
