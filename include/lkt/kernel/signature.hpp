// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/kernel/value_type.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt {

/// Which way the data of an argument flows. `out` means that every element is written and none is
/// read; whatever is less certain is `inout`.
enum class direction : unsigned char { in, out, inout };

[[nodiscard]] constexpr std::string_view to_string(direction d) {
    switch (d) {
    case direction::in:
        return "in";
    case direction::out:
        return "out";
    case direction::inout:
        return "inout";
    }
    return "unknown";
}

/// One parameter of a kernel as its declaration states it.
struct argument {
    std::string name;
    value_type type;      ///< of the value, or of what the pointer points to
    bool pointer = false; ///< a device buffer, not a value
    bool is_const = false;
    bool is_restrict = false;
    direction flow = direction::in;
    std::string spelling; ///< the declaration as written: `float const* __restrict__ A`

    friend bool operator==(argument const&, argument const&) = default;
};

/// A kernel's name and parameters.
struct signature {
    std::string name;
    std::vector<argument> arguments;
    /// As written; empty for a plain kernel and where the name holds the arguments. What is listed
    /// here gets its value from the tunable parameter of the same name, or has a default.
    std::vector<std::string> template_parameters;
    int line = 0; ///< of the declaration in its source, from 1

    friend bool operator==(signature const&, signature const&) = default;
};

/// Types that the text gets from its includes: `{"real", "float"}` says what `real` stands for.
using type_names = std::span<std::pair<std::string, std::string> const>;

/// The names of all kernels with a body, with their namespaces, in order of appearance. Looks at no
/// types, so it lists what `find_kernel` would refuse. An empty list is not an error.
template <int = 0>
[[nodiscard]] result<std::vector<std::string>> kernel_names(kernel_source const& source);

/// Every kernel that `source` defines, in order of appearance. Errors: as `find_kernel`, for the
/// first kernel that has one.
template <int = 0>
[[nodiscard]] result<std::vector<signature>> find_kernels(kernel_source const& source,
                                                          type_names types = {});

/// The kernel called `name`, or the only one when `name` is empty. A template's arguments may
/// belong to the name: `sum<float, 256>`; they must where the arguments' types depend on them.
/// Macros, typedefs and `#if` of the text itself are followed,
/// `#include` is not. Errors (rejected; they say what to pass explicitly): `lkt.kernel.none`,
/// `.several`, `.unknown`, `.type`, `.template`, `.conditional`, `.macro`, `.text`; unavailable,
/// `lkt.kernel.language`, for WGSL.
template <int = 0>
[[nodiscard]] result<signature>
find_kernel(kernel_source const& source, std::string_view name = {}, type_names types = {});

/// `void k(float const* a, int n)`, as written.
template <int = 0>
[[nodiscard]] std::string to_string(signature const& s);

/// Nothing if `candidate` can be launched in place of `reference`: name, number and types of the
/// arguments are the same. Names of parameters and qualifiers may differ, but what the reference
/// writes must not be const.
template <int = 0>
[[nodiscard]] std::optional<wrong_signature> compare_signatures(signature const& reference,
                                                                signature const& candidate);

/// The same for a text: a kernel that is not found or not understood is a wrong signature too.
template <int = 0>
[[nodiscard]] std::optional<wrong_signature>
check_signature(signature const& reference, kernel_source const& candidate, type_names types = {});

} // namespace lkt

#include <lkt/kernel/detail/find_kernel.hpp>
