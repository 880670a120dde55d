// SPDX-License-Identifier: BSL-1.0
// Structs that kernels take by value: one argument for each of their values. What a compiler says
// of the same struct is the reference.
#include <lkt/lang/find_kernel.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

// CUDA's vectors as the CUDA headers lay them out.
struct alignas(2) char2 {
    signed char x, y;
};
struct char3 {
    signed char x, y, z;
};
struct alignas(8) short4 {
    short x, y, z, w;
};
struct alignas(8) float2 {
    float x, y;
};
struct float3 {
    float x, y, z;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) double2 {
    double x, y;
};
struct double3 {
    double x, y, z;
};
struct alignas(16) double4 {
    double x, y, z, w;
};
struct alignas(16) longlong2 {
    long long x, y;
};

#define LKT_BOTH(name, ...)                                                                        \
    __VA_ARGS__;                                                                                   \
    constexpr char const* text_of_##name = #__VA_ARGS__ ";\n"

LKT_BOTH(
    plain, struct plain {
        int n;
        float a;
        float3 v;
        double d;
        char c;
    });
LKT_BOTH(
    vectors, struct vectors {
        char c;
        float4 a;
        char2 b;
        char3 e;
        float2 f;
        bool g;
        double2 h;
        short4 i;
        double3 j;
        char k;
        double4 l;
        short m;
        longlong2 n;
    });
LKT_BOTH(
    arrays, struct arrays {
        char c;
        float w[4];
        short s[2][3];
        float2 v[2];
        unsigned char last;
    });
LKT_BOTH(
    nested,
    struct inner {
        char a;
        double b;
    };
    struct nested {
        char c;
        inner one;
        struct {
            short x, y;
        } two[2];
        float z = 1.0f, u{2};
        alignas(16) int v;
        int const t;
        static constexpr int count = 3;
        using real = double;
        unsigned long long big;
    });
LKT_BOTH(
    aligned, struct alignas(32) aligned {
        int a;
        char b;
    });

lkt::result<lkt::signature> read(std::string const& text, std::string const& parameters) {
    return lkt::find_kernel(
        {lkt::language::cuda, text + "__global__ void k(" + parameters + ") {}\n", "test.cu"});
}
/// `name@offset:type`, one after the other, and the size.
std::string shown(std::string const& text, std::string const& parameters) {
    auto const s = read(text, parameters);
    if (!s) return s.error().code + ": " + s.error().message;
    std::string all;
    for (lkt::argument const& a : s->arguments) {
        all += (all.empty() ? "" : " ") + a.name;
        if (a.within) all += "@" + std::to_string(a.within->offset);
        all += ":" + to_string(a.type) + (a.pointer ? "*" : "");
    }
    return all;
}
std::uint64_t size_of_first(std::string const& text, std::string const& parameters) {
    return read(text, parameters).value().arguments.at(0).within.value().size;
}
std::uint64_t offset(std::string const& text, std::string const& parameters, std::string const& n) {
    for (lkt::argument const& a : read(text, parameters).value().arguments)
        if (a.name == n) return a.within.value().offset;
    return 999;
}
/// What is said against `struct p { members };`.
std::string against(std::string const& members, std::string const& before = {}) {
    auto const s = read(before + "struct p {" + members + "};\n", "float* x, p q");
    if (s) return "nothing";
    CHECK(s.error().code == "lkt.kernel.type");
    CHECK(s.error().hint.find("pass buffers as separate parameters") != std::string::npos);
    return s.error().message;
}
bool says(std::string const& all, std::string const& part) {
    return all.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a struct by value is its members, where the compiler puts them") {
    CHECK(shown(text_of_plain, "float* x, plain p, int m") ==
          "x:float32* n@0:int32 a@4:float32 v@8:float32x3 d@24:float64 c@32:int8 m:int32");
    CHECK(offset(text_of_plain, "plain p", "v") == offsetof(plain, v));
    CHECK(offset(text_of_plain, "plain p", "d") == offsetof(plain, d));
    CHECK(size_of_first(text_of_plain, "plain p") == sizeof(plain));
    auto const s = read(text_of_plain, "plain const p").value();
    CHECK(s.arguments[0].within->record == "p");
    CHECK(s.arguments[0].is_const);
    CHECK_FALSE(s.arguments[0].pointer);
}

TEST_CASE("vectors have CUDA's alignments") {
    auto const at = [](std::string const& name) {
        return offset(text_of_vectors, "vectors p", name);
    };
    CHECK(at("a") == offsetof(vectors, a));
    CHECK(at("b") == offsetof(vectors, b));
    CHECK(at("e") == offsetof(vectors, e));
    CHECK(at("f") == offsetof(vectors, f));
    CHECK(at("g") == offsetof(vectors, g));
    CHECK(at("h") == offsetof(vectors, h));
    CHECK(at("i") == offsetof(vectors, i));
    CHECK(at("j") == offsetof(vectors, j));
    CHECK(at("k") == offsetof(vectors, k));
    CHECK(at("l") == offsetof(vectors, l));
    CHECK(at("m") == offsetof(vectors, m));
    CHECK(at("n") == offsetof(vectors, n));
    CHECK(size_of_first(text_of_vectors, "vectors p") == sizeof(vectors));
}

TEST_CASE("arrays are their elements, structs in structs their members") {
    CHECK(shown(text_of_arrays, "arrays p") ==
          "c@0:int8 w[0]@4:float32 w[1]@8:float32 w[2]@12:float32 w[3]@16:float32 "
          "s[0][0]@20:int16 s[0][1]@22:int16 s[0][2]@24:int16 s[1][0]@26:int16 s[1][1]@28:int16 "
          "s[1][2]@30:int16 v[0]@32:float32x2 v[1]@40:float32x2 last@48:uint8");
    CHECK(size_of_first(text_of_arrays, "arrays p") == sizeof(arrays));
    CHECK(shown(text_of_nested, "nested p") ==
          "c@0:int8 a@8:int8 b@16:float64 p.two[0].x@24:int16 p.two[0].y@26:int16 "
          "p.two[1].x@28:int16 p.two[1].y@30:int16 z@32:float32 u@36:float32 v@48:int32 "
          "t@52:int32 big@56:uint64");
    CHECK(offset(text_of_nested, "nested p", "v") == offsetof(nested, v));
    CHECK(offset(text_of_nested, "nested p", "big") == offsetof(nested, big));
    CHECK(size_of_first(text_of_nested, "nested p") == sizeof(nested));
    CHECK(size_of_first(text_of_aligned, "aligned p") == sizeof(aligned));
}

TEST_CASE("all the ways to declare one") {
    std::string const expected = "n@0:int32 a@4:float32";
    for (char const* text : {"typedef struct { int n; float a; } params;\n",
                             "typedef struct tag { int n; float a; } params;\n",
                             "typedef struct params { int n; float a; } params;\n",
                             "struct params { int n; float a; }; typedef struct params params;\n",
                             "struct other { int n; float a; }; using params = other;\n",
                             "struct other { int n; float a; }; typedef other params;\n",
                             "struct __align__(8) params { int n; float a; };\n",
                             "struct alignas(8) params final { int n; float a; };\n",
                             "class params { public: int n; float a; };\n",
                             "#define REAL float\nstruct params { int n; REAL a; };\n",
                             "namespace x { struct params { int n; float a; }; }\n"
                             "using namespace x;\n",
                             "typedef float real; struct params { int n; real a; };\n"}) {
        CAPTURE(text);
        CHECK(shown(text, "params p") == expected);
        CHECK(shown(text, "const params p") == expected);
    }
    CHECK(shown("struct params { int n; float a; };\n", "struct params p") == expected);
    CHECK(shown("struct params { int n; float a; };\n", "params") == expected);
}

TEST_CASE("lengths that the text fixes") {
    for (char const* before : {"#define N 3\n",
                               "#define A 1\n#define N (A + 2)\n",
                               "constexpr int N = 3;\n",
                               "static const unsigned N = 1 + 2;\n",
                               "constexpr int A = 1 << 1, N = A + 1;\n",
                               "enum { M = 4, N = 3 };\n",
                               "enum sizes : int { N = 3 };\n",
                               "#ifndef N\n#define N 3\n#endif\n"}) {
        CAPTURE(before);
        CHECK(shown(std::string(before) + "struct p { int w[N]; };\n", "p q") ==
              "w[0]@0:int32 w[1]@4:int32 w[2]@8:int32");
    }
    CHECK(says(against("int w[N];"), "has the array `w`, whose length the text does not fix"));
    CHECK(says(against("int w[N];", "int N = 3;\n"), "does not fix"));
    CHECK(says(against("int w[0];"), "does not fix"));
    CHECK(says(against("int w[];"), "does not fix"));
    CHECK(says(against("int w[65];"), "has more than 64 values"));
    CHECK(says(against("int w[100000000][100000000];"), "has more than 64 values"));
    CHECK(against("int w[64];") == "nothing");
}

TEST_CASE("names that two have are paths") {
    std::string const text = "struct p { int n; float a; };\n";
    CHECK(shown(text, "p one, p two") ==
          "one.n@0:int32 one.a@4:float32 two.n@0:int32 two.a@4:float32");
    CHECK(shown(text, "p one, int n") == "one.n@0:int32 a@4:float32 n:int32");
    CHECK(shown(text, "int n, p one") == "n:int32 one.n@0:int32 a@4:float32");
}

TEST_CASE("a signature prints the parameter once") {
    auto const s = read("struct p { int n; float a; };\n", "float* x, p const one, p two").value();
    CHECK(to_string(s) == "void k(float* x, p const one, p two)");
}

TEST_CASE("what lies elsewhere is another signature") {
    auto const s = [](std::string const& text, std::string const& parameters) {
        return read(text, parameters).value();
    };
    std::string const text = "struct p { int n; float a; };\n";
    auto const original = s(text, "p q");
    CHECK_FALSE(compare_signatures(original, original));
    CHECK_FALSE(compare_signatures(original, s("struct other { int m; float b; };\n", "other z")));
    CHECK_FALSE(
        compare_signatures(s(text, "p a, p b"), s("struct o { int m; float b; };\n", "o x, o y")));
    for (auto const& other : {s(text, "int n, float a"),
                              s("struct p { int n; alignas(8) float a; };\n", "p q"),
                              s("struct alignas(16) p { int n; float a; };\n", "p q"),
                              s("struct p { int n; float a; int more; };\n", "p q"),
                              s("struct p { float a; int n; };\n", "p q"),
                              s("struct a { int n; }; struct b { float f; };\n", "a x, b y")}) {
        auto const wrong = compare_signatures(original, other);
        REQUIRE(wrong.has_value());
        CHECK(wrong->expected == "void k(p q)");
    }
    // One struct of four values is not two of two.
    CHECK(compare_signatures(s("struct p { int n[2]; };\n", "p a, p b"),
                             s("struct p { int n[2]; }; struct o { int n[2]; };\n", "p a, int b"))
              .has_value());
}

TEST_CASE("structs that lkt does not pass are refused, with the reason") {
    CHECK(against("float* x;") == "test.cu:2: parameter 2 of kernel `k`, `p q`: the struct `p` has "
                                  "the member `x`, which is a pointer");
    CHECK(says(against("int n; float a, *x;"), "`x`, which is a pointer"));
    CHECK(says(against("int n; p() : n(0) {}"), "has functions"));
    CHECK(says(against("int n; __device__ int twice() const { return 2 * n; }"), "has functions"));
    CHECK(says(against("int n; static int f(int);"), "has functions"));
    CHECK(says(against("int n : 3;"), "has a bit-field"));
    CHECK(says(against("int n : 3, m : 4;"), "has a bit-field"));
    CHECK(says(against("int n; int : 4;"), "has"));
    CHECK(says(against("int n; private: int m;"), "not public"));
    CHECK(says(against(""), "has no members"));
    CHECK(says(against("dim4 n;"), "`n`, which is `dim4`: that is not a type that lkt knows"));
    CHECK(says(against("b n;", "union b { int i; float f; };\n"), "is a union"));
    CHECK(says(against("b n;", "enum b { one, two };\n"), "is an enumeration"));
    CHECK(says(against("union { int i; float f; } n;"), "is a union"));
    CHECK(says(against("struct { int i; };"), "has a member without a name"));
    CHECK(says(against("int& n;"), "`n`, which is"));
    CHECK(says(against("void (*f)(int);"), "has functions"));
    CHECK(says(against("volatile int n;"), "is volatile"));
    CHECK(says(against("\n#if X\nint n;\n#else\nlong n;\n#endif\n"), "depends on an #if"));
    CHECK(says(against("int n;", "#pragma pack(push, 1)\n"), "packed by a pragma"));
    CHECK(says(against("alignas(A) int n;"), "alignment that lkt cannot determine"));
    CHECK(says(against("p* next;"), "`next`, which is"));
    auto const refused = [](std::string const& text) {
        auto const s = read(text, "p q");
        return s ? "nothing" : s.error().message;
    };
    CHECK(says(refused("struct b { int m; }; struct p : b { int n; };\n"), "has a base class"));
    CHECK(says(refused("template <class T> struct p { T n; };\n"), "is a class template"));
    CHECK(says(refused("union p { int n; };\n"), "is a union"));
    CHECK(says(refused("enum p { n };\n"), "is an enumeration"));
    CHECK(says(refused("enum class p { n };\n"), "is an enumeration"));
    CHECK(says(refused("struct __attribute__((packed)) p { char c; int n; };\n"),
               "has an attribute"));
    CHECK(says(refused("struct p { char c; int n; } __attribute__((packed));\n"),
               "has an attribute"));
    CHECK(says(refused("struct p { int n; };\nnamespace x { struct p { float n; }; }\n"),
               "is defined twice"));
    CHECK(says(refused("struct p;\n"), "is not a type that lkt knows"));
    CHECK(says(refused("#include \"params.h\"\n"), "is not a type that lkt knows"));
}
