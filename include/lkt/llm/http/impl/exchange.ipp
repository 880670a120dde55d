// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/exchange.hpp>
#include <lkt/llm/http/detail/tls.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>

#include <algorithm>
#include <utility>

namespace lkt::detail::http {

exchange::exchange(
    http_session& s, std::string request, std::shared_ptr<inbox> to, std::size_t call, handler over)
    : session_(s), request_(std::move(request)), inbox_(std::move(to)), call_(call),
      over_(std::move(over)) {}

void exchange::start() {
    total_ = deadline::after(session_.limits.total);
    limit_ = std::make_shared<deadline>(session_.io, [weak = weak_from_this()] {
        if (auto const self = weak.lock()) self->late();
    });
    obtain();
}

void exchange::obtain() {
    enter(phase::connect);
    if (!replaced_) {
        connection_ = session_.connections.take();
        reused_ = connection_ != nullptr;
        if (reused_) return connected();
    }
    reused_ = false;
    auto const fresh = std::make_shared<opening>(
        session_.io,
        session_.way,
        session_.names,
        [weak = weak_from_this()](result<std::shared_ptr<connection>> outcome) {
            if (auto const self = weak.lock()) self->opened(std::move(outcome));
        });
    opening_ = fresh;
    fresh->start();
}

void exchange::opened(result<std::shared_ptr<connection>> outcome) {
    if (done_) return;
    opening_.reset();
    if (!outcome) return finish(outcome.error());
    connection_ = std::move(*outcome);
    ++session_.opened;
    connected();
}

void exchange::connected() {
    if (!request_.empty()) return send();
    session_.connections.put(std::move(connection_));
    finish(std::nullopt);
}

void exchange::send() {
    written_ = 0;
    reader_.emplace(session_.max_reply);
    grow(16 * 1024);
    enter(phase::request);
    write();
    read();
}

void exchange::write() {
    connection_->write(
        asio::buffer(request_) + written_,
        [self = shared_from_this(), on = connection_.get()](error_code ec, std::size_t n) {
            if (self->done_ || self->connection_.get() != on) return;
            self->written_ += n;
            // Reading tells why: it finds an answer that came before, or the same failure.
            if (ec) return self->enter(phase::parting);
            if (self->written_ < self->request_.size()) {
                self->enter(phase::request);
                return self->write();
            }
            if (self->phase_ == phase::request)
                self->enter(self->answering_ ? phase::idle : phase::first_byte);
        });
}

asio::mutable_buffer exchange::room() {
    // What is in the buffer is the beginning of a head, which the parser needs in one piece.
    if (used_ == size_) grow(2 * size_);
    return asio::buffer(buffer_.get(), size_) + used_;
}

void exchange::grow(std::size_t size) {
    if (size <= size_) return;
    auto larger = std::make_unique_for_overwrite<char[]>(size);
    std::copy_n(buffer_.get(), used_, larger.get());
    buffer_ = std::move(larger);
    size_ = size;
}

void exchange::read() {
    connection_->read(
        room(), [self = shared_from_this(), on = connection_.get()](error_code ec, std::size_t n) {
            if (self->done_ || self->connection_.get() != on) return;
            if (ec) return self->broke(ec);
            if (self->take(n)) self->read();
        });
}

/// Understands `n` more bytes. False: nothing is to be read for now.
bool exchange::take(std::size_t n) {
    answering_ = true;
    used_ += n;
    if (auto failure = parse()) {
        deliver();
        finish(std::move(failure));
        return false;
    }
    if (reader_->is_done() && !reader_->is_interim()) {
        complete();
        return false;
    }
    deliver();
    if (phase_ == phase::first_byte || phase_ == phase::idle)
        enter(resting_ ? phase::paused : phase::idle);
    return !resting_;
}

std::optional<error> exchange::parse() {
    constexpr int max_interim = 16;
    std::size_t taken = 0;
    std::optional<error> failure;
    while (taken < used_) {
        error_code bad;
        taken += reader_->put(asio::buffer(buffer_.get() + taken, used_ - taken), bad);
        namespace beast = boost::beast::http;
        if (bad == beast::error::body_limit || bad == beast::error::header_limit) {
            bool const head = bad == beast::error::header_limit;
            failure =
                error{condition::rejected,
                      "lkt.http.too-long",
                      "the answer of " + session_.way.server.endpoint() + " has more than " +
                          std::to_string(head ? answer_reader::max_head : session_.max_reply) +
                          (head ? " bytes of headers" : " bytes"),
                      head ? "" : "ask for fewer tokens, or raise max_reply"};
        } else if (bad && bad != beast::error::need_more) {
            failure = malformed(bad.message());
        }
        if (bad || !reader_->is_done() || !reader_->is_interim()) break;
        if (reader_->head.status == 101 || ++interim_ > max_interim) {
            failure = malformed("it announces one but does not contain it");
            break;
        }
        reader_.emplace(session_.max_reply);
    }
    used_ -= taken;
    std::copy_n(buffer_.get() + taken, used_, buffer_.get());
    return failure;
}

error exchange::malformed(std::string const& why) const {
    return {condition::rejected,
            "lkt.http.protocol",
            session_.way.server.endpoint() + " does not answer in HTTP/1: " + why,
            "check the port and the scheme (http or https) of the base URL"};
}

void exchange::tell(arrival fresh) {
    auto const [room, first] = inbox_->deliver(std::move(fresh));
    // After what else has been read by now: of many streams, one wakes whoever waits.
    if (first) asio::post(session_.io, [to = inbox_] { to->wake(); });
    resting_ = !room;
}

void exchange::deliver() {
    arrival fresh{.call = call_};
    if (reader_->is_header_done() && !reader_->is_interim() && !std::exchange(head_told_, true)) {
        fresh.head.emplace(std::move(reader_->head));
        reader_->head.status = fresh.head->status;
    }
    fresh.body.swap(reader_->body);
    session_.received += fresh.body.size();
    if (quiet_ || (!fresh.head && fresh.body.empty())) return;
    tell(std::move(fresh));
}

void exchange::read_on() {
    if (done_ || !std::exchange(resting_, false)) return;
    if (phase_ == phase::paused) enter(phase::idle);
    read();
}

void exchange::complete() {
    bool const keep = reader_->keep_alive() && used_ == 0 && written_ == request_.size();
    if (keep) session_.connections.put(std::move(connection_));
    deliver();
    finish(std::nullopt);
}

void exchange::broke(error_code ec) {
    if (!answering_ && reused_) {
        replaced_ = true;
        connection_->close();
        connection_.reset();
        phase_ = phase::connect;
        return obtain();
    }
    bool const closed = ec == asio::error::eof || ec == asio::ssl::error::stream_truncated;
    if (closed && reader_->got_some()) {
        error_code bad;
        reader_->put_eof(bad);
        if (!bad) {
            deliver();
            return finish(std::nullopt);
        }
    }
    auto const& way = session_.way;
    if (!head_told_ && ec.category() == asio::error::get_ssl_category())
        return finish(tls_failure(connection_->ssl(), way.verify, way.server, ec));
    std::string const when = head_told_   ? "in the middle of its answer"
                             : answering_ ? "in the head of its answer"
                                          : "before it answered";
    finish(error{condition::transient,
                 head_told_ ? "lkt.http.cut-off" : "lkt.http.connection",
                 way.server.endpoint() +
                     (closed ? " closed the connection " + when
                             : ": the connection broke " + when + ": " + ec.message()),
                 ""});
}

void exchange::abandon() {
    if (done_) return;
    quiet_ = true;
    enter(phase::parting);
    if (std::exchange(resting_, false)) read();
}

void exchange::cancel() {
    quiet_ = true;
    finish(std::nullopt);
}

void exchange::finish(std::optional<error> failure) {
    if (std::exchange(done_, true)) return;
    if (limit_) limit_->cancel();
    if (opening_) opening_->cancel();
    if (connection_) connection_->close();
    connection_.reset();
    if (!quiet_) tell({.call = call_, .over = true, .failure = std::move(failure)});
    inbox_.reset();
    std::exchange(over_, nullptr)(shared_from_this());
}

} // namespace lkt::detail::http
