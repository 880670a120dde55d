// SPDX-License-Identifier: BSL-1.0
// Modules, entry points, blocks and overrides of WGSL.
#include "support/property.hpp"

#include <lkt/lang/find_kernel.hpp>
#include <lkt/lang/wgsl/wgsl.hpp>

namespace {

using lkt_fuzz::require;

void check_kernel(lkt::kernel_source const& source,
                  lkt::wgsl_module const& module,
                  lkt::wgsl_kernel const& kernel) {
    auto const& arguments = kernel.signature.arguments;
    require(kernel.slots.size() == arguments.size(), "a slot for each argument", source.text);
    require(kernel.entry_point < module.entry_points.size(), "it is an entry point", source.text);
    for (std::size_t k = 0; k < kernel.slots.size(); ++k) {
        lkt::wgsl_slot const& slot = kernel.slots[k];
        require(slot.binding < module.bindings.size(), "a slot is a binding's", source.text);
        require(slot.stride >= arguments[k].type.bytes() || slot.count == 1,
                "values do not overlap",
                source.text);
        require(slot.offset < module.bindings[slot.binding].bytes || slot.count == 0,
                "a value lies in its buffer",
                source.text);
    }
    require(lkt::fixed_counts(source, kernel.signature).size() == arguments.size(),
            "a count for each argument",
            source.text);
    require(!lkt::compare_signatures(kernel.signature, kernel.signature),
            "a signature is like itself",
            source.text);
}

} // namespace

lkt_fuzz::target const here("wgsl", [](std::uint8_t const* data, std::size_t size) {
    using namespace lkt_fuzz;
    lkt::kernel_source const source{lkt::language::wgsl, std::string(text_of(data, size)), "fuzz"};
    auto const module = lkt::reflect_wgsl(source);
    if (!module) {
        require_error(module.error());
        return 0;
    }
    for (lkt::wgsl_override const& o : module->overrides)
        require(o.line >= 1 && o.line <= lines_of(source.text), "a line of the text", source.text);
    for (lkt::wgsl_binding const& b : module->bindings) {
        require(b.line >= 1 && b.line <= lines_of(source.text), "a line of the text", source.text);
        for (lkt::wgsl_member const& m : b.members)
            require(
                m.offset + m.type.bytes() <= b.bytes, "a member lies in its struct", b.spelling);
    }
    for (std::size_t k = 0; k < module->entry_points.size(); ++k) {
        lkt::wgsl_entry_point const& e = module->entry_points[k];
        for (lkt::wgsl_use const& use : e.bindings)
            require(use.binding < module->bindings.size(), "what is used is there", source.text);
        if (auto const block = lkt::wgsl_block(*module, k, {}); !block)
            require_error(block.error());
        auto const values = lkt::override_values_of(*module, k, {});
        if (auto const* why = std::get_if<lkt::refused>(&values))
            require_place(why->where, source.text);
        auto const kernel = lkt::find_wgsl_kernel(source, *module, e.name);
        if (!kernel) {
            require_error(kernel.error());
            continue;
        }
        check_kernel(source, *module, *kernel);
        auto const same = lkt::find_kernel(source, e.name);
        require(
            same.has_value() && *same == kernel->signature, "two doors, one answer", source.text);
        require(!lkt::check_signature(*same, source), "a text can stand for itself", source.text);
    }
    return 0;
});
