// SPDX-License-Identifier: BSL-1.0
// What differs for a strategy when the kernel is WGSL: the words, and what a reply is read as.
#include <lkt/nodes/prompts.hpp>
#include <lkt/nodes/reply.hpp>

#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/tuner/problem_from.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

std::string const original = R"(override BLOCK: u32 = 64;
struct Params { n: u32, scale: f32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> p: Params;
@compute @workgroup_size(BLOCK)
fn twice(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < p.n) { y[id.x] = p.scale * x[id.x]; }
}
)";
/// The same with another size of workgroup.
std::string with_size(std::string const& size, std::string const& before = {}) {
    std::string text = original.substr(original.find("struct"));
    text.replace(text.find("BLOCK"), 5, size);
    return before + text;
}

lkt::problem task(std::vector<std::string> grid = {}) {
    lkt::kernel_options o;
    o.size = {{"N", 1000}};
    o.arguments = {{"x", "N"}, {"y", "N"}, {"n", "N"}, {"scale", "2.0"}};
    o.parameters = {{"BLOCK", {std::int64_t{64}, std::int64_t{128}}}};
    o.grid = std::move(grid);
    auto p = lkt::problem_from({lkt::language::wgsl, original, "twice.wgsl"}, o);
    if (p.has_error()) FAIL(to_string(p.error()));
    return std::move(*p);
}
lkt::reply_reading
read(std::string const& code, std::string const& json = {}, lkt::problem const& p = task()) {
    lkt::chat_reply reply;
    reply.text = "Faster:\n\n```wgsl\n" + code + "```\n";
    if (!json.empty()) reply.text += "\n```json\n" + json + "\n```\n";
    return lkt::read_reply(
        reply, p, {p.reference, p.parameters, p.restrictions, p.launch, "the original"});
}
/// Grid and block of the candidate, or why there is none.
std::string launch(lkt::reply_reading const& r) {
    if (auto const* why = std::get_if<lkt::failure>(&r.what)) return describe(*why);
    auto const& c = std::get<lkt::candidate>(r.what);
    return c.launch.grid[0].text() + " | " + c.launch.block[0].text();
}

} // namespace

TEST_CASE("wgsl: a problem takes its block from the text") {
    auto const p = task();
    CHECK(p.launch.grid[0].text() == "ceil_div(N, (BLOCK))");
    CHECK(p.launch.block[0].text() == "BLOCK");
    CHECK(task({"ceil_div(N, BLOCK)"}).launch.block[0].text() == "BLOCK");
    lkt::kernel_options o;
    o.arguments = {{"x", "8"}, {"y", "8"}, {"n", "8"}, {"scale", "2.0"}};
    o.size = {{"N", 8}};
    CHECK(lkt::problem_from({lkt::language::wgsl, original, ""}, o)->launch.block[0].text() ==
          "(64)");
    lkt::kernel_options counted;
    counted.size = {{"N", 8}};
    auto const c = lkt::problem_from(
        {lkt::language::wgsl,
         "@group(0) @binding(0) var<storage, read_write> bins: array<atomic<u32>, 64>;"
         "@group(0) @binding(1) var<storage, read_write> total: atomic<u32>;"
         "@compute @workgroup_size(1) fn k() { atomicAdd(&bins[0], 1u); atomicAdd(&total, 1u); }",
         ""},
        counted);
    REQUIRE_MESSAGE(c.has_value(), to_string(c.error()));
    CHECK(c->arguments[0].count.text() == "64"); // the text says how many there are
    CHECK(c->arguments[1].count.text() == "1");
    o.grid = {"1"};
    o.block = {"32"};
    auto const two = lkt::problem_from({lkt::language::wgsl, original, ""}, o);
    REQUIRE(two.has_error());
    CHECK(two.error().code == "lkt.problem.launch");
}

TEST_CASE("wgsl: the prompts speak WGSL") {
    auto const p = task();
    lkt::tuned_kernel current;
    current.kernel = {p.reference, p.parameters, {}, p.launch, {}};
    current.time.samples.assign(7, lkt::seconds(1e-3));
    lkt::device_description device;
    device.simulated = true;
    lkt::brief const b{p, current, current.time, device};
    std::string const system = lkt::default_prompts{}.system(b);
    std::string const user = lkt::default_prompts{}.task(b);
    auto const in = [](std::string const& text, char const* part) {
        return text.find(part) != std::string::npos;
    };
    for (char const* part : {"WGSL", "@workgroup_size", "override TILE: u32", "```json"})
        CHECK(in(system, part));
    for (char const* part : {"CUDA", "__", "threadIdx", "macro", "#define", "warp", "dynamic"}) {
        CAPTURE(part);
        CHECK_FALSE(in(system, part));
        CHECK_FALSE(in(user, part));
    }
    CHECK(in(user, "```wgsl\n"));
    CHECK(in(user, "var<storage, read> x: array<f32>`: buffer of `N` elements, read only"));
    CHECK(in(user, "{ n: u32 }`: always `N`"));
    CHECK_FALSE(in(lkt::default_prompts{}(lkt::race{}), "__syncthreads"));
}

TEST_CASE("wgsl: a reply's launch takes the block of its text, and the grid follows") {
    CHECK(launch(read(original)) == "ceil_div(N, (BLOCK)) | BLOCK");
    CHECK(launch(read(with_size("256"))) == "ceil_div(N, (256)) | 256");
    CHECK(launch(read(with_size("TILE * 2", "override TILE: u32 = 8;"))) ==
          "ceil_div(N, (((8) * 2))) | ((8) * 2)");
    CHECK(launch(read(with_size("TILE", "override TILE: u32 = 8;"),
                      R"({"parameters": {"TILE": [8, 16]}})")) == "ceil_div(N, (TILE)) | TILE");
    CHECK(launch(read(
              with_size("TILE", "override TILE: u32 = 8;"),
              R"j({"parameters": {"TILE": [8]}, "launch": {"grid": "ceil_div(N, 4 * TILE)"}})j")) ==
          "ceil_div(N, 4 * TILE) | TILE");
    // The original's grid means nothing without its parameter: the model is asked for another.
    CHECK(
        launch(read(with_size("256"), {}, task({"40"}))).find("uses `BLOCK`, which is not known") !=
        std::string::npos);
}

TEST_CASE("wgsl: parameters are overrides, and only those") {
    auto const r = read(with_size("256"), R"({"parameters": {"TILE": [8, 16]}})");
    auto const* why = std::get_if<lkt::failure>(&r.what);
    REQUIRE(why != nullptr);
    auto const* no = std::get_if<lkt::refused>(why);
    REQUIRE(no != nullptr);
    CHECK(no->what == "TILE");
    CHECK(no->why.find("`override TILE: u32 = 16;`") != std::string::npos);
    auto const kept = std::get<lkt::candidate>(read(original).what);
    CHECK(kept.parameters.size() == 1);
    CHECK(std::get<lkt::candidate>(read(with_size("32")).what).parameters.empty());
    auto const noted =
        read(with_size("32"), R"j({"launch": {"grid": ["ceil_div(N, 32)"], "block": [64]}})j");
    CHECK(launch(noted) == "ceil_div(N, 32) | 32");
    REQUIRE(noted.notes.size() == 1);
    CHECK(noted.notes[0].find("@workgroup_size") != std::string::npos);
}

TEST_CASE("wgsl: other buffers are a wrong signature, an unreadable text too") {
    std::string other = original;
    other.replace(other.find("array<f32>"), 10, "array<u32>");
    auto const r = read(other);
    CHECK(std::holds_alternative<lkt::wrong_signature>(std::get<lkt::failure>(r.what)));
    auto const s = read("#define N 3\n" + original);
    auto const& wrong = std::get<lkt::wrong_signature>(std::get<lkt::failure>(s.what));
    CHECK(wrong.got.find("`#` is not a WGSL character") != std::string::npos);
}
