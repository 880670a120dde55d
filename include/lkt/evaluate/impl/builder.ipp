// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/builder.hpp>

#include <cstddef>
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

std::vector<result<build_outcome>>
trial_builder::build_all(std::span<build_request const> requests) const {
    std::vector<result<build_outcome>> all;
    std::vector<compile_request> wanted;
    std::vector<std::size_t> whose;
    for (build_request const& one : requests) {
        auto const d = dimensions_of(one.kernel, one.config);
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
        wanted.push_back(detail::request_for(setup_, one.kernel, one.declared, one.config));
        wanted.back().checked = one.checked;
    }
    if (wanted.empty()) return all;
    auto made = setup_.gpu.compile_all(wanted, setup_.context);
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

result<build_outcome> trial_builder::build(candidate const& k,
                                           signature const& declared,
                                           configuration const& config,
                                           bool checked) const {
    build_request const one{k, declared, config, checked};
    return std::move(build_all({&one, 1}).front());
}

} // namespace lkt
