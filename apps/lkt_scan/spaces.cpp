// SPDX-License-Identifier: BSL-1.0
#include "spaces.hpp"

#include "../common/interrupt.hpp"
#include "../common/output.hpp"
#include "../common/status.hpp"

#include <lkt/core/files.hpp>
#include <lkt/core/plain_text.hpp>
#include <lkt/scan/ck_instance.hpp>
#include <lkt/scan/ck_source.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <vector>

namespace lkt_scan {
namespace {

using namespace lkt_apps;

std::string described(lkt::ck_space const& s, std::map<std::string, std::size_t> const& wins) {
    std::vector<std::map<std::string, std::size_t>> won(s.space.parameters().size());
    std::size_t all = 0;
    for (auto const& [config, name] : s.instances) {
        auto const instance = lkt::parse_ck_instance(name);
        auto const at = wins.find(name);
        if (!instance || at == wins.end()) continue;
        all += at->second;
        for (std::size_t p = 0; p < won.size(); ++p)
            won[p][lkt::value_text(instance->parameters.values[p].second)] += at->second;
    }
    std::string text = s.kind + ": " + std::to_string(s.instances.size()) +
                       " instances, the best of " + std::to_string(all) + " products; " +
                       std::to_string(s.space.count()) + " configurations of their values";
    for (std::size_t r = 0; r < s.restrictions.size(); ++r)
        text += (r == 0 ? " with " : ", ") + s.restrictions[r];
    text += "\n\n| parameter | values (products whose best instance has it) |\n|---|---|\n";
    for (std::size_t p = 0; p < won.size(); ++p) {
        text += "| " + s.space.parameters()[p].name + " | ";
        for (std::size_t v = 0; v < s.space.parameters()[p].values.size(); ++v) {
            auto const value = lkt::value_text(s.space.parameters()[p].values[v]);
            text += (v == 0 ? "" : ", ") + value + " (" + std::to_string(won[p][value]) + ")";
        }
        text += " |\n";
    }
    return text;
}

/// The instances of the runs first, then others, evenly spread.
std::vector<lkt::configuration> sample_of(lkt::ck_space const& s, std::size_t most) {
    std::vector<lkt::configuration> named, others;
    auto const others_in_all = s.space.count() - std::min(s.space.count(), s.instances.size());
    auto const wanted = most > s.instances.size() ? most - s.instances.size() : 0;
    std::uint64_t seen = 0;
    auto walk = s.space.configurations();
    for (auto c = walk.next(); c; c = walk.next()) {
        if (s.name_of(*c)) {
            if (named.size() < most) named.push_back(*c);
            continue;
        }
        if (wanted > 0 && others.size() < wanted && others.size() * others_in_all <= seen * wanted)
            others.push_back(*c);
        ++seen;
    }
    named.insert(named.end(), others.begin(), others.end());
    return named;
}

/// What the run says of an instance, or else of its space.
lkt::ck_source_options options_of(lkt::scan_table const& table,
                                  lkt::ck_space const& s,
                                  std::optional<std::string> const& name) {
    lkt::ck_source_options made;
    for (lkt::scan_row const& row : table) {
        auto const* const gemm = row.spec.gemm();
        auto const instance = lkt::parse_ck_instance(row.instance.name);
        if (gemm == nullptr || !instance || instance->kind != s.kind ||
            (name && row.instance.name != *name))
            continue;
        return {gemm->type(), gemm->output(), gemm->a(), gemm->b(), gemm->c()};
    }
    return made;
}

std::string layouts_of(lkt::ck_source_options const& o) {
    std::string text;
    for (lkt::matrix_layout const l : {o.a, o.b, o.c})
        text += l == lkt::matrix_layout::row ? 'r' : 'c';
    return text;
}

/// The most that any kernel of it takes.
std::string taken_by(lkt::ck_build const& build) {
    lkt::code_object_kernel most;
    for (lkt::code_object_kernel const& k : build.kernels) {
        most.vgprs = std::max(most.vgprs, k.vgprs);
        most.agprs = std::max(most.agprs, k.agprs);
        most.sgprs = std::max(most.sgprs, k.sgprs);
        most.lds_bytes = std::max(most.lds_bytes, k.lds_bytes);
        most.spilt_vgprs = std::max(most.spilt_vgprs, k.spilt_vgprs);
    }
    return std::to_string(build.kernels.size()) + " | " + std::to_string(most.vgprs) + " | " +
           std::to_string(most.agprs) + " | " + std::to_string(most.sgprs) + " | " +
           std::to_string(most.lds_bytes) + " | " + std::to_string(most.spilt_vgprs) + " |";
}

/// Compiles configurations one after another.
struct compiled_spaces {
    options const& o;
    lkt::ck_compiler_options compiler;
    interrupt signals{};
    std::size_t done = 0, of = 0, compiled = 0;

    lkt::result<std::string> compile(lkt::ck_space const& s, lkt::scan_table const& table) {
        auto const chosen = sample_of(s, o.compile);
        std::string rows;
        std::size_t made = 0, tried = 0;
        for (lkt::configuration const& c : chosen) {
            if (signals.requested()) break;
            auto row = one(s, table, c);
            if (!row) {
                if (row.error().kind == lkt::condition::cancelled) break;
                return row.error();
            }
            made += row->second ? 1 : 0;
            ++tried;
            rows += row->first + "\n";
        }
        compiled += made;
        return "\n" + s.kind + " for " + compiler.architecture + ": " + std::to_string(made) +
               " of " + std::to_string(tried) +
               " configurations compile\n\n| configuration | of the runs | kernels | VGPRs | of "
               "these AGPRs | SGPRs | LDS, bytes | spilt VGPRs |\n"
               "|---|---|---|---|---|---|---|---|\n" +
               rows;
    }

    /// A row of the table, and whether it compiles.
    lkt::result<std::pair<std::string, bool>>
    one(lkt::ck_space const& s, lkt::scan_table const& table, lkt::configuration const& c) {
        auto const name = s.name_of(c);
        auto const rest = options_of(table, s, name);
        auto const source = lkt::ck_source({s.kind, c}, rest);
        ++done;
        auto const tell = [&](std::string const& what) {
            if (!o.quiet)
                say(std::to_string(done) + "/" + std::to_string(of) + " " + s.kind + " " +
                    lkt::plain_line(to_string(c), 200) + ": " + what);
        };
        std::string const start = "| " + std::string(to_string(rest.type)) + " to " +
                                  std::string(to_string(rest.output)) + ", " + layouts_of(rest) +
                                  ", " + to_string(c) + (name ? " | yes | " : " | no | ");
        if (!source) {
            tell(source.error().message);
            return std::pair(start + source.error().message + " | | | | | |", false);
        }
        if (!o.sources.empty()) {
            auto const file =
                std::filesystem::path(o.sources) / (s.kind + "-" + std::to_string(done) + ".hip");
            if (auto failed = lkt::write_text_file(file.string(), *source)) return *failed;
        }
        auto const build = lkt::compile_ck(*source, compiler, {signals.token(), {}});
        if (!build) {
            if (build.error().code != "lkt.scan.ck-time-limit") return build.error();
            tell(build.error().message);
            return std::pair(start + build.error().message + " | | | | | |", false);
        }
        if (!build->refused.empty()) {
            tell(build->refused);
            return std::pair(start + lkt::plain_line(build->refused, 300) + " | | | | | |", false);
        }
        tell("compiles, in " + lkt::to_string(build->took));
        return std::pair(start + taken_by(*build), true);
    }
};

} // namespace

lkt::result<int> show_spaces_of(lkt::scan_table const& table, options const& o) {
    std::vector<std::string> names;
    for (lkt::scan_row const& row : table) names.push_back(row.instance.name);
    auto const found = lkt::ck_spaces_of(names);
    if (!found) return found.error();
    std::map<std::string, std::size_t> wins;
    for (lkt::scan_row const& row : best_of(table)) ++wins[row.instance.name];
    std::string text;
    for (lkt::ck_space const& s : found->spaces)
        text += (text.empty() ? "" : "\n") + described(s, wins);
    for (std::string const& why : found->unknown) say("lkt-scan: " + lkt::plain_line(why, 300));
    int status = found->unknown.empty() ? status::done : status::rejected;
    if (o.compile > 0) {
        auto compiler = lkt::find_ck_compiler(o.ck);
        if (!compiler) return compiler.error();
        if (!o.sources.empty()) {
            std::error_code failed;
            std::filesystem::create_directories(o.sources, failed);
            if (failed)
                return lkt::error{lkt::condition::rejected,
                                  "lkt.file.write",
                                  "cannot make the folder " + lkt::plain_line(o.sources, 300) +
                                      ": " + failed.message(),
                                  {}};
        }
        compiled_spaces all{.o = o, .compiler = std::move(*compiler)};
        for (lkt::ck_space const& s : found->spaces)
            all.of += static_cast<std::size_t>(
                std::min<std::uint64_t>(o.compile, std::max<std::uint64_t>(s.space.count(), 1)));
        for (lkt::ck_space const& s : found->spaces) {
            auto rows = all.compile(s, table);
            if (!rows) return rows.error();
            text += *rows;
            if (all.signals.requested()) break;
        }
        if (all.signals.requested())
            status = status::interrupted;
        else if (all.compiled == 0)
            status = status::nothing;
    }
    if (auto failed = write_output("-", text)) return *failed;
    return status;
}

} // namespace lkt_scan
