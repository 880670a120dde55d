// SPDX-License-Identifier: BSL-1.0
#include "certificates.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <stdexcept>

namespace fault {

namespace {

void need(bool done) {
    if (!done) throw std::runtime_error("OpenSSL makes no certificate");
}

void extend(X509* self, X509* issuer, int what, std::string const& value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, self, nullptr, nullptr, 0);
    X509_EXTENSION* const one = X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str());
    need(one && X509_add_ext(self, one, -1) == 1);
    X509_EXTENSION_free(one);
}

} // namespace

certificate::certificate(certificate_options const& options, certificate const* issuer)
    : key_(EVP_EC_gen("P-256"), EVP_PKEY_free), self_(X509_new(), X509_free) {
    static std::atomic<long> serial = 1;
    X509* const self = self_.get();
    need(key_ && self);
    bool const is_ca = options.subject.empty();
    X509_set_version(self, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(self), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(self), options.begins_s);
    X509_gmtime_adj(X509_getm_notAfter(self), options.ends_s);
    X509_set_pubkey(self, key_.get());
    std::string const name = is_ca ? "lkt test authority" : "lkt test server";
    X509_NAME_add_entry_by_txt(X509_get_subject_name(self),
                               "CN",
                               MBSTRING_ASC,
                               reinterpret_cast<unsigned char const*>(name.c_str()),
                               -1,
                               -1,
                               0);
    X509* const by = issuer ? issuer->self_.get() : self;
    X509_set_issuer_name(self, X509_get_subject_name(by));
    extend(self, by, NID_basic_constraints, is_ca ? "critical,CA:TRUE" : "critical,CA:FALSE");
    if (!is_ca) extend(self, by, NID_subject_alt_name, options.subject);
    need(X509_sign(self, issuer ? issuer->key_.get() : key_.get(), EVP_sha256()) > 0);
}

std::string certificate::pem() const {
    std::unique_ptr<BIO, decltype(&BIO_free)> const out(BIO_new(BIO_s_mem()), BIO_free);
    need(PEM_write_bio_X509(out.get(), self_.get()) == 1);
    char* data = nullptr;
    auto const size = BIO_get_mem_data(out.get(), &data);
    return {data, static_cast<std::size_t>(size)};
}

std::shared_ptr<SSL_CTX> certificate::context() const {
    std::shared_ptr<SSL_CTX> all(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
    need(all && SSL_CTX_use_certificate(all.get(), self_.get()) == 1 &&
         SSL_CTX_use_PrivateKey(all.get(), key_.get()) == 1);
    return all;
}

} // namespace fault
