// SPDX-License-Identifier: BSL-1.0
#include <lkt/report/kernel_entries.hpp>

#include "../llm/scratch.hpp"
#include "sample_outcome.hpp"

#include <lkt/kernel/failure.hpp>

#include <doctest/doctest.h>

using namespace lkt_test;

TEST_CASE("a key is what decides the result, and nothing else") {
    auto const out = sample_outcome();
    scratch_folder const folder;
    auto task = out.task;
    task.oracle = lkt::oracle_source{.from = lkt::oracle_source::kind::numpy,
                                     .path = folder.file("o.py", "def f(x): return x"),
                                     .function = "f"};
    auto const hash = [&](lkt::problem const& t, std::vector<std::string> judges = {}) {
        return lkt::key_of(t, out.device, std::move(judges)).value().hash();
    };
    auto const first = hash(task);
    CHECK(lkt::key_of(task, out.device)->size == "256");
    // Where files lie, and what is said to the model.
    auto same = task;
    same.reference.origin = "elsewhere.cu";
    same.notes = "be quick";
    same.oracle->path = folder.file("other.py", "def f(x): return x");
    CHECK(hash(same) == first);
    CHECK(hash(same, {"a", "b"}) == hash(task, {"b", "a"}));
    for (auto const& change : std::vector<void (*)(lkt::problem&)>{
             [](lkt::problem& t) { t.size[0].second = 512; },
             [](lkt::problem& t) { t.reference.text += " "; },
             [](lkt::problem& t) { t.reference.language = lkt::language::hip; },
             [](lkt::problem& t) { t.properties.deterministic = true; },
             [](lkt::problem& t) { t.oracle->function = "g"; }}) {
        auto other = task;
        change(other);
        CHECK(hash(other) != first);
    }
    (void)folder.file("o.py", "def f(x): return 2 * x");
    CHECK(hash(task) != first);
    CHECK(hash(same, {"judge"}) != first);
    auto device = out.device;
    device.name = "another";
    CHECK(lkt::key_of(same, device)->hash() != first);
    same.oracle->path = folder.path("missing.py");
    CHECK(lkt::key_of(same, out.device).error().code == "lkt.file.missing");
}

TEST_CASE("a run becomes an entry for each reply with a kernel that was judged") {
    auto out = sample_outcome();
    auto& best = out.history[4];
    best.proposal.source = out.best.kernel.source;
    best.reply = "the best";
    auto const key = lkt::key_of(out.task, out.device).value();
    lkt::heard_reply const heard{{{lkt::role::user, "faster"}}, "the best"};
    auto const all = lkt::entries_of(out, key, std::span(&heard, 1));
    REQUIRE(all.size() == 4); // two others held no kernel, or were not judged
    CHECK(all[0].status == lkt::stored_status::rejected);
    CHECK(all[0].why.find("expected ';'") != std::string::npos);
    CHECK(all[2].status == lkt::stored_status::slower);
    auto const& e = all[3];
    CHECK(e.status == lkt::stored_status::accepted);
    CHECK(e.time == out.best.time.median());
    CHECK(e.baseline == out.baseline.time.median());
    REQUIRE(e.prompt.size() == 1);
    CHECK(e.prompt[0].second == "faster");
    CHECK(e.tests == out.tests);
    CHECK(e.run == all[0].run);
    CHECK(e.record.find("tolerances") != std::string::npos);
    // It comes back as the one configuration that won.
    auto const kernel = lkt::candidate_of(e, out.task);
    REQUIRE(kernel.has_value());
    CHECK(kernel->source.text.find("// tiled") != std::string::npos);
    REQUIRE(kernel->parameters.size() == 1);
    CHECK(kernel->parameters[0].values == std::vector<lkt::parameter_value>{std::int64_t{16}});
    auto bare = e;
    bare.kernel = "__global__ void matmul() {}";
    CHECK(lkt::candidate_of(bare, out.task).error().code == "lkt.store.entry");
    bare.kernel = "// lkt-kernel {\n";
    CHECK(lkt::candidate_of(bare, out.task).error().code == "lkt.kernel.note");
}
