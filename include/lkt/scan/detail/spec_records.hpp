// SPDX-License-Identifier: BSL-1.0
// Specs as fields of a line of JSON. Pays for Boost.JSON.
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/scan/scan_table.hpp>

#include <boost/json/object.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lkt::detail::scan {

/// Reads the fields of a line; a field of another type than is written is a fault.
class record_reader {
public:
    explicit record_reader(boost::json::object const& o) : o_(o) {}

    std::string text(std::string_view key) {
        auto const* const v = o_.if_contains(key);
        if (v == nullptr || !v->is_string()) return missing(key), std::string();
        return std::string(v->get_string());
    }
    std::int64_t integer(std::string_view key) {
        auto const* const v = o_.if_contains(key);
        if (v == nullptr || !v->is_int64()) return missing(key), 0;
        return v->get_int64();
    }
    std::optional<double> real(std::string_view key) {
        auto const* const v = o_.if_contains(key);
        if (v != nullptr && v->is_null()) return std::nullopt;
        if (v != nullptr && v->is_double() && std::isfinite(v->get_double()))
            return v->get_double();
        if (v != nullptr && v->is_int64()) return static_cast<double>(v->get_int64());
        missing(key);
        return std::nullopt;
    }
    [[nodiscard]] bool has(std::string_view key) const { return o_.contains(key); }
    /// Of a field that older files lack.
    double newer(std::string_view key) {
        return !has(key) ? 0 : std::max(real(key).value_or(0), 0.0);
    }
    std::optional<seconds> time(std::string_view key) {
        auto const t = real(key);
        return t ? std::optional(seconds{*t}) : std::nullopt;
    }
    void missing(std::string_view key) {
        if (wrong.empty()) wrong = key;
    }
    std::string wrong; ///< the first field that is not as it should be

private:
    boost::json::object const& o_;
};

/// Adds the operation, its extents by their names in lower case, and whatever else it has.
void write_spec(scan_spec const& spec, boost::json::object& o);

/// Errors (rejected): of names that are none, and of the operation's `make`. What is missing is a
/// fault of `in`. Lines without an operation are of matrix products.
[[nodiscard]] result<scan_spec> read_spec(record_reader& in);

/// A row of the first operations, in the order gemm, conv, elementwise: for the names of their
/// fields.
[[nodiscard]] scan_table row_of_each_operation(std::size_t operations = 3);

} // namespace lkt::detail::scan
