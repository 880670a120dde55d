// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/tls.hpp>

#include <boost/asio/ssl/error.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/sslerr.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace lkt::detail::http {

/// Where distributions keep all certificates in one file, for an OpenSSL that was built elsewhere.
constexpr char const* certificate_bundles[] = {"/etc/ssl/certs/ca-certificates.crt",
                                               "/etc/pki/tls/certs/ca-bundle.crt",
                                               "/etc/ssl/ca-bundle.pem",
                                               "/etc/ssl/cert.pem"};

void trust_system(asio::ssl::context& tls) {
    error_code failed;
    tls.set_default_verify_paths(failed);
    std::error_code none;
    if (std::filesystem::exists(X509_get_default_cert_file(), none) ||
        std::filesystem::exists(X509_get_default_cert_dir(), none))
        return;
    for (char const* const bundle : certificate_bundles)
        if (std::filesystem::exists(bundle, none))
            return (void)tls.load_verify_file(bundle, failed);
}

result<std::shared_ptr<asio::ssl::context>> make_tls(http_options const& options) {
    auto tls = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
    SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_2_VERSION);
    static constexpr unsigned char http_1_1[] = "\x08http/1.1";
    SSL_CTX_set_alpn_protos(tls->native_handle(), http_1_1, sizeof http_1_1 - 1);
    // An idle connection gives its buffers back.
    SSL_CTX_set_mode(tls->native_handle(), SSL_MODE_RELEASE_BUFFERS);
    if (!options.verify_tls) {
        tls->set_verify_mode(asio::ssl::verify_none);
        return tls;
    }
    tls->set_verify_mode(asio::ssl::verify_peer);
    if (options.ca_file.empty()) {
        trust_system(*tls);
        return tls;
    }
    error_code failed;
    tls->load_verify_file(options.ca_file, failed);
    if (!failed) return tls;
    std::error_code none;
    bool const there = std::filesystem::is_regular_file(options.ca_file, none);
    return error{there ? condition::rejected : condition::unavailable,
                 "lkt.http.ca-file",
                 "the file of certificates " + options.ca_file +
                     (there ? " contains none in PEM" : " does not exist"),
                 "name a file with `-----BEGIN CERTIFICATE-----` in it as ca_file"};
}

error certificate_failure(long verdict, address const& server) {
    std::string hint;
    switch (verdict) {
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        hint = "if you trust its issuer, name a PEM file with that certificate in ca_file, or in "
               "the environment variable SSL_CERT_FILE";
        break;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        hint = "use the name that the certificate was issued for in the base URL";
        break;
    case X509_V_ERR_CERT_NOT_YET_VALID:
    case X509_V_ERR_CERT_HAS_EXPIRED:
        hint = "check this machine's clock; if it is right, ask the server's owner for a new "
               "certificate";
        break;
    default:
        hint = "`openssl s_client -connect " + server.endpoint() + "` shows the certificate";
    }
    bool const missing = verdict == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY;
    return {missing ? condition::unavailable : condition::rejected,
            "lkt.http.certificate",
            "the certificate of " + server.endpoint() +
                " was refused: " + X509_verify_cert_error_string(verdict),
            hint};
}

error tls_failure(SSL* ssl, bool verify, address const& server, error_code ec) {
    if (ec.category() == asio::error::get_ssl_category()) {
        long const verdict = ssl ? SSL_get_verify_result(ssl) : X509_V_OK;
        if (verify && verdict != X509_V_OK) return certificate_failure(verdict, server);
        auto const reason = ERR_GET_REASON(static_cast<unsigned long>(ec.value()));
        bool const plain = reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST;
        return {condition::rejected,
                "lkt.http.tls",
                "TLS with " + server.endpoint() + " failed: " + ec.message(),
                plain ? "the server may not speak TLS: try http:// in the base URL"
                      : "`openssl s_client -connect " + server.endpoint() + "` shows more"};
    }
    return {condition::transient,
            "lkt.http.connection",
            "the connection to " + server.endpoint() +
                " broke during the TLS handshake: " + ec.message(),
            "if this happens again, check whether that port uses TLS"};
}

} // namespace lkt::detail::http
