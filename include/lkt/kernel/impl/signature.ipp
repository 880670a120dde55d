// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/signature.hpp>

namespace lkt::detail::kernel {

/// Whatever the struct is called among the parameters.
bool same_place(std::optional<record_member> const& a, std::optional<record_member> const& b) {
    return a.has_value() == b.has_value() && (!a || (a->offset == b->offset && a->size == b->size));
}
/// Whether argument `i` lies in the struct in which the one before it lies.
bool continues(std::vector<argument> const& all, std::size_t i) {
    return i > 0 && all[i].within && all[i - 1].within &&
           all[i].within->record == all[i - 1].within->record;
}

/// int32 where either will do: a bit pattern is what WGSL passes.
scalar_type without_sign(scalar_type t, bool pointer) {
    if (t == scalar_type::uint32) return scalar_type::int32;
    return t == scalar_type::boolean && !pointer ? scalar_type::int32 : t;
}

/// Whether a WGSL argument can stand for one of another kernel, or the other way round.
bool interchangeable_in_wgsl(argument const& a, argument const& b) {
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
bool interchangeable_in_wgsl(signature const& a, signature const& b) {
    if (a.arguments.size() != b.arguments.size()) return false;
    for (std::size_t i = 0; i < a.arguments.size(); ++i)
        if (!interchangeable_in_wgsl(a.arguments[i], b.arguments[i])) return false;
    return true;
}

/// A kernel and its buffers, `@compute fn k; @group(0) @binding(0) var<storage, read> a:
/// array<f32>`.
std::string wgsl_text(signature const& s) {
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

std::string declaration_of(argument const& a) {
    std::string text = to_string(a.type);
    if (a.is_const) text += " const";
    if (a.pointer) text += "*";
    if (a.is_restrict) text += " __restrict__";
    return text + " " + a.name;
}

} // namespace lkt::detail::kernel

namespace lkt {

bool same_arguments(signature const& a, signature const& b) {
    if (a.arguments.size() != b.arguments.size()) return false;
    for (std::size_t i = 0; i < a.arguments.size(); ++i) {
        argument const &one = a.arguments[i], &other = b.arguments[i];
        if (!same_bytes(one.type, other.type) || one.pointer != other.pointer ||
            !detail::kernel::same_place(one.within, other.within) ||
            detail::kernel::continues(a.arguments, i) != detail::kernel::continues(b.arguments, i))
            return false;
        // Constants are filled by name. A candidate keeps the declaration of one that it reads
        // no more: what fills it goes by the signature, and its text costs nothing.
        if (one.constant_count != other.constant_count ||
            (one.constant_count > 0 && one.name != other.name))
            return false;
    }
    return true;
}

std::string to_string(signature const& s) {
    if (s.block) return detail::kernel::wgsl_text(s);
    std::string text, constants, record;
    std::size_t parameter = 0;
    auto map = s.tensor_maps.begin();
    auto const add = [&](std::string const& spelling) {
        text += (text.empty() ? "" : ", ") + spelling;
        ++parameter;
    };
    auto const add_maps = [&] {
        for (; map != s.tensor_maps.end() && map->parameter <= parameter; ++map)
            add("const __grid_constant__ CUtensorMap " + map->name);
    };
    for (argument const& a : s.arguments) {
        std::string const spelling =
            a.spelling.empty() ? detail::kernel::declaration_of(a) : a.spelling;
        if (a.constant_count > 0) {
            constants += "; " + spelling;
            continue;
        }
        // A struct stands there once, not once for each of its members.
        bool const again = a.within && a.within->record == record;
        record = a.within ? a.within->record : "";
        if (again) continue;
        add_maps();
        add(spelling);
    }
    add_maps();
    return "void " + s.name + "(" + text + ")" + constants;
}

std::optional<wrong_signature> compare_signatures(signature const& reference,
                                                  signature const& candidate) {
    bool const wgsl = reference.block || candidate.block; // no other text fixes the block
    bool same = reference.name == candidate.name &&
                (wgsl ? detail::kernel::interchangeable_in_wgsl(reference, candidate)
                      : same_arguments(reference, candidate));
    for (std::size_t i = 0; same && i < reference.arguments.size(); ++i) {
        argument const& r = reference.arguments[i];
        // Nothing can be written through it; but the reference may cast a const of its own away.
        same =
            !r.pointer || r.flow == direction::in || r.is_const || !candidate.arguments[i].is_const;
    }
    if (same) return {};
    wrong_signature differs{to_string(reference), to_string(candidate)};
    if (differs.expected != differs.got || wgsl) return differs;
    // The words are the same and stand for something else: by a macro, or a type of another
    // meaning.
    auto plain = candidate;
    for (argument& a : plain.arguments) a.spelling.clear();
    differs.got = to_string(plain);
    return differs;
}

} // namespace lkt
