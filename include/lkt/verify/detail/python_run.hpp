// SPDX-License-Identifier: BSL-1.0
// What this program and the confined Python process say to each other: a line of JSON and arrays
// go in, arrays and their names come out.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/verify/npy.hpp>
#include <lkt/verify/python_script.hpp>

#include <string>
#include <utility>
#include <vector>

namespace lkt::detail {

struct named_array {
    std::string name;
    npy_array array;
};

/// One test's arrays, and the position of its size among those that were sent.
struct script_answer {
    std::size_t size = 0;
    std::vector<named_array> arrays;
};

/// `head` is the inside of a JSON object, `arrays` are .npy files that follow one another. Errors:
/// `code` (rejected), with the last words of the script, and `hint`; those of `find_python` and
/// `run_child`; `cancelled`.
[[nodiscard]] result<std::vector<script_answer>> run_python(python_script const& script,
                                                            std::string const& head,
                                                            std::string const& arrays,
                                                            std::string const& code,
                                                            std::string const& hint,
                                                            call_context const& context);

} // namespace lkt::detail
