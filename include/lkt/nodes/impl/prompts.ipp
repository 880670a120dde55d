// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/prompts.hpp>

#include <lkt/nodes/detail/device_facts.hpp>
#include <lkt/nodes/detail/prompt_text.hpp>
#include <lkt/nodes/detail/quote.hpp>
#include <lkt/nodes/detail/task_facts.hpp>
#include <lkt/nodes/detail/wgsl_rules.hpp>

#include <utility>

namespace lkt {

brief recalled(brief b, recall how) {
    if (how == recall::latest) b.inquiries = {};
    if (how == recall::all || b.past.size() <= detail::recalled_steps) return b;
    b.left_out += b.past.size() - detail::recalled_steps;
    b.past = b.past.last(detail::recalled_steps);
    return b;
}

std::vector<rejected_attempt> recalled(std::span<rejected_attempt const> attempts, recall how) {
    if (how == recall::all || attempts.empty()) return {attempts.begin(), attempts.end()};
    rejected_attempt last = attempts.back();
    last.reply = detail::shortened(last.reply, detail::recalled_reply);
    if (attempts.size() > 1)
        last.context += (last.context.empty() ? "" : "\n") +
                        detail::left_out_words(attempts.size() - 1, "attempt");
    return {std::move(last)};
}

conversation detail::render(std::string system,
                            std::string task,
                            std::span<rejected_attempt const> attempts,
                            void const* prompts,
                            answer_call answer) {
    conversation turns{{role::system, std::move(system)}, {role::user, std::move(task)}};
    for (rejected_attempt const& s : attempts) {
        // Servers refuse an empty turn.
        turns.push_back({role::assistant, s.reply.empty() ? "(no text)" : s.reply});
        std::string text = answer(prompts, s);
        if (!s.context.empty()) text += "\n" + s.context + "\n";
        turns.push_back({role::user, std::move(text)});
    }
    return turns;
}

conversation conversation_of(brief const& b,
                             std::span<rejected_attempt const> attempts,
                             default_prompts const& prompts) {
    return detail::render(b, attempts, prompts);
}

namespace detail {

/// An answer to a reply, and what is asked for now.
std::string with_again(std::string text, prompt_texts const& texts) {
    std::string const again = texts.again.render({});
    return again.empty() ? text : std::move(text) + "\n\n" + again;
}

/// The failure's name, as reports have it, and what there is to say of it.
std::string told(failure const& f, std::string const& text, prompt_texts const& texts) {
    return with_again("Verdict: `" + std::string(name_of_failure(f)) + "`. " + text, texts);
}

std::string reason(failure const& f,
                   prompt<reason_words> const& p,
                   std::string const& why,
                   prompt_texts const& t) {
    return told(f, p.render({shortened(why, 2000)}), t);
}

} // namespace detail

std::string default_prompts::system(brief const& b) const {
    bool const wgsl = b.task.reference.language == language::wgsl;
    std::string const name(to_string(b.task.reference.language));
    return texts.system.render(
        {name,
         detail::without_end_of_line(wgsl ? detail::wgsl_rules_text()
                                          : detail::rules_text(name, b.device)),
         detail::device_facts(b.task, b.device)});
}

std::string default_prompts::task(brief const& b) const {
    return texts.task.render(detail::task_facts(b));
}

std::string default_prompts::operator()(no_code const& f) const {
    return detail::reason(f, texts.no_code, f.why, texts);
}

std::string default_prompts::operator()(refused const& f) const {
    return detail::told(
        f, texts.refused.render({detail::ticked(f.what), detail::at_line(f.where), f.why}), texts);
}

std::string default_prompts::operator()(wrong_signature const& f) const {
    if (f.expected.empty()) return detail::reason(f, texts.no_code, f.got, texts);
    return detail::told(
        f, texts.wrong_signature.render({detail::block(f.expected), detail::block(f.got)}), texts);
}

std::string default_prompts::operator()(compile_failed const& f) const {
    return detail::told(
        f, texts.compile_failed.render({detail::block(detail::shortened(f.log, 4000))}), texts);
}

std::string default_prompts::operator()(launch_failed const& f) const {
    return detail::reason(f, texts.launch_failed, f.why, texts);
}

std::string default_prompts::operator()(crashed const& f) const {
    return detail::told(
        f,
        texts.crashed.render({detail::shortened(f.what, 2000), detail::at_line(f.where)}),
        texts);
}

std::string default_prompts::operator()(out_of_bounds const& f) const {
    auto const what = detail::shortened(f.what, 2000) +
                      (f.test.empty() ? "" : " in test " + detail::ticked(f.test));
    return detail::told(f, texts.out_of_bounds.render({what, detail::at_line(f.where)}), texts);
}

std::string default_prompts::operator()(timed_out const& f) const {
    auto const& text = f.phase == "compile" ? texts.compile_timed_out : texts.launch_timed_out;
    std::string const test = f.test.empty() ? "" : " in test " + detail::ticked(f.test);
    return detail::told(f, text.render({to_string(f.limit) + test}), texts);
}

std::string default_prompts::operator()(race const& f) const {
    return detail::reason(f, texts.race, f.what, texts);
}

std::string default_prompts::operator()(wrong_output const& f) const {
    mismatch_words words{detail::ticked(f.test),
                         detail::ticked(f.argument),
                         f.wrong,
                         f.total,
                         f.index,
                         f.expected,
                         f.got,
                         {}};
    if (!f.pattern.empty())
        words.pattern = " Where they lie: " + detail::shortened(f.pattern, 500) + ".";
    return detail::told(f, texts.wrong_output.render(words), texts);
}

std::string default_prompts::operator()(implausible const& f) const {
    return detail::reason(f, texts.implausible, f.what, texts);
}

std::string default_prompts::operator()(no_configuration const& f) const {
    return detail::reason(f, texts.no_configuration, f.why, texts);
}

std::string default_prompts::operator()(no_improvement const& f) const {
    auto const& text = f.verdict == comparison::slower ? texts.slower : texts.not_faster;
    return detail::with_again(text.render({to_string(f.got.median()), to_string(f.best.median())}),
                              texts);
}

} // namespace lkt
