// SPDX-License-Identifier: BSL-1.0
#include "device_turn.hpp"

#include "../common/output.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace lkt_tune {
namespace {

std::string file_name(std::string const& device) {
    std::string name;
    for (char const c : device) {
        bool const plain =
            (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        if (plain)
            name += c;
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    return name.substr(0, 200) + ".lock";
}

} // namespace

lkt::result<device_turn> device_turn::open(std::string const& folder,
                                           lkt::device_description const& device,
                                           std::string const& which) {
    namespace fs = std::filesystem;
    std::error_code failed; // no error where it is there
    fs::create_directories(folder, failed);
    auto const path = fs::path(folder) / file_name(device.name + " " + which);
    lkt::unique_fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (!file)
        return lkt::error{lkt::condition::unavailable,
                          "lkt.tune.queue",
                          "cannot open " + path.string() + ": " +
                              (failed ? failed.message() : std::strerror(errno)),
                          "choose another folder with --device-queue"};
    return device_turn(path.string(), std::move(file));
}

namespace {

/// A file that others see; locked by whoever waits.
struct ticket {
    std::string path;
    lkt::unique_fd lock;
};

ticket draw_ticket(std::string const& path) {
    auto const now = std::chrono::steady_clock::now().time_since_epoch();
    std::string time = std::to_string(std::chrono::nanoseconds(now).count());
    time.insert(0, time.size() < 20 ? 20 - time.size() : 0, '0'); // names in the order of times
    ticket made{path + "." + time + "." + std::to_string(::getpid()), {}};
    lkt::unique_fd file(::open(made.path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (!file) return {}; // without one, it may come before others
    struct stat info{};
    // Somebody who has not seen it locked may have removed it.
    if (file && ::flock(file.get(), LOCK_EX) == 0 && ::fstat(file.get(), &info) == 0 &&
        info.st_nlink > 0)
        made.lock = std::move(file);
    return made;
}

} // namespace

bool device_turn::is_next(std::string const& mine) const {
    namespace fs = std::filesystem;
    std::error_code failed;
    fs::directory_iterator at(fs::path(path_).parent_path(), failed);
    for (fs::directory_iterator const end; !failed && at != end; at.increment(failed)) {
        auto const other = at->path().string();
        if (!other.starts_with(path_ + ".") || other >= mine) continue;
        lkt::unique_fd const file(::open(other.c_str(), O_RDWR | O_CLOEXEC));
        if (!file) continue;
        if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return false;
        ::unlink(other.c_str()); // its process is gone
    }
    return true;
}

void device_turn::take(std::stop_token const& stop) {
    std::lock_guard const guard(*held_lock_);
    if (held_) return;
    ticket mine;
    do mine = draw_ticket(path_);
    while (!mine.lock && !mine.path.empty() && !stop.stop_requested());
    // A lock that waits could not be interrupted.
    bool told = false;
    while (!stop.stop_requested()) {
        bool const next = is_next(mine.path);
        if (next && (::flock(file_.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)) {
            held_ = true;
            break;
        }
        if (!std::exchange(told, true)) told_ ? told_(true) : lkt_apps::say(waits);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (told && told_) told_(false);
    ::unlink(mine.path.c_str());
}

void device_turn::on_wait(std::function<void(bool)> told) {
    std::lock_guard const guard(*held_lock_);
    told_ = std::move(told);
}

void device_turn::give() {
    std::lock_guard const guard(*held_lock_);
    if (std::exchange(held_, false)) (void)::flock(file_.get(), LOCK_UN);
}

} // namespace lkt_tune
