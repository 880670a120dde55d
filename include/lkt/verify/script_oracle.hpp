// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/output_oracle.hpp>
#include <lkt/verify/python_script.hpp>

#include <span>
#include <string>
#include <vector>

namespace lkt {

/// A Python function over NumPy arrays or torch tensors (on the CPU) that computes the expected
/// outputs. Its text may be untrusted: it runs in a confined process.
///
/// It is called with the arguments that the kernel reads (`in` and `inout`), in the signature's
/// order: a buffer as an array of one dimension, with a second one for the lanes of a vector type;
/// a value as a Python number, one of a vector type as an array. bfloat16 and floats of 8 bits
/// are passed as float32, half bytes as int8 or uint8. A
/// parameter called `size`, or `**`, gets the problem's size as a dictionary. It returns the
/// outputs: one array, a tuple or list in the signature's order, or a dictionary by name; of any
/// shape with the right number of elements. Floats of any width are rounded once, to the output's
/// type, so a function that computes in float64 is a more exact oracle; an integer output must get
/// integers.
///
/// Errors: `lkt.verify.oracle_script` (rejected) with the last lines of the traceback, or what the
/// function should have returned; `lkt.verify.oracle_output` for an array that does not fit;
/// `lkt.verify.python` (unavailable); `cancelled`. Cost: one process, which waits
/// for a minute for the next question to the same script; each runs the script from its beginning.
struct script_oracle {
    python_script script;

    [[nodiscard]] result<std::vector<oracle_answer>> answer(problem const& task,
                                                            std::span<test_case const> tests,
                                                            call_context const& context) const;
    [[nodiscard]] std::string describe() const;
};

static_assert(output_oracle<script_oracle>);

/// The script of a file. Errors: those of `read_text_file`.
[[nodiscard]] result<script_oracle>
read_script_oracle(std::string const& path, std::string const& function, array_library library);

} // namespace lkt
