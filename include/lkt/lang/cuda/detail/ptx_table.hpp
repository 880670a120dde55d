// SPDX-License-Identifier: BSL-1.0
// The instructions that inline PTX may contain.
#pragma once

#include <lkt/lang/cuda/inline_ptx.hpp>

#include <array>
#include <string_view>

namespace lkt::detail {

/// `modifiers`: each of them may occur, `@x` stands for a class of them; whether they fit together
/// is the assembler's affair. `operands`: the forms there are, separated by blanks, a letter for
/// each operand; `-` is none.
///   d  a register that is written, or `_`    D  the same, or a vector of them
///   p  d or a pair of them                   r  a register, number or special register
///   v  r, or a vector of them                i  a number known to the compiler
///   m  memory in the state space of the modifiers; s  in shared memory; g  in global memory
///   L  a label                               *  any more of v
///   t  a tile of a tensor map                T  a tensor map
struct ptx_row {
    std::string_view name;
    ptx_policy from;
    int architecture; ///< 90: `sm_90`; 901: `sm_90a`
    std::string_view modifiers, operands;
};

inline constexpr auto ptx_classes = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"@i", "s16 u16 s32 u32 s64 u64"},
    {"@f", "f16 f16x2 bf16 bf16x2 f32 f32x2 f64"},
    {"@b", "b8 b16 b32 b64 b128 u8 s8 pred"},
    {"@round", "rn rz rm rp rna rni rzi rmi rpi ftz sat"},
    {"@compare", "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan"},
    {"@cache",
     "ca cg cs lu cv wb wt weak L1::evict_normal L1::evict_unchanged L1::evict_first "
     "L1::evict_last L1::no_allocate L2::evict_normal L2::evict_first L2::evict_last "
     "L2::64B L2::128B L2::256B L2::cache_hint"},
    {"@order", "volatile relaxed acquire release acq_rel cta gpu sys cluster"},
    {"@here", "shared shared::cta"},
    {"@tensor", "f16 bf16 tf32 f32 f64 s32 s8 u8 s4 u4 e4m3 e5m2"},
});

namespace ptx {
inline constexpr auto some = ptx_policy::compute, more = ptx_policy::listed;
}

inline constexpr auto ptx_rows = std::to_array<ptx_row>({
    // Arithmetic on registers.
    {"abs", ptx::some, 0, "@i @f ftz", "dr"},
    {"add", ptx::some, 0, "@i @f @round cc s16x2 u16x2", "drr"},
    {"addc", ptx::some, 0, "cc @i", "drr"},
    {"sub", ptx::some, 0, "@i @f @round cc s16x2 u16x2", "drr"},
    {"subc", ptx::some, 0, "cc @i", "drr"},
    {"mul", ptx::some, 0, "lo hi wide @i @f @round", "drr"},
    {"mul24", ptx::some, 0, "lo hi @i", "drr"},
    {"mad", ptx::some, 0, "lo hi wide cc @i @f @round", "drrr"},
    {"mad24", ptx::some, 0, "lo hi sat @i", "drrr"},
    {"madc", ptx::some, 0, "lo hi cc @i", "drrr"},
    {"fma", ptx::some, 0, "@f @round relu", "drrr"},
    {"div", ptx::some, 0, "full approx @i @f @round", "drr"},
    {"rem", ptx::some, 0, "@i", "drr"},
    {"neg", ptx::some, 0, "@i @f ftz", "dr"},
    {"min", ptx::some, 0, "@i @f ftz NaN xorsign abs relu s16x2 u16x2", "drr drrr"},
    {"max", ptx::some, 0, "@i @f ftz NaN xorsign abs relu s16x2 u16x2", "drr drrr"},
    {"sad", ptx::some, 0, "@i", "drrr"},
    {"dp2a", ptx::some, 0, "lo hi s32 u32", "drrr"},
    {"dp4a", ptx::some, 0, "s32 u32", "drrr"},
    {"and", ptx::some, 0, "@b", "drr"},
    {"or", ptx::some, 0, "@b", "drr"},
    {"xor", ptx::some, 0, "@b", "drr"},
    {"not", ptx::some, 0, "@b", "dr"},
    {"cnot", ptx::some, 0, "@b", "dr"},
    {"shl", ptx::some, 0, "@b", "drr"},
    {"shr", ptx::some, 0, "@b @i", "drr"},
    {"shf", ptx::some, 0, "l r clamp wrap b32", "drrr"},
    {"lop3", ptx::some, 0, "b32", "drrri"},
    {"prmt", ptx::some, 0, "b32 f4e b4e rc8 ecl ecr rc16", "drrr"},
    {"bfe", ptx::some, 0, "@i", "drrr"},
    {"bfi", ptx::some, 0, "b32 b64", "drrrr"},
    {"bfind", ptx::some, 0, "shiftamt @i", "dr"},
    {"bmsk", ptx::some, 0, "clamp wrap b32", "drr"},
    {"brev", ptx::some, 0, "b32 b64", "dr"},
    {"clz", ptx::some, 0, "b32 b64", "dr"},
    {"popc", ptx::some, 0, "b32 b64", "dr"},
    {"fns", ptx::some, 0, "b32", "drrr"},
    {"szext", ptx::some, 0, "clamp wrap s32 u32", "drr"},
    {"setp", ptx::some, 0, "@compare and or xor ftz @i @f @b", "prr prrr"},
    {"set", ptx::some, 0, "@compare and or xor ftz @i @f @b", "drr drrr"},
    {"selp", ptx::some, 0, "@i @f @b", "drrr"},
    {"slct", ptx::some, 0, "ftz @i @f @b", "drrr"},
    {"testp", ptx::some, 0, "finite infinite number notanumber normal subnormal f32 f64", "dr"},
    {"copysign", ptx::some, 0, "f32 f64", "drr"},
    {"mov", ptx::some, 0, "@i @f @b", "Dv"},
    {"cvt",
     ptx::some,
     0,
     "@round satfinite relu @i @f @b tf32 f16x2 bf16x2 e4m3x2 e5m2x2 e2m1x2",
     "dr drr"},
    {"cvta", ptx::some, 0, "to shared shared::cta global u32 u64", "dr"},
    {"ex2", ptx::some, 0, "approx ftz @f", "dr"},
    {"lg2", ptx::some, 0, "approx ftz f32", "dr"},
    {"rcp", ptx::some, 0, "approx @round f32 f64", "dr"},
    {"rsqrt", ptx::some, 0, "approx ftz f32 f64", "dr"},
    {"sqrt", ptx::some, 0, "approx @round f32 f64", "dr"},
    {"sin", ptx::some, 0, "approx ftz f32", "dr"},
    {"cos", ptx::some, 0, "approx ftz f32", "dr"},
    {"tanh", ptx::some, 75, "approx @f", "dr"},
    // What a warp does together.
    {"mma.sync",
     ptx::some,
     70,
     "aligned row col satfinite m8n8k4 m8n8k16 m8n8k32 m16n8k4 m16n8k8 m16n8k16 m16n8k32 m16n8k64 "
     "@tensor",
     "Dvvv"},
    {"ldmatrix.sync", ptx::some, 75, "aligned m8n8 x1 x2 x4 trans b16 @here", "Ds"},
    {"stmatrix.sync", ptx::some, 90, "aligned m8n8 x1 x2 x4 trans b16 @here", "sv"},
    {"movmatrix.sync", ptx::some, 75, "aligned m8n8 trans b16", "dr"},
    {"redux.sync", ptx::some, 80, "add min max and or xor s32 u32 b32", "drr"},
    {"elect.sync", ptx::some, 90, "", "pr"},
    {"shfl.sync", ptx::some, 0, "up down bfly idx b32", "prrrr"},
    {"vote.sync", ptx::some, 0, "all any uni ballot pred b32", "drr"},
    {"match.any.sync", ptx::some, 70, "b32 b64", "drr"},
    {"match.all.sync", ptx::some, 70, "b32 b64", "prr"},
    {"activemask", ptx::some, 0, "b32", "d"},
    {"bar.sync", ptx::some, 0, "", "r rr"},
    {"bar.arrive", ptx::some, 0, "", "rr"},
    {"bar.warp.sync", ptx::some, 0, "", "r"},
    {"barrier.sync", ptx::some, 0, "aligned", "r rr"},
    {"barrier.arrive", ptx::some, 0, "aligned", "rr"},
    {"barrier.cta.sync", ptx::some, 0, "aligned", "r rr"},
    {"fence", ptx::some, 70, "acq_rel sc cta gpu sys", "-"},
    {"membar", ptx::some, 0, "cta gl sys", "-"},
    // Memory.
    {"ld", ptx::some, 0, "global nc v2 v4 @here @cache @i @f @b", "Dm Dmr"},
    {"st", ptx::some, 0, "global v2 v4 @here @cache @i @f @b", "mv mvr"},
    {"ld", ptx::more, 0, "global v2 v4 @here @order @cache @i @f @b", "Dm Dmr"},
    {"st", ptx::more, 0, "global v2 v4 @here @order @cache @i @f @b", "mv mvr"},
    {"atom",
     ptx::some,
     0,
     "global add min max inc dec and or xor exch cas noftz @here @order @i @f @b",
     "dmr dmrr"},
    {"red",
     ptx::some,
     0,
     "global add min max inc dec and or xor noftz @here @order @i @f @b",
     "mr"},
    {"prefetch", ptx::some, 0, "global L1 L2 L2::evict_normal L2::evict_last", "m"},
    {"createpolicy.fractional",
     ptx::some,
     80,
     "L2::evict_first L2::evict_normal L2::evict_unchanged L2::evict_last b64",
     "d dr"},
    {"cp.async",
     ptx::some,
     80,
     "ca cg global L2::64B L2::128B L2::256B L2::cache_hint @here",
     "sgi sgir sgirr"},
    {"cp.async.commit_group", ptx::some, 80, "", "-"},
    {"cp.async.wait_group", ptx::some, 80, "", "i"},
    {"cp.async.wait_all", ptx::some, 80, "", "-"},
    // What runs beside the threads.
    {"cp.async.mbarrier.arrive", ptx::more, 80, "noinc b64 @here", "s"},
    {"mbarrier.init", ptx::more, 80, "b64 @here", "sr"},
    {"mbarrier.inval", ptx::more, 80, "b64 @here", "s"},
    {"mbarrier.arrive",
     ptx::more,
     80,
     "noComplete release relaxed cta cluster b64 @here shared::cluster",
     "ds dsr"},
    {"mbarrier.arrive.expect_tx",
     ptx::more,
     90,
     "release relaxed cta cluster b64 @here shared::cluster",
     "dsr"},
    {"mbarrier.arrive_drop", ptx::more, 80, "noComplete release cta b64 @here", "ds dsr"},
    {"mbarrier.expect_tx", ptx::more, 90, "relaxed cta cluster b64 @here", "sr"},
    {"mbarrier.complete_tx", ptx::more, 90, "relaxed cta cluster b64 @here", "sr"},
    {"mbarrier.test_wait", ptx::more, 80, "parity acquire cta cluster b64 @here", "dsr"},
    {"mbarrier.try_wait", ptx::more, 90, "parity acquire cta cluster b64 @here", "dsr dsrr"},
    {"cp.async.bulk",
     ptx::more,
     90,
     "shared::cta shared::cluster global mbarrier::complete_tx::bytes bulk_group L2::cache_hint "
     "multicast::cluster",
     "sgrs sgrsr sgrsrr gsr gsrr"},
    {"cp.async.bulk.prefetch", ptx::more, 90, "L2 global", "gr"},
    {"cp.async.bulk.tensor",
     ptx::more,
     90,
     "1d 2d 3d 4d 5d shared::cta shared::cluster global tile mbarrier::complete_tx::bytes "
     "L2::cache_hint multicast::cluster",
     "sts stsr stsrr"},
    {"cp.async.bulk.prefetch.tensor", ptx::more, 90, "1d 2d 3d 4d 5d L2 global tile", "t"},
    {"prefetch.tensormap", ptx::more, 90, "", "T"},
    {"cp.async.bulk.commit_group", ptx::more, 90, "", "-"},
    {"cp.async.bulk.wait_group", ptx::more, 90, "read", "i"},
    {"fence.proxy", ptx::more, 80, "async alias async.shared::cta global @here", "-"},
    {"fence.mbarrier_init", ptx::more, 90, "release cluster", "-"},
    {"mapa", ptx::more, 90, "shared::cluster u32", "drr"},
    {"barrier.cluster", ptx::more, 90, "arrive wait release acquire relaxed aligned", "-"},
    {"wgmma.fence", ptx::more, 901, "sync aligned", "-"},
    {"wgmma.commit_group", ptx::more, 901, "sync aligned", "-"},
    {"wgmma.wait_group", ptx::more, 901, "sync aligned", "i"},
    {"wgmma.mma_async", ptx::more, 901, "sync aligned satfinite @shape @tensor", "Dvrr*"},
    {"setmaxnreg", ptx::more, 901, "inc dec sync aligned u32", "i"},
    {"griddepcontrol", ptx::more, 90, "wait launch_dependents", "-"},
    {"bra", ptx::more, 0, "uni", "L"},
});

/// Special registers that say where a thread is in its grid.
inline constexpr auto ptx_registers = std::to_array<std::string_view>({"%laneid",
                                                                       "%lanemask_eq",
                                                                       "%lanemask_le",
                                                                       "%lanemask_lt",
                                                                       "%lanemask_ge",
                                                                       "%lanemask_gt",
                                                                       "%tid.x",
                                                                       "%tid.y",
                                                                       "%tid.z",
                                                                       "%ntid.x",
                                                                       "%ntid.y",
                                                                       "%ntid.z",
                                                                       "%ctaid.x",
                                                                       "%ctaid.y",
                                                                       "%ctaid.z",
                                                                       "%nctaid.x",
                                                                       "%nctaid.y",
                                                                       "%nctaid.z"});

} // namespace lkt::detail
