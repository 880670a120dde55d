// SPDX-License-Identifier: BSL-1.0
// What a user left open is put to a model.
#pragma once

#include "../common/tests.hpp"
#include "options.hpp"
#include "shelf.hpp"

#include <lkt/core/fields.hpp>
#include <lkt/core/result.hpp>
#include <lkt/gpu/any_gpu_backend.hpp>
#include <lkt/nodes/declare_tests.hpp>
#include <lkt/nodes/progress_event.hpp>
#include <lkt/store/journal.hpp>
#include <lkt/verify/timed_size.hpp>

#include <boost/json/object.hpp>

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace lkt_tune {

/// What a model was asked about a problem, and what came of it.
struct declaration {
    lkt::problem task;                    ///< complete
    std::optional<lkt::test_suite> suite; ///< prepared, where it still fits; not kept in a journal
    bool sizes = false;                   ///< they are the model's
    std::vector<std::size_t> arguments;   ///< that the model described
    bool tests = false;                   ///< they are the model's
    lkt::problem_size said;               ///< the timed size as the model said it
    std::optional<lkt::sized_launch> timed;
    lkt::declaration_log log;
    std::string by;     ///< the model's description
    std::string script; ///< that makes tests, by the model; a journal keeps it by itself

    using state_fields = lkt::fields<&declaration::task,
                                     &declaration::sizes,
                                     &declaration::arguments,
                                     &declaration::tests,
                                     &declaration::said,
                                     &declaration::timed,
                                     &declaration::log,
                                     &declaration::by>;
};

/// Whether tests are asked for in the format of problem files: where the problem is not complete
/// and no script is asked for, or on request.
[[nodiscard]] bool asks_for_tests(options const& o, lkt::problem_draft const& draft);

/// Asks for what is open in `draft` and for tests, then looks for a size worth timing where the
/// sizes are the model's; last, for the script of `--ask-script`, which goes into that file and
/// into `tests`. Replies are kept in `saved`, if there is one, and so is what came of them: neither
/// is asked for again. Errors: those of `declare_tests`, `timed_size`, `write_script` and
/// `journal`.
[[nodiscard]] lkt::result<declaration> declare(lkt::problem_draft draft,
                                               lkt::any_gpu_backend& gpu,
                                               heard_model& model,
                                               lkt_apps::chosen_tests& tests,
                                               options const& o,
                                               std::optional<lkt::journal> saved,
                                               lkt::progress_sink on_progress,
                                               std::stop_token stop);

/// For people, so that they can check it.
[[nodiscard]] std::string to_text(declaration const& d);
/// For programs.
[[nodiscard]] boost::json::object to_json(declaration const& d);

} // namespace lkt_tune
