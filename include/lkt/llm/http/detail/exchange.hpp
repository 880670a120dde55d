// SPDX-License-Identifier: BSL-1.0
// One request and its answer.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/http/detail/connection.hpp>
#include <lkt/llm/http/detail/deadline.hpp>
#include <lkt/llm/http/detail/http_answer.hpp>
#include <lkt/llm/http/detail/http_session.hpp>
#include <lkt/llm/http/detail/inbox.hpp>
#include <lkt/llm/http/detail/opening.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace lkt::detail::http {

/// Gets a connection, writes the request and reads the answer, both at the same time, since a
/// server may refuse what it has not read to its end. A connection out of the pool that breaks
/// before a byte of an answer is replaced, once. An empty request is none: the connection is all
/// that is wanted. Lives on the I/O thread.
class exchange : public std::enable_shared_from_this<exchange> {
public:
    /// Whatever happens, `to` is told of it as `call`, and then `over` is called with this.
    using handler = std::function<void(std::shared_ptr<exchange>)>;
    exchange(http_session& s,
             std::string request,
             std::shared_ptr<inbox> to,
             std::size_t call,
             handler over);

    void start();
    /// The inbox has room again.
    void read_on();
    /// Its caller needs nothing more: the connection is kept if the answer ends soon.
    void abandon();
    /// Nobody waits for it.
    void cancel();

private:
    enum class phase : unsigned char { connect, request, first_byte, idle, paused, parting };

    void enter(phase next);
    void late();
    void obtain();
    void opened(result<std::shared_ptr<connection>> outcome);
    void connected();
    void send();
    void write();
    void read();
    [[nodiscard]] asio::mutable_buffer room();
    void grow(std::size_t size);
    [[nodiscard]] bool take(std::size_t n);
    void tell(arrival fresh);
    [[nodiscard]] std::optional<error> parse();
    void deliver();
    void broke(error_code ec);
    void complete();
    void finish(std::optional<error> failure);
    [[nodiscard]] error malformed(std::string const& why) const;

    http_session& session_;
    std::string request_;
    std::shared_ptr<inbox> inbox_;
    std::size_t const call_;
    handler over_;

    deadline::clock::time_point total_ = deadline::clock::time_point::max();
    std::shared_ptr<deadline> limit_;
    phase phase_ = phase::connect;
    std::shared_ptr<opening> opening_;
    std::shared_ptr<connection> connection_;
    bool reused_ = false;   ///< the connection is out of the pool
    bool replaced_ = false; ///< such a one has broken

    std::size_t written_ = 0;
    std::unique_ptr<char[]> buffer_;
    std::size_t size_ = 0; ///< of it
    std::size_t used_ = 0; ///< bytes in it that are not understood yet
    std::optional<answer_reader> reader_;
    int interim_ = 0;
    bool answering_ = false; ///< a byte of an answer has arrived
    bool head_told_ = false;
    bool resting_ = false; ///< the inbox is full
    bool quiet_ = false;   ///< no one needs it
    bool done_ = false;
};

} // namespace lkt::detail::http
