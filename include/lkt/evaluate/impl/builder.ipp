// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/builder.hpp>

#include <string>
#include <utility>

namespace lkt {

namespace detail {

compile_request request_for(evaluation_setup const& setup,
                            candidate const& k,
                            signature const& declared,
                            configuration const& config) {
    compile_request request;
    request.source = k.source;
    request.signature = declared;
    request.definitions = config;
    request.options = setup.task.compiler_options;
    request.time_limit = setup.options.compile_limit;
    return request;
}

} // namespace detail

std::variant<launch_dimensions, failure>
trial_builder::dimensions_of(candidate const& k, configuration const& config) const {
    auto const d = k.launch.evaluate(scope_of(setup_.task.size, config));
    if (!d) return failure(launch_failed{d.error().message});
    if (std::string why = limit_exceeded(setup_.device, *d); !why.empty())
        return failure(launch_failed{std::move(why)});
    return *d;
}

void trial_builder::prefetch(candidate const& k,
                             signature const& declared,
                             configuration const& config) const {
    if (std::holds_alternative<launch_dimensions>(dimensions_of(k, config)))
        setup_.gpu.prefetch(detail::request_for(setup_, k, declared, config));
}

result<build_outcome> trial_builder::build(candidate const& k,
                                           signature const& declared,
                                           configuration const& config,
                                           bool checked) const {
    auto const d = dimensions_of(k, config);
    if (auto const* why = std::get_if<failure>(&d)) return build_outcome(*why);
    auto request = detail::request_for(setup_, k, declared, config);
    request.checked = checked;
    auto made = setup_.gpu.compile(request, setup_.context);
    if (!made) return made.error();
    if (auto* why = std::get_if<failure>(&*made)) return build_outcome(std::move(*why));
    trial t;
    t.kernel = &k;
    t.declared = &declared;
    t.config = config;
    t.dimensions = std::get<launch_dimensions>(d);
    t.compiled = std::get<compiled_kernel>(std::move(*made));
    return build_outcome(std::move(t));
}

} // namespace lkt
