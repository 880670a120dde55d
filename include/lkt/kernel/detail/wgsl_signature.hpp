// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/argument.hpp>
#include <lkt/kernel/wgsl.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::detail::kernel {

/// int32 where either will do: a bit pattern is what WGSL passes.
inline scalar_type without_sign(scalar_type t, bool pointer) {
    if (t == scalar_type::uint32) return scalar_type::int32;
    return t == scalar_type::boolean && !pointer ? scalar_type::int32 : t;
}

/// Whether a WGSL argument can stand for one of another kernel, or the other way round.
inline bool interchangeable_in_wgsl(argument const& a, argument const& b) {
    if (a.pointer != b.pointer) return false;
    scalar_type const s = without_sign(a.type.scalar, a.pointer);
    scalar_type const t = without_sign(b.type.scalar, b.pointer);
    if (!a.pointer) return s == t && a.type.lanes == b.type.lanes;
    auto const packed = [](argument const& of) { // three lanes lie 16 bytes apart in WGSL
        return of.type.lanes != 3;
    };
    if (s == t) return a.type.lanes == b.type.lanes || (packed(a) && packed(b));
    // WGSL has no narrow integers: their buffers are read as words.
    auto const narrow = [](argument const& of) { return size_of(of.type.scalar) < 4; };
    auto const words = [](argument const& of) {
        return of.type.scalar == scalar_type::uint32 && of.type.lanes != 3;
    };
    return (narrow(a) && words(b) && packed(a)) || (narrow(b) && words(a) && packed(b));
}

/// Whether the arguments of one kernel are fit for the other, one by one. At least one is WGSL.
inline bool interchangeable_in_wgsl(signature const& a, signature const& b) {
    if (a.arguments.size() != b.arguments.size()) return false;
    for (std::size_t i = 0; i < a.arguments.size(); ++i)
        if (!interchangeable_in_wgsl(a.arguments[i], b.arguments[i])) return false;
    return true;
}

/// A kernel and its buffers, `@compute fn k; @group(0) @binding(0) var<storage, read> a:
/// array<f32>`.
inline std::string wgsl_text(signature const& s) {
    std::string text = "@compute fn " + s.name, record;
    for (argument const& a : s.arguments) {
        std::size_t const brace = a.within ? a.spelling.rfind(" { ") : std::string::npos;
        if (brace != std::string::npos && a.within->record == record) {
            text.resize(text.size() - 2); // the brace of the member before
            text += ", " + a.spelling.substr(brace + 3);
        } else {
            text += "; " + a.spelling;
        }
        record = a.within ? a.within->record : "";
    }
    return text;
}

/// The kernel called `name`, or all of them.
inline result<signature> find_wgsl(kernel_source const& source, std::string_view name) {
    auto const module = reflect_wgsl(source);
    if (!module) return module.error();
    auto found = find_wgsl_kernel(source, *module, name);
    if (!found) return found.error();
    return std::move(found->signature);
}
inline result<std::vector<signature>> find_all_wgsl(kernel_source const& source) {
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
inline void add_wgsl_counts(kernel_source const& source,
                            signature const& s,
                            std::vector<std::uint64_t>& counts) {
    auto const module = reflect_wgsl(source);
    if (!module) return;
    auto const found = find_wgsl_kernel(source, *module, s.name);
    if (!found || found->slots.size() != counts.size()) return;
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (s.arguments[i].pointer) counts[i] = found->slots[i].count;
}
inline result<std::vector<std::string>> wgsl_names(kernel_source const& source) {
    auto const module = reflect_wgsl(source);
    if (!module) return module.error();
    std::vector<std::string> names;
    for (wgsl_entry_point const& e : module->entry_points) names.push_back(e.name);
    return names;
}

} // namespace lkt::detail::kernel
