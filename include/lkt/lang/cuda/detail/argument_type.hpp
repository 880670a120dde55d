// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/value_type.hpp>
#include <lkt/lang/cuda/detail/declarations.hpp>

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::detail::lang {

/// `float`, `unsigned long long` and the names that CUDA and HIP give to types.
inline std::optional<value_type> named_type(std::string_view name) {
    using s = scalar_type;
    struct entry {
        std::string_view name;
        s scalar;
        unsigned lanes = 1;
    };
    static constexpr entry scalars[] = {{"bool", s::boolean},
                                        {"_Bool", s::boolean},
                                        {"int8_t", s::int8},
                                        {"uint8_t", s::uint8},
                                        {"int16_t", s::int16},
                                        {"uint16_t", s::uint16},
                                        {"int32_t", s::int32},
                                        {"uint32_t", s::uint32},
                                        {"int64_t", s::int64},
                                        {"uint64_t", s::uint64},
                                        {"size_t", s::uint64},
                                        {"ptrdiff_t", s::int64},
                                        {"ssize_t", s::int64},
                                        {"intptr_t", s::int64},
                                        {"uintptr_t", s::uint64},
                                        {"uchar", s::uint8},
                                        {"ushort", s::uint16},
                                        {"uint", s::uint32},
                                        {"ulong", s::uint64},
                                        {"float", s::float32},
                                        {"double", s::float64},
                                        {"half", s::float16},
                                        {"__half", s::float16},
                                        {"_Float16", s::float16},
                                        {"nv_bfloat16", s::bfloat16},
                                        {"__nv_bfloat16", s::bfloat16},
                                        {"__bf16", s::bfloat16},
                                        {"hip_bfloat16", s::bfloat16},
                                        {"__hip_bfloat16", s::bfloat16},
                                        {"__nv_fp4_storage_t", s::uint8},
                                        {"__nv_fp4x2_storage_t", s::uint8},
                                        {"__nv_fp4x4_storage_t", s::uint16},
                                        {"__nv_fp8_storage_t", s::uint8},
                                        {"__nv_fp8x2_storage_t", s::uint16},
                                        {"__nv_fp8x4_storage_t", s::uint32}};
    for (entry const& e : scalars)
        if (e.name == name) return value_type{e.scalar, 1};
    static constexpr entry pairs[] = {{"half2", s::float16},
                                      {"__half2", s::float16},
                                      {"nv_bfloat162", s::bfloat16},
                                      {"__nv_bfloat162", s::bfloat16},
                                      {"__hip_bfloat162", s::bfloat16}};
    for (entry const& e : pairs)
        if (e.name == name) return value_type{e.scalar, 2};
    if (name == "__nv_fp4x2_e2m1") return value_type{s::float4_e2m1, 2};
    if (name == "__nv_fp4x4_e2m1") return value_type{s::float4_e2m1, 4};
    constexpr std::string_view float8 = "__nv_fp8";
    if (name.starts_with(float8)) {
        std::string_view rest = name.substr(float8.size());
        unsigned lanes = 1;
        if (rest.starts_with("x2") || rest.starts_with("x4")) {
            lanes = static_cast<unsigned>(rest[1] - '0');
            rest.remove_prefix(2);
        }
        if (rest == "_e4m3") return value_type{s::float8_e4m3, lanes};
        if (rest == "_e5m2") return value_type{s::float8_e5m2, lanes};
        return {};
    }
    if (name.empty() || name.back() < '1' || name.back() > '4') return {};
    auto const lanes = static_cast<unsigned>(name.back() - '0');
    name.remove_suffix(1);
    static constexpr entry vectors[] = {{"char", s::int8},
                                        {"uchar", s::uint8},
                                        {"short", s::int16},
                                        {"ushort", s::uint16},
                                        {"int", s::int32},
                                        {"uint", s::uint32},
                                        {"long", s::int64},
                                        {"ulong", s::uint64},
                                        {"longlong", s::int64},
                                        {"ulonglong", s::uint64},
                                        {"float", s::float32},
                                        {"double", s::float64}};
    for (entry const& e : vectors)
        if (e.name == name) return value_type{e.scalar, lanes};
    return {};
}

/// The words of a fundamental type, in any order; nothing for `long double` and nonsense.
struct type_words {
    int is_signed = 0, is_unsigned = 0, shorts = 0, longs = 0, ints = 0, chars = 0, floats = 0,
        doubles = 0, bools = 0;

    bool take(piece const& p) {
        struct entry {
            std::string_view word;
            int type_words::* count;
        };
        static constexpr entry words[] = {{"signed", &type_words::is_signed},
                                          {"unsigned", &type_words::is_unsigned},
                                          {"short", &type_words::shorts},
                                          {"long", &type_words::longs},
                                          {"int", &type_words::ints},
                                          {"char", &type_words::chars},
                                          {"float", &type_words::floats},
                                          {"double", &type_words::doubles},
                                          {"bool", &type_words::bools}};
        for (entry const& e : words)
            if (p.is(e.word)) {
                ++(this->*e.count);
                return true;
            }
        return false;
    }
    [[nodiscard]] std::optional<value_type> type() const {
        int const signs = is_signed + is_unsigned;
        int const sizes = shorts + longs;
        int const others = floats + doubles + bools + chars;
        if (signs > 1 || ints > 1 || shorts > 1 || longs > 2 || others > 1) return {};
        if (shorts > 0 && longs > 0) return {};
        if (floats + doubles + bools > 0) {
            if (signs + sizes + ints > 0) return {};
            return value_type{floats > 0    ? scalar_type::float32
                              : doubles > 0 ? scalar_type::float64
                                            : scalar_type::boolean,
                              1};
        }
        if (chars > 0) {
            if (sizes + ints > 0) return {};
            // Plain char is signed on x86-64 and in CUDA.
            return value_type{is_unsigned > 0 ? scalar_type::uint8 : scalar_type::int8, 1};
        }
        if (signs + sizes + ints == 0) return {};
        bool const u = is_unsigned > 0;
        if (shorts > 0) return value_type{u ? scalar_type::uint16 : scalar_type::int16, 1};
        if (longs > 0) return value_type{u ? scalar_type::uint64 : scalar_type::int64, 1};
        return value_type{u ? scalar_type::uint32 : scalar_type::int32, 1};
    }
};

/// A type with its declarator, or why it is none that an argument can have.
struct argument_type {
    std::string name; ///< of the parameter; may be empty
    value_type type;
    int pointers = 0;
    bool value_const = false; ///< of what the pointer points to, or of the value
    bool is_restrict = false, is_volatile = false;
    std::string record;    ///< the struct of the text that the type is; `type` means nothing then
    std::string type_name; ///< what was not understood
    std::string why;       ///< empty if all is well
};

using type_table = std::map<std::string, std::vector<piece>>;

/// Reads parameters; names of types are looked up in `given` (template arguments, types that the
/// caller knows of), among the aliases of the text and among the types of CUDA and HIP.
class type_reader {
public:
    type_reader(declarations const& text, std::set<std::string> const& unclear, type_table given)
        : text_(text), unclear_(unclear), given_(std::move(given)) {}

    [[nodiscard]] argument_type read(std::span<piece const> in, int depth = 0) const {
        argument_type t;
        type_words words;
        bool has_type = false, has_words = false, is_void = false, array = false;
        auto const refuse = [&](std::string name, std::string why) {
            if (t.why.empty()) {
                t.type_name = std::move(name);
                t.why = std::move(why);
            }
        };
        if (depth > 16)
            refuse(in.empty() ? "" : in.front().tok.text, "is defined in terms of itself");
        for (std::size_t i = 0; i < in.size() && t.why.empty(); ++i) {
            piece const& p = in[i];
            bool const more = i + 1 < in.size();
            if (p.is("=")) break;
            if (p.is("const") || p.is("constexpr")) {
                if (t.pointers == 0) t.value_const = true;
            } else if (p.is("volatile")) {
                t.is_volatile = true;
            } else if (p.is("__restrict__") || p.is("__restrict") || p.is("restrict")) {
                t.is_restrict = true;
            } else if (p.is("struct") || p.is("class") || p.is("union") || p.is("enum") ||
                       p.is("typename") || p.is("register") || p.is("__grid_constant__")) {
                continue;
            } else if (p.is("__attribute__") || p.is("alignas") || p.is("__align__")) {
                if (more && in[i + 1].is("(")) i = skip(in, i + 1);
            } else if (p.is("[")) {
                if (more && in[i + 1].is("[")) {
                    i = skip(in, i);
                    continue;
                }
                if (array || t.pointers > 0)
                    refuse(spelled(in), "is an array of arrays or pointers");
                array = true;
                i = skip(in, i);
            } else if (p.is("*")) {
                ++t.pointers;
            } else if (p.is("&") || p.is("&&")) {
                refuse(spelled(in), "is a reference; a kernel takes values and pointers");
            } else if (p.is("(")) {
                refuse(spelled(in), "is a pointer to a function or an array");
            } else if (p.is("...")) {
                refuse(spelled(in), "is a parameter pack");
            } else if (p.is("void") && !has_type && !has_words) {
                has_type = is_void = true;
            } else if (!has_type && words.take(p)) {
                has_words = true;
            } else if (p.is("auto") || p.is("decltype")) {
                refuse(p.tok.text, "does not state the type");
            } else if (p.is("::")) {
                continue;
            } else if (p.names() && more && in[i + 1].is("::")) {
                // std::size_t, cuda::std::uint32_t; any other qualifier makes an unknown name.
                if (!p.is("std") && !p.is("cuda") && !has_type)
                    refuse(spelled(in), "is not a type that lkt knows");
                ++i;
            } else if (p.names() && !has_type && !has_words) {
                if (more && in[i + 1].is("<")) {
                    refuse(spelled(in), "is a class template");
                } else {
                    has_type = true;
                    look_up(p, t, depth);
                }
            } else if (p.names() && t.name.empty()) {
                t.name = p.tok.text;
            } else {
                refuse(spelled(in), "is not a declaration that lkt reads");
            }
        }
        if (!t.why.empty()) return t;
        if (has_words) {
            if (auto const type = words.type())
                t.type = *type;
            else
                refuse(spelled(in), "is not a type that lkt knows");
        }
        if (array) ++t.pointers;
        if (is_void)
            refuse(spelled(in), "does not say what it points to");
        else if (!has_type && !has_words)
            refuse(spelled(in), "has no type");
        else if (t.pointers > 1)
            refuse(spelled(in), "is a pointer to pointers; pass one buffer");
        else if (t.pointers > 0 && !t.record.empty())
            refuse(t.record, "is a structure or enumeration of the text");
        return t;
    }

private:
    /// The index of the bracket that closes the one at `open`.
    static std::size_t skip(std::span<piece const> in, std::size_t open) {
        int depth = 0;
        for (std::size_t i = open; i < in.size(); ++i) {
            if (in[i].is("(") || in[i].is("[")) ++depth;
            if ((in[i].is(")") || in[i].is("]")) && --depth == 0) return i;
        }
        return in.size();
    }
    static std::string spelled(std::span<piece const> in) {
        std::string text;
        for (piece const& p : in) {
            if (text.size() > 80) break;
            bool const tight = text.empty() || p.is("*") || p.is(",") || p.is("::") || p.is("[") ||
                               p.is("]") || p.is("<") || p.is(">") || text.ends_with("::") ||
                               text.ends_with("<") || text.ends_with("[");
            text += (tight ? "" : " ") + p.tok.text;
        }
        return text;
    }

    void look_up(piece const& p, argument_type& t, int depth) const {
        std::string const& name = p.tok.text;
        std::vector<piece> const* meaning = nullptr;
        auto const found = text_.aliases.find(name);
        if (auto const g = given_.find(name); g != given_.end()) {
            meaning = &g->second;
            if (meaning->empty()) {
                t.type_name = name;
                t.why = "is a template parameter without a value";
                return;
            }
        } else if (unclear_.contains(name) ||
                   (found != text_.aliases.end() && found->second.ambiguous)) {
            t.type_name = name;
            t.why = "means different types in different parts of the text";
            return;
        } else if (found != text_.aliases.end()) {
            meaning = &found->second.type;
        } else if (text_.records.contains(name)) {
            t.record = name;
            return;
        }
        if (meaning == nullptr) {
            if (auto const type = named_type(name)) {
                t.type = *type;
                return;
            }
            t.type_name = name;
            t.why = "is not a type that lkt knows";
            return;
        }
        // `typedef half half;` in a header's style: the built-in meaning is meant.
        if (meaning->size() == 1 && meaning->front().is(name) && named_type(name)) {
            t.type = *named_type(name);
            return;
        }
        // `typedef struct params params;`
        if (meaning->back().is(name) && text_.records.contains(name)) {
            t.record = name;
            return;
        }
        argument_type const inner = read(*meaning, depth + 1);
        if (!inner.why.empty()) {
            t.type_name = name == inner.type_name ? name : name + " = " + inner.type_name;
            t.why = inner.why;
            return;
        }
        t.type = inner.type;
        t.record = inner.record;
        // `const fp p` with `typedef float* fp` makes the pointer const, not what it points to.
        t.value_const = inner.pointers > 0 ? inner.value_const : t.value_const || inner.value_const;
        t.pointers += inner.pointers;
        t.is_volatile = t.is_volatile || inner.is_volatile;
        t.is_restrict = t.is_restrict || inner.is_restrict;
    }
    declarations const& text_;
    std::set<std::string> const& unclear_;
    type_table given_;
};

} // namespace lkt::detail::lang
