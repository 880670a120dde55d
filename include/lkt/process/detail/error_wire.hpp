// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/error.hpp>
#include <lkt/process/wire.hpp>

namespace lkt::process_detail {

inline void pack_error(packer& out, error const& e) {
    out.put(e.kind).put(e.code).put(e.message).put(e.hint);
}

/// The error that a worker sent; a malformed one is `lkt.worker.protocol`.
[[nodiscard]] inline error unpack_error(std::string_view bytes) {
    unpacker in{bytes};
    auto const kind = in.get<condition>();
    error e{kind, std::string{in.text()}, std::string{in.text()}, std::string{in.text()}};
    if (in.complete() && kind <= condition::suspended) return e;
    return {condition::transient, "lkt.worker.protocol", "a worker sent a malformed error", {}};
}

} // namespace lkt::process_detail
