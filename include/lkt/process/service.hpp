// SPDX-License-Identifier: BSL-1.0
// What a worker can be asked to do. A header that needs a worker names its service once:
//
//     lkt::result<lkt::worker_message> serve_host(lkt::worker_message request);
//     inline lkt::service_entry const host_entry{{"host", host_layout}, &serve_host};
//
// and every program that includes the header, and whose main calls lkt::worker_main, can serve it.
// The entry stands in the header even where the function is compiled elsewhere: from an archive a
// linker takes only what somebody mentions.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/process/unique_fd.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// Bytes and descriptors, in either direction.
struct worker_message {
    std::string bytes;
    std::vector<unique_fd> fds;
};

/// FNV-1a; for `service_key::layout` and for the header hash of the protocol.
[[nodiscard]] constexpr std::uint64_t layout_hash(std::string_view text,
                                                  std::uint64_t seed = 0xcbf29ce484222325U) {
    for (char const c : text) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return seed;
}

/// Names a service and the layout of what it exchanges. Change the layout whenever a request or a
/// reply changes: a worker of another build is then refused instead of misread.
struct service_key {
    std::string_view name;
    std::uint64_t layout = 0;
    friend bool operator==(service_key, service_key) = default;
};

/// Runs in the worker, one request at a time, on the worker's main thread. An error is returned to
/// the caller unchanged; an exception becomes `lkt.worker.exception`.
using service_function = result<worker_message> (*)(worker_message request);

class service_entry;

namespace process_detail {
/// The list of all services of this program; null: there is none.
[[nodiscard]] service_entry const* first_service();
} // namespace process_detail

/// One service of this program. To be defined as an `inline` (or static) variable of namespace
/// scope only: constructing it links it into a list and does nothing else.
class service_entry {
public:
    service_entry(service_key k, service_function f);
    service_entry(service_entry const&) = delete;
    service_entry& operator=(service_entry const&) = delete;

    [[nodiscard]] service_key key() const { return key_; }
    [[nodiscard]] service_function call() const { return call_; }
    [[nodiscard]] service_entry const* next() const { return next_; }

private:
    service_key key_;
    service_function call_;
    service_entry const* next_ = nullptr;
};

/// The entry of that name in this program, or null.
[[nodiscard]] service_entry const* find_service(std::string_view name);

} // namespace lkt
