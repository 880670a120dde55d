// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "config_file.hpp"
#include "strategies.hpp"

#include "../common/program.hpp"

#include <lkt/core/log.hpp>
#include <lkt/core/result.hpp>
#include <lkt/evaluate/evaluation_options.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/llm/ask.hpp>
#include <lkt/llm/http/options.hpp>
#include <lkt/llm/thinking.hpp>
#include <lkt/llm/with_settings.hpp>
#include <lkt/nodes/declaration.hpp>
#include <lkt/search/local_search.hpp>
#include <lkt/store/journal_file.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lkt_tune {

/// The command line, checked as far as it can be without reading a file.
struct options {
    std::string kernel_file;  // empty with a problem file
    std::string problem_file; // empty with a kernel file
    std::string config_file;  // whose options are among these
    std::string torch_module; // FILE.py:CLASS; empty: none
    std::string operations;   // a folder of problem files, each of which is tuned; empty: one run
    int jobs = 4;             // of these, at the same time
    std::string language;     // of an operation's kernel; empty: what the problem file says
    std::string oracle_file;  // empty: the kernel itself says what is right
    std::string script_file;  // of further tests; empty: none
    std::string declare_file; // where the completed problem goes; empty: it is tuned
    bool ask_tests = false;   // of the model, where nothing else is open
    std::string ask_script;   // where a script goes that the model writes; empty: none is asked for
    std::string kernel_name;  // empty: the only one in the text

    std::vector<std::string> sizes, also_sizes, arguments, parameters, restrictions;
    std::string grid, block, shared, flops;

    std::string model;                  // as `make_chat_model` knows it; empty: none is asked
    std::vector<std::string> fallbacks; // models asked where those before failed
    std::string reviewer;               // the model that plans and judges; empty: the same
    std::optional<double> requests_per_minute; // to all of them; none: no limit
    std::string reply_cache;                   // the folder that keeps replies; empty: none
    lkt::sampling_settings sampling;           // of each request
    std::string store;                         // the folder that keeps kernels; empty: none
    bool ignore_stored = false;                // ask even where it has one
    unsigned examples = 0;                     // of similar operations, for a first kernel
    std::string record_file;                   // what is said to it; empty: nowhere
    std::vector<lkt::thinking_tags> thinking;  // around reasoning in its text, beside those known
    lkt::http_timeouts timeouts;               // of a server
    bool suspend = false;                      // a mailbox ends the run where a reply is missing
    std::optional<double> max_cost;            // of the model's replies, in USD; none: no limit
    std::optional<std::int64_t> max_calls;     // of models; none: no limit
    std::optional<lkt::search_budget> budget;  // of each kernel's configurations; none: all
    double until_roof = 1;                     // share of it where no model is asked any more
    std::optional<lkt::seconds> max_time;      // of this program; none: no limit
    std::string max_time_text;                 // as it was said
    std::string backend = "auto";              // or host, cuda, webgpu
    std::string device;                        // of CUDA or WebGPU; empty: the first
    std::string strategy;                      // of the catalogue
    std::string steps_file;                    // of explicit_steps; empty: the library's own list
    said_numbers numbers;
    lkt::answer_mode answers = lkt::answer_mode::automatic;
    std::int64_t context_tokens = 0; // of the model; 0: not known
    int launches = 21;
    std::uint64_t seed = 1;
    double compile_limit_s = 60, launch_limit_s = 10, checked_time_s = 5, test_memory_gib = 0;
    bool beside_torch = false; // time what the operation's user would call instead
    bool no_evidence = false, no_sanitize = false, require_checked = false,
         unconfined_compiler = false;
    lkt::profiling profile = lkt::profiling::automatic;
    lkt::ptx_policy ptx = lkt::ptx_policy::compute;

    std::string device_queue;   // of runs that use a device in turns; empty: it is not shared
    std::string journal_folder; // where a new run is saved; empty: nowhere
    std::string resume_folder;  // where the run is saved that goes on; empty: it is a new one
    lkt::sync_policy journal_sync = lkt::sync_policy::interval;

    std::string json_file, report_file, output_file;
    bool force = false;      // a declaration replaces a file that exists
    std::string trace_file;  // .jsonl or .json; empty: none
    std::string prices_file; // of models; empty: those of the library
    lkt::log_level log = lkt::log_level::warning;
    bool quiet = false;
    bool dry_run = false, describe = false; // say what would be done, and what the problem is
};

/// A command line whose `--config FILE` is replaced by the options of that file which it does not
/// give itself. Errors: those of `config_file::read`.
struct expanded_words {
    std::vector<std::string> words;
    std::optional<config_file> file; ///< none was named
};
[[nodiscard]] lkt::result<expanded_words> with_config(std::vector<std::string> const& words);

/// Either options, or information that was asked for (`--help`, `--version`, `--graph`); usage
/// errors carry the code `lkt.tune.usage`. With `--resume` the words in `before`, those with which
/// the run was begun, say what these do not; without them nothing but the folder is checked.
[[nodiscard]] lkt::result<std::variant<options, lkt_apps::information>>
parse_command_line(std::vector<std::string> const& words,
                   std::vector<std::string> const& before = {});

/// One option as a command line says it.
struct said_option {
    std::string key;
    std::vector<std::string> values; ///< empty: a switch

    [[nodiscard]] std::vector<std::string> words() const;
};

/// Those of a command line that `parse_command_line` has understood. `here`: files are named as
/// from any folder.
[[nodiscard]] std::vector<said_option> options_said(std::vector<std::string> const& words,
                                                    bool here = false);

/// The problem that the options describe, kernel file or problem file read. With a model a kernel
/// file may leave something open; without one that is an error. Where both are given, the kernel is
/// the kernel file's.
[[nodiscard]] lkt::result<lkt::problem_draft> make_problem(options const& o);

/// The problem file whose kernel says what is right: that of --oracle, or the problem's own where
/// its kernel is another file's. Empty: the kernel itself, or the oracle of `task`.
[[nodiscard]] std::string oracle_of(options const& o, lkt::problem const& task);

/// `cuda`, `hip` or `wgsl`.
[[nodiscard]] std::optional<lkt::language> language_called(std::string const& name);

} // namespace lkt_tune
