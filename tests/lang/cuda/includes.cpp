// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/cuda/includes.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {
using headers = std::vector<std::string>;
}

TEST_CASE("includes: those outside of every condition, as spelt and once") {
    CHECK(lkt::includes_of("") == headers{});
    CHECK(lkt::includes_of("#include <cuda_fp16.h>\n  #  include \"tile.h\" // why\n"
                           "#include <cuda_fp16.h>\nint x;") ==
          headers{"<cuda_fp16.h>", "\"tile.h\""});
    CHECK(lkt::includes_of("#if A\n#ifdef B\n#include <a.h>\n#endif\n#include <b.h>\n#endif\n"
                           "#include <c.h>\n#endif\n#include <d.h>\n") ==
          headers{"<c.h>", "<d.h>"});
    CHECK(lkt::includes_of(
              "/* #include <a.h> */ // #include <b.h>\nauto s = R\"(\n#include <c.h>\n)\";"
              "\n#include\n#include NAME\n#define include <d.h>\n#include <>") == headers{});
    CHECK(lkt::includes_of("#include <a.h>\n/* never ends") == headers{});
}

TEST_CASE("includes: a text gets those of the original that it lacks") {
    std::string const original = "#include <cuda_fp16.h>\n#include <mma.h>\n__global__ void k();\n";
    std::string const bare = "__global__ void k() {}\n";
    CHECK(lkt::with_includes_of("", bare) == bare);
    CHECK(lkt::with_includes_of(original, bare) ==
          "#include <cuda_fp16.h>\n#include <mma.h>\n" + bare);
    CHECK(lkt::with_includes_of(original, "#include \"mma.h\"\n" + bare) ==
          "#include <cuda_fp16.h>\n#include \"mma.h\"\n" + bare);
    CHECK(lkt::with_includes_of(original, "#if X\n#include <mma.h>\n#endif\n" + bare) ==
          "#include <cuda_fp16.h>\n#include <mma.h>\n#if X\n#include <mma.h>\n#endif\n" + bare);
    std::string const all = lkt::with_includes_of(original, bare);
    CHECK(lkt::with_includes_of(original, all) == all);
}
