// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/script_oracle.hpp>

#include <doctest/doctest.h>

#include <lkt/lang/find_kernel.hpp>
#include <lkt/process/child.hpp>
#include <lkt/verify/signature_tests.hpp>

#include "python.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <utility>

namespace {

/// A problem over N whose buffers have N elements each.
lkt::problem problem_of(std::string const& declaration, std::int64_t n = 40) {
    lkt::problem task;
    task.reference.text = "extern \"C\" __global__ " + declaration;
    task.signature = lkt::find_kernel(task.reference).value();
    for (auto const& a : task.signature.arguments) {
        lkt::argument_spec spec;
        (a.pointer ? spec.count : spec.value) = lkt::expression::parse("N").value();
        task.arguments.push_back(std::move(spec));
    }
    task.size = {{"N", n}};
    return task;
}

lkt::problem const& axpy() {
    static lkt::problem const task = [] {
        auto made = problem_of("void axpy(float* y, float const* x, float a, int n) "
                               "{ y[threadIdx.x] = a * x[threadIdx.x]; }");
        made.arguments[0].flow = lkt::direction::inout;
        return made;
    }();
    return task;
}

lkt::result<lkt::test_suite> judged_by(lkt::python_script script, lkt::problem const& task) {
    auto tests = lkt::signature_tests{}.generate(task, {}).value();
    return lkt::suite_of(lkt::script_oracle{std::move(script)}, task, std::move(tests), {});
}

lkt::error fault(std::string text, lkt::problem const& task = axpy()) {
    auto const made = judged_by(test::python(std::move(text), "f"), task);
    REQUIRE(made.has_error());
    CHECK_FALSE(made.error().hint.empty());
    return made.error();
}

void check_axpy(lkt::python_script script) {
    auto const made = judged_by(std::move(script), axpy());
    if (!made) FAIL(to_string(made.error()));
    CHECK(made->prepared());
    int looked_at = 0;
    for (lkt::prepared_test const& t : made->tests)
        for (std::size_t k = 0; k < 40; ++k, ++looked_at)
            CHECK(t.expected[0].lane<float>(k) ==
                  static_cast<float>(double{t.test.arguments[0].lane<float>(k)} +
                                     double{t.test.arguments[2].lane<float>(0)} *
                                         double{t.test.arguments[1].lane<float>(k)}));
    CHECK(looked_at == 80);
}

} // namespace

TEST_CASE("A NumPy function in float64 says what is right, rounded once") {
    if (!test::has_python()) return;
    char const* const bodies[] = {
        "    return y64 + a * x.astype(np.float64)\n",
        "    return (y64 + a * x.astype(np.float64),)\n",
        "    return {'y': (y64 + a * x.astype(np.float64)).reshape(4, 10)}\n",
        "    return np.asfortranarray((y64 + a * x.astype(np.float64)).reshape(4, 10))\n",
    };
    for (char const* const body : bodies)
        check_axpy(test::python("import numpy as np\n"
                                "def f(y, x, a, n, *, size):\n"
                                "    assert type(a) is float and type(n) is int and n == 40\n"
                                "    assert x.shape == (40,) and x.dtype == np.float32\n"
                                "    assert size == {'N': 40}\n"
                                "    print('words on standard output do no harm')\n"
                                "    y64 = y.astype(np.float64)\n" +
                                    std::string(body),
                                "f"));
}

TEST_CASE("A torch function says what is right by the same way") {
    if (!test::has_python(lkt::array_library::torch)) return;
    auto script = test::python("import torch\n"
                               "def f(y, x, a, n):\n"
                               "    return y.double() + a * x.double()\n",
                               "f");
    script.library = lkt::array_library::torch;
    check_axpy(std::move(script));
}

TEST_CASE("A function's libraries may look for libraries of their own, and ask no compiler") {
    if (!test::has_python()) return;
    // Torch does so when it is imported; a compiler would be asked by way of a temporary file.
    auto script = test::python("import ctypes.util\n"
                               "ctypes.util.find_library('lkt-is-no-library')\n"
                               "def f(y, x, a, n):\n"
                               "    return y.astype('float64') + a * x.astype('float64')\n",
                               "f");
    check_axpy(std::move(script));
}

TEST_CASE("The way to torch and back, with a stand-in for it where there is none") {
    if (!test::has_python()) return;
    // An environment beside the system's, with a module of this name that wraps NumPy's arrays.
    std::string const folder = "/tmp/lkt-torch-" + std::to_string(::getpid());
    auto const base = lkt::find_python(lkt::array_library::numpy).value();
    auto const made = lkt::run_child(
        {.arguments = {
             base.path, "-m", "venv", "--without-pip", "--system-site-packages", folder}});
    REQUIRE(made.has_value());
    if (!made->succeeded()) {
        MESSAGE("skipped: this Python makes no virtual environment: " << made->err);
        return;
    }
    std::string modules;
    for (auto const& e : std::filesystem::recursive_directory_iterator(folder + "/lib"))
        if (e.path().filename() == "site-packages") modules = e.path().string();
    REQUIRE(!modules.empty());
    std::ofstream{modules + "/torch.py"}
        << "import numpy\n"
           "bfloat16, float32 = 'bfloat16', 'float32'\n"
           "def set_num_threads(n): assert n == 4\n"
           "def get_rng_state(): return 7\n"
           "def set_rng_state(state): assert state == 7\n"
           "def set_default_dtype(dtype): assert dtype == float32\n"
           "def set_grad_enabled(on): assert on\n"
           "class Tensor:\n"
           "    def __init__(self, a): self.a, self.dtype = a, bfloat16\n"
           "    def detach(self): return self\n"
           "    def cpu(self): return self\n"
           "    def to(self, dtype):\n"
           "        self.dtype = dtype\n"
           "        return self\n"
           "    def numpy(self):\n"
           "        assert self.dtype == float32\n"
           "        return self.a\n"
           "def from_numpy(a): return Tensor(a)\n";
    // Where the base is such an environment itself, NumPy is not the system's.
    std::ofstream numpy{modules + "/base.pth"};
    for (std::string const& path : base.readable)
        if (path.ends_with("-packages")) numpy << path << "\n";
    numpy.close();
    test::chosen_python const chosen{folder + "/bin/python3"};
    auto script = test::python("import torch\n"
                               "def f(y, x, a, n):\n"
                               "    assert type(y) is torch.Tensor and type(a) is float\n"
                               "    return torch.Tensor(y.a.astype('f8') + a * x.a.astype('f8'))\n",
                               "f");
    script.library = lkt::array_library::torch;
    check_axpy(std::move(script));
    std::filesystem::remove_all(folder);
}

TEST_CASE("Types: vectors, halves, booleans, integers; several outputs by order and by name") {
    if (!test::has_python()) return;
    auto task = problem_of("void k(float4 const* v, __nv_bfloat16 const* b, __half const* h, "
                           "bool const* p, unsigned char* u, long long* w, __nv_bfloat16* c, "
                           "float2* d, int n) { u[0] = 1; w[0] = 1; c[0] = b[0]; d[0].x = 1; }");
    for (std::size_t k = 4; k < 8; ++k) task.arguments[k].flow = lkt::direction::out;
    std::string const body = "    assert v.shape == (40, 4) and b.dtype == np.float32\n"
                             "    assert h.dtype == np.float16 and p.dtype == np.bool_\n"
                             "    u, w = np.arange(n), np.full(n, -2**62)\n"
                             "    c, d = b, np.stack([v.sum(1), h.astype(float)], axis=1)\n";
    for (char const* const last :
         {"    return u, w, c, d\n", "    return dict(w=w, d=d, u=u.astype(float), c=c)\n"}) {
        auto const made = judged_by(
            test::python("import numpy as np\ndef f(v, b, h, p, n):\n" + body + last, "f"), task);
        if (!made) FAIL(to_string(made.error()));
        auto const& t = made->tests[0];
        REQUIRE(t.expected.size() == 4);
        CHECK(t.expected[0].lane<std::uint8_t>(39) == 39);
        CHECK(t.expected[1].lane<std::int64_t>(7) == -(std::int64_t{1} << 62));
        CHECK(t.expected[2].bytes == t.test.arguments[1].bytes);
        CHECK(t.expected[3].lanes() == 80);
        CHECK(lkt::lane_as_double(t.expected[3], 3) == lkt::lane_as_double(t.test.arguments[2], 1));
    }
}

TEST_CASE("A library's own threads run in the confined process") {
    if (!test::has_python()) return;
    auto task = problem_of("void k(double const* a, double* c, int n) { c[0] = a[0] * n; }", 0);
    task.size = {{"N", 300 * 300}};
    task.arguments[1].flow = lkt::direction::out;
    auto const made =
        judged_by(test::python("import numpy as np\n"
                               "from concurrent.futures import ThreadPoolExecutor\n"
                               "def f(a, n):\n"
                               "    m = a.reshape(300, 300)\n"
                               "    with ThreadPoolExecutor(3) as pool:\n"
                               "        made = list(pool.map(lambda _: m @ m, range(6)))\n"
                               "    return made[5]\n",
                               "f"),
                  task);
    if (!made) FAIL(to_string(made.error()));
    auto const& t = made->tests[0];
    double sum = 0;
    for (std::size_t k = 0; k < 300; ++k)
        sum += t.test.arguments[0].lane<double>(k) * t.test.arguments[0].lane<double>(300 * k);
    CHECK(t.expected[0].lane<double>(0) == doctest::Approx(sum));
}

TEST_CASE("What does not fit is an error that says what and where") {
    if (!test::has_python()) return;
    auto e = fault("import numpy as np\ndef f(y, x, a, n):\n    return np.zeros((3, 5))\n");
    CHECK(e.code == "lkt.verify.oracle_output");
    CHECK(test::has(e.message, "`y` on test `N=40` has the shape (3, 5), which is 15 numbers"));
    e = fault("def f(y, x, a, n):\n    return x, y\n");
    CHECK(e.code == "lkt.verify.oracle_script");
    CHECK(test::has(e.message, "returned 2 values for the 1 outputs y"));
    CHECK(test::has(fault("def f(y, x, a, n):\n    return {'z': x}\n").message,
                    "returned the outputs z instead of y"));
    CHECK(test::has(fault("def f(y, x, a, n):\n    return None\n").message, "is None"));
    CHECK(test::has(fault("def f(y, x, a, n):\n    return x + 1j\n").message, "complex"));
    CHECK(test::has(fault("def f(y, x, a, n):\n    return [object()]\n").message, "object"));
    CHECK(
        test::has(fault("def f(y, x):\n    return x\n").message, "`f` is called as f(y, x, a, n)"));
    CHECK(test::has(fault("def g(y, x):\n    return x\n").message,
                    "defines no function `f`; it has g"));
    auto task = problem_of("void k(int* y, int n) { y[0] = n; }");
    task.arguments[0].flow = lkt::direction::out;
    e = fault("import numpy as np\ndef f(n):\n    return np.arange(n) / 2\n", task);
    CHECK(test::has(e.message,
                    "dtype float64, and its element 1, 0.5, is not a value of type int32"));
    e = fault("import numpy as np\ndef f(n):\n    return np.full(n, 2**40)\n", task);
    CHECK(test::has(e.message, "element 0, 1099511627776, is not a value of type int32"));
}

TEST_CASE("A script that fails shows its own lines of the traceback") {
    if (!test::has_python()) return;
    auto e = fault("def f(y, x, a, n):\n    return 1 // (n - n)\n");
    CHECK(e.code == "lkt.verify.oracle_script");
    CHECK(test::has(e.message, "ZeroDivisionError"));
    CHECK(test::has(e.message, "words.py\", line 2, in f"));
    CHECK_FALSE(test::has(e.message, "harness"));
    CHECK(test::has(fault("def f(:\n").message, "SyntaxError"));
    CHECK(test::has(fault("import no_such_module\n").message, "no_such_module"));
    CHECK(test::has(fault("import sys\nsys.exit(0)\n").message, "ends the interpreter"));
    CHECK(test::has(fault("import os\nos._exit(0)\n").message, "no readable arrays"));
    CHECK(test::has(fault("import os\nos.abort()\n").message, "signal 6"));
    auto slow = test::python("while True: pass\n", "f");
    slow.time_limit = std::chrono::milliseconds{500};
    CHECK(test::has(judged_by(slow, axpy()).error().message, "more than 500 ms"));
    auto large = test::python("import numpy as np\ndef f(*a): return np.zeros(1 << 20)\n", "f");
    large.array_limit = 1 << 20;
    CHECK(test::has(judged_by(large, axpy()).error().message, "more than 1048576 bytes"));
}

TEST_CASE("A script has no network, no process, no file; what it sends itself is no answer") {
    if (!test::has_python()) return;
    CHECK(test::has(fault("import socket\nsocket.create_connection(('127.0.0.1', 1))\n").message,
                    "PermissionError"));
    CHECK(test::has(fault("import os\nos.system('true') and os.fork()\n").message,
                    "PermissionError"));
    CHECK(test::has(fault("open('/tmp/planted', 'w')\n").message, "Read-only file system"));
    CHECK(test::has(fault("import os\nos.write(4, b'garbage')\nos.write(5, b'{\"tests\":[{')\n"
                          "os.write(7, b'!')\n")
                        .message,
                    "no readable arrays"));
    CHECK(
        test::has(fault("import os\nos.write(5, b'{\"tests\":[{\"size\":0,\"names\":[\"y\"]}]}')\n"
                        "os.write(7, b'!')\n")
                      .message,
                  "no readable arrays"));
    CHECK(test::has(fault("import os\nos.write(5, b'{\"tests\":[]}')\nos.write(7, b'!')\n").message,
                    "0 answers for 2 tests"));
}

TEST_CASE("One process answers for a script that begins anew each time, but not for a model's") {
    if (!test::has_python()) return;
    auto task = problem_of("void k(int* y, int n) { y[0] = n; }");
    task.arguments[0].flow = lkt::direction::out;
    auto const tests = lkt::signature_tests{}.generate(task, {}).value();
    auto const asked = [&](lkt::script_oracle const& oracle) {
        auto const made = oracle.answer(task, std::span{tests}.first(1), {});
        if (!made) FAIL(to_string(made.error()));
        auto const& y = made->front().front();
        return std::pair{y.lane<std::int32_t>(0), y.lane<std::int32_t>(1)};
    };
    char const text[] = "import numpy as np, os\n"
                        "calls = []\n"
                        "def f(n):\n"
                        "    calls.append(n)\n"
                        "    return np.array([os.getpid(), len(calls)] + [0] * (n - 2))\n";
    lkt::script_oracle oracle{test::python(text, "f")};
    auto const first = asked(oracle), second = asked(oracle);
    CHECK(first.second == 1);
    CHECK(second == first);
    oracle.script.text += "# another script\n";
    auto const other = asked(oracle);
    CHECK(other.first != first.first);
    oracle.script.of_model = true;
    auto const alone = asked(oracle), again = asked(oracle);
    CHECK(alone.first != other.first);
    CHECK(again.first != alone.first);
}

TEST_CASE("What a script leaves in torch is not there at the next question") {
    if (!test::has_python(lkt::array_library::torch)) return;
    auto script = test::python("import torch\n"
                               "drawn = torch.randn(1)\n"
                               "before = torch.empty(0).dtype, torch.is_grad_enabled()\n"
                               "def f(y, x, a, n):\n"
                               "    assert before == (torch.float32, True)\n"
                               "    torch.set_default_dtype(torch.float64)\n"
                               "    torch.set_grad_enabled(False)\n"
                               "    return y + drawn * x\n",
                               "f");
    script.library = lkt::array_library::torch;
    auto const made = judged_by(std::move(script), axpy());
    if (!made) FAIL(to_string(made.error()));
}

TEST_CASE("A script that is random is found out") {
    if (!test::has_python()) return;
    auto const e = fault("import numpy as np\n"
                         "def f(y, x, a, n): return np.random.default_rng().random(n)\n");
    CHECK(e.code == "lkt.verify.oracle_unstable");
}

TEST_CASE("A script is read from a file") {
    auto const missing =
        lkt::read_script_oracle("/no/such/file.py", "f", lkt::array_library::numpy);
    CHECK(missing.error().code == "lkt.file.missing");
}
