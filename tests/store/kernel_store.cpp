// SPDX-License-Identifier: BSL-1.0
#include <lkt/store/kernel_store.hpp>

#include "../llm/scratch.hpp"

#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;
using lkt::kernel_entry;
using lkt::kernel_store;
using lkt::stored_status;

namespace {

kernel_entry entry(double time = 1.0 / 3, stored_status status = stored_status::accepted) {
    kernel_entry e;
    e.key = {.operation = "matmul",
             .size = "64x32",
             .problem = std::string(64, 'a'),
             .judges = {},
             .language = lkt::language::wgsl,
             .backend = "webgpu",
             .device = "a GPU",
             .architecture = "",
             .lkt_version = "0.1.0"};
    e.status = status;
    e.kernel = "fn main() {}\n\x1b[31m";
    e.why = status == stored_status::rejected ? "wrong" : "";
    e.model = "model-1";
    e.prompt = {{"system", "write"}, {"user", "a kernel\n"}};
    e.reply = "here, " + std::to_string(time);
    e.input_tokens = 100;
    e.output_tokens = 10;
    e.thinking = lkt::seconds(2);
    e.testing = lkt::seconds(time);
    e.time = lkt::seconds(time);
    e.baseline = lkt::seconds(1);
    e.date = "2026-11-25T14:53:08Z";
    e.run = "run-1";
    e.tests = {"N=64"};
    e.record = R"({"configurations": [{"median_s": 0.1234567890123456789}]})";
    return e;
}

std::string const yolo = R"({"uuid": "u", "timestamp": "2025-09-26T10:00:00", "status": "correct",
"operation": "conv2d_relu_fused", "torch_source": "def f(x): ...", "torch_hash": "0123",
"llm_request": {"model": "gpt-4o", "messages": [{"role": "user", "content": "write"}]},
"llm_response": {"raw_completion": "r", "extracted_kernel": "@compute fn main() {}",
  "usage": {"prompt_tokens": 700, "completion_tokens": 80, "total_tokens": 780}},
"validation": {"num_passed": 10, "num_total": 10},
"metadata": {"input_shapes": [[1, 3, 8, 8]], "output_shapes": [[1, 4, 8, 8]]}})";

} // namespace

TEST_CASE("an entry is read as it was stored, under a name for people") {
    scratch_folder const folder;
    kernel_store store(folder.path("s"));
    auto const name = store.put(entry());
    REQUIRE(name.has_value());
    CHECK(name->starts_with("c_matmul_64x32_wgsl_h"));
    auto const e = store.read(*name);
    REQUIRE_MESSAGE(e.has_value(), (e ? "" : e.error().message));
    kernel_entry const was = entry();
    CHECK(e->key == was.key);
    CHECK(e->kernel == was.kernel);
    CHECK(e->prompt == was.prompt);
    CHECK(e->reply == was.reply);
    CHECK(e->time->count() == doctest::Approx(1.0 / 3));
    CHECK(e->run == "run-1");
    CHECK(e->record.find("2345678") != std::string::npos);
    // Again, in another run: no other entry.
    auto again = entry();
    again.run = "run-2";
    again.date = "2027-01-01T00:00:00Z";
    CHECK(store.put(again).value() == *name);
    // So it is of a run that goes on: it tests more, and may find that the kernel is wrong.
    again.testing = lkt::seconds(7);
    again.strategy = "first_kernel";
    CHECK(store.put(again).value() == *name);
    again.status = stored_status::slower;
    CHECK(store.put(again).value() == *name);
    CHECK(store.read(*name)->status == stored_status::accepted);
    again.status = stored_status::rejected;
    CHECK(store.put(again).value() == "r" + name->substr(1));
    CHECK(store.read_all()->entries.size() == 1);
    CHECK(store.put(entry()).value() == *name);
    CHECK(store.read_all()->entries.size() == 1);
    CHECK(store.put(entry(0.5)).value() != *name);
    auto other = entry();
    other.key.device = "another GPU";
    CHECK(store.put(other).value() != *name);
    auto evil = entry();
    evil.key.operation = "../../etc/passwd";
    CHECK(store.put(evil)->starts_with("c_______etc_passwd_64x32"));
    CHECK(store.read_all()->entries.size() == 4);
}

TEST_CASE("the fastest accepted kernel of exactly this key is found, and none that was rejected") {
    scratch_folder const folder;
    kernel_store store(folder.path("s"));
    CHECK(store.find(entry().key)->entries.empty()); // no folder yet
    for (double const t : {0.4, 0.2, 0.3}) CHECK(store.put(entry(t)).has_value());
    CHECK(store.put(entry(0.1, stored_status::rejected)).has_value());
    CHECK(store.put(entry(0.15, stored_status::slower)).has_value());
    auto const change = [&](auto&& what) {
        auto e = entry(0.01);
        what(e.key);
        CHECK(store.put(e).has_value());
    };
    change([](lkt::kernel_key& k) { k.problem[0] = 'b'; });
    change([](lkt::kernel_key& k) { k.language = lkt::language::cuda; });
    change([](lkt::kernel_key& k) { k.device = "other"; });
    change([](lkt::kernel_key& k) { k.judges = {"an oracle"}; });
    change([](lkt::kernel_key& k) { k.lkt_version = "0.2.0"; });
    auto found = store.find(entry().key);
    REQUIRE(found->entries.size() == 3);
    CHECK(found->faults.empty());
    CHECK(found->entries[0].time->count() == doctest::Approx(0.2));
    // It turns out to be wrong.
    CHECK_FALSE(store.reject(found->entries[0], "wrong at another seed").has_value());
    found = store.find(entry().key);
    REQUIRE(found->entries.size() == 2);
    CHECK(found->entries[0].time->count() == doctest::Approx(0.3));
    CHECK(store.read_all("r_")->entries.size() == 2);
}

TEST_CASE("no damage makes a wrong entry, and every fault has a reason") {
    scratch_folder const folder;
    kernel_store store(folder.path("s"));
    auto const name = *store.put(entry());
    auto const whole = folder.text("s/" + name);
    for (std::size_t i = 0; i < whole.size(); i += 7) {
        auto changed = whole;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        (void)folder.file("s/" + name, changed);
        CHECK_FALSE(store.read(name).has_value());
        (void)folder.file("s/" + name, whole.substr(0, i));
        CHECK(store.read(name).error().code == "lkt.store.entry");
    }
    (void)folder.file("s/" + name, whole);
    CHECK(store.read(name).has_value());
    // A rejected kernel under the name of an accepted one; an entry twice; rubbish.
    auto const rejected = *store.put(entry(0.1, stored_status::rejected));
    auto renamed = rejected;
    renamed[0] = 'c';
    fs::rename(folder.path("s/" + rejected), folder.path("s/" + renamed));
    (void)folder.file("s/c_matmul_copy.json", whole);
    (void)folder.file("s/x.json", "[" + std::string(100'000, '['));
    (void)folder.file("s/empty.json", "");
    (void)folder.file("s/other.json", "{\"a\": 1}");
    (void)folder.file("s/later.json", "{\"lkt_kernel_entry\": 3}");
    auto const all = store.read_all();
    CHECK(all->entries.size() == 1);
    CHECK(all->faults.size() == 6);
    for (auto const& [file, why] : all->faults)
        CHECK(why.code == (file == "later.json" ? "lkt.store.version"
                           : file == renamed    ? "lkt.store.entry"
                                                : "lkt.store.foreign"));
    CHECK(store.find(entry().key)->entries.size() == 1);
    CHECK(store.read("../" + name).error().code == "lkt.store.name");
}

TEST_CASE("what YoloKernelGen wrote is read, and never served") {
    scratch_folder const folder;
    kernel_store store(folder.path("s"));
    fs::create_directories(folder.path("s"));
    (void)folder.file("s/c_conv2d_relu_fused_i1x3x8x8_o1x4x8x8_h01234567.json", yolo);
    auto const all = store.read_all();
    REQUIRE(all->entries.size() == 1);
    auto const& e = all->entries[0];
    CHECK(e.writer == "YoloKernelGen");
    CHECK(e.key.operation == "conv2d_relu_fused"); // from the record: its names are ambiguous
    CHECK(e.key.size == "1x3x8x8_1x4x8x8");
    CHECK(e.output_tokens == 80);
    CHECK(e.kernel == "@compute fn main() {}");
    CHECK(e.prompt.size() == 1);
    CHECK(store.find(e.key)->entries.empty());
    CHECK(store.garbage({.keep = 0, .days = 0})->empty());
}

TEST_CASE("gc keeps the fastest, and what is not its own") {
    scratch_folder const folder;
    kernel_store store(folder.path("s"));
    for (double const t : {0.4, 0.2, 0.3, 0.5}) CHECK(store.put(entry(t)).has_value());
    auto const old = *store.put(entry(0.1, stored_status::rejected));
    CHECK(store.put(entry(0.25, stored_status::rejected)).has_value());
    auto const long_ago = fs::file_time_type::clock::now() - std::chrono::hours(24 * 40);
    fs::last_write_time(folder.path("s/" + old), long_ago);
    (void)folder.file("s/mine.json", "{}");
    auto torn = *store.put(entry(0.7));
    (void)folder.file("s/" + torn, "{");
    (void)folder.file("s/.a.json.1-1.tmp", "half");
    fs::last_write_time(folder.path("s/.a.json.1-1.tmp"), long_ago);
    auto const all = store.garbage({.keep = 2, .days = 30});
    REQUIRE(all->size() == 5); // two slow ones, an old one, a torn one, a hidden one
    CHECK(*store.collect(*all) > 1000);
    CHECK(store.find(entry().key)->entries.size() == 2);
    CHECK(store.garbage({.keep = 2, .days = 30})->empty());
    CHECK(fs::exists(folder.path("s/mine.json")));
    CHECK_FALSE(fs::exists(folder.path("s/.a.json.1-1.tmp")));
}

TEST_CASE("statistics count replies, runs and tokens by operation and model") {
    std::vector<kernel_entry> all{entry(0.5),
                                  entry(0.25),
                                  entry(0, stored_status::slower),
                                  entry(1, stored_status::rejected)};
    all[1].run = "run-2";
    all.push_back(entry(0.1));
    all.back().model = "model-2";
    auto const s = lkt::statistics_of(all);
    REQUIRE(s.size() == 2);
    CHECK(s[0].model == "model-1");
    CHECK(s[0].runs == 2);
    CHECK(s[0].replies == 4);
    CHECK(s[0].right == 3);
    CHECK(s[0].accepted == 2);
    CHECK(s[0].input_tokens == 400);
    CHECK(s[0].best->count() == 0.25);
    CHECK(s[0].speedup == doctest::Approx(4));
}

TEST_CASE("processes that are killed while they store lose nothing that they said was stored") {
    scratch_folder const folder;
    constexpr int writers = 4, each = 40;
    auto const time_of = [](int w, int k) { return 1.0 + w * each + k; };
    // A writer says over a pipe how far it is; what it said is there afterwards.
    std::vector<int> done(writers, 0);
    for (int w = 0; w < writers; ++w)
        for (bool killed = false; done[static_cast<std::size_t>(w)] < each; killed = true) {
            int ends[2];
            REQUIRE(::pipe(ends) == 0);
            int const from = done[static_cast<std::size_t>(w)];
            pid_t const child = ::fork();
            REQUIRE(child >= 0);
            if (child == 0) {
                kernel_store store(folder.path("s"));
                for (int k = from; k < each; ++k) {
                    bool const good = store.put(entry(time_of(w, k))).has_value();
                    char const said = good ? '+' : '-';
                    if (::write(ends[1], &said, 1) != 1) break;
                }
                ::_exit(0);
            }
            ::close(ends[1]);
            char said = 0;
            while (::read(ends[0], &said, 1) == 1) {
                CHECK(said == '+');
                if (++done[static_cast<std::size_t>(w)] == each / 2 && !killed)
                    ::kill(child, SIGKILL);
            }
            ::close(ends[0]);
            REQUIRE(::waitpid(child, nullptr, 0) == child);
        }
    auto const all = kernel_store(folder.path("s")).read_all();
    CHECK(all->faults.empty());
    CHECK(all->entries.size() == writers * each);
}
