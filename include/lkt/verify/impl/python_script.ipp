// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/python_script.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/process/child.hpp>
#include <lkt/process/kept_child.hpp>
#include <lkt/process/wire.hpp>
#include <lkt/verify/detail/python_harness.hpp>
#include <lkt/verify/detail/python_run.hpp>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt {

namespace python_parts {

/// Prints the interpreter and the folders that it reads, if it has every module of its arguments.
constexpr char question[] = R"python(
import importlib.util, os, sys
for name in sys.argv[1:]:
    if importlib.util.find_spec(name) is None:
        sys.exit("it has no module " + name)
print(sys.executable)
for path in {sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.realpath(sys.executable),
             sys.executable, "/etc/python%d.%d" % sys.version_info[:2], *sys.path[1:]}:
    if path and path != "/" and os.path.exists(path):
        print(path)
)python";

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        if (end > 0) lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

/// The last lines of what a program said; a script may make one as long as it likes.
std::string last_lines(std::string_view text, std::size_t most = 20) {
    constexpr std::size_t longest = 4000;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
    std::size_t from = text.size();
    for (std::size_t n = 0; n < most && from != 0 && from != std::string_view::npos; ++n)
        from = from == 0 ? 0 : text.rfind('\n', from - 1);
    text.remove_prefix(from == std::string_view::npos || from == 0 ? 0 : from + 1);
    return text.size() <= longest ? std::string{text}
                                  : "..." + std::string{text.substr(text.size() - longest)};
}

/// The interpreter called `name`, or an error that says what it lacks.
result<python_interpreter>
ask_python(std::string const& name, array_library library, call_context const& context) {
    child_options ask;
    ask.arguments = {name, "-E", "-B", "question.py", "numpy"};
    if (library == array_library::torch) ask.arguments.emplace_back("torch");
    ask.files = {{"question.py", question}};
    // The user's own program: what it is found by may be a script of a version manager.
    for (char const* const variable : {"HOME", "PYENV_ROOT", "VIRTUAL_ENV", "CONDA_PREFIX"})
        ask.keep.emplace_back(variable);
    auto const said = run_child(ask, context);
    if (!said) return said.error();
    if (said->how == child_end::cancelled) return cancelled("the search for Python");
    auto lines = lines_of(said->out);
    if (!said->succeeded() || lines.empty())
        return error{condition::unavailable, "lkt.verify.python", last_lines(said->err, 1), {}};
    python_interpreter found{lines.front(), {}};
    found.readable.assign(lines.begin() + 1, lines.end());
    return found;
}

} // namespace python_parts

result<python_interpreter> find_python(array_library library, call_context const& context) {
    using namespace python_parts;
    char const* const named = std::getenv("LKT_PYTHON");
    bool const chosen = named != nullptr && *named != '\0';
    std::vector<std::string> const names =
        chosen ? std::vector<std::string>{named}
               : std::vector<std::string>{"python3", "/usr/bin/python3"};
    std::string why;
    for (std::string const& name : names) {
        auto found = ask_python(name, library, context);
        if (found || found.error().kind == condition::cancelled) return found;
        why += (why.empty() ? "" : "; ") + name + ": " + found.error().message;
    }
    std::string const modules = library == array_library::torch ? "NumPy and torch" : "NumPy";
    return error{condition::unavailable,
                 "lkt.verify.python",
                 "no Python with " + modules + " was found (" + why + ")",
                 std::string("Install ") +
                     (library == array_library::torch
                          ? "them (pip install numpy torch)"
                          : "it (Debian and Ubuntu: python3-numpy; elsewhere: pip install numpy)") +
                     (chosen ? ", or set LKT_PYTHON to another interpreter."
                             : ", or set LKT_PYTHON to the interpreter that has it.")};
}

namespace detail {

namespace python_parts {

using namespace lkt::python_parts;

std::string call_of(python_script const& script) {
    return "`" + script.function + "` of " + script.origin;
}

/// What became of a script that did not end as it should.
error script_error(python_script const& script,
                   child_result const& ran,
                   std::string const& code,
                   std::string const& hint) {
    std::string what;
    std::string_view const mark = "\nlkt: ";
    auto const words = ran.err.rfind(mark);
    if (ran.how == child_end::timed_out)
        what = "ran for more than " + std::to_string(script.time_limit.count()) + " ms";
    else if (ran.how == child_end::signalled)
        what = std::string("was ended by signal ") + std::to_string(ran.signal) + " (" +
               ::strsignal(ran.signal) + ")";
    else if (ran.exit_code == 3 && words != std::string::npos)
        what =
            "cannot be used: " + last_lines(std::string_view{ran.err}.substr(words + mark.size()));
    else
        what = "failed";
    bool const told = ran.exit_code == 3 && words != std::string::npos;
    std::string const said = told ? "" : last_lines(ran.err);
    return {condition::rejected,
            code,
            plain_text(call_of(script) + " " + what + (said.empty() ? "" : ":\n" + said)),
            hint};
}

/// Reads what the script sent; it may be anything.
result<std::vector<script_answer>>
read_answers(std::string_view about, std::span<std::byte const> arrays, error const& malformed) {
    boost::system::error_code failed;
    auto const json = boost::json::parse({about.data(), about.size()}, failed);
    auto const* const tests =
        failed || !json.is_object() ? nullptr : json.get_object().if_contains("tests");
    if (tests == nullptr || !tests->is_array()) return malformed;
    std::vector<script_answer> answers;
    for (auto const& test : tests->get_array()) {
        auto const* const t = test.if_object();
        auto const* const size = t == nullptr ? nullptr : t->if_contains("size");
        auto const* const names = t == nullptr ? nullptr : t->if_contains("names");
        if (size == nullptr || !size->is_int64() || size->get_int64() < 0 || names == nullptr ||
            !names->is_array())
            return malformed;
        script_answer answer{static_cast<std::size_t>(size->get_int64()), {}};
        for (auto const& name : names->get_array()) {
            if (!name.is_string()) return malformed;
            auto array = take_npy(arrays);
            if (!array) {
                error e = malformed;
                e.message += ": " + array.error().message;
                return e;
            }
            answer.arrays.push_back({std::string{name.get_string()}, std::move(*array)});
        }
        answers.push_back(std::move(answer));
    }
    if (!arrays.empty()) return malformed;
    return answers;
}

} // namespace python_parts

namespace python_parts {

/// The same once for each library and each setting of what it depends on; only what was found is
/// remembered, so that what is installed meanwhile is seen.
result<python_interpreter> known_python(array_library library, call_context const& context) {
    static std::mutex lock;
    static std::map<std::string, python_interpreter> known;
    std::string key{to_string(library)};
    for (char const* const variable : {"LKT_PYTHON", "PATH"}) {
        char const* const value = std::getenv(variable);
        key += std::string("\n") + (value == nullptr ? "" : value);
    }
    {
        std::lock_guard const hold{lock};
        if (auto const found = known.find(key); found != known.end()) return found->second;
    }
    auto found = find_python(library, context);
    std::lock_guard const hold{lock};
    if (found) known.emplace(key, *found);
    return found;
}

/// Everything that makes a difference to a process.
std::string key_of(child_options const& run) {
    packer out;
    out.put(run.arguments).put(run.environment).put(run.readable);
    for (std::string const& variable : run.keep) {
        char const* const value = std::getenv(variable.c_str());
        out.put(value != nullptr).put(value == nullptr ? "" : value);
    }
    for (auto const& file : run.files) out.put(file.name).put(file.text);
    out.put(run.memory_limit).put(run.file_size_limit).put(run.unconfined_allowed);
    return std::move(out).bytes();
}

/// The process of the script that was asked last, for its next question: to import torch takes it
/// seconds.
class last_script {
public:
    std::unique_ptr<kept_child> take(std::string const& key) {
        std::lock_guard const hold{lock_};
        if (key != key_) return nullptr;
        return std::move(with_);
    }
    void keep(std::string const& key, std::unique_ptr<kept_child> with) {
        std::unique_lock hold{lock_};
        key_ = key;
        std::swap(with_, with);
        hold.unlock(); // the other one ends
    }

private:
    std::mutex lock_;
    std::string key_;
    std::unique_ptr<kept_child> with_;
};

last_script& kept() {
    static last_script one;
    return one;
}

} // namespace python_parts

result<std::vector<script_answer>> run_python(python_script const& script,
                                              std::string const& head,
                                              std::string const& arrays,
                                              std::string const& code,
                                              std::string const& hint,
                                              call_context const& context) {
    using namespace python_parts;
    auto const python = known_python(script.library, context);
    if (!python) return python.error();
    std::string const threads = std::to_string(std::max(1U, script.threads));
    std::string const library{to_string(script.library)};
    // The name shows in tracebacks, and is a plain one here.
    std::string name = script.origin.substr(script.origin.rfind('/') + 1);
    if (name.empty() || name.size() > 100 || name[0] == '.' || name == "harness.py")
        name = "script.py";
    child_options run;
    run.arguments = {python->path, "-E", "-B", "harness.py", name, script.function};
    for (char const* const variable :
         {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"})
        run.environment.push_back(std::string(variable) + "=" + threads);
    run.environment.emplace_back("PYTHONHASHSEED=0");
    run.files = {{"harness.py", python_harness}, {name, script.text}};
    run.collect = {"arrays", "about"};
    run.collect_limit = run.file_size_limit = script.array_limit + (std::uint64_t{1} << 20);
    run.memory_limit = script.memory_limit;
    run.confined = confined_as::interpreter;
    run.readable = python->readable;
    run.unconfined_allowed = !script.of_model;
    // Its libraries may lie where the loader is told to look.
    char const* const libraries = std::getenv("LD_LIBRARY_PATH");
    for (std::string_view rest = libraries == nullptr ? "" : libraries; !rest.empty();) {
        auto const end = std::min(rest.find(':'), rest.size());
        if (end > 1) run.readable.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    std::string const question =
        "{" + head + ",\"library\":\"" + library + "\",\"threads\":" + threads +
        ",\"limit\":" + std::to_string(script.array_limit) + "}\n" + arrays;
    std::string const key = key_of(run);
    auto with = kept().take(key);
    if (!with) with = std::make_unique<kept_child>(std::move(run));
    auto const ran = with->ask(question, script.time_limit, context);
    // What a model's script leaves in its process is not there the next time.
    if (ran && ran->succeeded() && !script.of_model) kept().keep(key, std::move(with));
    if (!ran) return ran.error();
    if (ran->how == child_end::cancelled) return cancelled(call_of(script));
    shared_memory const* const about = ran->file("about");
    if (!ran->succeeded()) return script_error(script, *ran, code, hint);
    error const malformed{condition::rejected,
                          code,
                          call_of(script) + " returned no readable arrays",
                          "Write only to standard output."};
    // Names alone: what a script wrote there itself may be a bomb for whoever parses it.
    constexpr std::size_t most_about = std::size_t{1} << 20;
    if (about == nullptr || about->size() > most_about) return malformed;
    shared_memory const* const sent = ran->file("arrays");
    return read_answers(
        about->text(), sent == nullptr ? std::span<std::byte const>{} : sent->bytes(), malformed);
}

} // namespace detail

} // namespace lkt
