// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/process/service.hpp>

#include <atomic>

namespace lkt {

namespace process_detail {

/// Constant-initialised, hence valid whatever order the entries are constructed in.
constinit std::atomic<service_entry const*> service_list{nullptr};

service_entry const* first_service() { return service_list.load(); }

} // namespace process_detail

service_entry::service_entry(service_key k, service_function f) : key_(k), call_(f) {
    next_ = process_detail::service_list.load();
    while (!process_detail::service_list.compare_exchange_weak(next_, this)) {
    }
}

service_entry const* find_service(std::string_view name) {
    auto const* entry = process_detail::first_service();
    while (entry != nullptr && entry->key().name != name) entry = entry->next();
    return entry;
}

} // namespace lkt
