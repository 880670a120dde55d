// expect: \[lkt\.llm\.answer\] Enum has no enumerators that lkt can find
// offending: my_precision
// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/schema.hpp>

enum my_precision { half_precision = 16, single_precision = 32 };

#ifdef LKT_FIXED
template <>
inline constexpr auto lkt::enum_names<my_precision> =
    std::array{lkt::named{half_precision, "half"}, lkt::named{single_precision, "single"}};
#endif

struct my_answer {
    my_precision precision;
    using state_fields = lkt::fields<&my_answer::precision>;
};

std::string schema() { return lkt::schema_of<my_answer>(); }
