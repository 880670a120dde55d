// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/webgpu/detail/program_of.hpp>

#include <lkt/gpu/detail/launch_parameters.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace lkt::webgpu_detail {

namespace program_parts {

/// The configuration's values, and the defaults of what it leaves out, as far as they are read.
expression_scope scope_of(wgsl_module const& module, configuration const& config) {
    expression_scope scope;
    scope.values = config.values;
    bool more = true;
    // A default may refer to what is declared behind it.
    for (std::size_t turn = 0; more && turn <= module.overrides.size(); ++turn) {
        more = false;
        for (wgsl_override const& o : module.overrides) {
            bool const known = std::any_of(scope.values.begin(),
                                           scope.values.end(),
                                           [&](auto const& v) { return v.first == o.name; });
            if (known || !o.value) continue;
            auto const value = o.value->evaluate(scope);
            if (!value) continue;
            scope.values.emplace_back(o.name, *value);
            more = true;
        }
    }
    return scope;
}

refused not_computed(char const* what, error const& why) {
    return {what, "it cannot be computed before the launch: " + why.message, {}};
}

} // namespace program_parts

std::variant<wgsl_program, refused> program_of(compile_request const& request,
                                               wgsl_module const& module,
                                               wgsl_kernel const& kernel,
                                               std::string text) {
    wgsl_program p;
    auto const& entry = module.entry_points[kernel.entry_point];
    auto values = override_values_of(module, kernel.entry_point, request.definitions);
    if (auto* const why = std::get_if<refused>(&values)) return std::move(*why);
    p.constants = std::get<override_values>(std::move(values));
    p.text = std::move(text);
    p.entry = entry.name;
    p.folds = entry.num_workgroups;

    auto const scope = program_parts::scope_of(module, request.definitions);
    std::uint32_t* const extents[] = {&p.block.x, &p.block.y, &p.block.z};
    for (std::size_t k = 0; k < 3; ++k) {
        auto const extent = entry.workgroup_size[k].evaluate_integer(scope);
        if (!extent) return program_parts::not_computed("@workgroup_size", extent.error());
        if (*extent < 1 || *extent > 0x7fffffff)
            return refused{"@workgroup_size", "an extent is " + std::to_string(*extent), {}};
        *extents[k] = static_cast<std::uint32_t>(*extent);
    }
    auto const shared = entry.workgroup_bytes.evaluate_integer(scope);
    if (!shared) return program_parts::not_computed("var<workgroup>", shared.error());
    p.workgroup_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(*shared, 0));

    std::map<std::size_t, std::uint32_t> places; // bindings of the module to those of the program
    // A uniform struct is one argument of a job, whatever its members are in the signature.
    for (auto const& parameter :
         gpu_detail::launch_parameters(kernel.signature.arguments, kernel.slots.size())) {
        auto const& slot = kernel.slots[parameter.first];
        auto const& argument = kernel.signature.arguments[parameter.first];
        auto const& b = module.bindings[slot.binding];
        auto const [place, is_new] =
            places.emplace(slot.binding, static_cast<std::uint32_t>(p.bindings.size()));
        if (is_new)
            p.bindings.push_back({b.group,
                                  b.binding,
                                  b.space == wgsl_space::uniform,
                                  !b.writable,
                                  argument.pointer ? 0 : b.bytes});
        auto packed = static_cast<std::uint32_t>(argument.type.bytes());
        // The data may be of other values as long as nothing lies between them: floats where the
        // text has an array of vec4, bytes where it has words.
        if (argument.pointer && slot.stride == packed)
            packed = is_floating(argument.type.scalar)
                         ? static_cast<std::uint32_t>(size_of(argument.type.scalar))
                         : 1;
        bool const apart = argument.pointer && slot.stride > argument.type.bytes();
        p.arguments.push_back({place->second,
                               packed,
                               apart ? slot.stride : packed,
                               argument.pointer ? argument.name : std::string{}});
    }
    return p;
}

} // namespace lkt::webgpu_detail
