// SPDX-License-Identifier: BSL-1.0
// Certificates for servers that tests start, made on the spot.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

namespace fault {

struct certificate_options {
    std::string subject = "DNS:localhost,IP:127.0.0.1,IP:::1"; ///< subjectAltName; empty: a CA
    long begins_s = -3600, ends_s = 3600;                      ///< from now
};

/// A key with its certificate, which it or an issuer has signed.
class certificate {
public:
    explicit certificate(certificate_options const& options, certificate const* issuer = nullptr);

    [[nodiscard]] std::string pem() const;
    /// For servers; holds key and certificate.
    [[nodiscard]] std::shared_ptr<SSL_CTX> context() const;

private:
    std::shared_ptr<EVP_PKEY> key_;
    std::shared_ptr<X509> self_;
};

} // namespace fault
