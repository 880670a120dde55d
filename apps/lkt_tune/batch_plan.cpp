// SPDX-License-Identifier: BSL-1.0
#include "batch_plan.hpp"

#include "errors.hpp"

#include "batch.hpp"
#include "saved.hpp"

#include <lkt/core/files.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/store/codec.hpp>
#include <lkt/version.hpp>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <ranges>
#include <string_view>
#include <sys/file.h>
#include <system_error>

namespace lkt_tune {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

std::string plan_in(std::string const& folder) { return fs::path(folder) / "batch.json"; }

/// A batch's own, which no operation gets.
bool is_of_the_batch(said_option const& one) {
    for (std::string_view const key :
         {"operations", "jobs", "journal", "resume", "quiet", "device"})
        if (one.key == key) return true;
    return false;
}

/// Those of `--device A,B`.
std::vector<std::string> devices_in(std::vector<said_option> const& said) {
    std::vector<std::string> devices;
    for (said_option const& one : said)
        if (one.key == "device")
            for (auto const& name : std::views::split(one.values.front(), ','))
                devices.emplace_back(name.begin(), name.end());
    return devices;
}

/// An empty name would be the first device, a second time.
std::optional<lkt::error> unnamed_device(std::vector<std::string> const& devices) {
    if (devices.size() < 2 || std::find(devices.begin(), devices.end(), "") == devices.end())
        return std::nullopt;
    return usage("--device names a device without a name", "write them as in --device 0,1,2");
}

std::string number(double value) {
    char text[32];
    auto const [end, failed] = std::to_chars(text, text + sizeof text, value);
    return {text, failed == std::errc{} ? end : text};
}

/// Files that all operations would write to.
std::optional<lkt::error> clash(std::vector<said_option> const& said) {
    for (said_option const& one : said)
        for (std::string const& value : one.values) {
            bool const written = one.key == "record" || one.key == "trace" ||
                                 (one.key == "model" && value.starts_with("mailbox:"));
            if (written && value.find(operation_mark) == value.npos)
                return usage("--" + one.key + " " + value + ": all operations would write there",
                             "put {operation} into the name, which stands for the name of each");
        }
    return std::nullopt;
}

std::string language_ending(lkt::language language) {
    using enum lkt::language;
    return language == wgsl ? ".wgsl" : language == hip ? ".hip" : ".cu";
}

lkt::error unreadable(std::string const& file) {
    return usage(file + " is not a batch of lkt-tune", "restore it, or begin the batch anew");
}

} // namespace

std::string batch_plan::folder_of(std::string const& name) const {
    return fs::path(folder_) / name;
}

lkt::result<void> batch_plan::lock() {
    lock_.reset(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (lock_ && ::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) return {};
    if (lock_ && errno == EWOULDBLOCK)
        return lkt::error{lkt::condition::unavailable,
                          "lkt.journal.busy",
                          "another process runs the batch in " + folder_,
                          "wait until it ends, or end it"};
    return lkt::error{lkt::condition::unavailable,
                      "lkt.journal.open",
                      "cannot open the folder " + folder_ + ": " + std::strerror(errno),
                      "choose another one with --journal"};
}

/// Removes what was being written when a batch was killed: its own files, which nobody else writes.
void batch_plan::sweep() const {
    auto const files_of = [](fs::path const& folder, std::string const& file) {
        std::error_code failed;
        for (fs::directory_iterator at(folder, failed), end; !failed && at != end;
             at.increment(failed)) {
            auto const name = at->path().filename().string();
            std::error_code none;
            if (name.starts_with("." + file + ".") && name.ends_with(".tmp"))
                fs::remove(at->path(), none);
        }
    };
    files_of(folder_, "batch.json");
    files_of(folder_, "summary.json");
    for (std::string const& name : names_) files_of(folder_of(name), "status.json");
}

lkt::result<void> batch_plan::list(std::string const& operations) {
    operations_ = operations;
    names_ = stored_names_;
    std::error_code failed;
    for (fs::directory_iterator at(operations, failed), end; !failed && at != end;
         at.increment(failed)) {
        auto const name = at->path().filename().string();
        if (at->path().extension() != ".json" || name.starts_with('.')) continue;
        names_.push_back(at->path().stem().string());
    }
    if (failed)
        return lkt::error{lkt::condition::unavailable,
                          "lkt.file.missing",
                          "cannot read the folder " + operations + ": " + failed.message(),
                          "name a folder of problem files after --operations"};
    std::sort(names_.begin(), names_.end());
    names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
    if (names_.empty())
        return usage("there is no problem file (*.json) in " + operations,
                     "name a folder of problem files after --operations");
    for (std::string const& name : names_)
        for (std::string_view const own : {"batch.json", "summary.json", "queue"})
            if (name == own)
                return usage("an operation cannot be called " + name +
                                 ", as a file of the batch is",
                             "rename " + (fs::path(operations) / name).string() + ".json");
    return {};
}

std::string batch_plan::mark() const { return mark_of({begun_in_, lkt::encoded(words_)}); }

lkt::result<void> batch_plan::write() const {
    json::array words, names;
    for (std::string const& w : words_) words.emplace_back(w);
    for (std::string const& n : names_) names.emplace_back(n);
    json::object const plan{{"lkt_batch", 1},
                            {"lkt_version", lkt::version},
                            {"begun_in", begun_in_},
                            {"mark", mark()},
                            {"words", std::move(words)},
                            {"operations", std::move(names)}};
    if (auto failed = lkt::write_text_file(plan_in(folder_), json::serialize(plan) + "\n"))
        return *failed;
    return {};
}

lkt::result<batch_plan> batch_plan::begin(options const& o, std::vector<std::string> const& words) {
    batch_plan made;
    std::error_code failed;
    made.begun_in_ = fs::current_path(failed).string();
    made.folder_ = fs::absolute(o.journal_folder, failed).lexically_normal().string();
    made.words_ = words;
    made.all_ = options_said(words);
    made.jobs_ = o.jobs;
    made.devices_ = devices_in(made.all_);
    if (auto const wrong = clash(made.all_)) return *wrong;
    if (auto const wrong = unnamed_device(made.devices_)) return *wrong;
    auto const operations = fs::absolute(o.operations, failed).lexically_normal().string();
    if (auto ok = made.list(operations); !ok) return ok.error();
    if (fs::equivalent(made.folder_, operations, failed))
        return usage("--journal and --operations name the same folder",
                     "give the batch a folder of its own");
    fs::create_directories(made.folder_, failed);
    if (auto ok = made.lock(); !ok) return ok.error();
    if (holds_batch(made.folder_) || fs::exists(fs::path(made.folder_) / "run.journal", failed))
        return usage(o.journal_folder + " already holds a saved run",
                     "resume it (lkt-tune --resume " + lkt::shell_word(o.journal_folder) +
                         "), or save this one in another folder");
    for (std::string const& name : made.names_)
        if (fs::exists(made.folder_of(name), failed))
            return usage(made.folder_of(name) + " exists, and the operation " + name +
                             " would be saved there",
                         "choose another folder with --journal");
    // What is wrong with all of them is said once, before anything starts.
    auto const said = made.checked(made.first_words(made.names_.front(), made.devices().front()));
    if (!said && said.error().code == usage_code) return said.error();
    if (auto ok = made.write(); !ok) return ok.error();
    return made;
}

lkt::result<batch_plan> batch_plan::resume(options const& o,
                                           std::vector<std::string> const& words) {
    batch_plan made;
    std::error_code none;
    made.folder_ = fs::absolute(o.resume_folder, none).lexically_normal().string();
    if (auto ok = made.lock(); !ok) return ok.error();
    auto const file = plan_in(made.folder_);
    auto const text = lkt::read_text_file(file);
    if (!text) return text.error();
    boost::system::error_code bad;
    std::string mark;
    auto const plan = json::parse(*text, bad);
    try {
        if (bad) return unreadable(file);
        made.begun_in_ = json::value_to<std::string>(plan.at("begun_in"));
        made.words_ = json::value_to<std::vector<std::string>>(plan.at("words"));
        made.stored_names_ = json::value_to<std::vector<std::string>>(plan.at("operations"));
        if (auto const* const there = plan.as_object().if_contains("mark"))
            mark = json::value_to<std::string>(*there);
    } catch (std::exception const&) {
        return unreadable(file);
    }
    auto const made_here = made.mark();
    bool const own = !made_here.empty() && made_here == mark;
    auto kept = taken_over({std::move(made.words_), own}, words);
    if (!kept) return kept.error();
    made.words_ = std::move(*kept);
    auto const whole = parse_command_line(words, made.words_);
    if (!whole) return whole.error();
    auto const& merged = std::get<options>(*whole);
    made.jobs_ = merged.jobs;
    made.now_ = options_said(words);
    made.all_ = options_said(made.words_);
    for (said_option& one : options_said(words, true)) {
        std::erase_if(made.all_, [&](said_option const& old) { return old.key == one.key; });
        made.all_.push_back(std::move(one));
    }
    made.devices_ = devices_in(made.all_);
    if (auto const wrong = clash(made.all_)) return *wrong;
    if (auto const wrong = unnamed_device(made.devices_)) return *wrong;
    auto const operations = fs::path(made.begun_in_) / merged.operations;
    if (auto ok = made.list(operations.lexically_normal().string()); !ok) return ok.error();
    made.sweep();
    // What is wrong with all of them is said once, before anything starts.
    auto const said = made.checked(made.first_words(made.names_.front(), made.devices().front()));
    if (!said && said.error().code == usage_code) return said.error();
    if (auto ok = made.write(); !ok) return ok.error();
    return made;
}

std::vector<std::string> batch_plan::words_for(std::vector<said_option> const& said,
                                               std::string const& name) const {
    std::vector<std::string> words;
    for (said_option one : said) {
        if (is_of_the_batch(one)) continue;
        for (std::string& value : one.values)
            for (std::size_t at = 0; (at = value.find(operation_mark, at)) != value.npos;) {
                value.replace(at, std::string_view(operation_mark).size(), name);
                at += name.size();
            }
        // What is for all models together is so for all operations.
        if (one.key == "requests-per-minute")
            one.values = {number(std::stod(one.values.front()) / jobs_)};
        for (std::string const& word : one.words()) words.push_back(word);
    }
    return words;
}

std::vector<std::string> batch_plan::first_words(std::string const& name,
                                                 std::string const& device) const {
    auto words = words_for(all_, name);
    if (!device.empty()) words.push_back("--device=" + device);
    words.push_back("--problem=" + (fs::path(operations_) / (name + ".json")).string());
    words.push_back("--journal=" + folder_of(name));
    add_places(words, name);
    return words;
}

void batch_plan::add_places(std::vector<std::string>& words, std::string const& name) const {
    auto const here = fs::path(folder_of(name));
    words.push_back("--json=" + (here / "result.json").string());
    words.push_back("--report=" + (here / "report.txt").string());
    if (std::none_of(all_.begin(), all_.end(), [](said_option const& one) {
            return one.key == "device-queue";
        }))
        words.push_back("--device-queue=" + (fs::path(folder_) / "queue").string());
}

std::string batch_plan::kernel_in(std::string const& name, std::string const& ending) const {
    return "--output=" + (fs::path(folder_of(name)) / ("kernel" + ending)).string();
}

lkt::result<options> batch_plan::checked(std::vector<std::string> const& words) const {
    std::error_code failed;
    auto const was_in = fs::current_path(failed);
    fs::current_path(begun_in_, failed);
    if (failed)
        return lkt::error{lkt::condition::unavailable,
                          "lkt.journal.open",
                          "the batch was started in " + begun_in_ +
                              ", which cannot be entered: " + failed.message(),
                          "create that folder, with the files that the command line names"};
    auto parsed = parse_command_line(words);
    fs::current_path(was_in, failed);
    if (!parsed) return parsed.error();
    return std::get<options>(std::move(*parsed));
}

lkt::result<batch_plan::start> batch_plan::beginning(std::string const& name,
                                                     std::string const& device) const {
    start s{first_words(name, device), begun_in_};
    auto const said = checked(s.words);
    if (!said) return said.error();
    auto const draft = make_problem(*said); // its file has an absolute name
    if (!draft) return draft.error();
    s.words.push_back(kernel_in(name, language_ending(draft->known.reference.language)));
    return s;
}

batch_plan::start
batch_plan::going_on(std::string const& name, std::string const& device, earlier const& was) const {
    std::error_code none;
    start s{words_for(now_, name), fs::current_path(none).string()};
    if (moves()) s.words.push_back("--device=" + device);
    // The folder may have been moved since, or be somebody else's.
    add_places(s.words, name);
    s.words.push_back(kernel_in(name, was.ending));
    s.words.push_back("--resume=" + folder_of(name));
    return s;
}

bool batch_plan::moves() const { return !devices_in(now_).empty(); }

bool batch_plan::is_busy(std::string const& name) const {
    auto const there = begun(name);
    return !there && there.error().code == "lkt.journal.busy";
}

lkt::result<std::optional<batch_plan::earlier>> batch_plan::begun(std::string const& name) const {
    std::optional<earlier> none;
    auto const journal = fs::path(folder_of(name)) / "run.journal";
    std::error_code failed;
    if (!fs::exists(journal, failed)) return none;
    options there;
    there.resume_folder = folder_of(name);
    auto const run = saved_run::open(there);
    if (run) {
        auto const said = options_said(run->words().words);
        earlier was;
        if (auto const on = devices_in(said); !on.empty()) was.device = on.front();
        for (said_option const& one : said)
            if (one.key == "output") was.ending = fs::path(one.values.front()).extension().string();
        return std::optional(was);
    }
    if (run.error().code != usage_code) return run.error();
    fs::remove(journal, failed); // nothing was asked yet
    return none;
}

} // namespace lkt_tune
