// SPDX-License-Identifier: BSL-1.0
// lkt-attack: a model that wants wrong kernels accepted, and the judge.
#include "options.hpp"

#include "../common/backend.hpp"
#include "../common/interrupt.hpp"
#include "../common/output.hpp"
#include "../common/program.hpp"
#include "../common/status.hpp"
#include "../common/tests.hpp"
#include "../models/asked_model.hpp"

#include <lkt/core/files.hpp>
#include <lkt/core/plain_text.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/graph/run.hpp>
#include <lkt/problems/problem_file.hpp>
#include <lkt/report/attack_jsonl.hpp>
#include <lkt/strategies/attack.hpp>
#include <lkt/tuner/attack_judge.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace {

using namespace lkt_apps;
using namespace lkt_attack;

int complain(lkt::error const& e) {
    bool const usage = e.code == usage_code || e.code == "lkt.llm.model-name" ||
                       e.code == "lkt.attack.record" || e.code == "lkt.attack.problems";
    return lkt_apps::report_error("lkt-attack", e, usage);
}

std::string name_of(std::string const& file) { return std::filesystem::path(file).stem().string(); }

/// The problem files that were named, those of a folder in order of their names. A file of a folder
/// that is no problem is passed over; one that was named has to be one.
lkt::result<std::vector<std::string>> problem_files(std::vector<std::string> const& paths) {
    namespace fs = std::filesystem;
    std::vector<std::string> files;
    for (std::string const& path : paths) {
        std::error_code missing;
        if (!fs::is_directory(path, missing)) {
            files.push_back(path);
            continue;
        }
        std::vector<std::string> inside;
        for (auto const& entry : fs::directory_iterator(path, missing))
            if (entry.path().extension() == ".json") {
                auto const file = entry.path().string();
                auto const text = lkt::read_text_file(file);
                if (text && text->find("\"KernelSpecification\"") != std::string::npos)
                    inside.push_back(file);
            }
        if (inside.empty())
            return lkt::error{lkt::condition::rejected,
                              "lkt.attack.problems",
                              path + " has no problem file",
                              "name files, or a folder with problem files (*.json)"};
        std::sort(inside.begin(), inside.end());
        files.insert(files.end(), inside.begin(), inside.end());
    }
    std::map<std::string, std::string> names; // the record knows problems by their names
    for (std::string const& file : files)
        if (auto const [at, fresh] = names.emplace(name_of(file), file); !fresh)
            return lkt::error{lkt::condition::rejected,
                              "lkt.attack.problems",
                              at->second + " and " + file + " have the same name",
                              "attack them one after the other, with a --record each"};
    return files;
}

/// Adds lines to the record; each is on the disk's way before the next kernel is judged.
class recorder {
public:
    static lkt::result<recorder> open(std::string const& file) {
        recorder r;
        r.name_ = file;
        r.file_.reset(std::fopen(file.c_str(), "ab"));
        if (!r.file_) return r.trouble();
        return r;
    }
    lkt::result<void> add(std::string const& line) {
        if (std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size() &&
            std::fflush(file_.get()) == 0)
            return {};
        return trouble();
    }

private:
    struct closer {
        void operator()(std::FILE* f) const { (void)std::fclose(f); }
    };
    [[nodiscard]] lkt::error trouble() const {
        return {lkt::condition::exhausted,
                "lkt.file.write",
                "cannot write to " + name_ + ": " + std::generic_category().message(errno),
                "check its folder, and that the disk has space"};
    }
    std::string name_;
    std::unique_ptr<std::FILE, closer> file_;
};

/// The record so far. A last line that was cut off is taken off the file, so that another one may
/// follow.
lkt::result<lkt::attack_history> read_record(std::string const& file, bool must_exist) {
    std::error_code missing;
    if (!must_exist && !std::filesystem::exists(file, missing)) return lkt::attack_history();
    auto const text = lkt::read_text_file(file, std::size_t{4} << 30);
    if (!text) return text.error();
    auto read = lkt::read_attacks(*text, file);
    if (!read) return read.error();
    auto const whole = text->rfind('\n') == std::string::npos ? 0 : text->rfind('\n') + 1;
    if (!must_exist && whole < text->size())
        if (auto failed = lkt::write_text_file(file, text->substr(0, whole))) return *failed;
    return read;
}

lkt::result<std::string> knowledge(options const& o) {
    std::string text = lkt::attack_knowledge();
    for (std::string const& file : o.sources) {
        auto const source = lkt::read_text_file(file, std::size_t{4} << 20);
        if (!source) return source.error();
        text += "\nFrom its source, " + file + ":\n~~~~~~~~\n" + lkt::well_formed_utf8(*source) +
                (source->ends_with('\n') ? "" : "\n") + "~~~~~~~~\n";
    }
    return text;
}

lkt::attack_judge_options judge_options(options const& o, std::stop_token stop) {
    lkt::attack_judge_options j;
    j.evaluation.compile_limit = lkt::seconds(o.compile_limit_s);
    j.evaluation.repetitions = o.quick ? 20 : 100;
    j.evaluation.repeating = lkt::seconds(o.quick ? 1 : 10);
    j.certify = o.quick ? lkt::certify_options{8, 6} : lkt::certify_options{64, 20};
    j.hidden_sizes = o.quick ? 6 : 9;
    j.test_memory = memory_for_a_test(o.test_memory_gib);
    j.stop = stop;
    return j;
}

/// One program's attack on all problems.
class campaign {
public:
    campaign(options const& o, asked_model& model, lkt::attack_history history)
        : o_(o), model_(model), history_(std::move(history)) {}

    [[nodiscard]] lkt::attack_history const& history() const { return history_; }

    /// The status with which the program should end, as far as this problem goes.
    int
    on(std::string const& file, std::string const& known, recorder& out, interrupt const& signals) {
        auto problem = lkt::read_problem_file(file);
        if (!problem) return complain(problem.error());
        auto const language = problem->task.reference.language;
        auto gpu = gpu_for(language, signals);
        if (!gpu) return complain(gpu.error());
        lkt::attack_state s;
        s.task = std::move(problem->task);
        s.problem_name = name_of(file);
        s.knowledge = known;
        s.limits = o_.limits;
        history_.resume(s);
        s.limits.attempts = o_.limits.attempts - judged_;
        s.limits.rounds = o_.limits.rounds - s.round;
        if (s.limits.attempts < 1) return status::done;
        lkt::verifying_judge judge(**gpu, judge_options(o_, signals.token()));
        lkt::attack_tools tools{model_, judge, {signals.token(), {}}};
        tools.on_reply = [&](lkt::attack_reply const& r) -> lkt::result<void> {
            if (auto ok = out.add(attack_line(r)); !ok) return ok;
            history_.replies.push_back(r);
            return {};
        };
        tools.on_attempt = [&](lkt::attack_record const& r) -> lkt::result<void> {
            if (auto ok = out.add(attack_line(r)); !ok) return ok;
            history_.attempts.push_back(r);
            ++judged_;
            if (!o_.quiet) tell(r);
            return {};
        };
        if (s.limits.rounds < 1) { // what is left is to judge
            auto const ok = lkt::judge_attacks(s, tools);
            return ok ? status::done : complain(ok.error());
        }
        auto const ended = lkt::run<lkt::attack<>>(s, tools, signals.token());
        return ended ? status::done : complain(ended.error());
    }

private:
    void tell(lkt::attack_record const& r) const {
        say(r.problem + ", round " + std::to_string(r.round) + ", attempt " +
            std::to_string(judged_) + ": " +
            (r.judged.end == lkt::attack_end::rejected
                 ? "rejected, " + std::string(to_string(r.judged.verdict))
                 : std::string(to_string(r.judged.end)) + ": " + r.judged.proof) +
            " (" + lkt::to_string(r.judged.spent) + ")");
    }
    lkt::result<lkt::any_gpu_backend*> gpu_for(lkt::language language, interrupt const& signals) {
        if (auto const found = gpus_.find(language); found != gpus_.end()) return &found->second;
        auto chosen = make_backend({.usage_code = usage_code,
                                    .name = o_.backend,
                                    .device = o_.device,
                                    .language = language,
                                    .unconfined_compiler = o_.unconfined_compiler},
                                   {signals.token(), {}});
        if (!chosen) return chosen.error();
        say_choice("lkt-attack", *chosen, o_.quiet);
        return &gpus_.emplace(language, std::move(chosen->gpu)).first->second;
    }

    options const& o_;
    asked_model& model_;
    lkt::attack_history history_;
    std::map<lkt::language, lkt::any_gpu_backend> gpus_;
    int judged_ = 0;
};

int finish(lkt::attack_history const& history, int worst) {
    if (auto failed = write_output("-", lkt::attack_report(history.attempts)))
        return complain(*failed);
    if (worst != status::done) return worst;
    bool const through =
        std::any_of(history.attempts.begin(), history.attempts.end(), [](auto const& r) {
            return r.judged.end == lkt::attack_end::proven;
        });
    return through ? status::rejected : status::done;
}

void say_question(std::string const& question, std::string const& answer) {
    say("a question waits in " + lkt::shell_word(question) + "; the reply goes to " +
        lkt::shell_word(answer));
}

int run(options const& o) {
    auto history = read_record(o.record_file, o.report);
    if (!history) return complain(history.error());
    if (o.report) return finish(*history, status::done);
    auto const files = problem_files(o.problems);
    if (!files) return complain(files.error());
    auto const known = knowledge(o);
    if (!known) return complain(known.error());
    if (auto blocked = lkt::check_writable(o.record_file)) return complain(*blocked);
    time_limit const no_limit(std::nullopt);
    auto model = asked_model::make(o.model,
                                   {.record = o.tape_file,
                                    .suspend = o.suspend,
                                    .on_question = o.quiet ? nullptr : say_question,
                                    .max_calls = o.max_calls,
                                    .time = &no_limit});
    if (!model) return complain(model.error());
    auto out = recorder::open(o.record_file);
    if (!out) return complain(out.error());
    interrupt signals;
    campaign attack(o, *model, std::move(*history));
    int worst = status::done;
    for (std::string const& file : *files) {
        int const ended = attack.on(file, *known, *out, signals);
        if (signals.requested()) return finish(attack.history(), status::interrupted);
        if (ended == status::done) continue;
        // A question that waits, or a problem that cannot be used, keeps no other from its turn.
        if (worst == status::done || ended == status::environment) worst = ended;
    }
    return finish(attack.history(), worst);
}

} // namespace

int main(int argc, char** argv) {
    return run_program("lkt-attack", "choose smaller problem sizes", argc, argv, [&] {
        return run_parsed(parse_command_line(argc, argv), complain, run);
    });
}
