// SPDX-License-Identifier: BSL-1.0
// Where a problem file says that the arguments of a WGSL kernel are bound.
#pragma once

#include <lkt/lang/wgsl/wgsl.hpp>
#include <lkt/problems/detail/problem_reader.hpp>

#include <string>
#include <vector>

namespace lkt::detail::problems {

/// What the file calls the arguments of a WGSL kernel, by where they are bound. From here on
/// they have these names, whatever the text calls them.
void problem_reader::read_bindings(json_field const& list) {
    if (task_.reference.language != language::wgsl)
        list.wrong_value("only WGSL has bindings, and this is " +
                         std::string(to_string(task_.reference.language)));
    auto const module = reflect_wgsl(task_.reference);
    if (!module) throw problem_defect{module.error()};
    auto const kernel = find_wgsl_kernel(task_.reference, *module, task_.signature.name);
    if (!kernel) throw problem_defect{kernel.error()};
    std::vector<bool> named(kernel->slots.size());
    for (auto const& [name, f] : list.members()) {
        f.only({"group", "binding", "space"});
        std::size_t const i = bound_argument(f, name, *module, *kernel);
        if (named[i])
            f.wrong_value("argument " + in_backticks(kernel->signature.arguments[i].name, 40) +
                          " already has another name");
        named[i] = true;
        task_.signature.arguments[i].name = name;
    }
    for (std::size_t i = 0; i < named.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            if (task_.signature.arguments[i].name == task_.signature.arguments[k].name)
                list.wrong_value("two arguments are called " +
                                 in_backticks(task_.signature.arguments[i].name, 40));
}

/// The argument at a group and a binding; of a uniform struct's members the one of that name.
std::size_t problem_reader::bound_argument(json_field const& f,
                                           std::string const& name,
                                           wgsl_module const& module,
                                           wgsl_kernel const& kernel) {
    std::int64_t const group = f.find("group") ? f.at("group").integer() : 0;
    std::int64_t const binding = f.at("binding").integer();
    std::vector<std::size_t> there;
    for (std::size_t i = 0; i < kernel.slots.size(); ++i) {
        wgsl_binding const& b = module.bindings[kernel.slots[i].binding];
        if (b.group != group || b.binding != binding) continue;
        bool const uniform = b.space == wgsl_space::uniform;
        if (auto const s = f.find("space"); s && s->text() != (uniform ? "uniform" : "storage"))
            s->wrong_value("the kernel declares " + in_backticks(b.spelling));
        if (kernel.signature.arguments[i].name == name) return i;
        there.push_back(i);
    }
    if (there.size() == 1) return there.front();
    std::string const place =
        "@group(" + std::to_string(group) + ") @binding(" + std::to_string(binding) + ")";
    if (there.empty()) f.wrong_value("the kernel uses no buffer at " + place);
    f.wrong_value("the struct at " + place + " has no member " + in_backticks(name, 40));
}

} // namespace lkt::detail::problems
