// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/draft.hpp>

#include <lkt/nodes/detail/quote.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace lkt {

draft_state::draft_state() = default;
draft_state::draft_state(draft_state const&) = default;
draft_state::draft_state(draft_state&&) noexcept = default;
draft_state& draft_state::operator=(draft_state const&) = default;
draft_state& draft_state::operator=(draft_state&&) noexcept = default;
draft_state::~draft_state() = default;

} // namespace lkt

namespace lkt::detail {

settled is_described(draft_state const& s) {
    return !s.describe || !s.draft.known.notes.empty() ? settled::yes : settled::no;
}

settled is_declared(draft_state const& s) {
    bool const tests = !s.asking.tests || !s.draft.known.tests.empty();
    return s.draft.complete() && tests ? settled::yes : settled::no;
}

result<void> describe_kernel(draft_state& s,
                             state_ref const& tuning,
                             tools_ref const& tools,
                             model_ref model,
                             test_prompts_ref prompts) {
    if (auto end = tools.must_end(tuning.usage)) return *end;
    chat_request request;
    request.messages = {{role::user, prompts.purpose(prompts.prompts, s.draft)}};
    tools.report_progress(tuning, activity::asking_model);
    auto const start = std::chrono::steady_clock::now();
    auto reply = model.complete(request, tools.context);
    if (!reply) return reply.error();
    count_usage(tuning.usage, *reply, std::chrono::steady_clock::now() - start);
    std::string const text = reply->finish == finish::stop || reply->finish == finish::unknown
                                 ? shortened(reply->text, 2000)
                                 : std::string();
    if (text.find_first_not_of(" \t\r\n") == std::string::npos)
        tuning.notes.push_back("the model did not say what the kernel computes");
    else
        s.draft.known.notes = "As " + (reply->model.empty() ? "the model" : reply->model) +
                              " describes this kernel: " + text;
    return {};
}

result<supplied> declare_problem(draft_state& s,
                                 state_ref const& tuning,
                                 tools_ref const& tools,
                                 gpu_ref gpu,
                                 model_ref model,
                                 tests_ref generator,
                                 test_prompts_ref prompts) {
    bool const sizes = s.draft.known.size.empty();
    declaration_log log;
    auto made = declare_tests(s.draft, log, tools, gpu, model, generator, s.asking, prompts);
    // What was said and what it cost is kept after a failure too: nobody reads more of the state.
    s.declared = log;
    if (!made) return made.error();
    add_usage(tuning.usage, log.usage);
    s.draft = {std::move(made->task), {}, false};
    tuning.tests = std::move(made->suite);
    return sizes ? supplied::sizes : supplied::arguments;
}

result<void>
fit_timed_size(draft_state& s, state_ref const& tuning, tools_ref const& tools, gpu_ref gpu) {
    problem& task = s.draft.known;
    timed_size_options how;
    how.seed = tools.options.seed;
    how.compile_limit = tools.options.compile_limit;
    how.launch_limit = tools.options.launch_limit;
    auto found = timed_size(gpu, task, tools.context, how);
    if (!found) return found.error();
    s.timed = *found;
    if (!found->inside)
        tuning.notes.push_back("a launch of the original takes " + to_string(found->time) +
                               " at the timed size" +
                               (found->why.empty() ? "" : ": " + found->why));
    if (found->size == task.size) return {};
    // Tests are those of the new size; the old one stays among them where it is smaller.
    if (found->size > task.size) task.further_sizes.push_back(std::move(task.size));
    task.size = found->size;
    tuning.tests = {};
    return {};
}

} // namespace lkt::detail
