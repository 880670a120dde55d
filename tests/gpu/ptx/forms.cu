// SPDX-License-Identifier: BSL-1.0
// Each instruction that inline PTX may contain, in a form that is in use. It is compiled, never run.
#include <cuda_fp16.h>

__global__ void compute(float* out, float const* in, unsigned* words, unsigned a, unsigned b,
                        unsigned long long w, float f, double g, unsigned short h) {
    __shared__ __align__(128) unsigned char tile[4096];
    unsigned const s = static_cast<unsigned>(__cvta_generic_to_shared(tile));
    unsigned d = 0, e = 0, t = 0, u = 0;
    unsigned long long l = 0;
    float x = 0, y = 0, z = 0, v = 0;
    double q = 0;
    unsigned short k = 0;
    asm volatile("abs.s32 %0, %1;" : "=r"(d) : "r"(a));
    asm volatile("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %2, 0;" : "=r"(d), "=r"(e) : "r"(a), "r"(b));
    asm volatile("sub.cc.u32 %0, %2, %3;\n\tsubc.u32 %1, %2, 0;" : "=r"(d), "=r"(e) : "r"(a), "r"(b));
    asm volatile("mul.wide.u32 %0, %1, %2;" : "=l"(l) : "r"(a), "r"(b));
    asm volatile("mul24.lo.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
    asm volatile("mad.lo.cc.u32 %0, %2, %3, %2;\n\tmadc.hi.u32 %1, %2, %3, 0;" : "=r"(d), "=r"(e) : "r"(a), "r"(b));
    asm volatile("mad24.lo.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
    asm volatile("fma.rn.ftz.f32 %0, %1, %1, 0f3F800000;" : "=f"(x) : "f"(f));
    asm volatile("fma.rn.f16x2 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
    asm volatile("div.full.f32 %0, %1, 3.0;" : "=f"(x) : "f"(f));
    asm volatile("rem.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
    asm volatile("neg.f32 %0, %1;" : "=f"(x) : "f"(f));
    asm volatile("min.s32 %0, %1, -4;" : "=r"(d) : "r"(a));
    asm volatile("max.NaN.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
    asm volatile("sad.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
    asm volatile("dp2a.lo.u32.u32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
    asm volatile("dp4a.s32.s32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
    asm volatile("and.b32 %0, %1, %2;\n\tor.b32 %0, %0, %1;\n\txor.b32 %0, %0, %2;" : "=r"(d) : "r"(a), "r"(b));
    asm volatile("not.b32 %0, %1;\n\tcnot.b32 %0, %0;" : "=r"(d) : "r"(a));
    asm volatile("shl.b32 %0, %1, 3;\n\tshr.u32 %0, %0, %2;" : "=r"(d) : "r"(a), "r"(b));
    asm volatile("shf.l.wrap.b32 %0, %1, %2, 7;" : "=r"(d) : "r"(a), "r"(b));
    asm volatile("lop3.b32 %0, %1, %2, %1, 0x96;" : "=r"(d) : "r"(a), "r"(b));
    asm volatile("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(d) : "r"(a), "r"(b));
    asm volatile("bfe.u32 %0, %1, 4, 8;" : "=r"(d) : "r"(a));
    asm volatile("bfi.b32 %0, %1, %2, 4, 8;" : "=r"(d) : "r"(a), "r"(b));
    asm volatile("bfind.u32 %0, %1;" : "=r"(d) : "r"(a));
    asm volatile("bmsk.clamp.b32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
    asm volatile("brev.b32 %0, %1;\n\tclz.b32 %0, %0;\n\tpopc.b32 %0, %0;" : "=r"(d) : "r"(a));
    asm volatile("fns.b32 %0, %1, 0, %2;" : "=r"(d) : "r"(a), "r"(b));
    asm volatile("szext.clamp.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
    asm volatile("{\n\t.reg .pred p, n;\n\tsetp.lt.u32 p|n, %1, %2;\n\tselp.b32 %0, %1, %2, p;\n\t"
                 "@!p mov.b32 %0, 0;\n\t}" : "=r"(d) : "r"(a), "r"(b));
    asm volatile("set.gt.u32.f32 %0, %1, 0.0;" : "=r"(d) : "f"(f));
    asm volatile("slct.b32.s32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
    asm volatile("{ .reg .pred p; testp.finite.f32 p, %1; selp.b32 %0, 1, 0, p; }" : "=r"(d) : "f"(f));
    asm volatile("copysign.f32 %0, %1, %1;" : "=f"(x) : "f"(f));
    asm volatile("mov.b64 %0, {%1, %2};" : "=l"(l) : "r"(a), "r"(b));
    asm volatile("mov.b64 {%0, %1}, %2;" : "=r"(d), "=r"(e) : "l"(w));
    asm volatile("mov.u32 %0, %%laneid;\n\tadd.u32 %0, %0, %1;" : "=r"(d) : "n"(5));
    asm volatile("cvt.rn.f16x2.f32 %0, %1, %1;" : "=r"(d) : "f"(f));
    asm volatile("cvt.rn.bf16x2.f32 %0, %1, %1;" : "=r"(d) : "f"(f));
    asm volatile("cvt.rna.tf32.f32 %0, %1;" : "=r"(d) : "f"(f));
    asm volatile("cvt.rn.f64.u32 %0, %1;" : "=d"(q) : "r"(a));
    asm volatile("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
    asm volatile("cvta.to.global.u64 %0, %1;" : "=l"(l) : "l"(in));
    asm volatile("ex2.approx.ftz.f32 %0, %1;\n\tlg2.approx.f32 %0, %0;" : "=f"(x) : "f"(f));
    asm volatile("rcp.approx.ftz.f32 %0, %1;\n\trsqrt.approx.f32 %0, %0;\n\tsqrt.rn.f32 %0, %0;" : "=f"(x) : "f"(f));
    asm volatile("sin.approx.f32 %0, %1;\n\tcos.approx.f32 %0, %0;\n\ttanh.approx.f32 %0, %0;" : "=f"(x) : "f"(f));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %4, %5}, "
                 "{%4, %5}, {%0, %1, %2, %3};" : "+f"(x), "+f"(y), "+f"(z), "+f"(v) : "r"(a), "r"(b));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %4, %5}, "
                 "{%4, %5}, {%0, %1, %2, %3};" : "+f"(x), "+f"(y), "+f"(z), "+f"(v) : "r"(a), "r"(b));
    asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %4, %5}, "
                 "{%4, %5}, {%0, %1, %2, %3};" : "+r"(d), "+r"(e), "+r"(t), "+r"(u) : "r"(a), "r"(b));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%2}, {%0, %1};"
                 : "+r"(d), "+r"(e) : "r"(a), "r"(b));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 {%0, %1, %2, %3}, [%4+16];"
                 : "=r"(d), "=r"(e), "=r"(t), "=r"(u) : "r"(s));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(a));
    asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(d) : "r"(a));
    asm volatile("{ .reg .pred p; shfl.sync.bfly.b32 %0|p, %1, 16, 31, 0xffffffff; }" : "=r"(d) : "r"(a));
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(d) : "r"(a));
    asm volatile("{ .reg .pred p; match.any.sync.b32 %0, %1, 0xffffffff;\n\tmatch.all.sync.b32 %0|p, %1, 0xffffffff; }"
                 : "=r"(d) : "r"(a));
    asm volatile("activemask.b32 %0;" : "=r"(d));
    asm volatile("bar.sync 0;\n\tbar.warp.sync 0xffffffff;\n\tbarrier.sync.aligned 1, 128;\n\t"
                 "bar.arrive 2, 128;\n\tbarrier.arrive 3, 128;\n\tbarrier.cta.sync.aligned 0;" ::: "memory");
    asm volatile("fence.acq_rel.cta;\n\tmembar.gl;" ::: "memory");
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x), "=f"(y), "=f"(z), "=f"(v) : "l"(in));
    asm volatile("st.global.cs.v2.f32 [%0+8], {%1, %2};" :: "l"(out), "f"(x), "f"(y) : "memory");
    asm volatile("{ .reg .b64 policy;\n\tcreatepolicy.fractional.L2::evict_first.b64 policy, 0f3F800000;\n\t"
                 "ld.global.L2::cache_hint.f32 %0, [%1], policy;\n\t}" : "=f"(x) : "l"(in));
    asm volatile("atom.global.add.u32 %0, [%1], %2;\n\tred.shared.add.u32 [%3], %2;"
                 : "=r"(d) : "l"(words), "r"(a), "r"(s) : "memory");
    asm volatile("prefetch.global.L2 [%0];" :: "l"(in));
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;\n\tcp.async.ca.shared.global [%0], [%1], 4;\n\t"
                 "cp.async.commit_group;\n\tcp.async.wait_group 1;\n\tcp.async.wait_all;"
                 :: "r"(s), "l"(in), "r"(a) : "memory");
#if __CUDA_ARCH__ >= 900
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" :: "r"(s), "r"(a), "r"(b) : "memory");
    asm volatile("{ .reg .pred p; elect.sync %0|p, 0xffffffff; }" : "=r"(d));
    asm volatile("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : "=h"(k) : "f"(f));
    asm volatile("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(d) : "h"(h));
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %4, %5}, "
                 "{%4, %5}, {%0, %1, %2, %3};" : "+f"(x), "+f"(y), "+f"(z), "+f"(v) : "r"(a), "r"(b));
#endif
    words[threadIdx.x] = d + e + t + u + (unsigned)l + k;
    out[threadIdx.x] = x + y + z + v + (float)(q + g);
}

__global__ void listed(float* out, float const* in, unsigned* words, unsigned a, unsigned long long desc,
                       const __grid_constant__ CUtensorMap map) {
    __shared__ __align__(128) unsigned char tile[4096];
    __shared__ __align__(8) unsigned long long arrived;
    unsigned short const both = 3;
    unsigned const s = static_cast<unsigned>(__cvta_generic_to_shared(tile));
    unsigned const bar = static_cast<unsigned>(__cvta_generic_to_shared(&arrived));
    unsigned d = 0;
    unsigned long long l = 0;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];\n\tst.release.gpu.global.u32 [%1], %0;" : "=r"(d) : "l"(words) : "memory");
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" :: "r"(bar) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(bar) : "memory");
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];\n\tmbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(l) : "r"(bar) : "memory");
    asm volatile("{\n\t.reg .pred p;\n\tAGAIN:\n\tmbarrier.test_wait.parity.shared.b64 p, [%0], %1;\n\t@p bra.uni DONE;\n\t"
                 "bra.uni AGAIN;\n\tDONE:\n\t}" :: "r"(bar), "r"(a) : "memory");
    asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(bar) : "memory");
#if __CUDA_ARCH__ >= 900
    asm volatile("{\n\t.reg .pred p;\n\tmbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 64;\n\t"
                 "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 0;\n\t"
                 "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 0;\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n\t}" :: "r"(bar), "r"(a) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 64, [%2];"
                 :: "r"(s), "l"(in), "r"(bar) : "memory");
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 64;\n\tcp.async.bulk.commit_group;\n\t"
                 "cp.async.bulk.wait_group.read 0;" :: "l"(out), "r"(s) : "memory");
    asm volatile("prefetch.tensormap [%0];\n\tcp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %1}];" :: "l"(&map), "r"(a));
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];\n\t"
                 "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
                 "[%0], [%1, {%2, %2, 0, 0, 0}], [%3], %4;"
                 :: "r"(s), "l"(&map), "r"(a), "r"(bar), "l"(desc) : "memory");
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], 64;" :: "l"(in));
    asm volatile("fence.proxy.async.shared::cta;\n\tfence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("{\n\t.reg .b32 there;\n\tmapa.shared::cluster.u32 there, %0, 0;\n\t"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n\t"
                 "mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [there], 64;\n\t}" :: "r"(bar) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 64, [%2], %3;\n\t"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint "
                 "[%0], [%1], 64, [%2], %3, %4;" :: "r"(s), "l"(in), "r"(bar), "h"(both), "l"(l) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %2}], [%3], %4;" :: "r"(s), "l"(&map), "r"(a), "r"(bar), "h"(both) : "memory");
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    float c[4] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %6, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0;\n\t}"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "l"(desc), "l"(desc), "r"(a));
    asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::: "memory");
    asm volatile("setmaxnreg.inc.sync.aligned.u32 40;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
    out[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
#endif
    words[threadIdx.x] = d + (unsigned)l;
}
