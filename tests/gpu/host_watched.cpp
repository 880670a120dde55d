// SPDX-License-Identifier: BSL-1.0
// What a kernel on the host back end can learn of the launch that it is in: nothing.
#include <lkt/gpu/host.hpp>

#include <lkt/gpu/detail/host/arena.hpp>
#include <lkt/gpu/detail/host/guard_thread.hpp>
#include <lkt/gpu/fill.hpp>

#include <doctest/doctest.h>

#include "support.hpp"
#include "support_host.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace support;

namespace {

constexpr int launches = 48;

/// A kernel of one thread that says in `c` what it can see, each launch of which is kept.
trial looks(std::string const& body, bool checked = false, int n = launches) {
    trial t{
        "__global__ void k(const float* a, int* y, unsigned long long* c) {\n" + body + "\n}",
        {1},
        {1},
        {in(std::vector<float>(100, 1.0F)), inout(std::vector<int>(33, 5)), out<std::uint64_t>(4)}};
    t.name = "k";
    t.checked = checked;
    t.launches = n;
    t.keep.clear();
    for (int k = 0; k < n; ++k) t.keep.push_back(k);
    return t;
}

std::vector<std::vector<std::uint64_t>> seen(trial const& t) {
    auto const outcome = run(shared_host(), t);
    auto const* const report = std::get_if<lkt::run_report>(&outcome);
    REQUIRE(report != nullptr);
    std::vector<std::vector<std::uint64_t>> all;
    for (auto const& kept : report->kept)
        all.push_back(numbers<std::uint64_t>(kept.outputs.back()));
    return all;
}

lkt::argument_data out_of(std::uint64_t first) {
    std::vector<std::uint64_t> const v{first, first + 1, first + 2, first + 3};
    return lkt::make_buffer<std::uint64_t>({scalar_of<std::uint64_t>(), 1}, v);
}

} // namespace

TEST_CASE("host watched: buffers lie at changing places, aligned as CUDA promises") {
    std::string const body =
        "c[0] = (unsigned long long)a % 4096; c[1] = (unsigned long long)y % 4096;\n"
        "c[2] = (unsigned long long)c % 4096; c[3] = 0;";
    std::set<std::uint64_t> inputs, updated, outputs;
    for (bool const checked : {false, true})
        for (std::uint64_t seed = 1; seed <= (checked ? 6 : 12); ++seed) {
            auto t = looks(body, checked, checked ? 4 : 12);
            t.seed = seed;
            for (auto const& one : seen(t)) {
                for (std::size_t k = 0; k < 3; ++k) CHECK(one[k] % 256 == 0);
                inputs.insert(one[0]);
                updated.insert(one[1]);
                outputs.insert(one[2]);
            }
        }
    CHECK(inputs.size() >= 4);
    CHECK(updated.size() >= 12);
    CHECK(outputs.size() >= 12);
    CHECK(outputs.contains(4096 - 256)); // it ends where nobody may write
    CHECK(outputs.contains(0));          // it begins where nobody may write
}

TEST_CASE("host watched: dynamic shared memory is aligned as it is declared, and no further") {
    struct {
        char const *before, *declared;
        std::uint64_t bytes;
    } const texts[] = {
        {"", "extern __shared__ float s[];", 16},
        {"", "extern __shared__ __align__(1024) unsigned char s[];", 1024},
        {"", "extern __shared__ alignas(64) float s[];", 64},
        {"#define LINE 128\n", "extern __shared__ __align__(LINE) float s[];", 128},
        // Nobody has computed it.
        {"constexpr int line = 512;\n", "extern __shared__ alignas(line) float s[];", 1024},
        {"struct alignas(32) lane { float v[8]; };\n", "extern __shared__ lane s[];", 32},
        {"",
         "__shared__ alignas(128) float tile[32]; tile[0] = 1; extern __shared__ float s[];",
         16}};
    for (auto const& [before, declared, bytes] : texts) {
        CAPTURE(std::string(declared));
        bool further = false;
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            bool const checked = seed == 4; // its runs have other places
            auto t = looks(std::string(declared) + "\nc[0] = (unsigned long long)s % " +
                               std::to_string(checked ? bytes : 4096) + "; c[1] = c[2] = c[3] = 0;",
                           checked,
                           1);
            t.text = before + t.text;
            t.shared = 16;
            t.seed = seed;
            auto const at = seen(t)[0][0];
            CHECK(at % bytes == 0);
            further = further || at % (2 * bytes) != 0;
        }
        CHECK((further || bytes == 1024));
    }
}

TEST_CASE("host watched: the places of checked launches are those of others") {
    std::string const body = "c[0] = (unsigned long long)c % 4096; c[1] = c[2] = c[3] = 0;";
    auto unchecked = looks(body, false, 6), checked = looks(body, true, 6);
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        unchecked.seed = checked.seed = seed;
        CHECK(seen(unchecked) == seen(checked));
    }
}

TEST_CASE("host watched: how far buffers are apart changes from run to run") {
    std::set<std::uint64_t> distances;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        auto t = looks("c[0] = (unsigned long long)a - (unsigned long long)c;\n"
                       "c[1] = c[2] = c[3] = 0;",
                       false,
                       1);
        t.seed = seed;
        distances.insert(seen(t)[0][0] >> 12);
    }
    CHECK(distances.size() >= 8);
}

TEST_CASE("host watched: what lies beside a buffer is noise that changes from launch to launch") {
    // In bounds of the room, whichever side the buffer lies on.
    std::string const body =
        "const unsigned char* p = (const unsigned char*)c; unsigned long long w = 0;\n"
        "p += (unsigned long long)p % 4096 >= 2048 ? -64 : 64;\n"
        "for (int k = 0; k < 8; ++k) w = w << 8 | p[k];\n"
        "c[0] = w; c[1] = c[2] = c[3] = 0;";
    std::set<std::uint64_t> words;
    for (auto const& one : seen(looks(body))) words.insert(one[0]);
    CHECK(words.size() == launches);
    CHECK(!words.contains(0));
}

TEST_CASE("host watched: an output holds what the seed draws before each launch") {
    auto const t = looks("c[0] = c[0];");
    auto const key = lkt::secret_of(t.seed);
    std::set<lkt::fill_kind> kinds;
    auto const left = seen(t);
    for (int k = 0; k < launches; ++k) {
        auto const kind = lkt::fill_of_launch(key, k, 2, {.certain = k == 0});
        kinds.insert(kind);
        std::vector<std::uint64_t> expected(4);
        lkt::write_fill(std::as_writable_bytes(std::span{expected}),
                        kind,
                        lkt::fill_key(key, k, 2),
                        lkt::scalar_type::uint64);
        CAPTURE(k);
        CAPTURE(static_cast<int>(kind));
        auto const& got = left[static_cast<std::size_t>(k)];
        REQUIRE(got.size() == expected.size());
        for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == expected[i]);
    }
    CHECK(kinds == std::set{lkt::fill_kind::noise, lkt::fill_kind::zeros, lkt::fill_kind::ones});
}

TEST_CASE(
    "host watched: an output holds what is nearly right, and what is right for other inputs") {
    auto t = looks("c[0] = c[0];");
    request_over over(t);
    auto const right = out_of(11), other = out_of(21);
    std::vector<lkt::argument_data> const here{over.request.arguments[1], right};
    std::vector<lkt::argument_data> const there{over.request.arguments[1], other};
    over.request.expected.values = here; // id 0: nobody is to compare them
    over.request.ring.push_back({over.request.arguments, 0, {0, there, {}}});
    auto const kernel = shared_host().compile(compile_request_of(t), {});
    REQUIRE(kernel.has_value());
    auto const report = over.run(shared_host(), std::get<lkt::compiled_kernel>(*kernel));
    REQUIRE(report.kept.size() == launches);
    int nearly = 0, others = 0;
    for (auto const& kept : report.kept) {
        auto const got = numbers<std::uint64_t>(kept.outputs.back());
        auto const base = kept.set == 0 ? 11U : 21U, elsewhere = kept.set == 0 ? 21U : 11U;
        int same = 0, foreign = 0;
        for (unsigned k = 0; k < 4; ++k) {
            same += got[k] == base + k;
            foreign += got[k] == elsewhere + k;
        }
        CHECK(same < 4); // never all of it
        nearly += same == 3;
        others += foreign == 4;
    }
    CHECK(nearly > 0);
    CHECK(others > 0);
}

TEST_CASE("host watched: dynamic shared memory holds noise when a launch begins") {
    auto t = looks("extern __shared__ unsigned long long s[];\n"
                   "c[0] = s[0]; c[1] = s[1]; c[2] = (unsigned long long)s % 16; c[3] = 0;\n"
                   "s[0] = s[1] = 77;");
    t.shared = 64;
    std::set<std::uint64_t> words;
    for (auto const& one : seen(t)) {
        words.insert(one[0]);
        words.insert(one[1]);
        CHECK(one[2] == 0);
    }
    CHECK(words.size() == 2 * launches);
    CHECK(!words.contains(77));
}

TEST_CASE("host watched: no fork of the worker has what only the worker may know") {
    namespace hd = lkt::host_detail;
    hd::unshared_memory const secret(4096, -1);
    REQUIRE(static_cast<bool>(secret));
    unsigned char there = 0;
    auto* const page = secret.bytes().data();
    CHECK(::mincore(page, 4096, &there) == 0);
    auto const pid = ::fork();
    if (pid == 0) ::_exit(::mincore(page, 4096, &there) == 0 ? 1 : 0);
    int status = -1;
    REQUIRE(::waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("host watched: a job tells neither the seed nor the key nor what is kept") {
    namespace hd = lkt::host_detail;
    auto const t = looks("c[0] = 1;");
    request_over over(t);
    over.request.poison_seed = 0x1122334455667788;
    hd::job j;
    j.launches = launches;
    auto const made = hd::arena::make(j, over.request, {});
    REQUIRE(made.has_value());
    auto const bytes = hd::pack(j);
    auto const key = lkt::secrets_of_run(over.request);
    CHECK(bytes.find(std::string_view{reinterpret_cast<char const*>(&over.request.poison_seed),
                                      8}) == bytes.npos);
    for (auto const word : key.words)
        CHECK(bytes.find(std::string_view{reinterpret_cast<char const*>(&word), 4}) == bytes.npos);
    // And the worker has it where the job says.
    CHECK(j.secrets_size > 0);
}
