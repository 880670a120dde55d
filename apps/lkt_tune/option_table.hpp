// SPDX-License-Identifier: BSL-1.0
// The options of lkt-tune, in groups: what `--help`, `--completion`, `--config` and the command
// line itself go by.
#pragma once

#include "options.hpp"

#include <lkt/llm/http/options.hpp>

#include <boost/program_options/options_description.hpp>

#include <string>
#include <vector>

namespace lkt_tune {

/// What is said in words that are read later.
struct flags {
    std::string strategy = "escalate", log = "warning", sync = "interval", graph;
    std::string completion; ///< of which shell
    bool default_steps = false;
    double max_cost = 0, requests_per_minute = 0;
    std::int64_t max_calls = 0;
    double temperature = 0;
    int max_tokens = 0;
    std::string effort;
    std::string budget, until_roof = "100%";
    double first_byte_s = lkt::http_timeouts{}.first_byte.count();
    double idle_s = lkt::http_timeouts{}.idle.count();
    double total_s = lkt::http_timeouts{}.total.count();
    std::string answers = "automatic", profile = "automatic", ptx = "compute";
    std::vector<std::string> thinking;
};

/// Every option once. What is read goes into `o` and `f`, which must outlive the table.
[[nodiscard]] boost::program_options::options_description describe(options& o, flags& f);

/// For `--completion SHELL`. Errors: usage.
[[nodiscard]] lkt::result<std::string>
completion_text(boost::program_options::options_description const& table, std::string const& shell);

/// For `--help`.
[[nodiscard]] std::string help_text(boost::program_options::options_description const& table);

} // namespace lkt_tune
