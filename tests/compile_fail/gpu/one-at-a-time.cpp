// expect: \[lkt\.gpu\.one-at-a-time\] one_at_a_time needs a gpu_backend
// offending: one_at_a_time<no_device>
// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/one_at_a_time.hpp>

struct no_device {
#ifdef LKT_FIXED
    lkt::result<lkt::device_description> device(lkt::call_context const&);
#endif
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const&,
                                              lkt::call_context const&);
    lkt::result<lkt::run_outcome>
    run(lkt::compiled_kernel const&, lkt::run_request const&, lkt::call_context const&);
};

int main() { [[maybe_unused]] lkt::one_at_a_time const gpu{no_device{}}; }
