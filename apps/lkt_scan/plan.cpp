// SPDX-License-Identifier: BSL-1.0
#include "plan.hpp"

#include "errors.hpp"

#include <lkt/core/files.hpp>

#include <utility>

namespace lkt_scan {
namespace {

/// A draft for each type, layout or function, and epilogue; the last changes fastest.
std::vector<lkt::scan_draft> make_drafts(options const& o) {
    std::vector<lkt::scan_draft> drafts;
    for (lkt::gemm_type const type : o.types) {
        auto gemm = o.rest;
        gemm.type = type;
        for (auto const& [a, b, c] : o.layouts) {
            gemm.a = a;
            gemm.b = b;
            gemm.c = c;
            for (lkt::gemm_epilogue const epilogue : o.epilogues) {
                gemm.epilogue = epilogue;
                drafts.push_back(gemm);
            }
        }
        lkt::convolution_draft images{.type = type, .output = o.rest.output};
        if (o.operation == lkt::scan_operation::convolution && o.image_layouts.empty())
            drafts.push_back(images);
        for (lkt::image_layout const layout : o.image_layouts) {
            images.layout = layout;
            drafts.push_back(images);
        }
        for (lkt::elementwise_function const function : o.functions)
            drafts.push_back(lkt::elementwise_draft{
                .function = function, .type = type, .output = o.rest.output});
    }
    return drafts;
}

} // namespace

lkt::result<lkt::spec_scan> make_scan(options const& o) {
    auto drafts = make_drafts(o);
    if (!o.shapes_file.empty()) {
        auto text = lkt::read_text_file(o.shapes_file);
        if (!text) return text.error();
        auto shapes = lkt::parse_shapes(*text, drafts.front());
        if (!shapes) return in_file(o.shapes_file, shapes.error());
        return lkt::spec_scan::of(std::move(*shapes), std::move(drafts));
    }
    std::vector<lkt::named_axis> axes;
    for (std::string const& text : o.sizes) {
        auto axis = lkt::parse_axis(text, drafts.front());
        if (!axis) return axis.error();
        axes.push_back(std::move(*axis));
    }
    return lkt::spec_scan::over(std::move(axes), std::move(drafts));
}

lkt::result<std::string> preview(options const& o, lkt::spec_scan const& scan) {
    std::string text = std::to_string(scan.size()) + " products";
    if (scan.dropped() > 0)
        text += ", without " + std::to_string(scan.dropped()) + " that occurred before";
    text += "\n";
    for (std::size_t i = 0; i < scan.size(); ++i) {
        auto const spec = scan.at(i);
        if (!spec) return spec.error();
        text += "  " + to_string(*spec) + ": " + to_string(spec->operations()) + ", " +
                to_string(spec->bytes()) + ", " + to_string(spec->intensity());
        if (o.accelerator)
            if (auto const least = roofline_of(*spec, *o.accelerator).least(); least.count() > 0)
                text += ", at least " + lkt::to_string(least);
        text += "\n";
    }
    return text;
}

} // namespace lkt_scan
