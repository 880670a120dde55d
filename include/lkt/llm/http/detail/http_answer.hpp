// SPDX-License-Identifier: BSL-1.0
// An answer in HTTP/1, as its bytes arrive.
#pragma once

#include <lkt/llm/http/detail/wire_messages.hpp>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace lkt::detail::http {

/// Beast's parser, with what it reads put aside for whoever wants it.
class answer_reader final : public boost::beast::http::basic_parser<false> {
public:
    /// Of `longest` bytes at most; without a body in any case for an answer to CONNECT.
    explicit answer_reader(std::uint64_t longest, bool to_connect = false) {
        eager(true);
        header_limit(max_head);
        body_limit(longest);
        skip(to_connect);
    }
    static constexpr std::uint32_t max_head = 64 * 1024;

    wire_response head;
    std::string body; ///< what has arrived since somebody took it

    [[nodiscard]] bool is_interim() const { return head.status / 100 == 1; }

private:
    using code = boost::system::error_code;
    using view = boost::beast::string_view;
    template <class T>
    using maybe = boost::optional<T>;

    void on_request_impl(boost::beast::http::verb, view, view, int, code&) override {}
    void on_response_impl(int status, view, int, code&) override { head.status = status; }
    void on_field_impl(boost::beast::http::field, view name, view value, code&) override {
        std::string lower(name);
        for (char& c : lower)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
        head.headers.emplace_back(std::move(lower), std::string(value));
    }
    void on_header_impl(code&) override {}
    void on_body_init_impl(maybe<std::uint64_t> const&, code&) override {}
    std::size_t on_body_impl(view piece, code&) override {
        body.append(piece.data(), piece.size());
        return piece.size();
    }
    void on_chunk_header_impl(std::uint64_t, view, code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, view piece, code&) override {
        body.append(piece.data(), piece.size());
        return piece.size();
    }
    void on_finish_impl(code&) override {}
};

} // namespace lkt::detail::http
