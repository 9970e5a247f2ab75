" Syntax of gpx experiments. Made from the vocabulary of gpx (tests/lsp/editors_test.cpp).
if exists("b:current_syntax")
  finish
endif
syntax case match
syntax sync fromstart
" add.u32 is one word.
syntax iskeyword @,48-57,_,.

syntax keyword gpxClause analyze array bank_width beside blocks carveout cite claim cluster derive
  \ device expect experiment flush kernel l1_cache measure observe offset paper param place plot
  \ registers rehearse repeat shared shared_bytes sweep threads warmup watchdog
syntax keyword gpxTimed async code copy diverge keep load ptx run stamp store sync wait when while
syntax keyword gpxConnective and by else false if in is logx logy not or over reduce step true until
  \ within zip
syntax keyword gpxPattern abs broadcast bulk ceil floor log2 max mean median merge min permute
  \ random same stride tensor unique
syntax keyword gpxOption at buffer ca cache cg chain chase constant cs cv data define each entry
  \ from global list local lu most nc on peer steps streams struct texture width x
syntax keyword gpxValue average energy harmonic_mean hash inconclusive index issue latency measured
  \ neighbour_variance not_observed permutation time timeline uniform zero
syntax keyword gpxName access active_blocks_per_sm active_sms block blocks_counted bytes clock
  \ clocks coal_mem_insts coal_per_mw comp_insts count_error folded_insts idle_power lane limiter
  \ load_bytes_per_warp loop_coal_mem_insts loop_comp_insts loop_sync_insts loop_trips
  \ loop_uncoal_mem_insts occupancy outcome rank repetition resident_blocks sm sm_clock statement
  \ static_coal_mem_insts static_comp_insts static_sync_insts static_uncoal_mem_insts sync_insts
  \ thread uncoal_mem_insts uncoal_per_mw warp warps_per_block
syntax keyword gpxOperation abs.f32 abs.f64 abs.s32 activemask.b32 add.bf16 add.bf16x2 add.f16
  \ add.f16x2 add.f32 add.f64 add.ftz.f16x2 add.ftz.f32 add.rm.f32 add.rm.f64 add.rn.f32 add.rp.f32
  \ add.rp.f64 add.rz.f32 add.rz.f64 add.s32 add.sat.f16x2 add.sat.f32 add.sat.s32 add.u16 add.u32
  \ add.u64 addc.u32 and.b32 and.b64 atom.add.f16x2 atom.add.f32 atom.add.f64 atom.add.s32
  \ atom.add.u32 atom.add.u64 atom.and.b32 atom.and.b64 atom.cas.b32 atom.cas.b64 atom.dec.u32
  \ atom.exch.b32 atom.exch.b64 atom.global.add.u32 atom.global.cas.b32 atom.global.exch.b32
  \ atom.inc.u32 atom.max.s32 atom.max.s64 atom.max.u32 atom.max.u64 atom.min.s32 atom.min.s64
  \ atom.min.u32 atom.min.u64 atom.or.b32 atom.or.b64 atom.shared.add.u32 atom.shared.cas.b32
  \ atom.shared.exch.b32 atom.xor.b32 atom.xor.b64 bar.sync barrier.cluster barrier.cluster.relaxed
  \ bfe.s32 bfe.u32 bfe.u64 bfi.b32 bfind.s32 bfind.u32 bmsk.wrap.b32 brev.b32 clock clz.b32
  \ copysign.f32 cos.approx.f32 cvt.bf16x2.f32 cvt.e4m3x2.f32 cvt.e5m2x2.f32 cvt.f16x2.e4m3x2.f16x2
  \ cvt.f16x2.e5m2x2.f16x2 cvt.f16x2.f32 cvt.f32.bf16.f32 cvt.f32.f16.f32 cvt.f32.f64.f32
  \ cvt.f32.s64.f32 cvt.f32.u32.f32 cvt.f64.s32.f64 cvt.rmi.f32 cvt.rni.f32 cvt.rni.f64 cvt.rpi.f32
  \ cvt.rzi.f32 cvt.s32.f32.s32 div.approx.f32 div.full.f32 div.rm.f32 div.rn.f32 div.rn.f64
  \ div.rp.f32 div.rz.f32 div.s32 div.u32 div.u64 dp2a.hi.u32 dp2a.lo.u32 dp4a.s32 dp4a.u32
  \ dp4a.u32.s32 elect.sync ex2.approx.f16x2 ex2.approx.f32 exp.approx.f32 exp10.approx.f32 fma.bf16
  \ fma.bf16x2 fma.f16 fma.f16x2 fma.ftz.f32 fma.relu.bf16x2 fma.relu.f16x2 fma.rm.f32 fma.rm.f64
  \ fma.rn.f32 fma.rn.f64 fma.rp.f32 fma.rp.f64 fma.rz.f32 fma.rz.f64 fma.sat.f32 fns.b32
  \ griddepcontrol.launch_dependents griddepcontrol.wait ldmatrix.x1 ldmatrix.x1.trans ldmatrix.x2
  \ ldmatrix.x2.trans ldmatrix.x4 ldmatrix.x4.trans lg2.approx.f32 log.approx.f32 log10.approx.f32
  \ lop3.b32 lop3.majority.b32 mad.f32 mad.f64 mad.hi.u32 mad.lo.s32 mad.lo.u16 mad.lo.u32
  \ mad.lo.u64 mad.wide.s32 mad.wide.u32 madc.u32 match.all.b32 match.any.b32 match.any.b64 max.f32
  \ max.f64 max.s32 max.s64 max.u32 mbarrier.arrive.test_wait mbarrier.test_wait mbarrier.try_wait
  \ min.NaN.f32 min.bf16 min.bf16x2 min.f16 min.f16x2 min.f32 min.f64 min.ftz.f32 min.s32 min.u16
  \ min.u32 min.u64 mma.m16n8k128.s32.b1 mma.m16n8k16.f16 mma.m16n8k16.f32.bf16 mma.m16n8k16.f32.f16
  \ mma.m16n8k16.f64 mma.m16n8k16.s32.s8 mma.m16n8k256.s32.b1 mma.m16n8k32.f32.e4m3
  \ mma.m16n8k32.f32.e5m2 mma.m16n8k32.s32.s8 mma.m16n8k32.s32.u8 mma.m16n8k4.f32.tf32
  \ mma.m16n8k4.f64 mma.m16n8k8.f16 mma.m16n8k8.f32.bf16 mma.m16n8k8.f32.f16 mma.m16n8k8.f32.tf32
  \ mma.m16n8k8.f64 mma.m8n8k128.s32.b1 mma.m8n8k16.s32.s8 mma.m8n8k4.f64 mma.sp.m16n8k16.f16
  \ mma.sp.m16n8k16.f32.f16 mma.sp.m16n8k16.f32.tf32 mma.sp.m16n8k32.f16 mma.sp.m16n8k32.f32.bf16
  \ mma.sp.m16n8k32.f32.f16 mma.sp.m16n8k32.s32.s8 mma.sp.m16n8k64.s32.s8 mma.sp.m16n8k8.f32.tf32
  \ mul.bf16 mul.bf16x2 mul.f16 mul.f16x2 mul.f32 mul.f64 mul.ftz.f32 mul.hi.s32 mul.hi.u32
  \ mul.hi.u64 mul.lo.s32 mul.lo.u16 mul.lo.u32 mul.lo.u64 mul.rm.f32 mul.rm.f64 mul.rn.f32
  \ mul.rp.f32 mul.rp.f64 mul.rz.f32 mul.rz.f64 mul.sat.f32 mul.wide.u32 mul24.hi.u32 mul24.lo.s32
  \ mul24.lo.u32 neg.f16x2 neg.f32 neg.f64 neg.s32 not.b32 or.b32 popc.b32 popc.b64 pow.approx.f32
  \ prmt.b32 prmt.f4e.b32 prmt.rc8.b32 rcp.approx.f32 rcp.approx.f64 rcp.rm.f32 rcp.rn.f32
  \ rcp.rn.f64 rcp.rp.f32 rcp.rz.f32 red.add.f16x2 red.add.f32 red.add.f64 red.add.s32 red.add.u32
  \ red.add.u64 red.and.b32 red.and.b64 red.dec.u32 red.inc.u32 red.max.s32 red.max.s64 red.max.u32
  \ red.max.u64 red.min.s32 red.min.s64 red.min.u32 red.min.u64 red.or.b32 red.or.b64 red.xor.b32
  \ red.xor.b64 redux.add.s32 redux.add.u32 redux.and.b32 redux.max.u32 redux.min.s32 redux.min.u32
  \ rem.s32 rem.u32 rem.u64 rsqrt.approx.f32 rsqrt.approx.f64 sad.s32 sad.u32 sad.u64 selp.b32
  \ selp.b64 set.u32.f32 setp.f32 setp.f64 setp.u32 setp.u64 shf.l.b32 shf.l.clamp.b32 shf.r.b32
  \ shf.r.clamp.b32 shfl.bfly.b32 shfl.down.b32 shfl.idx.b32 shfl.up.b32 shl.b32 shl.b64 shl.one.b32
  \ shr.s32 shr.s64 shr.u32 shr.u64 sin.approx.f32 slct.f32.f32 slct.u32.s32 sqrt.approx.f32
  \ sqrt.rm.f32 sqrt.rn.f32 sqrt.rn.f64 sqrt.rp.f32 sqrt.rz.f32 stmatrix.x1 stmatrix.x1.trans
  \ stmatrix.x2 stmatrix.x2.trans stmatrix.x4 stmatrix.x4.trans sub.bf16 sub.bf16x2 sub.f16
  \ sub.f16x2 sub.f32 sub.f64 sub.ftz.f32 sub.rm.f32 sub.rp.f32 sub.rz.f32 sub.s32 sub.sat.f32
  \ sub.u32 sub.u64 szext.wrap.s32 tan.approx.f32 tanh.approx.f16 tanh.approx.f16x2 tanh.approx.f32
  \ vote.all.pred vote.ballot.b32 vote.uni.pred wgmma.m64n128k16.f16.f16.rs
  \ wgmma.m64n128k16.f16.f16.rs.wait wgmma.m64n128k16.f16.f16.ss wgmma.m64n128k16.f16.f16.ss.wait
  \ wgmma.m64n128k16.f32.bf16.rs wgmma.m64n128k16.f32.bf16.rs.wait wgmma.m64n128k16.f32.bf16.ss
  \ wgmma.m64n128k16.f32.bf16.ss.wait wgmma.m64n128k16.f32.f16.rs wgmma.m64n128k16.f32.f16.rs.wait
  \ wgmma.m64n128k16.f32.f16.ss wgmma.m64n128k16.f32.f16.ss.wait wgmma.m64n128k32.f32.e4m3.rs
  \ wgmma.m64n128k32.f32.e4m3.rs.wait wgmma.m64n128k32.f32.e4m3.ss wgmma.m64n128k32.f32.e4m3.ss.wait
  \ wgmma.m64n128k32.f32.e5m2.rs wgmma.m64n128k32.f32.e5m2.rs.wait wgmma.m64n128k32.f32.e5m2.ss
  \ wgmma.m64n128k32.f32.e5m2.ss.wait wgmma.m64n128k32.s32.s8.rs wgmma.m64n128k32.s32.s8.rs.wait
  \ wgmma.m64n128k32.s32.s8.ss wgmma.m64n128k32.s32.s8.ss.wait wgmma.m64n128k32.s32.u8.rs
  \ wgmma.m64n128k32.s32.u8.rs.wait wgmma.m64n128k32.s32.u8.ss wgmma.m64n128k32.s32.u8.ss.wait
  \ wgmma.m64n128k8.f32.tf32.rs wgmma.m64n128k8.f32.tf32.rs.wait wgmma.m64n128k8.f32.tf32.ss
  \ wgmma.m64n128k8.f32.tf32.ss.wait wgmma.m64n16k16.f16.f16.rs wgmma.m64n16k16.f16.f16.rs.wait
  \ wgmma.m64n16k16.f16.f16.ss wgmma.m64n16k16.f16.f16.ss.wait wgmma.m64n16k16.f32.bf16.rs
  \ wgmma.m64n16k16.f32.bf16.rs.wait wgmma.m64n16k16.f32.bf16.ss wgmma.m64n16k16.f32.bf16.ss.wait
  \ wgmma.m64n16k16.f32.f16.rs wgmma.m64n16k16.f32.f16.rs.wait wgmma.m64n16k16.f32.f16.ss
  \ wgmma.m64n16k16.f32.f16.ss.wait wgmma.m64n16k32.f32.e4m3.rs wgmma.m64n16k32.f32.e4m3.rs.wait
  \ wgmma.m64n16k32.f32.e4m3.ss wgmma.m64n16k32.f32.e4m3.ss.wait wgmma.m64n16k32.f32.e5m2.rs
  \ wgmma.m64n16k32.f32.e5m2.rs.wait wgmma.m64n16k32.f32.e5m2.ss wgmma.m64n16k32.f32.e5m2.ss.wait
  \ wgmma.m64n16k32.s32.s8.rs wgmma.m64n16k32.s32.s8.rs.wait wgmma.m64n16k32.s32.s8.ss
  \ wgmma.m64n16k32.s32.s8.ss.wait wgmma.m64n16k32.s32.u8.rs wgmma.m64n16k32.s32.u8.rs.wait
  \ wgmma.m64n16k32.s32.u8.ss wgmma.m64n16k32.s32.u8.ss.wait wgmma.m64n16k8.f32.tf32.rs
  \ wgmma.m64n16k8.f32.tf32.rs.wait wgmma.m64n16k8.f32.tf32.ss wgmma.m64n16k8.f32.tf32.ss.wait
  \ wgmma.m64n256k16.f16.f16.rs wgmma.m64n256k16.f16.f16.rs.wait wgmma.m64n256k16.f16.f16.ss
  \ wgmma.m64n256k16.f16.f16.ss.wait wgmma.m64n256k16.f32.bf16.rs wgmma.m64n256k16.f32.bf16.rs.wait
  \ wgmma.m64n256k16.f32.bf16.ss wgmma.m64n256k16.f32.bf16.ss.wait wgmma.m64n256k16.f32.f16.rs
  \ wgmma.m64n256k16.f32.f16.rs.wait wgmma.m64n256k16.f32.f16.ss wgmma.m64n256k16.f32.f16.ss.wait
  \ wgmma.m64n256k32.f32.e4m3.rs wgmma.m64n256k32.f32.e4m3.rs.wait wgmma.m64n256k32.f32.e4m3.ss
  \ wgmma.m64n256k32.f32.e4m3.ss.wait wgmma.m64n256k32.f32.e5m2.rs wgmma.m64n256k32.f32.e5m2.rs.wait
  \ wgmma.m64n256k32.f32.e5m2.ss wgmma.m64n256k32.f32.e5m2.ss.wait wgmma.m64n256k32.s32.s8.rs
  \ wgmma.m64n256k32.s32.s8.rs.wait wgmma.m64n256k32.s32.s8.ss wgmma.m64n256k32.s32.s8.ss.wait
  \ wgmma.m64n256k32.s32.u8.rs wgmma.m64n256k32.s32.u8.rs.wait wgmma.m64n256k32.s32.u8.ss
  \ wgmma.m64n256k32.s32.u8.ss.wait wgmma.m64n256k8.f32.tf32.rs wgmma.m64n256k8.f32.tf32.rs.wait
  \ wgmma.m64n256k8.f32.tf32.ss wgmma.m64n256k8.f32.tf32.ss.wait wgmma.m64n32k16.f16.f16.rs
  \ wgmma.m64n32k16.f16.f16.rs.wait wgmma.m64n32k16.f16.f16.ss wgmma.m64n32k16.f16.f16.ss.wait
  \ wgmma.m64n32k16.f32.bf16.rs wgmma.m64n32k16.f32.bf16.rs.wait wgmma.m64n32k16.f32.bf16.ss
  \ wgmma.m64n32k16.f32.bf16.ss.wait wgmma.m64n32k16.f32.f16.rs wgmma.m64n32k16.f32.f16.rs.wait
  \ wgmma.m64n32k16.f32.f16.ss wgmma.m64n32k16.f32.f16.ss.wait wgmma.m64n32k32.f32.e4m3.rs
  \ wgmma.m64n32k32.f32.e4m3.rs.wait wgmma.m64n32k32.f32.e4m3.ss wgmma.m64n32k32.f32.e4m3.ss.wait
  \ wgmma.m64n32k32.f32.e5m2.rs wgmma.m64n32k32.f32.e5m2.rs.wait wgmma.m64n32k32.f32.e5m2.ss
  \ wgmma.m64n32k32.f32.e5m2.ss.wait wgmma.m64n32k32.s32.s8.rs wgmma.m64n32k32.s32.s8.rs.wait
  \ wgmma.m64n32k32.s32.s8.ss wgmma.m64n32k32.s32.s8.ss.wait wgmma.m64n32k32.s32.u8.rs
  \ wgmma.m64n32k32.s32.u8.rs.wait wgmma.m64n32k32.s32.u8.ss wgmma.m64n32k32.s32.u8.ss.wait
  \ wgmma.m64n32k8.f32.tf32.rs wgmma.m64n32k8.f32.tf32.rs.wait wgmma.m64n32k8.f32.tf32.ss
  \ wgmma.m64n32k8.f32.tf32.ss.wait wgmma.m64n64k16.f16.f16.rs wgmma.m64n64k16.f16.f16.rs.wait
  \ wgmma.m64n64k16.f16.f16.ss wgmma.m64n64k16.f16.f16.ss.wait wgmma.m64n64k16.f32.bf16.rs
  \ wgmma.m64n64k16.f32.bf16.rs.wait wgmma.m64n64k16.f32.bf16.ss wgmma.m64n64k16.f32.bf16.ss.wait
  \ wgmma.m64n64k16.f32.f16.rs wgmma.m64n64k16.f32.f16.rs.wait wgmma.m64n64k16.f32.f16.ss
  \ wgmma.m64n64k16.f32.f16.ss.wait wgmma.m64n64k32.f32.e4m3.rs wgmma.m64n64k32.f32.e4m3.rs.wait
  \ wgmma.m64n64k32.f32.e4m3.ss wgmma.m64n64k32.f32.e4m3.ss.wait wgmma.m64n64k32.f32.e5m2.rs
  \ wgmma.m64n64k32.f32.e5m2.rs.wait wgmma.m64n64k32.f32.e5m2.ss wgmma.m64n64k32.f32.e5m2.ss.wait
  \ wgmma.m64n64k32.s32.s8.rs wgmma.m64n64k32.s32.s8.rs.wait wgmma.m64n64k32.s32.s8.ss
  \ wgmma.m64n64k32.s32.s8.ss.wait wgmma.m64n64k32.s32.u8.rs wgmma.m64n64k32.s32.u8.rs.wait
  \ wgmma.m64n64k32.s32.u8.ss wgmma.m64n64k32.s32.u8.ss.wait wgmma.m64n64k8.f32.tf32.rs
  \ wgmma.m64n64k8.f32.tf32.rs.wait wgmma.m64n64k8.f32.tf32.ss wgmma.m64n64k8.f32.tf32.ss.wait
  \ wgmma.m64n8k16.f16.f16.rs wgmma.m64n8k16.f16.f16.rs.wait wgmma.m64n8k16.f16.f16.ss
  \ wgmma.m64n8k16.f16.f16.ss.wait wgmma.m64n8k16.f32.bf16.rs wgmma.m64n8k16.f32.bf16.rs.wait
  \ wgmma.m64n8k16.f32.bf16.ss wgmma.m64n8k16.f32.bf16.ss.wait wgmma.m64n8k16.f32.f16.rs
  \ wgmma.m64n8k16.f32.f16.rs.wait wgmma.m64n8k16.f32.f16.ss wgmma.m64n8k16.f32.f16.ss.wait
  \ wgmma.m64n8k32.f32.e4m3.rs wgmma.m64n8k32.f32.e4m3.rs.wait wgmma.m64n8k32.f32.e4m3.ss
  \ wgmma.m64n8k32.f32.e4m3.ss.wait wgmma.m64n8k32.f32.e5m2.rs wgmma.m64n8k32.f32.e5m2.rs.wait
  \ wgmma.m64n8k32.f32.e5m2.ss wgmma.m64n8k32.f32.e5m2.ss.wait wgmma.m64n8k32.s32.s8.rs
  \ wgmma.m64n8k32.s32.s8.rs.wait wgmma.m64n8k32.s32.s8.ss wgmma.m64n8k32.s32.s8.ss.wait
  \ wgmma.m64n8k32.s32.u8.rs wgmma.m64n8k32.s32.u8.rs.wait wgmma.m64n8k32.s32.u8.ss
  \ wgmma.m64n8k32.s32.u8.ss.wait wgmma.m64n8k8.f32.tf32.rs wgmma.m64n8k8.f32.tf32.rs.wait
  \ wgmma.m64n8k8.f32.tf32.ss wgmma.m64n8k8.f32.tf32.ss.wait wgmma.sp.m64n128k16.f32.tf32.rs
  \ wgmma.sp.m64n128k16.f32.tf32.rs.wait wgmma.sp.m64n128k16.f32.tf32.ss
  \ wgmma.sp.m64n128k16.f32.tf32.ss.wait wgmma.sp.m64n128k32.f16.f16.rs
  \ wgmma.sp.m64n128k32.f16.f16.rs.wait wgmma.sp.m64n128k32.f16.f16.ss
  \ wgmma.sp.m64n128k32.f16.f16.ss.wait wgmma.sp.m64n128k32.f32.bf16.rs
  \ wgmma.sp.m64n128k32.f32.bf16.rs.wait wgmma.sp.m64n128k32.f32.bf16.ss
  \ wgmma.sp.m64n128k32.f32.bf16.ss.wait wgmma.sp.m64n128k32.f32.f16.rs
  \ wgmma.sp.m64n128k32.f32.f16.rs.wait wgmma.sp.m64n128k32.f32.f16.ss
  \ wgmma.sp.m64n128k32.f32.f16.ss.wait wgmma.sp.m64n128k64.f32.e4m3.rs
  \ wgmma.sp.m64n128k64.f32.e4m3.rs.wait wgmma.sp.m64n128k64.f32.e4m3.ss
  \ wgmma.sp.m64n128k64.f32.e4m3.ss.wait wgmma.sp.m64n128k64.f32.e5m2.rs
  \ wgmma.sp.m64n128k64.f32.e5m2.rs.wait wgmma.sp.m64n128k64.f32.e5m2.ss
  \ wgmma.sp.m64n128k64.f32.e5m2.ss.wait wgmma.sp.m64n128k64.s32.s8.rs
  \ wgmma.sp.m64n128k64.s32.s8.rs.wait wgmma.sp.m64n128k64.s32.s8.ss
  \ wgmma.sp.m64n128k64.s32.s8.ss.wait wgmma.sp.m64n128k64.s32.u8.rs
  \ wgmma.sp.m64n128k64.s32.u8.rs.wait wgmma.sp.m64n128k64.s32.u8.ss
  \ wgmma.sp.m64n128k64.s32.u8.ss.wait wgmma.sp.m64n16k16.f32.tf32.rs
  \ wgmma.sp.m64n16k16.f32.tf32.rs.wait wgmma.sp.m64n16k16.f32.tf32.ss
  \ wgmma.sp.m64n16k16.f32.tf32.ss.wait wgmma.sp.m64n16k32.f16.f16.rs
  \ wgmma.sp.m64n16k32.f16.f16.rs.wait wgmma.sp.m64n16k32.f16.f16.ss
  \ wgmma.sp.m64n16k32.f16.f16.ss.wait wgmma.sp.m64n16k32.f32.bf16.rs
  \ wgmma.sp.m64n16k32.f32.bf16.rs.wait wgmma.sp.m64n16k32.f32.bf16.ss
  \ wgmma.sp.m64n16k32.f32.bf16.ss.wait wgmma.sp.m64n16k32.f32.f16.rs
  \ wgmma.sp.m64n16k32.f32.f16.rs.wait wgmma.sp.m64n16k32.f32.f16.ss
  \ wgmma.sp.m64n16k32.f32.f16.ss.wait wgmma.sp.m64n16k64.f32.e4m3.rs
  \ wgmma.sp.m64n16k64.f32.e4m3.rs.wait wgmma.sp.m64n16k64.f32.e4m3.ss
  \ wgmma.sp.m64n16k64.f32.e4m3.ss.wait wgmma.sp.m64n16k64.f32.e5m2.rs
  \ wgmma.sp.m64n16k64.f32.e5m2.rs.wait wgmma.sp.m64n16k64.f32.e5m2.ss
  \ wgmma.sp.m64n16k64.f32.e5m2.ss.wait wgmma.sp.m64n16k64.s32.s8.rs
  \ wgmma.sp.m64n16k64.s32.s8.rs.wait wgmma.sp.m64n16k64.s32.s8.ss wgmma.sp.m64n16k64.s32.s8.ss.wait
  \ wgmma.sp.m64n16k64.s32.u8.rs wgmma.sp.m64n16k64.s32.u8.rs.wait wgmma.sp.m64n16k64.s32.u8.ss
  \ wgmma.sp.m64n16k64.s32.u8.ss.wait wgmma.sp.m64n256k16.f32.tf32.rs
  \ wgmma.sp.m64n256k16.f32.tf32.rs.wait wgmma.sp.m64n256k16.f32.tf32.ss
  \ wgmma.sp.m64n256k16.f32.tf32.ss.wait wgmma.sp.m64n256k32.f16.f16.rs
  \ wgmma.sp.m64n256k32.f16.f16.rs.wait wgmma.sp.m64n256k32.f16.f16.ss
  \ wgmma.sp.m64n256k32.f16.f16.ss.wait wgmma.sp.m64n256k32.f32.bf16.rs
  \ wgmma.sp.m64n256k32.f32.bf16.rs.wait wgmma.sp.m64n256k32.f32.bf16.ss
  \ wgmma.sp.m64n256k32.f32.bf16.ss.wait wgmma.sp.m64n256k32.f32.f16.rs
  \ wgmma.sp.m64n256k32.f32.f16.rs.wait wgmma.sp.m64n256k32.f32.f16.ss
  \ wgmma.sp.m64n256k32.f32.f16.ss.wait wgmma.sp.m64n256k64.f32.e4m3.rs
  \ wgmma.sp.m64n256k64.f32.e4m3.rs.wait wgmma.sp.m64n256k64.f32.e4m3.ss
  \ wgmma.sp.m64n256k64.f32.e4m3.ss.wait wgmma.sp.m64n256k64.f32.e5m2.rs
  \ wgmma.sp.m64n256k64.f32.e5m2.rs.wait wgmma.sp.m64n256k64.f32.e5m2.ss
  \ wgmma.sp.m64n256k64.f32.e5m2.ss.wait wgmma.sp.m64n256k64.s32.s8.rs
  \ wgmma.sp.m64n256k64.s32.s8.rs.wait wgmma.sp.m64n256k64.s32.s8.ss
  \ wgmma.sp.m64n256k64.s32.s8.ss.wait wgmma.sp.m64n256k64.s32.u8.rs
  \ wgmma.sp.m64n256k64.s32.u8.rs.wait wgmma.sp.m64n256k64.s32.u8.ss
  \ wgmma.sp.m64n256k64.s32.u8.ss.wait wgmma.sp.m64n32k16.f32.tf32.rs
  \ wgmma.sp.m64n32k16.f32.tf32.rs.wait wgmma.sp.m64n32k16.f32.tf32.ss
  \ wgmma.sp.m64n32k16.f32.tf32.ss.wait wgmma.sp.m64n32k32.f16.f16.rs
  \ wgmma.sp.m64n32k32.f16.f16.rs.wait wgmma.sp.m64n32k32.f16.f16.ss
  \ wgmma.sp.m64n32k32.f16.f16.ss.wait wgmma.sp.m64n32k32.f32.bf16.rs
  \ wgmma.sp.m64n32k32.f32.bf16.rs.wait wgmma.sp.m64n32k32.f32.bf16.ss
  \ wgmma.sp.m64n32k32.f32.bf16.ss.wait wgmma.sp.m64n32k32.f32.f16.rs
  \ wgmma.sp.m64n32k32.f32.f16.rs.wait wgmma.sp.m64n32k32.f32.f16.ss
  \ wgmma.sp.m64n32k32.f32.f16.ss.wait wgmma.sp.m64n32k64.f32.e4m3.rs
  \ wgmma.sp.m64n32k64.f32.e4m3.rs.wait wgmma.sp.m64n32k64.f32.e4m3.ss
  \ wgmma.sp.m64n32k64.f32.e4m3.ss.wait wgmma.sp.m64n32k64.f32.e5m2.rs
  \ wgmma.sp.m64n32k64.f32.e5m2.rs.wait wgmma.sp.m64n32k64.f32.e5m2.ss
  \ wgmma.sp.m64n32k64.f32.e5m2.ss.wait wgmma.sp.m64n32k64.s32.s8.rs
  \ wgmma.sp.m64n32k64.s32.s8.rs.wait wgmma.sp.m64n32k64.s32.s8.ss wgmma.sp.m64n32k64.s32.s8.ss.wait
  \ wgmma.sp.m64n32k64.s32.u8.rs wgmma.sp.m64n32k64.s32.u8.rs.wait wgmma.sp.m64n32k64.s32.u8.ss
  \ wgmma.sp.m64n32k64.s32.u8.ss.wait wgmma.sp.m64n64k16.f32.tf32.rs
  \ wgmma.sp.m64n64k16.f32.tf32.rs.wait wgmma.sp.m64n64k16.f32.tf32.ss
  \ wgmma.sp.m64n64k16.f32.tf32.ss.wait wgmma.sp.m64n64k32.f16.f16.rs
  \ wgmma.sp.m64n64k32.f16.f16.rs.wait wgmma.sp.m64n64k32.f16.f16.ss
  \ wgmma.sp.m64n64k32.f16.f16.ss.wait wgmma.sp.m64n64k32.f32.bf16.rs
  \ wgmma.sp.m64n64k32.f32.bf16.rs.wait wgmma.sp.m64n64k32.f32.bf16.ss
  \ wgmma.sp.m64n64k32.f32.bf16.ss.wait wgmma.sp.m64n64k32.f32.f16.rs
  \ wgmma.sp.m64n64k32.f32.f16.rs.wait wgmma.sp.m64n64k32.f32.f16.ss
  \ wgmma.sp.m64n64k32.f32.f16.ss.wait wgmma.sp.m64n64k64.f32.e4m3.rs
  \ wgmma.sp.m64n64k64.f32.e4m3.rs.wait wgmma.sp.m64n64k64.f32.e4m3.ss
  \ wgmma.sp.m64n64k64.f32.e4m3.ss.wait wgmma.sp.m64n64k64.f32.e5m2.rs
  \ wgmma.sp.m64n64k64.f32.e5m2.rs.wait wgmma.sp.m64n64k64.f32.e5m2.ss
  \ wgmma.sp.m64n64k64.f32.e5m2.ss.wait wgmma.sp.m64n64k64.s32.s8.rs
  \ wgmma.sp.m64n64k64.s32.s8.rs.wait wgmma.sp.m64n64k64.s32.s8.ss wgmma.sp.m64n64k64.s32.s8.ss.wait
  \ wgmma.sp.m64n64k64.s32.u8.rs wgmma.sp.m64n64k64.s32.u8.rs.wait wgmma.sp.m64n64k64.s32.u8.ss
  \ wgmma.sp.m64n64k64.s32.u8.ss.wait wgmma.sp.m64n8k16.f32.tf32.rs
  \ wgmma.sp.m64n8k16.f32.tf32.rs.wait wgmma.sp.m64n8k16.f32.tf32.ss
  \ wgmma.sp.m64n8k16.f32.tf32.ss.wait wgmma.sp.m64n8k32.f16.f16.rs
  \ wgmma.sp.m64n8k32.f16.f16.rs.wait wgmma.sp.m64n8k32.f16.f16.ss wgmma.sp.m64n8k32.f16.f16.ss.wait
  \ wgmma.sp.m64n8k32.f32.bf16.rs wgmma.sp.m64n8k32.f32.bf16.rs.wait wgmma.sp.m64n8k32.f32.bf16.ss
  \ wgmma.sp.m64n8k32.f32.bf16.ss.wait wgmma.sp.m64n8k32.f32.f16.rs
  \ wgmma.sp.m64n8k32.f32.f16.rs.wait wgmma.sp.m64n8k32.f32.f16.ss wgmma.sp.m64n8k32.f32.f16.ss.wait
  \ wgmma.sp.m64n8k64.f32.e4m3.rs wgmma.sp.m64n8k64.f32.e4m3.rs.wait wgmma.sp.m64n8k64.f32.e4m3.ss
  \ wgmma.sp.m64n8k64.f32.e4m3.ss.wait wgmma.sp.m64n8k64.f32.e5m2.rs
  \ wgmma.sp.m64n8k64.f32.e5m2.rs.wait wgmma.sp.m64n8k64.f32.e5m2.ss
  \ wgmma.sp.m64n8k64.f32.e5m2.ss.wait wgmma.sp.m64n8k64.s32.s8.rs wgmma.sp.m64n8k64.s32.s8.rs.wait
  \ wgmma.sp.m64n8k64.s32.s8.ss wgmma.sp.m64n8k64.s32.s8.ss.wait wgmma.sp.m64n8k64.s32.u8.rs
  \ wgmma.sp.m64n8k64.s32.u8.rs.wait wgmma.sp.m64n8k64.s32.u8.ss wgmma.sp.m64n8k64.s32.u8.ss.wait
  \ xor.b32 xor.b64

syntax match gpxFinding /\<\h\w*\%(\.\w\+\)\+/
syntax match gpxNumber /\w\@<!\d\+\%(\.\d\+\)\?\%([eE][+-]\?\d\+\)\?\%(B\|GB\|GHz\|GiB\|Hz\|KB\|KiB\|MB\|MHz\|MiB\|clocks\|kHz\|ms\|ns\|s\|us\)\?\w\@!/
syntax match gpxNumber /\w\@<!x\d\+\w\@!/
syntax region gpxString start=/"/ skip=/\\["\\]/ end=/"/ oneline contains=@Spell
syntax match gpxComment /#.*$/ contains=@Spell

highlight default link gpxClause Statement
highlight default link gpxTimed Keyword
highlight default link gpxConnective Operator
highlight default link gpxPattern Function
highlight default link gpxOption Type
highlight default link gpxValue Constant
highlight default link gpxName Identifier
highlight default link gpxOperation Function
highlight default link gpxFinding Identifier
highlight default link gpxNumber Number
highlight default link gpxString String
highlight default link gpxComment Comment

let b:current_syntax = "gpx"
