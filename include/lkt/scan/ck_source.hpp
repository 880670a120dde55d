// SPDX-License-Identifier: BSL-1.0
// The C++ text of an instance of Composable Kernel.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/scan/ck_instance.hpp>
#include <lkt/scan/gemm_spec.hpp>

#include <string>

namespace lkt {

/// What the name of an instance does not say.
struct ck_source_options {
    gemm_type type = gemm_type::f16;      ///< of A and B: f32, f16, bf16, fp8 or int8
    gemm_type output = gemm_type::f16;    ///< of C: one of these
    matrix_layout a = matrix_layout::row; ///< unless the name holds layouts
    matrix_layout b = matrix_layout::row; ///< likewise
    matrix_layout c = matrix_layout::row; ///< row-major in all kinds
};

/// A translation unit of HIP with the one device operation that the parameters stand for, and a
/// function `lkt_ck_instance` that makes it, as Composable Kernel's own lists of instances do. It
/// needs `ck/ck.hpp` (1.1 or newer) and says in a comment what was chosen.
///
/// The kinds DeviceGemmXdlUniversal (DeviceGemm_Xdl_CShuffleV3), DeviceGemm_Xdl_CShuffle,
/// DeviceGemmXdl, DeviceGemmWmma_CShuffle and DeviceGemm_Wmma_CShuffleV3. A name holds no clusters
/// of threads, and of some kinds no K1 and no vectors: these are chosen so that all threads of a
/// block load, with the widest vectors that divide the tile. The instance that the name was taken
/// from may have others. Whether Composable Kernel accepts the parameters, its compiler says.
///
/// Errors (rejected): `lkt.scan.ck-source`, with the parameter that no instance can have.
[[nodiscard]] result<std::string> ck_source(ck_instance const& instance,
                                            ck_source_options const& options = {});

} // namespace lkt
