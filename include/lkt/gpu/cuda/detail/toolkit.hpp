// SPDX-License-Identifier: BSL-1.0
// The programs of NVIDIA's toolkits that watch a kernel: where they are, and a launch under one.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/process/worker_options.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace lkt::cuda_detail {

/// A program that is looked for.
struct toolkit_program {
    char const* name;     ///< of its file
    char const* variable; ///< of the environment, that names the file
    char const* option;   ///< of the user, that names the file: `cuda_options::...`
    /// A folder with one folder for each version, in which the file lies; may be empty.
    char const* versions = "";
    char const* code;   ///< of the error
    char const* absent; ///< what the error says where it is nowhere
    char const* hint;
};

/// Its file: `given`, else what the variable names, else the first of `bin` of `CUDA_HOME` and
/// `CUDA_PATH`, `PATH`, `/usr/local/cuda`, `/usr/local/cuda-*` (the last name first), `/opt/cuda`,
/// and the folders of its versions. Error: the program's `code` (unavailable).
[[nodiscard]] result<std::string> find_program(toolkit_program const& what,
                                               std::string const& given);

/// A folder that nobody else may enter, removed at the end.
class private_folder {
public:
    explicit private_folder(char const* stem);
    private_folder(private_folder const&) = delete;
    private_folder& operator=(private_folder const&) = delete;
    ~private_folder();
    /// Empty where there is none.
    [[nodiscard]] std::string const& path() const { return path_; }

private:
    std::string path_;
};

/// The file's text, 16 MiB at most; empty where it cannot be read.
[[nodiscard]] std::string text_of_file(std::string const& path);

/// One launch as a tool is to see it: no warm-up, nothing kept on the device. What is expected is
/// only there to fill outputs with what resembles it.
[[nodiscard]] run_request single_launch(run_request const& request);

struct watched_launch {
    std::vector<std::string> tool; ///< its command line, which the worker's is appended to
    std::string device;            ///< as cuda_options::device
    worker_options worker;
    std::chrono::seconds step{120}; ///< for each of: starting, opening the device, ending
    std::chrono::seconds lost{60};  ///< beyond the launch's own limit: the worker is lost
    bool unfilled = false;          ///< the tool looks for reads of memory that was never written
};

/// Bare launches, one after the other, in a worker of their own that the tool starts, and its end.
/// When this returns, so has the tool, and whatever it writes is written. The first that fails is
/// the last: there is an outcome for each that was made, and for one at least.
[[nodiscard]] std::vector<result<run_outcome>> launch_under(watched_launch const& how,
                                                            compiled_kernel const& kernel,
                                                            std::span<run_request const> requests,
                                                            call_context const& context);

} // namespace lkt::cuda_detail
