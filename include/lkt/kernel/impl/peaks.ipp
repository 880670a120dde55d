// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/peaks.hpp>

#include <algorithm>

namespace lkt {

std::string_view to_string(arithmetic type) {
    switch (type) {
    case arithmetic::float64:
        return "float64";
    case arithmetic::float32:
        return "float32";
    case arithmetic::tf32:
        return "tf32";
    case arithmetic::float16:
        return "float16";
    case arithmetic::bfloat16:
        return "bfloat16";
    case arithmetic::float8:
        return "float8";
    case arithmetic::int8:
        return "int8";
    }
    return {};
}

std::optional<arithmetic> arithmetic_called(std::string_view name) {
    for (arithmetic const one : every_arithmetic)
        if (to_string(one) == name) return one;
    return std::nullopt;
}

double device_rates::of(arithmetic type) const {
    switch (type) {
    case arithmetic::float64:
        return fp64;
    case arithmetic::float32:
        return fp32;
    case arithmetic::tf32:
        return std::max(tensor_tf32, fp32);
    case arithmetic::float16:
        return std::max(tensor_fp16, fp16);
    case arithmetic::bfloat16:
        return tensor_bf16;
    case arithmetic::float8:
        return tensor_fp8 > 0 ? tensor_fp8 : of(arithmetic::float16);
    case arithmetic::int8:
        return tensor_int8;
    }
    return 0;
}

double device_peaks::reached(arithmetic type, bool with_wgmma) const {
    return std::max(measured.of(type), with_wgmma ? wgmma.of(type) : 0.0);
}

} // namespace lkt
