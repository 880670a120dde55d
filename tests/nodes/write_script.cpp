// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/write_script.hpp>

#include <doctest/doctest.h>

#include <lkt/llm/scripted.hpp>
#include <lkt/process/sandbox.hpp>
#include <lkt/verify/all_of.hpp>
#include <lkt/verify/signature_tests.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <fstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "../verify/fake_backend.hpp"
#include "../verify/python.hpp"
#include "declaration_support.hpp"

using namespace lkt_test;
using test::has;

namespace {

/// Doubles its input; 1.2345 makes it crash, 2.3456 gives another output in each launch, 3.4567
/// none.
test::fake_backend device() {
    test::fake_backend gpu;
    gpu.kernels[twice_text] = [launches =
                                   0](test::fake_launch& l) mutable -> std::optional<lkt::failure> {
        ++launches;
        for (std::size_t i = 0; i < l.arguments[0].count(); ++i) {
            float const x = l.get<float>(0, i);
            if (x == 1.2345F) return lkt::crashed{"segmentation fault at address 0x40", {}};
            if (x == 3.4567F) continue;
            l.set<float>(1, i, x == 2.3456F ? static_cast<float>(launches) : 2 * x);
        }
        return std::nullopt;
    };
    return gpu;
}

lkt::chat_reply script(std::string const& body) {
    lkt::chat_reply r;
    r.text = boost::json::serialize(boost::json::object{
        {"script",
         "import numpy as np\ndef generate(sizes, rng):\n    n = sizes['ProblemSize[0]']\n    " +
             body + "\n"}});
    r.model = "m1";
    r.usage = {100, 20};
    return r;
}

std::string const good = "return [dict(x=np.arange(n) / n), dict(x=rng.random(n, np.float32))]";

struct outcome {
    lkt::result<lkt::script_tests> made;
    lkt::declaration_log log;
    std::vector<lkt::chat_request> requests;
};

outcome write(std::vector<lkt::chat_reply> const& replies, lkt::script_options options = {}) {
    auto gpu = device();
    lkt::scripted_model llm(std::vector<lkt::scripted_turn>(replies.begin(), replies.end()));
    struct {
        test::fake_backend& gpu;
        lkt::scripted_model& llm;
    } tools{gpu, llm};
    outcome o{lkt::error{}, {}, {}};
    o.made = lkt::write_script(described_problem(), o.log, tools, options);
    o.requests = llm.requests();
    return o;
}

/// What is wrong with a script, as its author is told.
std::string complaint(std::string const& body, lkt::script_options options = {}) {
    CAPTURE(body);
    options.attempts = 1;
    auto const o = write({script(body)}, options);
    REQUIRE(o.made.has_error());
    CHECK(o.made.error().code == "lkt.declaration.attempts");
    REQUIRE(o.log.attempts.size() == 1);
    return o.log.attempts[0].why.value().message;
}

bool sandboxed() { return lkt::probe_sandbox().landlock_version > 0; }

} // namespace

TEST_CASE("A model's script makes tests that come behind those of lkt") {
    if (!test::has_python() || !sandboxed()) return;
    auto const o = write({script(good)});
    if (!o.made) FAIL(to_string(o.made.error()));
    auto const task = described_problem();
    lkt::all_of both{lkt::signature_tests{.hidden_sizes = 0}, *o.made};
    auto const all = both.generate(task, {}).value();
    auto const own = lkt::signature_tests{.hidden_sizes = 0}.generate(task, {}).value();
    REQUIRE(all.size() == own.size() + 4);
    for (std::size_t k = 0; k < all.size(); ++k) {
        CAPTURE(all[k].name);
        bool const models = has(all[k].name, "a model's script");
        CHECK(models == (k >= own.size()));
        if (models) CHECK(all[k].origin == lkt::test_origin::menu); // may be dropped
        if (!models) CHECK(all[k].arguments == own[k].arguments);
    }
    CHECK_FALSE(all[own.size()].for_finalists);
    CHECK(all[own.size() + 3].for_finalists);
    CHECK(o.log.attempts.at(0).part == lkt::declared_part::script);
    CHECK(o.log.attempts[0].model == "m1");
    CHECK(o.log.usage.calls == 1);
}

TEST_CASE("The question says what is true of the function") {
    auto task = described_problem();
    task.restrictions = {lkt::expression::parse("B >= 32").value()};
    task.parameters = {{"B", {32, 64}}};
    lkt::script_options options;
    options.max_elements = 100; // of both buffers: the timed size has 192
    auto const text =
        lkt::default_script_prompts().task(task, lkt::script_generator(task, {}, options));
    for (char const* const part : {twice_text.c_str(),
                                   "- `x`: `ProblemSize[0]` elements, float32; values from 0 to 4",
                                   "- `y`: only written; leave it out",
                                   "- `n`: int32, which follows from the size; leave it out",
                                   "- ProblemSize[0]=7\n",
                                   "- `ProblemSize[0] >= 1`",
                                   "- restriction: `B >= 32`",
                                   "at most 16 tests",
                                   "30 s, 4 GiB of memory, and return 256 MiB of arrays"})
        CHECK_MESSAGE(has(text, part), part);
    CHECK_FALSE(has(text, "ProblemSize[0]=96"));
}

TEST_CASE("Scripts that are wrong are sent back with the reason") {
    if (!test::has_python() || !sandboxed()) return;
    CHECK(has(complaint("return dict(x=np.ones(n + 1))"), "instead of 96"));
    CHECK(has(complaint("return dict(w=np.ones(n))"), "`w` is not an argument"));
    CHECK(has(complaint("return dict(x=undefined)"), "name 'undefined' is not defined"));
    // Values that the problem does not allow, or that no test may have.
    CHECK(has(complaint("return dict(x=np.full(n, 5.0))"), "outside of its domain"));
    CHECK(has(complaint("return dict(x=np.full(n, np.nan))"), "`x` has the element 0, nan"));
    // Not the same inputs for who goes on with the run.
    CHECK(has(complaint("import os; return dict(x=np.full(n, os.urandom(1)[0] / 64))\n"
                        "    # "),
              "a second call"));
    // On which the original says nothing.
    CHECK(has(complaint("return dict(x=np.full(n, 1.2345))"), "segmentation fault"));
    CHECK(has(complaint("return dict(x=np.full(n, 2.3456))"), "changes from launch to launch"));
    CHECK(has(complaint("return dict(x=np.full(n, 3.4567))"), "does not write all elements"));
    CHECK(has(complaint("return dict(x=np.full(n, 1.0))"), "all the same number"));
}

TEST_CASE("A script that means harm gets nowhere, and the model is told") {
    if (!test::has_python() || !sandboxed()) return;
    std::string const secret = "/tmp/lkt-secret-" + std::to_string(::getpid());
    std::ofstream(secret) << "a secret";
    // Whatever it learns it can say, to the model and in the report.
    auto const tried = complaint("import os, socket\n"
                                 "    def attempt(what):\n"
                                 "        try: return what()\n"
                                 "        except OSError as e: return e.strerror\n"
                                 "    raise ValueError([attempt(what) for what in (\n"
                                 "        lambda: open('" +
                                 secret +
                                 "').read(),\n"
                                 "        lambda: open('/proc/%d/environ' % os.getppid()).read(),\n"
                                 "        lambda: socket.socket(),\n"
                                 "        lambda: os.fork(),\n"
                                 "        lambda: os.kill(os.getppid(), 9),\n"
                                 "        lambda: open('more', 'w'))])");
    ::unlink(secret.c_str());
    CHECK(has(tried,
              "['Permission denied', 'Permission denied', 'Operation not permitted', "
              "'Operation not permitted', 'Operation not permitted', 'Read-only file system']"));
    lkt::script_options short_time;
    short_time.time_limit = std::chrono::milliseconds{2'500};
    CHECK(has(complaint("while True: print('x' * 4096)", short_time), "ran for more than 2500 ms"));
    CHECK(has(complaint("return dict(x=np.zeros(2**33))"), "Unable to allocate"));
    CHECK(has(complaint("return [dict(x=np.zeros(n))] * 17"), "more than 16 tests"));
    CHECK(has(complaint("return dict(x=np.zeros(2**26, np.int8))",
                        {.array_limit = std::uint64_t{1} << 20}),
              "more than 1048576 bytes"));
    // It speaks to lkt itself, or in the name of the harness.
    CHECK(has(
        complaint("import os; os.write(5, b'{\"tests\": [' + b'[],' * 2**20); os.write(7, b'!')"),
        "no readable arrays"));
    CHECK(has(complaint("import os; os.write(5, b'{\"tests\": [{\"size\": 9, \"names\": []}]}'); "
                        "os.write(7, b'!')"),
              "returned no test"));
    // What it says of itself is shown as it is: no escape reaches a terminal, and no book a prompt.
    auto const loud = complaint("raise ValueError('\\x1b[2J' + 'y' * 10**6)");
    CHECK_FALSE(has(loud, "\x1b"));
    CHECK(loud.size() < 8'000);
}

TEST_CASE("Where no system call keeps files apart, no model is asked") {
    if (!test::has_python()) return;
    using lkt::process_detail::kernel_lack;
    lkt::process_detail::pretended_lack = kernel_lack::landlock_and_mounts;
    auto const o = write({script(good)});
    lkt::process_detail::pretended_lack = kernel_lack::nothing;
    REQUIRE(o.made.has_error());
    CHECK(o.made.error().code == "lkt.sandbox.unavailable");
    CHECK(o.requests.empty());
}

TEST_CASE("A reply that is sent back is followed by another one, as long as there are some left") {
    if (!test::has_python() || !sandboxed()) return;
    std::vector<lkt::chat_reply> const replies{script("return 1"), script(good)};
    auto const second = write(replies);
    CHECK(second.made.has_value());
    REQUIRE(second.requests.size() == 2);
    CHECK(has(second.requests[1].messages.back().text, "instead of a dictionary"));
    lkt::script_options one;
    one.attempts = 1;
    auto const o = write(replies, one);
    REQUIRE(o.made.has_error());
    CHECK(has(o.made.error().message, "in 1 reply; the last one: "));
    CHECK(has(o.made.error().message, "instead of a dictionary"));
}
