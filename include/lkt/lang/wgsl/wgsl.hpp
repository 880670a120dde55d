// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/kernel/value_type.hpp>
#include <lkt/lang/expression/expression.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

/// A constant that a pipeline may replace: `@id(3) override TILE: u32 = 16;`.
struct wgsl_override {
    std::string name;
    std::optional<std::uint32_t> id;
    scalar_type type = scalar_type::int32; ///< boolean, int32, uint32, float16 or float32
    bool has_default = false;
    std::optional<expression> value; ///< the default over other overrides, where lkt can read it
    int line = 0;

    /// What WebGPU calls it: its number where it has one, else its name.
    [[nodiscard]] std::string key() const { return id ? std::to_string(*id) : name; }
};

enum class wgsl_space : unsigned char { storage, uniform };

/// A scalar or vector of a uniform struct: a member, an element of an array, a column of a matrix.
struct wgsl_member {
    std::string name; ///< its own: `n`, `w[1]`
    std::string path; ///< from the struct on: `inner.n`, `inner.w[1]`
    value_type type;
    std::uint32_t offset = 0; ///< bytes from the struct's beginning
    std::string spelling;     ///< the declaration as written: `n: u32`
};

/// A buffer that a module declares. Its contents are seen as values of one type:
/// - scalars, vectors, atomics, and arrays of them as they are;
/// - matrices and structs as their scalars, padding included, and as 32-bit words where a struct
///   mixes scalars.
struct wgsl_binding {
    std::string name;
    std::uint32_t group = 0, binding = 0;
    wgsl_space space = wgsl_space::storage;
    bool writable = false; ///< `read_write`
    value_type type;
    std::uint32_t stride = 4;         ///< bytes from one value to the next: 16 for three floats
    std::uint64_t count = 1;          ///< values; 0 where the buffer's size says how many
    std::uint64_t bytes = 4;          ///< of the whole; the least where `count` is 0
    bool array = false;               ///< false: a single scalar or vector
    bool padded = false;              ///< some of the values are padding
    std::vector<wgsl_member> members; ///< of a uniform struct of at most 64 scalars and vectors
    std::string spelling; ///< as written: `@group(0) @binding(0) var<storage, read> a: array<f32>`
    int line = 0;

    /// A value of the launch or several, not a buffer.
    [[nodiscard]] bool by_value() const {
        return space == wgsl_space::uniform && (!array || !members.empty());
    }
};

/// A buffer that an entry point uses, itself or through functions that it calls.
struct wgsl_use {
    std::size_t binding = 0; ///< index into `wgsl_module::bindings`
    direction flow = direction::in;
};

/// A `@compute` function. Expressions are over overrides; module constants are put in.
struct wgsl_entry_point {
    std::string name;
    int line = 0;
    std::array<expression, 3> workgroup_size{1, 1, 1};
    std::vector<wgsl_use> bindings;     ///< in order of group and binding
    std::vector<std::string> overrides; ///< in order of declaration
    bool num_workgroups = false;        ///< asks for that builtin
    expression workgroup_bytes;         ///< of its workgroup variables, each rounded up to 16
    bool barriers = false;              ///< threads may wait for each other
};

/// What the declarations of a WGSL text say.
struct wgsl_module {
    std::vector<std::string> enables; ///< `f16`, `subgroups`, ...
    std::vector<std::string> requirements;
    std::vector<wgsl_override> overrides;
    std::vector<wgsl_binding> bindings; ///< in order of declaration
    std::vector<wgsl_entry_point> entry_points;
};

/// Reads WGSL without a compiler: tokens, declarations, constants, types, and what functions refer
/// to. Statements are not checked; the compiler reports errors in them. Linear in the text. Errors
/// (rejected, with line and column): `lkt.kernel.text` (no WGSL declarations),
/// `lkt.kernel.constant` (a required expression without a value), `lkt.kernel.type` (a type that
/// cannot be data in a buffer: textures, samplers, bool), `lkt.kernel.binding` (group and binding).
[[nodiscard]] result<wgsl_module> reflect_wgsl(kernel_source const& source);

/// The location of an argument's data.
struct wgsl_slot {
    std::size_t binding = 0;  ///< index into `wgsl_module::bindings`
    std::uint32_t offset = 0; ///< bytes from the buffer's beginning
    std::uint32_t stride = 4; ///< bytes from one value to the next
    std::uint64_t count = 1;  ///< values; 0: as many as there are
};

/// The signature of entry point `name`, the only one when it is empty, and a slot for each of its
/// arguments. They are in the order of group, binding and offset: the bindings that it uses, and
/// those that no entry point uses. Errors: `lkt.kernel.none`, `.several`, `.unknown`, `.binding`.
struct wgsl_kernel {
    lkt::signature signature;
    std::vector<wgsl_slot> slots;
    std::size_t entry_point = 0; ///< index into `wgsl_module::entry_points`
};
[[nodiscard]] result<wgsl_kernel> find_wgsl_kernel(kernel_source const& source,
                                                   wgsl_module const& module,
                                                   std::string_view name = {});

/// The block of an entry point in terms of `parameters` only: other overrides are replaced by their
/// defaults. Errors (rejected, `lkt.kernel.constant`): an override that is not a parameter and has
/// no default.
[[nodiscard]] result<std::array<expression, 3>>
wgsl_block(wgsl_module const& module,
           std::size_t entry_point,
           std::span<tunable_parameter const> parameters);

/// A pipeline's constants: keys as `wgsl_override::key` says, and values.
using override_values = std::vector<std::pair<std::string, double>>;

/// What a configuration means for a module. `refused` where a name of the configuration is not
/// declared as an override, and where a value does not fit its type.
[[nodiscard]] std::variant<override_values, refused>
override_values_of(wgsl_module const& module, configuration const& config);

/// The same for one entry point: also `refused` where an override that it uses has neither a value
/// nor a default.
[[nodiscard]] std::variant<override_values, refused>
override_values_of(wgsl_module const& module, std::size_t entry_point, configuration const& config);

} // namespace lkt
