// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/lang/expression/parse_parameter.hpp>
#include <lkt/lang/find_kernel.hpp>

#include <boost/json/fwd.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// A problem with the JSON that it was read from, so that writing it back keeps unknown fields. To
/// use `raw`, include `<boost/json/object.hpp>`.
struct problem_file {
    problem task;
    std::shared_ptr<boost::json::object const> raw; ///< not null where it was read; copies share it
    std::vector<std::string> warnings;              ///< what was read, but is probably not meant
};

/// Reads a problem in the T1 format with its `lkt` object; docs/kernels.md lists the fields.
/// `folder` is where the kernel's file is looked for; `origin` names the text in messages. Sizes
/// are called `ProblemSize[0]`, `ProblemSize[1]`, ... `target` is the language of an operation's
/// kernel (docs/operations.md), instead of the file's.
///
/// Errors name the field by its path: `lkt.problem.json` (with line and column), `.field` (misspelt
/// or missing), `.type`, `.value`, `.unsupported` (known, but not supported yet), `.file` (a kernel
/// file outside of the folder); and those of `read_text_file` and `find_kernel`.
[[nodiscard]] result<problem_file> parse_problem_file(std::string_view text,
                                                      std::string const& folder,
                                                      std::string const& origin = "problem",
                                                      std::optional<language> target = {});
[[nodiscard]] result<problem_file> read_problem_file(std::string const& path,
                                                     std::optional<language> target = {});

/// The same for a kernel whose text is already known, such as one that a model describes:
/// `KernelFile`, `KernelName`, `Language` and `lkt.bindings` are not read, and no file is opened.
[[nodiscard]] result<problem_file> parse_problem_file(std::string_view text,
                                                      kernel_source const& kernel,
                                                      signature const& declared,
                                                      std::string const& origin = "problem");

/// The same, for callers that do not write the file back.
[[nodiscard]] result<problem> parse_problem(std::string_view text, std::string const& folder);
[[nodiscard]] result<problem> read_problem(std::string const& path,
                                           std::optional<language> target = {});

} // namespace lkt
