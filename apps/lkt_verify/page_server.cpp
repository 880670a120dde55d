// SPDX-License-Identifier: BSL-1.0
#include "page_server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <random>
#include <utility>

namespace lkt_verify {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = boost::asio::ip::tcp;
using error_code = boost::system::error_code;

constexpr auto patience = std::chrono::seconds(120); ///< for one request, or between two of them
constexpr std::size_t max_connections = 64;
constexpr std::uint32_t max_head = 16 * 1024;

std::string random_word() {
    constexpr char digits[] = "0123456789abcdef";
    std::random_device entropy;
    std::string word;
    for (int k = 0; k < 4; ++k) {
        auto bits = entropy();
        for (int digit = 0; digit < 8; ++digit, bits >>= 4) word += digits[bits & 15];
    }
    return word;
}

/// Whether both are the same, in a time that does not tell where they differ.
bool same_word(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    unsigned difference = 0;
    for (std::size_t k = 0; k < a.size(); ++k)
        difference |= static_cast<unsigned char>(a[k]) ^ static_cast<unsigned char>(b[k]);
    return difference == 0;
}

/// Whether a `Host` names this machine, on whichever port: a tunnel may have another one.
bool is_loopback(std::string_view host) {
    auto const colon = host.rfind(':');
    auto const bracket = host.rfind(']');
    if (colon != host.npos && (bracket == host.npos || colon > bracket)) {
        auto const port = host.substr(colon + 1);
        if (port.empty() || port.find_first_not_of("0123456789") != port.npos) return false;
        host = host.substr(0, colon);
    }
    return host == "127.0.0.1" || host == "localhost" || host == "[::1]";
}

} // namespace

struct page_server::state {
    std::string token = random_word(), nonce = random_word(), address;
    page_service const* service = nullptr;
    std::size_t open = 0;
    bool ends = false;
    asio::io_context io{1}; // what waits in it refers to the members above
    tcp::acceptor acceptor{io};

    state() = default;
    state(state const&) = delete;
    ~state() { ends = true; }
    void accept();
};

namespace {

/// One connection of a browser.
class connection : public std::enable_shared_from_this<connection> {
public:
    connection(tcp::socket socket,
               page_service const& service,
               std::string const& token,
               std::string const& nonce,
               std::function<void(bool last)> closed)
        : stream_(std::move(socket)), service_(service), token_(token), nonce_(nonce),
          closed_(std::move(closed)) {}
    connection(connection const&) = delete;
    ~connection() { closed_(last_); }

    void read() {
        head_.emplace();
        head_->header_limit(max_head);
        head_->body_limit(boost::none); // `look` reads what is announced
        stream_.expires_after(patience);
        http::async_read_header(
            stream_, buffer_, *head_, [self = shared_from_this()](error_code bad, std::size_t) {
                if (!bad) return self->look();
                if (bad == http::error::header_limit)
                    return self->refuse(431, "The head of the request is too long.");
                auto const& of_http = http::make_error_code(http::error::end_of_stream).category();
                if (bad.category() == of_http && bad != http::error::end_of_stream &&
                    bad != http::error::partial_message)
                    self->refuse(400, "This is no request in HTTP/1.");
            });
    }

private:
    /// Everything that can be said before the body.
    void look() {
        auto const& head = head_->get();
        version_ = head.version();
        std::string_view const target(head.target().data(), head.target().size());
        auto const field = [&](http::field name) {
            auto const text = head[name];
            return std::string(text.data(), text.size());
        };
        auto const host = field(http::field::host);
        if (head.count(http::field::host) != 1 || !is_loopback(host))
            return refuse(403, "This server answers to 127.0.0.1 and localhost alone.");
        request_ = {};
        request_.agent = field(http::field::user_agent);
        if (target.size() < token_.size() + 2 || target.front() != '/' ||
            !same_word(target.substr(1, token_.size()), token_) || target[token_.size() + 1] != '/')
            return refuse(404,
                          "There is nothing here. The address has a part that is random: take "
                          "it as lkt-verify prints it.");
        path_ = target.substr(token_.size() + 2);
        if (head.method() == http::verb::get) {
            if (head_->content_length().value_or(0) != 0 || head_->chunked())
                return refuse(400, "A GET has no body.");
            return answer();
        }
        if (head.method() != http::verb::post)
            return refuse(405, "Only GET and POST are answered.");
        if (field(http::field::origin) != "http://" + host)
            return refuse(403, "A POST has to come from the page itself.");
        auto const room = service_.room(path_);
        if (room == 0) return refuse(404, "There is nothing here.");
        auto const length = head_->content_length();
        if (head_->chunked() || !length) return refuse(411, "A POST has to say its length.");
        if (*length > room) return refuse(413, "The body is too large.");
        body_.emplace(std::move(*head_));
        body_->body_limit(room);
        stream_.expires_after(patience);
        http::async_read(
            stream_, buffer_, *body_, [self = shared_from_this()](error_code bad, std::size_t) {
                if (bad) return;
                self->request_.post = true;
                self->request_.body = std::move(self->body_->get().body());
                self->answer();
            });
    }

    void answer() {
        request_.path = path_;
        write(service_.answer(std::move(request_)), true);
    }
    void refuse(unsigned status, std::string why) {
        write({status, std::move(why) + "\n", "text/plain"}, false);
    }

    void write(page_reply reply, bool keep) {
        last_ = reply.last;
        auto& r = reply_;
        r = {};
        r.version(version_);
        r.result(reply.status);
        keep = keep && !reply.last && (body_ ? body_->keep_alive() : head_->keep_alive());
        r.keep_alive(keep);
        r.set(http::field::content_type, std::string(reply.type) + "; charset=utf-8");
        r.set(http::field::cache_control, "no-store");
        r.set("X-Content-Type-Options", "nosniff");
        r.set("Referrer-Policy", "no-referrer");
        r.set("Content-Security-Policy",
              "default-src 'none'; script-src 'nonce-" + nonce_ + "'; style-src 'nonce-" + nonce_ +
                  "'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
                  "frame-ancestors 'none'");
        // A page of its own process has finer clocks.
        r.set("Cross-Origin-Opener-Policy", "same-origin");
        r.set("Cross-Origin-Embedder-Policy", "require-corp");
        r.set("Cross-Origin-Resource-Policy", "same-origin");
        r.body() = std::move(reply.body);
        r.prepare_payload();
        body_.reset();
        stream_.expires_after(patience);
        http::async_write(
            stream_, r, [self = shared_from_this(), keep](error_code bad, std::size_t) {
                if (!bad && keep) return self->read();
                error_code ignored;
                self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
            });
    }

    beast::tcp_stream stream_;
    page_service const& service_;
    std::string const& token_;
    std::string const& nonce_;
    std::function<void(bool)> closed_;
    beast::flat_buffer buffer_;
    std::optional<http::request_parser<http::empty_body>> head_;
    std::optional<http::request_parser<http::string_body>> body_;
    page_request request_;
    std::string path_;
    http::response<http::string_body> reply_;
    unsigned version_ = 11;
    bool last_ = false;
};

} // namespace

void page_server::state::accept() {
    acceptor.async_accept([this](error_code bad, tcp::socket socket) {
        if (bad == asio::error::operation_aborted) return;
        if (!bad && open < max_connections) {
            ++open;
            auto const closed = [this](bool last) {
                --open;
                if (last && !ends) io.stop();
            };
            std::make_shared<connection>(std::move(socket), *service, token, nonce, closed)->read();
        }
        accept();
    });
}

page_server::page_server(std::unique_ptr<state> s) : state_(std::move(s)) {}
page_server::page_server(page_server&&) noexcept = default;
page_server& page_server::operator=(page_server&&) noexcept = default;
page_server::~page_server() = default;

lkt::result<page_server> page_server::listen(std::uint16_t port) {
    auto made = std::make_unique<state>();
    auto& a = made->acceptor;
    error_code bad;
    tcp::endpoint const place(asio::ip::address_v4::loopback(), port);
    a.open(place.protocol(), bad);
    if (!bad) a.set_option(tcp::acceptor::reuse_address(true), bad);
    if (!bad) a.bind(place, bad);
    if (!bad) a.listen(tcp::acceptor::max_listen_connections, bad);
    if (bad)
        return lkt::error{lkt::condition::unavailable,
                          "lkt.browser.port",
                          "cannot listen on port " + std::to_string(port) +
                              " of 127.0.0.1: " + bad.message(),
                          "leave --port out, which takes any that is free, or name another one"};
    made->address =
        "http://127.0.0.1:" + std::to_string(a.local_endpoint().port()) + "/" + made->token + "/";
    return page_server(std::move(made));
}

std::string const& page_server::address() const { return state_->address; }
std::string const& page_server::nonce() const { return state_->nonce; }

lkt::result<void> page_server::serve(page_service const& service, std::stop_token stop) {
    state_->service = &service;
    std::stop_callback const ends(stop, [this] { state_->io.stop(); });
    state_->accept();
    state_->io.run();
    if (stop.stop_requested()) return lkt::cancelled("the page");
    return {};
}

} // namespace lkt_verify
