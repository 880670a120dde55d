// SPDX-License-Identifier: BSL-1.0
#include "batch_child.hpp"

#include "saved.hpp"

#include "../common/status.hpp"

#include <lkt/core/files.hpp>
#include <lkt/core/plain_text.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace lkt_tune {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::uint64_t most_of_a_log = std::uint64_t{1} << 20; // its end is what is looked at

std::optional<json::object> object_in(fs::path const& file) {
    auto const text = lkt::read_text_file(file.string());
    boost::system::error_code bad;
    auto value = text ? json::parse(*text, bad) : json::value();
    if (!text || bad || !value.is_object()) return std::nullopt;
    return std::move(value.get_object());
}

/// What the result of a run says; false if it has none.
bool read_result(fs::path const& file, operation_end& end) {
    auto const result = object_in(file);
    if (!result) return false;
    try {
        auto const& model = result->at("model");
        end.speedup = json::value_to<double>(result->at("speedup"));
        // Where a batch was killed, nobody has noted the time of that session.
        end.time = std::max(end.time, lkt::seconds(json::value_to<double>(result->at("total_s"))));
        end.calls = json::value_to<std::int64_t>(model.at("calls"));
        end.stored = model.at("origin") == "stored";
        if (auto const& usd = model.at("cost_usd"); usd.is_number())
            end.usd = json::value_to<double>(usd);
    } catch (std::exception const&) {
        return false;
    }
    return true;
}

/// What the progress display said of calls: `| 3 model calls, 5120 tokens, $0.12`.
void read_calls(std::string const& log, operation_end& end) {
    auto const at = log.rfind(" model calls");
    if (at == log.npos) return;
    auto const before = log.rfind(' ', at - 1);
    if (at == 0 || before == log.npos) return;
    (void)std::from_chars(log.data() + before + 1, log.data() + at, end.calls);
    auto const line_end = std::min(log.find('\n', at), log.size());
    double usd = 0;
    auto const dollar = log.find('$', at);
    if (dollar >= line_end) return;
    auto const [last, failed] = std::from_chars(
        log.data() + dollar + 1, log.data() + line_end, usd, std::chars_format::fixed);
    if (failed == std::errc{}) end.usd = usd;
}

/// The complaint of a program, and what to do about it: the lines after its name.
std::string complaint_in(std::string const& log) {
    constexpr std::string_view name = "lkt-tune: ";
    auto const at = ("\n" + log).rfind("\n" + std::string(name));
    if (at == log.npos) return {};
    std::istringstream lines(log.substr(at + name.size()));
    std::string text, line;
    while (std::getline(lines, line) && (text.empty() || line.starts_with("  ")))
        text += (text.empty() ? "" : "\n") + line;
    return text;
}

} // namespace

double seconds_now() {
    return lkt::seconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool operation_end::has_kernel() const {
    return status == lkt_apps::status::done || status == lkt_apps::status::unchecked;
}

operation_end end_in(std::string const& folder) {
    operation_end end;
    auto const said = object_in(fs::path(folder) / "status.json");
    if (!said) return end;
    try {
        end.status = json::value_to<int>(said->at("status"));
        end.finished = json::value_to<bool>(said->at("finished"));
        end.message = json::value_to<std::string>(said->at("message"));
        end.time = lkt::seconds(json::value_to<double>(said->at("time_s")));
        end.speedup = json::value_to<double>(said->at("speedup"));
        end.calls = json::value_to<std::int64_t>(said->at("calls"));
        end.stored = json::value_to<bool>(said->at("stored"));
        if (auto const& usd = said->at("cost_usd"); usd.is_number())
            end.usd = json::value_to<double>(usd);
    } catch (std::exception const&) {
        return {};
    }
    std::error_code none;
    if (end.finished && !fs::exists(fs::path(folder) / "result.json", none))
        return {}; // somebody removed it
    return end;
}

json::object to_json(operation_end const& end) {
    return {{"status", end.status},
            {"finished", end.finished},
            {"message", end.message},
            {"time_s", end.time.count()},
            {"speedup", end.speedup},
            {"calls", end.calls},
            {"cost_usd", end.usd ? json::value(*end.usd) : json::value(nullptr)},
            {"stored", end.stored}};
}

std::optional<lkt::error> write_end(std::string const& folder, operation_end const& end) {
    std::error_code none; // writing says it
    fs::create_directories(folder, none);
    return lkt::write_text_file((fs::path(folder) / "status.json").string(),
                                lkt::plain_json(json::serialize(to_json(end))) + "\n");
}

batch_child::batch_child(pid_t process, std::string folder, std::uint64_t log_start)
    : process_(process), folder_(std::move(folder)), log_start_(log_start), began_(seconds_now()) {}

lkt::result<batch_child> batch_child::start(batch_plan::start const& what,
                                            std::string const& folder) {
    auto const failed = [&](std::string const& step) {
        return lkt::error{lkt::condition::unavailable,
                          "lkt.tune.start",
                          step + ": " + std::strerror(errno),
                          "see the limits of this system (ulimit -a), and its free space"};
    };
    std::error_code none; // opening the log says it
    fs::create_directories(folder, none);
    auto const path = (fs::path(folder) / "log.txt").string();
    lkt::unique_fd const log(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (!log) return failed("cannot open " + path);
    auto const size = ::lseek(log.get(), 0, SEEK_END);
    lkt::unique_fd const nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    std::vector<char*> words{const_cast<char*>("lkt-tune")};
    for (std::string const& word : what.words) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    pid_t const parent = ::getpid();
    pid_t const process = ::fork();
    if (process < 0) return failed("cannot start a process");
    if (process == 0) {                    // from here on only what a signal handler may do
        ::prctl(PR_SET_PDEATHSIG, SIGHUP); // once for each thread of this one
        if (::getppid() != parent) ::_exit(lkt_apps::status::interrupted);
        ::setpgid(0, 0); // Ctrl-C reaches it through this program alone
        for (int const s : {SIGINT, SIGTERM, SIGHUP}) (void)std::signal(s, SIG_DFL);
        ::dup2(nothing.get(), 0);
        ::dup2(log.get(), 1);
        ::dup2(log.get(), 2);
        if (::chdir(what.directory.c_str()) == 0) ::execv("/proc/self/exe", words.data());
        constexpr std::string_view text = "lkt-tune: it cannot be started\n";
        [[maybe_unused]] auto const written = ::write(2, text.data(), text.size());
        ::_exit(lkt_apps::status::environment);
    }
    return batch_child(process, folder, static_cast<std::uint64_t>(size < 0 ? 0 : size));
}

std::optional<int> batch_child::ended() {
    int how = 0;
    pid_t const done = ::waitpid(process_, &how, WNOHANG);
    if (done == 0 || (done < 0 && errno == EINTR)) return std::nullopt;
    if (done < 0) return lkt_apps::status::environment;
    return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

void batch_child::interrupt() const { ::kill(process_, SIGINT); }

std::string batch_child::log() const {
    std::ifstream in(fs::path(folder_) / "log.txt", std::ios::binary | std::ios::ate);
    auto const size = in ? static_cast<std::uint64_t>(in.tellg()) : 0;
    auto const from =
        std::max(log_start_, size > most_of_a_log ? size - most_of_a_log : std::uint64_t{0});
    if (!in || from >= size) return {};
    std::string text(static_cast<std::size_t>(size - from), '\0');
    in.seekg(static_cast<std::streamoff>(from));
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    return text;
}

std::string batch_child::last_line() const {
    auto const text = log();
    auto const end = text.rfind('\n');
    if (end == text.npos) return {};
    auto const before = end == 0 ? text.npos : text.rfind('\n', end - 1);
    auto const begin = before == text.npos ? 0 : before + 1;
    return lkt::plain_text(text.substr(begin, end - begin));
}

operation_end batch_child::outcome(int status, lkt::seconds before) const {
    operation_end end;
    auto const said = log();
    end.status = status;
    end.finished = (status == lkt_apps::status::done || status == lkt_apps::status::unchecked) &&
                   said.find(saved_run::is_saved) == said.npos;
    if (!end.finished) end.message = complaint_in(said);
    if (end.message.empty() && status > 128 && status != lkt_apps::status::interrupted)
        end.message = "it was ended by signal " + std::to_string(status - 128);
    end.time = before + lkt::seconds(seconds_now() - began_);
    if (!end.has_kernel() || !read_result(fs::path(folder_) / "result.json", end))
        read_calls(said, end);
    return end;
}

} // namespace lkt_tune
