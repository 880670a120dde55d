// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/process/wire.hpp>
#include <lkt/scan/cublaslt/detail/session.hpp>
#include <lkt/scan/cublaslt/product_service.hpp>

#include <memory>
#include <utility>

namespace lkt::cublaslt_detail {

std::string pack(product_request const& r) {
    auto const& p = r.product;
    auto const& o = r.options;
    packer out;
    out.put(p.m).put(p.n).put(p.k).put(p.batch).put(p.type).put(p.output.given).put(p.output.type);
    out.put(p.a).put(p.b).put(p.c).put(p.alpha).put(p.beta);
    out.put(p.stride_a).put(p.stride_b).put(p.stride_c).put(p.epilogue);
    out.put(o.which)
        .put(o.library)
        .put(o.device)
        .put(o.settings.warm_ups)
        .put(o.settings.iterations);
    out.put(o.settings.verify).put(o.settings.time_limit.count());
    out.put(o.workspace.count).put(o.instance_limit.count()).put(o.seed);
    return std::move(out).bytes();
}

std::optional<product_request> unpack_request(std::string_view bytes) {
    unpacker in(bytes);
    product_request r;
    auto& p = r.product;
    auto& o = r.options;
    auto const integer = [&] { return in.get<std::int64_t>(); };
    p.m = integer(), p.n = integer(), p.k = integer(), p.batch = integer();
    p.type = in.get<gemm_type>();
    p.output.given = in.get<bool>();
    p.output.type = in.get<gemm_type>();
    p.a = in.get<matrix_layout>(), p.b = in.get<matrix_layout>(), p.c = in.get<matrix_layout>();
    p.alpha = in.get<double>(), p.beta = in.get<double>();
    p.stride_a = integer(), p.stride_b = integer(), p.stride_c = integer();
    p.epilogue = in.get<gemm_epilogue>();
    o.which = in.get<lt_library>();
    o.library = in.text();
    o.device = in.text();
    o.settings.warm_ups = in.get<int>();
    o.settings.iterations = in.get<int>();
    o.settings.verify = in.get<bool>();
    o.settings.time_limit = seconds{in.get<double>()};
    o.workspace.count = in.get<std::uint64_t>();
    o.instance_limit = seconds{in.get<double>()};
    o.seed = in.get<std::uint64_t>();
    if (!in.complete()) return std::nullopt;
    return r;
}

std::string pack(scanned_product const& p) {
    packer out;
    auto const put = [&](auto const& value) {
        out.put(value.has_value());
        if (value) out.put(value->count());
    };
    out.put(static_cast<std::uint64_t>(p.instances.size()));
    for (scanned_instance const& one : p.instances) {
        out.put(one.name).put(one.time.count());
        put(one.least), put(one.most), put(one.deviation), put(one.again);
        out.put(one.iterations).put(one.verdict).put(one.clock_mhz).put(one.workspace.count);
    }
    out.put(static_cast<std::uint64_t>(p.unsupported)).put(p.remarks).put(p.device);
    return std::move(out).bytes();
}

std::optional<scanned_product> unpack_product(std::string_view bytes) {
    unpacker in(bytes);
    scanned_product p;
    auto const time = [&]() -> std::optional<seconds> {
        if (!in.get<bool>()) return std::nullopt;
        return seconds{in.get<double>()};
    };
    for (auto left = in.count(16); left > 0; --left) {
        scanned_instance one;
        one.name = in.text();
        one.time = seconds{in.get<double>()};
        one.least = time(), one.most = time(), one.deviation = time(), one.again = time();
        one.iterations = in.get<int>();
        one.verdict = in.get<scan_verdict>();
        one.clock_mhz = in.get<double>();
        one.workspace.count = in.get<std::uint64_t>();
        p.instances.push_back(std::move(one));
    }
    p.unsupported = static_cast<std::size_t>(in.get<std::uint64_t>());
    for (auto left = in.count(); left > 0; --left) p.remarks.emplace_back(in.text());
    p.device = in.text();
    if (!in.complete()) return std::nullopt;
    return p;
}

std::string pack(scan_setup const& s) {
    packer out;
    out.put(s.device).put(s.settings);
    return std::move(out).bytes();
}

std::optional<scan_setup> unpack_setup(std::string_view bytes) {
    unpacker in(bytes);
    scan_setup s;
    s.device = in.text();
    s.settings = in.text();
    if (!in.complete()) return std::nullopt;
    return s;
}

/// The device of this process, for as long as it lives: a context that broke goes with it.
inline result<session*> session_of(cublaslt_options const& options) {
    static std::unique_ptr<session> open;
    if (open == nullptr) {
        auto made = session::open(options);
        if (!made) return made.error();
        open = std::move(*made);
    }
    return open.get();
}

inline error malformed(char const* what) {
    return {condition::rejected,
            "lkt.worker.protocol",
            std::string("a malformed request for a ") + what,
            {}};
}

result<worker_message> serve_product(worker_message request) {
    auto const asked = unpack_request(request.bytes);
    auto const spec = asked ? gemm_spec::make(asked->product) : result<gemm_spec>(error{});
    if (!spec) return malformed("product");
    auto const open = session_of(asked->options);
    if (!open) return open.error();
    auto const found = (*open)->measure(*spec, asked->options);
    if (!found) return found.error();
    return worker_message{pack(*found), {}};
}

result<worker_message> serve_setup(worker_message request) {
    auto const asked = unpack_request(request.bytes);
    if (!asked) return malformed("setup");
    auto const open = session_of(asked->options);
    if (!open) return open.error();
    return worker_message{
        pack(scan_setup{(*open)->device(),
                        std::string(to_string(asked->options.which)) + "=" + (*open)->version()}),
        {}};
}

} // namespace lkt::cublaslt_detail
