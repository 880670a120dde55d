// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/graph/dot.hpp>

#include <cstddef>
#include <string_view>

namespace lkt::detail {

/// A quoted string of the DOT language.
std::string dot_label(std::string_view text) {
    std::string label = "\"";
    for (char const c : text) {
        if (c == '"' || c == '\\') label += '\\';
        label += c;
    }
    return label + "\"";
}

class dot_writer {
public:
    [[nodiscard]] std::string write(picture const& drawn) {
        text_.clear();
        line(0, "digraph " + dot_label(drawn.name) + " {");
        line(1, "compound=true;");
        line(1, "node [shape=box];");
        line(1, "start [shape=point];");
        line(1, "start -> " + picture_head(drawn, "", 0) + ";");
        body(drawn, "", 1);
        line(0, "}");
        return text_;
    }

private:
    void line(int depth, std::string const& what) {
        text_.append(static_cast<std::size_t>(depth) * 4, ' ');
        text_ += what + "\n";
    }

    void body(picture const& drawn, std::string const& prefix, int depth) {
        for (std::size_t i = 0; i < drawn.nodes.size(); ++i) {
            auto const& node = drawn.nodes[i];
            auto const own = picture_id(prefix, static_cast<int>(i));
            auto const label = dot_label(picture_label(node));
            if (node.nested.empty()) {
                line(depth, own + " [label=" + label + "];");
                continue;
            }
            line(depth, "subgraph cluster_" + own + " {");
            line(depth + 1, "label=" + label + ";");
            body(node.nested.front(), own + "_", depth + 1);
            line(depth, "}");
        }
        for (std::size_t t = 0; t < drawn.terminals.size(); ++t)
            line(depth,
                 picture_id(prefix, -1 - static_cast<int>(t)) +
                     " [shape=oval, label=" + dot_label(drawn.terminals[t]) + "];");
        // A node belongs to the first cluster that names it, so the edges of this level come last.
        for (auto const& edge : drawn.edges) draw_edge(drawn, prefix, depth, edge);
    }

    void draw_edge(picture const& drawn,
                   std::string const& prefix,
                   int depth,
                   picture::edge const& edge) {
        auto const own = picture_id(prefix, edge.from);
        auto const to = picture_head(drawn, prefix, edge.to);
        auto const& node = drawn.nodes[static_cast<std::size_t>(edge.from)];
        bool const nested = !node.nested.empty();
        if (edge.kind == edge_kind::outcome && nested) {
            line(depth, picture_id(own + "_", -1 - edge.outcome) + " -> " + to + ";");
            return;
        }
        std::string attributes;
        auto const add = [&](std::string const& a) {
            attributes += (attributes.empty() ? "" : ", ") + a;
        };
        if (!edge.label.empty()) add("label=" + dot_label(edge.label));
        if (edge.kind != edge_kind::outcome) add("style=dashed");
        if (nested) add("ltail=cluster_" + own); // starts at the cluster's border
        line(depth,
             picture_head(drawn, prefix, edge.from) + " -> " + to +
                 (attributes.empty() ? "" : " [" + attributes + "]") + ";");
    }

    std::string text_;
};

std::string dot_text(picture const& drawn) { return dot_writer().write(drawn); }

} // namespace lkt::detail
