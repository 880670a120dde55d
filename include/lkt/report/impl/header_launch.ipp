// SPDX-License-Identifier: BSL-1.0
// The launch by CUDA's driver, with the tensor maps that it makes.
#pragma once

#include <lkt/report/detail/kernel_header.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/lang/definitions.hpp>
#include <lkt/lang/expression/cpp_text.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::detail {

// Defined in <lkt/report/impl/kernel_file.ipp>.
std::string comment_line(std::string_view text);

/// A host's type for a value of that type.
std::string host_type(value_type t) {
    if (t.lanes != 1) return {};
    switch (t.scalar) {
    case scalar_type::boolean:
        return "bool";
    case scalar_type::int8:
        return "signed char";
    case scalar_type::uint8:
        return "unsigned char";
    case scalar_type::int16:
        return "short";
    case scalar_type::uint16:
        return "unsigned short";
    case scalar_type::int32:
        return "int";
    case scalar_type::uint32:
        return "unsigned";
    case scalar_type::int64:
        return "long long";
    case scalar_type::uint64:
        return "unsigned long long";
    case scalar_type::float32:
        return "float";
    case scalar_type::float64:
        return "double";
    case scalar_type::int4:
    case scalar_type::uint4:
    case scalar_type::float4_e2m1:
    case scalar_type::float8_e4m3:
    case scalar_type::float8_e5m2:
    case scalar_type::float16:
    case scalar_type::bfloat16:
        break;
    }
    return {}; // its bytes, by address
}

/// CUDA's name for elements of that type.
std::string_view tensor_map_type_name(value_type t) {
    switch (tensor_element(t).first) {
    case scalar_type::uint16:
        return "UINT16";
    case scalar_type::uint32:
        return "UINT32";
    case scalar_type::int32:
        return "INT32";
    case scalar_type::uint64:
        return "UINT64";
    case scalar_type::int64:
        return "INT64";
    case scalar_type::float16:
        return "FLOAT16";
    case scalar_type::bfloat16:
        return "BFLOAT16";
    case scalar_type::float32:
        return "FLOAT32";
    case scalar_type::float64:
        return "FLOAT64";
    default:
        return "UINT8";
    }
}

std::vector<header_parameter> header_parts::driver_parameters() const {
    std::vector<header_parameter> all;
    std::string record; // whose members were just passed
    for (argument const& a : out_.task.signature.arguments) {
        if (a.constant_count > 0) continue;
        if (a.within && a.within->record == record) {
            all.back().arguments.push_back(&a);
            continue;
        }
        record = a.within ? a.within->record : "";
        std::string const type = a.within ? "" : a.pointer ? "CUdeviceptr" : host_type(a.type);
        std::string note = plain_line(a.within ? "struct " + record + ", " +
                                                     std::to_string(a.within->size) + " bytes"
                                               : a.spelling);
        for (std::size_t at = 0; (at = note.find("*/", at)) != note.npos;) note.insert(at + 1, " ");
        std::string const name = "argument_" + std::to_string(all.size());
        all.push_back({name,
                       (type.empty() ? "void const*" : type) + " " + name + " /* " + note + " */",
                       type.empty() ? "const_cast<void*>(" + name + ")" : "&" + name,
                       {&a}});
    }
    return all;
}

/// The arguments' whole numbers, in C++.
std::vector<cpp_size> numbers_of(std::vector<header_parameter> const& parameters) {
    std::vector<cpp_size> numbers;
    for (header_parameter const& p : parameters)
        for (argument const* const a : p.arguments) {
            std::string const type = a->pointer ? "" : host_type(a->type);
            if (type.empty() || is_floating(a->type.scalar)) continue;
            std::string const value = a->within ? "member<" + type + ">(" + p.name + ", " +
                                                      std::to_string(a->within->offset) + ")"
                                                : p.name;
            numbers.emplace_back(a->name, "static_cast<long long>(" + value + ")");
        }
    return numbers;
}

constexpr std::string_view tensor_map_functions = R"(
template <class T>
T member(void const* record, unsigned offset) {
    T value;
    std::memcpy(&value, static_cast<char const*>(record) + offset, sizeof value);
    return value;
}

/// The last dimension comes first, strides are in bytes; null: the rows lie without gaps.
inline CUresult encode(CUtensorMap& map, CUdeviceptr buffer, CUtensorMapDataType type,
                       long long bytes, unsigned rank, long long const* extent,
                       long long const* box, long long const* stride, CUtensorMapSwizzle swizzle) {
    cuuint64_t extents[5] = {}, strides[5] = {};
    cuuint32_t boxes[5] = {}, steps[5] = {1, 1, 1, 1, 1};
    long long packed = bytes;
    for (unsigned k = 0; k < rank; ++k) {
        if (extent[k] < 1 || extent[k] > (1LL << 32) || box[k] < 1 || box[k] > 256)
            return CUDA_ERROR_INVALID_VALUE;
        if (packed > (1LL << 40) / extent[k] && k + 1 < rank) return CUDA_ERROR_INVALID_VALUE;
        packed *= k + 1 < rank ? extent[k] : 1;
        extents[k] = static_cast<cuuint64_t>(extent[k]);
        boxes[k] = static_cast<cuuint32_t>(box[k]);
        strides[k] = static_cast<cuuint64_t>(stride == nullptr ? packed : stride[k]);
    }
    return cuTensorMapEncodeTiled(&map, type, rank, reinterpret_cast<void*>(buffer), extents,
                                  strides, boxes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                  CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}
)";

std::string header_parts::map_lines(tensor_map const& map,
                                    std::vector<header_parameter> const& parameters) const {
    configuration const names = names_of_maps(out_.best.kernel.source, maps_, out_.best.config);
    auto const numbers = numbers_of(parameters);
    bool known = true;
    auto const text = [&](expression const& e) {
        auto made = cpp_text(e, names, numbers);
        known = known && made;
        return made.value_or("");
    };
    std::string buffer;
    std::uint64_t bytes = 1;
    std::string_view type = "UINT8";
    for (header_parameter const& p : parameters)
        for (argument const* const a : p.arguments)
            if (a->pointer && a->name == map.buffer) {
                buffer = p.name;
                bytes = tensor_element(a->type).second;
                type = tensor_map_type_name(a->type);
            }
    auto const list = [&](std::vector<expression> const& all, std::string const& times) {
        std::string values;
        for (std::size_t k = all.size(); k-- > 0;)
            values +=
                (values.empty() ? "" : ", ") +
                (times.empty() ? text(all[k]) : "a.multiply(" + text(all[k]) + ", " + times + ")");
        return "{" + values + "}";
    };
    std::string const condition = map.condition ? text(*map.condition) : "1";
    std::string made = "    if (" + condition +
                       " != 0) {\n        long long const extent[] = " + list(map.extent, "") +
                       ";\n        long long const box[] = " + list(map.box, "") + ";\n";
    if (!map.stride.empty())
        made +=
            "        long long const stride[] = " + list(map.stride, std::to_string(bytes) + "LL") +
            ";\n";
    made += "        if (a.bad) return CUDA_ERROR_INVALID_VALUE;\n"
            "        CUresult const did = encode(made." +
            map.name + ", " + buffer + ", CU_TENSOR_MAP_DATA_TYPE_" + std::string(type) + ", " +
            std::to_string(bytes) + ", " + std::to_string(map.extent.size()) + ", extent, box, " +
            (map.stride.empty() ? "nullptr" : "stride") + ", CU_TENSOR_MAP_SWIZZLE_" +
            (map.swizzle == 0 ? "NONE" : std::to_string(map.swizzle) + "B") +
            ");\n        if (did != CUDA_SUCCESS) return did;\n    }\n";
    if (!known || buffer.empty())
        made = "    // C++ has no short text for its expressions.\n"
               "    return CUDA_ERROR_NOT_SUPPORTED;\n";
    return "    " + comment_line(to_string(map)) + made;
}

std::string header_parts::tensor_map_text() const {
    if (maps_.empty()) return {};
    auto const parameters = driver_parameters();
    std::string members, declared, lines, named;
    for (tensor_map const& map : maps_) {
        members += "    CUtensorMap " + map.name + ";\n";
        lines += map_lines(map, parameters);
    }
    for (header_parameter const& p : parameters) {
        declared += ",\n                                 " + p.declaration;
        named += "    (void)" + p.name + ";\n"; // not every map needs each
    }
    return "/// The tensor maps that the kernel reads its inputs by; all zero where it does "
           "without.\n"
           "struct tensor_maps {\n" +
           members + "};\n" + std::string(tensor_map_functions) +
           "\n/// Of the arguments that `launch` below is given. The buffers are as large as the "
           "maps say.\n"
           "inline CUresult make_tensor_maps(tensor_maps& made" +
           declared + ") {\n    arithmetic a;\n    made = {};\n" + named + lines +
           "    return a.bad ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;\n}\n";
}

std::string header_parts::driver_launch() const {
    std::string declared, given;
    std::vector<std::string> passed;
    for (header_parameter const& p : driver_parameters()) {
        declared += ",\n                       " + p.declaration;
        given += ", " + p.name;
        passed.push_back(p.address);
    }
    for (tensor_map const& map : maps_)
        passed.insert(passed.begin() +
                          static_cast<std::ptrdiff_t>(std::min(map.parameter, passed.size())),
                      "&maps." + map.name);
    std::string addresses;
    for (std::string const& address : passed) addresses += address + ", ";
    return "/// Launches the kernel that was compiled from `source`; what is no number of C++ is "
           "passed by the\n/// address of its bytes" +
           std::string(maps_.empty() ? "" : ". It makes the tensor maps") +
           ".\ninline CUresult launch(CUfunction function, problem_size const& size, CUstream "
           "stream" +
           declared +
           ") {\n"
           "    launch_dimensions const d = dimensions_at(size);\n"
           "    if (!d.valid) return CUDA_ERROR_INVALID_VALUE;\n"
           "    if (d.shared_bytes > 48 * 1024) {\n"
           "        CUresult const set = cuFuncSetAttribute(function,\n"
           "            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, "
           "static_cast<int>(d.shared_bytes));\n"
           "        if (set != CUDA_SUCCESS) return set;\n"
           "    }\n" +
           (maps_.empty()
                ? ""
                : "    tensor_maps maps;\n    CUresult const made = make_tensor_maps(maps" + given +
                      ");\n    if (made != CUDA_SUCCESS) return made;\n") +
           "    void* arguments[] = {" + addresses +
           "nullptr};\n"
           "    return cuLaunchKernel(function, d.grid[0], d.grid[1], d.grid[2], d.block[0], "
           "d.block[1],\n        d.block[2], d.shared_bytes, stream, arguments, nullptr);\n}\n";
}

} // namespace lkt::detail
