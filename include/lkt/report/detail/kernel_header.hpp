// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/source.hpp>
#include <lkt/kernel/tensor_map.hpp>
#include <lkt/lang/tuned_text.hpp>
#include <lkt/tuner/tuning_outcome.hpp>

#include <optional>
#include <string>
#include <vector>

namespace lkt::detail {

/// A parameter of the launch by the driver: an argument, or the members of a struct.
struct header_parameter {
    std::string name;        ///< `argument_0`
    std::string declaration; ///< `CUdeviceptr argument_0 /* float const* A */`
    std::string address;     ///< of what the kernel is passed
    std::vector<argument const*> arguments;
};

/// The C++ around a kernel that was tuned.
class header_parts {
public:
    header_parts(tuning_outcome const& out, kernel_source const& source, tuned_text const& kernel);

    /// The kernel's name, with the arguments of a template.
    [[nodiscard]] std::string const& name() const { return name_; }
    /// What was tuned, in a namespace of its own.
    [[nodiscard]] std::string constants() const;
    /// All behind the first comment.
    [[nodiscard]] std::string header() const;

private:
    [[nodiscard]] std::string in_namespace(std::string const& text) const;
    [[nodiscard]] std::string constant_lines() const;
    [[nodiscard]] std::string size_struct() const;
    [[nodiscard]] std::string dimensions() const;
    [[nodiscard]] std::string source_text() const;
    [[nodiscard]] std::vector<header_parameter> driver_parameters() const;
    [[nodiscard]] std::string map_lines(tensor_map const& map,
                                        std::vector<header_parameter> const& parameters) const;
    [[nodiscard]] std::string tensor_map_text() const;
    [[nodiscard]] std::string driver_launch() const;
    [[nodiscard]] std::string runtime_launch() const;
    [[nodiscard]] std::vector<std::string> macros() const;

    tuning_outcome const& out_;
    tuned_text const& kernel_;
    std::string name_;
    std::vector<tensor_map> maps_;   ///< of the tuned kernel
    std::string namespace_;          ///< `lkt_tuned_matmul`
    std::vector<std::string> sizes_; ///< members of `problem_size`
};

/// Any text as a string literal of C++, in pieces of a line each.
[[nodiscard]] std::string cpp_literal(std::string_view text);

} // namespace lkt::detail
