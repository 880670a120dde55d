// SPDX-License-Identifier: BSL-1.0
// A kernel of which nobody said anything, and replies that describe it.
#pragma once

#include <lkt/lang/find_kernel.hpp>
#include <lkt/nodes/declaration.hpp>

#include <string>

namespace lkt_test {

inline std::string const twice_text = "__global__ void twice(float const* x, float* y, int n) {\n"
                                      "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                      "    if (i < n) y[i] = 2 * x[i];\n"
                                      "}\n";

inline lkt::problem_draft open_draft() {
    lkt::problem_draft draft;
    draft.known.reference = {lkt::language::cuda, twice_text, "twice.cu"};
    draft.known.signature = lkt::find_kernel(draft.known.reference).value();
    draft.open = {0, 1, 2};
    draft.launch_is_open = true;
    return draft;
}

inline std::string const good_description = R"({
  "KernelSpecification": {
    "ProblemSize": [96],
    "Arguments": [
      {"Name": "x", "Type": "float32", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": "ProblemSize[0]"},
      {"Name": "y", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": "ProblemSize[0]"}
    ]
  },
  "lkt": {
    "sizes": [[7]],
    "size_constraints": ["ProblemSize[0] >= 1"],
    "scalars": {"n": "ProblemSize[0]"},
    "domain": {"x": {"min": 0, "max": 4}},
    "scratch": []
  }
})";

inline std::string const good_tests = R"({
  "lkt": {
    "tests": [
      {"name": "one value", "arguments": {"x": {"distribution": "one_hot"}}},
      {"name": "steps", "arguments": {"x": {"distribution": "uniform", "low": 1, "high": 2, "inject": ["-0"], "fraction": 0.1}}}
    ]
  }
})";

inline std::string fenced_json(std::string const& json) {
    return "I looked at the accesses.\n\n```json\n" + json + "\n```\n";
}

inline lkt::problem described_problem() {
    return lkt::read_problem_declaration(fenced_json(good_description), open_draft()).value();
}

} // namespace lkt_test
