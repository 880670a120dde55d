// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/output_oracle.hpp>

#include <span>
#include <string>
#include <vector>

namespace lkt {

/// Writes the expected outputs of a suite into `folder`, which is created: one .npy file for each
/// output of each test (`0.1.y.npy`), and `manifest.json` with the kernel's name and arguments and,
/// for each test, its size and digests of its inputs. What NumPy lacks is recorded as `npy_type`
/// says. Errors: a suite that is not prepared; those of `write_text_file`.
result<void> record_suite(problem const& task, test_suite const& suite, std::string const& folder);

/// Recorded outputs are the expected ones. A test is found by its size and its inputs; order and
/// names of tests do not matter. The folder may come from anywhere.
///
/// Errors: `lkt.verify.oracle_record` (rejected) if the kernel has other arguments, if nothing was
/// recorded for a test (the message says which input differs), and for damaged files; those of
/// `read_text_file`.
struct recorded_oracle {
    std::string folder;

    [[nodiscard]] result<std::vector<oracle_answer>> answer(problem const& task,
                                                            std::span<test_case const> tests,
                                                            call_context const& context) const;
    [[nodiscard]] std::string describe() const { return "the recording in " + folder; }
};

static_assert(output_oracle<recorded_oracle>);

} // namespace lkt
