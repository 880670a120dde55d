// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

enum class array_library : unsigned char { numpy, torch };

[[nodiscard]] constexpr std::string_view to_string(array_library library) {
    return library == array_library::numpy ? "numpy" : "torch";
}

/// A function in Python, as text, that runs in a confined process; docs/verification.md says what
/// it is called with. It needs NumPy in any case, for arrays travel as .npy.
struct python_script {
    std::string text;
    std::string function;
    std::string origin = "script.py"; ///< how messages call it
    array_library library = array_library::numpy;
    std::chrono::milliseconds time_limit{60'000};
    std::uint64_t memory_limit = std::uint64_t{16} << 30; ///< bytes of address space
    std::uint64_t array_limit = std::uint64_t{4} << 30;   ///< bytes of all arrays that it returns
    unsigned threads = 4;                                 ///< of NumPy's and torch's own
    /// A model wrote the text, so it runs only where the system can keep it from your files. Else
    /// that is an error, `lkt.sandbox.unavailable`; a user's own runs without Landlock, too.
    bool of_model = false;
};

/// A Python that has the library, and the folders that it reads.
struct python_interpreter {
    std::string path;
    std::vector<std::string> readable;
};

/// `LKT_PYTHON`, and nothing else where that is set; otherwise `python3` on PATH, otherwise
/// `/usr/bin/python3`, where distributions install NumPy. Errors: `lkt.verify.python` (unavailable)
/// with what to install. Costs the start of an interpreter.
[[nodiscard]] result<python_interpreter> find_python(array_library library,
                                                     call_context const& context = {});

} // namespace lkt
