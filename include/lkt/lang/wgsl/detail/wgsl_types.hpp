// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/wgsl/detail/wgsl_constants.hpp>

#include <algorithm>
#include <memory>

namespace lkt::detail::lang {

/// A type with its place in memory, after the table of the WGSL specification, "Memory layout"
/// (section 14.4.1).
struct wgsl_type {
    enum class sort : unsigned char { scalar, vector, matrix, array, structure };
    struct member {
        std::string name;
        std::shared_ptr<wgsl_type const> type;
        std::uint64_t offset = 0;
        std::size_t begin = 0, end = 0; ///< tokens of its declaration
    };
    sort what = sort::scalar;
    wgsl_scalar scalar = wgsl_scalar::f32;
    bool atomic = false;
    unsigned rows = 1, columns = 1; ///< of a vector its lanes are the rows
    std::shared_ptr<wgsl_type const> element;
    std::uint64_t count = 1; ///< of an array; 0: the buffer's size says how many
    std::string formula;     ///< in place of `count`, where overrides say it
    std::vector<member> members;
    std::uint64_t size = 4; ///< of a runtime-sized array 0; of a struct that ends in one without it
    std::uint64_t align = 4;
    // What whoever looks at a type asks of all its parts; a walk could visit one part 2^40 times.
    unsigned scalars = 0;       ///< which occur: a bit for each wgsl_scalar
    std::uint64_t data = 4;     ///< bytes that are not padding
    std::uint64_t leaves = 1;   ///< scalars and vectors
    bool padded = false;        ///< words of it belong to no member
    std::string uniform_defect; ///< why it cannot lie in uniform memory

    [[nodiscard]] bool runtime_sized() const {
        if (what == sort::structure)
            return !members.empty() && members.back().type->runtime_sized();
        return what == sort::array && count == 0 && formula.empty();
    }
    [[nodiscard]] std::uint64_t stride() const { // of an array
        return (element->size + element->align - 1) / element->align * element->align;
    }
};
using wgsl_type_ptr = std::shared_ptr<wgsl_type const>;

/// Larger than any buffer, small enough that sums of it do not overflow.
inline constexpr std::uint64_t max_wgsl_type_bytes = std::uint64_t{1} << 40;

/// Finds out what the names of types stand for.
class wgsl_types {
public:
    wgsl_types(wgsl_syntax const& syntax, wgsl_constants& constants)
        : s_(syntax), constants_(constants), known_(syntax.declarations.size()),
          open_(syntax.declarations.size()) {}

    [[nodiscard]] result<wgsl_type_ptr> type(wgsl_node_id id) {
        wgsl_node const& n = s_.nodes[id];
        std::string_view const name = s_.tokens[n.token].text;
        if (n.what != wgsl_node::sort::name) return wrong(n, "is not a type");
        if (depth_ > 64) return wrong(n, "nests more than 64 types");
        if (wgsl_declaration const* d = s_.find(name)) return declared(n, *d);
        if (name == "array") return array(n);
        if (name == "atomic") return atomic(n);
        if (name == "ptr" || name.starts_with("texture_") || name.starts_with("sampler"))
            return wrong(n, "is not data that lies in a buffer");
        if (auto const scalar = constants_.scalar(id)) return made(simple(*scalar));
        if (auto t = vector_or_matrix(n, name)) return *t;
        return wrong(n, "is not a type that lkt knows");
    }

    /// The type that a struct declares.
    [[nodiscard]] result<wgsl_type_ptr> declared_type(wgsl_declaration const& d) {
        return record(d);
    }

    [[nodiscard]] error wrong(wgsl_node const& n, std::string const& why) const {
        return constants_.fail(
            n.token,
            "lkt.kernel.type",
            in_backticks(s_.tokens[n.token].text, 40) + " " + why,
            "lkt supports bool, i32, u32, f16, f32, vectors, matrices, arrays and "
            "structs of them, and atomics");
    }

private:
    using sort = wgsl_type::sort;
    static std::uint64_t rounded(std::uint64_t n, std::uint64_t to) {
        return (n + to - 1) / to * to;
    }
    static wgsl_type_ptr made(wgsl_type t) {
        return std::make_shared<wgsl_type const>(std::move(t));
    }
    static wgsl_type simple(wgsl_scalar scalar) {
        wgsl_type t;
        t.scalar = scalar;
        t.size = t.align = t.data = scalar == wgsl_scalar::f16 ? 2 : 4;
        t.scalars = 1U << static_cast<unsigned>(scalar);
        return t;
    }
    static wgsl_type vector(wgsl_scalar scalar, unsigned rows) {
        wgsl_type t = simple(scalar);
        t.what = sort::vector;
        t.rows = rows;
        t.align *= rows == 2 ? 2 : 4; // three lanes are aligned like four
        t.size *= rows;
        t.data = t.size;
        return t;
    }

    /// `vec3<f32>`, `vec3f`, `mat2x4<f16>`, `mat2x4h`.
    [[nodiscard]] std::optional<result<wgsl_type_ptr>> vector_or_matrix(wgsl_node const& n,
                                                                        std::string_view name) {
        auto const extent = [](char c) { return c >= '2' && c <= '4' ? c - '0' : 0; };
        bool const is_vector = name.starts_with("vec"), is_matrix = name.starts_with("mat");
        if (!is_vector && !is_matrix) return {};
        std::string_view rest = name.substr(3);
        unsigned columns = 1;
        if (is_matrix) {
            if (rest.size() < 3 || extent(rest[0]) == 0 || rest[1] != 'x') return {};
            columns = static_cast<unsigned>(extent(rest[0]));
            rest.remove_prefix(2);
        }
        if (rest.empty() || extent(rest[0]) == 0 || rest.size() > 2) return {};
        auto const rows = static_cast<unsigned>(extent(rest[0]));
        std::optional<wgsl_scalar> scalar;
        if (rest.size() == 2) {
            if (rest[1] == 'f') scalar = wgsl_scalar::f32;
            if (rest[1] == 'h') scalar = wgsl_scalar::f16;
            if (rest[1] == 'i' && is_vector) scalar = wgsl_scalar::i32;
            if (rest[1] == 'u' && is_vector) scalar = wgsl_scalar::u32;
            if (!scalar || !n.templates.empty()) return {};
        } else {
            if (n.templates.size() != 1) return wrong(n, "needs the type of its scalars");
            scalar = constants_.scalar(n.templates[0]);
            if (!scalar) return wrong(n, "is not made of scalars");
        }
        if (is_vector) return made(vector(*scalar, rows));
        if (!is_real(*scalar)) return wrong(n, "can contain only floats in WGSL");
        wgsl_type t = vector(*scalar, rows);
        t.what = sort::matrix;
        t.columns = columns;
        t.size = columns * rounded(t.size, t.align);
        t.data *= columns;
        t.leaves = columns;
        t.padded = t.data != t.size;
        return made(std::move(t));
    }

    [[nodiscard]] result<wgsl_type_ptr> atomic(wgsl_node const& n) {
        std::optional<wgsl_scalar> scalar;
        if (n.templates.size() == 1) scalar = constants_.scalar(n.templates[0]);
        if (scalar != wgsl_scalar::i32 && scalar != wgsl_scalar::u32)
            return wrong(n, "can contain only i32 or u32 in WGSL");
        wgsl_type t = simple(*scalar);
        t.atomic = true;
        return made(std::move(t));
    }

    [[nodiscard]] result<wgsl_type_ptr> array(wgsl_node const& n) {
        if (n.templates.empty() || n.templates.size() > 2)
            return wrong(n, "takes an element's type and a count");
        ++depth_;
        auto element = type(n.templates[0]);
        --depth_;
        if (!element) return element;
        if ((*element)->runtime_sized() || !(*element)->formula.empty())
            return wrong(n, "has elements whose size is not known");
        wgsl_type t;
        t.what = sort::array;
        t.element = *element;
        t.scalar = t.element->scalar;
        t.align = t.element->align;
        t.scalars = t.element->scalars;
        t.padded = t.element->padded || t.element->size != t.stride();
        t.uniform_defect = t.element->uniform_defect;
        if (t.stride() % 16 != 0)
            t.uniform_defect = "the elements of an array are " + std::to_string(t.stride()) +
                               " bytes apart, but uniform memory requires a multiple of 16";
        t.count = t.size = t.data = t.leaves = 0;
        if (n.templates.size() == 1) return made(std::move(t));
        auto const count = constants_.value(n.templates[1]);
        if (!count) return count.error();
        if (!count->fixed()) {
            t.formula = count->formula;
            return made(std::move(t));
        }
        auto const fixed = constants_.fixed_integer(n.templates[1], "an array's count");
        if (!fixed) return fixed.error();
        if (*fixed < 1 || static_cast<std::uint64_t>(*fixed) > max_wgsl_type_bytes)
            return wrong(n, "cannot have " + std::to_string(*fixed) + " elements");
        t.count = static_cast<std::uint64_t>(*fixed);
        if (t.count > max_wgsl_type_bytes / t.stride()) return wrong(n, "is too large");
        t.size = t.count * t.stride();
        t.data = t.count * t.element->data;
        t.leaves = t.count * t.element->leaves;
        return made(std::move(t));
    }

    [[nodiscard]] result<wgsl_type_ptr> declared(wgsl_node const& n, wgsl_declaration const& d) {
        auto const index = static_cast<std::size_t>(&d - s_.declarations.data());
        if (known_[index]) return known_[index];
        bool const structure = d.what == wgsl_declaration::sort::structure;
        if (!structure && d.what != wgsl_declaration::sort::alias) return wrong(n, "is not a type");
        if (!n.templates.empty()) return wrong(n, "takes no template list");
        if (open_[index]) return wrong(n, "contains itself");
        open_[index] = true;
        ++depth_;
        auto t = structure ? record(d) : type(d.type);
        --depth_;
        open_[index] = false;
        if (t) known_[index] = *t;
        return t;
    }
    [[nodiscard]] result<wgsl_type_ptr> record(wgsl_declaration const& d) {
        wgsl_type t;
        t.what = sort::structure;
        t.size = t.data = t.leaves = 0;
        t.align = 1;
        if (d.fields.empty())
            return constants_.fail(d.token,
                                   "lkt.kernel.type",
                                   "struct " + in_backticks(s_.name(d), 40) + " has no members",
                                   "add one");
        for (std::size_t i = 0; i < d.fields.size(); ++i) {
            wgsl_field const& f = d.fields[i];
            auto const inner = type(f.type);
            if (!inner) return inner;
            wgsl_type const& m = **inner;
            if (!m.formula.empty() || (m.runtime_sized() && i + 1 < d.fields.size()) ||
                (m.runtime_sized() && m.what == sort::structure))
                return constants_.fail(f.token,
                                       "lkt.kernel.type",
                                       "member " + in_backticks(s_.tokens[f.token].text, 40) +
                                           " has no fixed size",
                                       "only the last member may be an array without a count");
            auto const align = layout(f, "align", m.align);
            if (!align) return align.error();
            auto const size = layout(f, "size", m.size);
            if (!size) return size.error();
            std::uint64_t const offset = rounded(t.size, *align);
            add(t, m, offset);
            t.members.push_back(
                {std::string(s_.tokens[f.token].text), *inner, offset, f.begin, f.end});
            t.size = offset + *size;
            t.align = std::max(t.align, *align);
            if (t.size > max_wgsl_type_bytes) return wrong(s_.nodes[f.type], "is too large");
        }
        t.scalar = t.members.front().type->scalar;
        t.padded = t.padded || t.data != t.size;
        if (t.runtime_sized()) return made(std::move(t));
        std::uint64_t const whole = rounded(t.size, t.align);
        t.padded = t.padded || whole != t.size;
        t.size = whole;
        return made(std::move(t));
    }
    /// What a member at `offset` means for the struct.
    static void add(wgsl_type& t, wgsl_type const& m, std::uint64_t offset) {
        t.scalars |= m.scalars;
        t.data += m.data;
        t.leaves += m.leaves;
        t.padded = t.padded || m.padded;
        if (t.uniform_defect.empty()) t.uniform_defect = m.uniform_defect;
        if (!t.uniform_defect.empty()) return;
        bool const aligned = m.what == sort::structure || m.what == sort::array;
        if (aligned && offset % 16 != 0)
            t.uniform_defect = "a struct or array is at offset " + std::to_string(offset) +
                               ", but uniform memory requires a multiple of 16; use @align(16)";
        if (t.members.empty() || t.members.back().type->what != sort::structure) return;
        wgsl_type::member const& before = t.members.back();
        if (offset < before.offset + rounded(before.type->size, 16))
            t.uniform_defect = "the member after a struct in uniform memory must begin at a "
                               "multiple of 16 bytes; use @align(16)";
    }
    /// @align or @size of a member, or what its type has.
    [[nodiscard]] result<std::uint64_t>
    layout(wgsl_field const& f, std::string const& what, std::uint64_t least) {
        wgsl_attribute const* const a = s_.attribute(f.attributes, what);
        if (a == nullptr) return least;
        if (a->arguments.size() != 1)
            return constants_.fail(
                a->token, "lkt.kernel.text", "@" + what + " takes one number", "write @align(16)");
        auto const n = constants_.fixed_integer(a->arguments[0], "@" + what);
        if (!n) return n.error();
        auto const bytes = static_cast<std::uint64_t>(*n);
        bool const power = *n > 0 && (bytes & (bytes - 1)) == 0;
        if (*n < static_cast<std::int64_t>(least) || bytes > max_wgsl_type_bytes ||
            (what == "align" && !power))
            return constants_.fail(a->token,
                                   "lkt.kernel.type",
                                   "@" + what + "(" + std::to_string(*n) + ") of member " +
                                       in_backticks(s_.tokens[f.token].text, 40) +
                                       " does not fit its type, which requires " +
                                       std::to_string(least),
                                   what == "align" ? "give a power of two that is at least that"
                                                   : "give as many bytes or more");
        return bytes;
    }

    wgsl_syntax const& s_;
    wgsl_constants& constants_;
    std::vector<wgsl_type_ptr> known_; ///< by declaration
    std::vector<bool> open_;
    int depth_ = 0;
};

} // namespace lkt::detail::lang
