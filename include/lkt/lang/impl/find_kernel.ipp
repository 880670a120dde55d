// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/find_kernel.hpp>

#include <lkt/lang/wgsl/wgsl.hpp>

#include <utility>

namespace lkt::detail::lang {

/// The kernel called `name`, or all of them.
result<signature> find_wgsl(kernel_source const& source, std::string_view name) {
    auto const module = reflect_wgsl(source);
    if (!module) return module.error();
    auto found = find_wgsl_kernel(source, *module, name);
    if (!found) return found.error();
    return std::move(found->signature);
}
result<std::vector<signature>> find_all_wgsl(kernel_source const& source) {
    auto const module = reflect_wgsl(source);
    if (!module) return module.error();
    std::vector<signature> all;
    for (wgsl_entry_point const& e : module->entry_points) {
        auto found = find_wgsl_kernel(source, *module, e.name);
        if (!found) return found.error();
        all.push_back(std::move(found->signature));
    }
    if (all.empty()) return find_wgsl_kernel(source, *module).error();
    return all;
}
/// The counts of arrays that have one, and 1 for buffers that are no arrays.
void add_wgsl_counts(kernel_source const& source,
                     signature const& s,
                     std::vector<std::uint64_t>& counts) {
    auto const module = reflect_wgsl(source);
    if (!module) return;
    auto const found = find_wgsl_kernel(source, *module, s.name);
    if (!found || found->slots.size() != counts.size()) return;
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (s.arguments[i].pointer) counts[i] = found->slots[i].count;
}
result<std::vector<std::string>> wgsl_names(kernel_source const& source) {
    auto const module = reflect_wgsl(source);
    if (!module) return module.error();
    std::vector<std::string> names;
    for (wgsl_entry_point const& e : module->entry_points) names.push_back(e.name);
    return names;
}

} // namespace lkt::detail::lang

namespace lkt {

result<std::vector<std::string>> kernel_names(kernel_source const& source) {
    if (source.language == language::wgsl) return detail::lang::wgsl_names(source);
    return cuda_kernel_names(source);
}

result<signature>
find_kernel(kernel_source const& source, std::string_view name, type_names types) {
    if (source.language == language::wgsl) return detail::lang::find_wgsl(source, name);
    return find_cuda_kernel(source, name, types);
}

result<std::vector<signature>> find_kernels(kernel_source const& source, type_names types) {
    if (source.language == language::wgsl) return detail::lang::find_all_wgsl(source);
    return find_cuda_kernels(source, types);
}

std::vector<std::uint64_t> fixed_counts(kernel_source const& source, signature const& s) {
    std::vector<std::uint64_t> counts;
    for (argument const& a : s.arguments) counts.push_back(a.constant_count);
    if (source.language == language::wgsl) detail::lang::add_wgsl_counts(source, s, counts);
    return counts;
}

std::optional<wrong_signature>
check_signature(signature const& reference, kernel_source const& candidate, type_names types) {
    auto const found = find_kernel(candidate, reference.name, types);
    if (!found)
        return wrong_signature{found.error().code == "lkt.kernel.text" ? "" : to_string(reference),
                               found.error().message};
    return compare_signatures(reference, *found);
}

} // namespace lkt
