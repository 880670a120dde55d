// SPDX-License-Identifier: BSL-1.0
// What copies of a model share.
#pragma once

#include <lkt/core/error.hpp>
#include <lkt/llm/http/detail/address.hpp>
#include <lkt/llm/http/detail/transport.hpp>
#include <lkt/llm/http/options.hpp>

#include <optional>
#include <string>

namespace lkt::detail::http {

struct engine {
    explicit engine(http_options chosen);

    http_options const options;
    address server;
    std::optional<transport> net; ///< there is one unless there is a defect
    std::optional<error> const defect;

    /// For the next call; asks whom the options name.
    [[nodiscard]] std::string key() const;
    /// `MODEL at HOST`.
    [[nodiscard]] std::string name() const;

private:
    [[nodiscard]] std::optional<error> build();
};

} // namespace lkt::detail::http
