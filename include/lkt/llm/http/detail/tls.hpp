// SPDX-License-Identifier: BSL-1.0
// Whom we trust, and what it means when TLS fails.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/http/detail/address.hpp>
#include <lkt/llm/http/detail/connection.hpp>

#include <memory>

namespace lkt::detail::http {

/// TLS 1.2 or newer, with the certificates of `ca_file` or else the system's. Errors:
/// `lkt.http.ca-file`.
[[nodiscard]] result<std::shared_ptr<asio::ssl::context>> make_tls(http_options const& options);

/// What a failed handshake, or a failed read before the first answer, means:
/// `lkt.http.certificate`, `lkt.http.tls` or `lkt.http.connection`.
[[nodiscard]] error tls_failure(SSL* ssl, bool verify, address const& server, error_code ec);

} // namespace lkt::detail::http
