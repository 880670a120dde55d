// SPDX-License-Identifier: BSL-1.0
// lkt-tune: the library as a program.
#include "batch.hpp"
#include "doctor.hpp"
#include "errors.hpp"
#include "options.hpp"
#include "run.hpp"
#include "saved.hpp"
#include "taken_over.hpp"

#include "../common/program.hpp"
#include "../common/status.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

namespace {

using namespace lkt_apps;
using namespace lkt_tune;

int doctor(int argc) {
    if (argc > 2)
        return complain(usage("doctor takes no options",
                              "lkt-tune doctor; a kernel file of that "
                              "name is ./doctor"));
    auto const found = examine_machine();
    int const printed = print({found.text}, complain);
    return found.host_works ? printed : status::environment;
}

/// With what the run was begun with, where the command line says nothing else.
int resume(options const& o, std::vector<std::string> const& words) {
    auto saved = saved_run::open(o);
    if (!saved) return complain(saved.error());
    // Files that are named here belong to this folder, the others to the one where it began.
    auto const before = taken_over(saved->words(), words);
    if (!before) return complain(before.error());
    auto const whole = parse_command_line(words, *before);
    if (!whole) return complain(whole.error());
    if (auto const missing = saved->enter_folder()) return complain(*missing);
    return run(std::get<options>(*whole), words, std::move(*saved));
}

} // namespace

int main(int argc, char** argv) {
    return run_program("lkt-tune", "choose smaller problem sizes", argc, argv, [&] {
        if (argc > 1 && std::string_view(argv[1]) == "doctor") return doctor(argc);
        auto const given = with_config({argv + std::min(argc, 1), argv + argc});
        if (!given) return complain(given.error());
        auto const& words = given->words;
        auto parsed = parse_command_line(words);
        if (!parsed && given->file) return complain(given->file->located(parsed.error()));
        if (auto* const o = parsed ? std::get_if<options>(&*parsed) : nullptr; o && given->file)
            o->config_file = given->file->name();
        return run_parsed(std::move(parsed), complain, [&](options const& o) {
            bool const goes_on = !o.resume_folder.empty();
            if (!o.operations.empty() || holds_batch(o.resume_folder)) {
                auto const ended = goes_on ? resume_batch(o, words) : begin_batch(o, words);
                return ended ? *ended : complain(ended.error());
            }
            return goes_on ? resume(o, words) : run(o, words);
        });
    });
}
