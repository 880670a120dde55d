// SPDX-License-Identifier: BSL-1.0
#include "device_turn.hpp"

#include "../common/output.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <system_error>
#include <thread>

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
    std::error_code none; // opening the file says it
    fs::create_directories(folder, none);
    auto const path = fs::path(folder) / file_name(device.name + " " + which);
    lkt::unique_fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (!file)
        return lkt::error{lkt::condition::unavailable,
                          "lkt.tune.queue",
                          "cannot open " + path.string() + ": " + std::strerror(errno),
                          "choose another folder with --device-queue"};
    return device_turn(std::move(file));
}

void device_turn::take(std::stop_token const& stop) {
    // A lock that waits could not be interrupted.
    bool told = false;
    while (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        if (stop.stop_requested()) return;
        if (!told) lkt_apps::say("waiting for the device, which another run uses");
        told = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

void device_turn::give() { (void)::flock(file_.get(), LOCK_UN); }

void turn_while_asking::begin() {
    if (turn_ == nullptr) return;
    std::lock_guard const guard(lock_);
    if (asking_++ == 0) turn_->give();
}

void turn_while_asking::end(std::stop_token const& stop) {
    if (turn_ == nullptr) return;
    std::lock_guard const guard(lock_);
    if (--asking_ == 0) turn_->take(stop);
}

} // namespace lkt_tune
