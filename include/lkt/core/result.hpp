// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/error.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace lkt {

/// Thrown by `result<T>::value()` on an error: reading a value that is not there is a bug.
struct bad_result : std::runtime_error {
    explicit bad_result(error e);
    error why;
};

namespace detail {
[[noreturn]] void throw_bad_result(error const& e);
} // namespace detail

/// What a call that can meet a failure of the world returns: a value or an error. Idiom:
/// `if (!r) return r.error();`. `*r` and `r->` need a value, `value()` throws where there is none,
/// and `error()` is the empty one where there is a value. Parts of a temporary are moved out of it.
template <class T>
class result {
public:
    result()
        requires std::is_default_constructible_v<T>
        : value_(), good_(true) {}
    template <class U = T>
        requires(std::is_convertible_v<U, T> && !std::is_same_v<std::remove_cvref_t<U>, error> &&
                 !std::is_same_v<std::remove_cvref_t<U>, result>)
    result(U&& value) : value_(std::forward<U>(value)), good_(true) {}
    result(lkt::error e) : error_(std::move(e)), good_(false) {}

    result(result const& other)
        requires std::is_copy_constructible_v<T>
        : good_(other.good_) {
        if (good_)
            std::construct_at(std::addressof(value_), other.value_);
        else
            std::construct_at(std::addressof(error_), other.error_);
    }
    result(result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) : good_(other.good_) {
        take(other);
    }
    result& operator=(result other) {
        static_assert(std::is_nothrow_move_constructible_v<T>);
        destroy();
        good_ = other.good_;
        take(other);
        return *this;
    }
    ~result() { destroy(); }

    [[nodiscard]] bool has_value() const noexcept { return good_; }
    [[nodiscard]] bool has_error() const noexcept { return !good_; }
    [[nodiscard]] explicit operator bool() const noexcept { return good_; }

    [[nodiscard]] T& operator*() & noexcept { return value_; }
    [[nodiscard]] T const& operator*() const& noexcept { return value_; }
    [[nodiscard]] T operator*() && { return std::move(value_); }
    [[nodiscard]] T* operator->() noexcept { return std::addressof(value_); }
    [[nodiscard]] T const* operator->() const noexcept { return std::addressof(value_); }

    [[nodiscard]] T& value() & {
        if (!good_) detail::throw_bad_result(error_);
        return value_;
    }
    [[nodiscard]] T const& value() const& {
        if (!good_) detail::throw_bad_result(error_);
        return value_;
    }
    [[nodiscard]] T value() && {
        if (!good_) detail::throw_bad_result(error_);
        return std::move(value_);
    }
    [[nodiscard]] lkt::error error() const { return good_ ? lkt::error{} : error_; }

    [[nodiscard]] friend bool operator==(result const& a, result const& b)
        requires requires(T const& value) { value == value; }
    {
        if (a.good_ != b.good_) return false;
        return a.good_ ? a.value_ == b.value_ : a.error_ == b.error_;
    }

private:
    void take(result& other) {
        if (good_)
            std::construct_at(std::addressof(value_), std::move(other.value_));
        else
            std::construct_at(std::addressof(error_), std::move(other.error_));
    }
    void destroy() noexcept {
        if (good_)
            std::destroy_at(std::addressof(value_));
        else
            std::destroy_at(std::addressof(error_));
    }

    union {
        T value_;
        lkt::error error_;
    };
    bool good_;
};

template <>
class result<void> {
public:
    result() = default;
    result(lkt::error e) : error_(std::move(e)) {}

    [[nodiscard]] bool has_value() const noexcept { return !error_; }
    [[nodiscard]] bool has_error() const noexcept { return error_.has_value(); }
    [[nodiscard]] explicit operator bool() const noexcept { return !error_; }
    void value() const {
        if (error_) detail::throw_bad_result(*error_);
    }
    [[nodiscard]] lkt::error error() const { return error_ ? *error_ : lkt::error{}; }

private:
    std::optional<lkt::error> error_;
};

} // namespace lkt
