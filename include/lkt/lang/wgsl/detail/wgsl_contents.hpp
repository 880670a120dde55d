// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/wgsl/detail/wgsl_types.hpp>
#include <lkt/lang/wgsl/wgsl.hpp>

#include <algorithm>

namespace lkt::detail::lang {

/// The type as values of one kind.
inline void wgsl_view(wgsl_type const& t, wgsl_binding& b) {
    wgsl_type const* inner = &t;
    b.array = t.what == wgsl_type::sort::array;
    b.stride = 0;
    while (inner->what == wgsl_type::sort::array) {
        b.stride =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(inner->stride(), 4294967295U));
        inner = inner->element.get();
    }
    bool const one =
        inner->what == wgsl_type::sort::scalar || inner->what == wgsl_type::sort::vector;
    if (one) {
        b.type = {scalar_of(inner->scalar), inner->rows};
        if (!b.array) b.stride = static_cast<std::uint32_t>(inner->size);
    } else {
        bool const mixed = (t.scalars & (t.scalars - 1)) != 0;
        scalar_type scalar = scalar_type::uint32;
        for (unsigned k = 0; !mixed && k <= static_cast<unsigned>(wgsl_scalar::f32); ++k)
            if (t.scalars == 1U << k) scalar = scalar_of(static_cast<wgsl_scalar>(k));
        b.type = {scalar, 1};
        b.stride = static_cast<std::uint32_t>(size_of(scalar));
        b.array = true;
        b.padded = t.padded;
    }
    b.bytes = t.size;
    b.count = t.size / b.stride;
    if (!t.runtime_sized()) return;
    wgsl_type const& last = t.what == wgsl_type::sort::array ? t : *t.members.back().type;
    b.bytes = (t.size + last.stride() + t.align - 1) / t.align * t.align;
    b.count = 0;
}

/// The scalars and vectors in a struct of uniform memory, which begins `base` bytes into it.
inline void wgsl_flatten(wgsl_syntax const& s,
                         wgsl_type const& t,
                         std::uint64_t base,
                         std::string const& name,
                         std::string const& path,
                         std::string const& spelling,
                         std::vector<wgsl_member>& to) {
    auto const at = [](std::uint64_t k) { return "[" + std::to_string(k) + "]"; };
    switch (t.what) {
    case wgsl_type::sort::structure:
        for (wgsl_type::member const& m : t.members)
            wgsl_flatten(s,
                         *m.type,
                         base + m.offset,
                         m.name,
                         (path.empty() ? "" : path + ".") + m.name,
                         s.spelling(m.begin, m.end),
                         to);
        return;
    case wgsl_type::sort::array:
        for (std::uint64_t k = 0; k < t.count; ++k)
            wgsl_flatten(
                s, *t.element, base + k * t.stride(), name + at(k), path + at(k), spelling, to);
        return;
    case wgsl_type::sort::matrix:
        for (unsigned k = 0; k < t.columns; ++k)
            to.push_back({name + at(k),
                          path + at(k),
                          {scalar_of(t.scalar), t.rows},
                          static_cast<std::uint32_t>(base + k * t.size / t.columns),
                          spelling});
        return;
    case wgsl_type::sort::scalar:
    case wgsl_type::sort::vector:
        to.push_back({name,
                      path,
                      {scalar_of(t.scalar), t.rows},
                      static_cast<std::uint32_t>(base),
                      spelling});
    }
}

} // namespace lkt::detail::lang
