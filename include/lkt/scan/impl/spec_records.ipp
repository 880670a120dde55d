// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/string_tools.hpp>
#include <lkt/scan/detail/spec_records.hpp>
#include <lkt/scan/spec_scan.hpp>

#include <cctype>
#include <utility>

namespace lkt::detail::scan {

namespace spec_fields {

inline std::string lower(std::string_view name) {
    std::string text(name);
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

inline void write(gemm_spec const& s, boost::json::object& o) {
    o["layout_a"] = to_string(s.a());
    o["layout_b"] = to_string(s.b());
    o["layout_c"] = to_string(s.c());
    o["alpha"] = s.alpha();
    o["beta"] = s.beta();
    o["epilogue"] = to_string(s.epilogue());
    o["stride_a"] = s.stride_a();
    o["stride_b"] = s.stride_b();
    o["stride_c"] = s.stride_c();
}
inline void write(convolution_spec const& s, boost::json::object& o) {
    o["layout"] = to_string(s.draft().layout);
}
inline void write(elementwise_spec const& s, boost::json::object& o) {
    o["function"] = to_string(s.function());
}

inline result<void> read(record_reader& in, gemm_draft& d) {
    auto const layouts =
        parse_layouts(in.text("layout_a") + ',' + in.text("layout_b") + ',' + in.text("layout_c"));
    if (!layouts) return layouts.error();
    d.a = (*layouts)[0];
    d.b = (*layouts)[1];
    d.c = (*layouts)[2];
    d.batch = in.integer("batch");
    d.alpha = in.real("alpha").value_or(1);
    d.beta = in.real("beta").value_or(0);
    if (in.has("epilogue")) { // older files have none
        auto const epilogue = gemm_epilogue_called(in.text("epilogue"));
        if (!epilogue) return epilogue.error();
        d.epilogue = *epilogue;
    }
    d.stride_a = in.integer("stride_a");
    d.stride_b = in.integer("stride_b");
    d.stride_c = in.integer("stride_c");
    return {};
}
inline result<void> read(record_reader& in, convolution_draft& d) {
    auto const layout = image_layout_called(in.text("layout"));
    if (!layout) return layout.error();
    d.layout = *layout;
    return {};
}
inline result<void> read(record_reader& in, elementwise_draft& d) {
    auto const function = elementwise_function_called(in.text("function"));
    if (!function) return function.error();
    d.function = *function;
    return {};
}

template <class S>
result<scan_spec> read_of(record_reader& in) {
    typename S::draft_type d;
    for (auto const& extent : S::extents) d.*extent.at = in.integer(lower(extent.name));
    auto const type = gemm_type_called(in.text("type"));
    if (!type) return type.error();
    auto const output = gemm_type_called(in.text("output_type"));
    if (!output) return output.error();
    d.type = *type;
    if (*output != *type) d.output = *output;
    if (auto rest = read(in, d); !rest) return rest.error();
    auto const spec = S::make(d);
    if (!spec) return spec.error();
    return scan_spec(*spec);
}

} // namespace spec_fields

void write_spec(scan_spec const& spec, boost::json::object& o) {
    o["operation"] = to_string(spec.operation());
    for (auto const& [name, extent] : spec.sizes()) o[spec_fields::lower(name)] = extent;
    if (auto const* const gemm = spec.gemm()) o["batch"] = gemm->batch();
    o["type"] = to_string(spec.type());
    o["output_type"] = to_string(spec.output());
    spec.visit([&](auto const& s) { spec_fields::write(s, o); });
}

result<scan_spec> read_spec(record_reader& in) {
    auto const operation = in.has("operation") ? scan_operation_called(in.text("operation"))
                                               : result<scan_operation>(scan_operation::gemm);
    if (!operation) return operation.error();
    switch (*operation) {
    case scan_operation::gemm:
        return spec_fields::read_of<gemm_spec>(in);
    case scan_operation::convolution:
        return spec_fields::read_of<convolution_spec>(in);
    case scan_operation::elementwise:
        return spec_fields::read_of<elementwise_spec>(in);
    }
    return spec_fields::read_of<gemm_spec>(in);
}

scan_table row_of_each_operation(std::size_t operations) {
    scan_table rows{{.spec = gemm_spec::of<gemm_draft{.m = 1, .n = 1, .k = 1}>()},
                    {.spec = convolution_spec::of<convolution_draft{
                         .n = 1, .c = 1, .h = 1, .w = 1, .k = 1, .r = 1, .s = 1}>()},
                    {.spec = elementwise_spec::of<elementwise_draft{.elements = 1}>()}};
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(operations), rows.end());
    return rows;
}

} // namespace lkt::detail::scan
