// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/graph/mermaid.hpp>

#include <cstddef>
#include <string_view>

namespace lkt::detail {

/// A quoted label. Mermaid reads entities there, also in place of the characters of its syntax.
std::string mermaid_label(std::string_view text) {
    std::string label = "\"";
    for (char const c : text) {
        switch (c) {
        case '"':
            label += "#quot;";
            break;
        case '#':
            label += "#35;";
            break;
        case '&':
            label += "#amp;";
            break;
        case '<':
            label += "#lt;";
            break;
        case '>':
            label += "#gt;";
            break;
        case '`':
            label += "#96;";
            break;
        default:
            label += c;
        }
    }
    return label + "\"";
}

class mermaid_writer {
public:
    [[nodiscard]] std::string write(picture const& drawn) {
        text_ = "flowchart TD\n";
        line(1, "start(( )) --> " + picture_head(drawn, "", 0));
        body(drawn, "", 1);
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
            auto const label = mermaid_label(picture_label(node));
            if (node.nested.empty()) {
                line(depth, own + "[" + label + "]");
                continue;
            }
            line(depth, "subgraph " + own + "[" + label + "]");
            body(node.nested.front(), own + "_", depth + 1);
            line(depth, "end");
        }
        for (std::size_t t = 0; t < drawn.terminals.size(); ++t)
            line(depth,
                 picture_id(prefix, -1 - static_cast<int>(t)) + "([" +
                     mermaid_label(drawn.terminals[t]) + "])");
        for (auto const& edge : drawn.edges) draw_edge(drawn, prefix, depth, edge);
    }

    void draw_edge(picture const& drawn,
                   std::string const& prefix,
                   int depth,
                   picture::edge const& edge) {
        auto tail = picture_id(prefix, edge.from);
        auto const to = picture_head(drawn, prefix, edge.to);
        bool const nested = !drawn.nodes[static_cast<std::size_t>(edge.from)].nested.empty();
        if (edge.kind == edge_kind::outcome && nested) {
            // The terminal inside says which outcome it is.
            line(depth, picture_id(tail + "_", -1 - edge.outcome) + " --> " + to);
        } else {
            auto const arrow = edge.kind == edge_kind::outcome ? " -->" : " -.->";
            auto const label = edge.label.empty() ? "" : "|" + mermaid_label(edge.label) + "|";
            line(depth, tail + arrow + label + " " + to);
        }
    }

    std::string text_;
};

std::string mermaid_text(picture const& drawn) { return mermaid_writer().write(drawn); }

} // namespace lkt::detail
