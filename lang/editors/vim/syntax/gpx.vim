" Syntax of gpx experiments. Made from the vocabulary of gpx (tests/lsp/editors_test.cpp).
if exists("b:current_syntax")
  finish
endif
syntax case match
syntax sync fromstart
" add.u32 is one word.
syntax iskeyword @,48-57,_,.

syntax keyword gpxClause analyze array bank_width beside blocks carveout cite claim device expect
  \ experiment flush kernel l1_cache measure observe paper param place plot registers rehearse
  \ repeat shared shared_bytes sweep threads warmup watchdog
syntax keyword gpxTimed code copy diverge keep load run stamp store sync when while
syntax keyword gpxConnective and by else false if in is logx logy not or over reduce step true
  \ within zip
syntax keyword gpxPattern abs broadcast ceil floor log2 max merge min permute random stride unique
syntax keyword gpxOption buffer ca cache cg chain chase constant cs cv each entry from global list
  \ local lu nc steps streams texture width x
syntax keyword gpxValue average harmonic_mean inconclusive issue latency mean measured median
  \ not_observed time timeline variance
syntax keyword gpxName access active_blocks_per_sm active_sms block clock clocks coal_mem_insts
  \ coal_per_mw comp_insts folded_insts index lane limiter load_bytes_per_warp loop_coal_mem_insts
  \ loop_comp_insts loop_sync_insts loop_trips loop_uncoal_mem_insts occupancy outcome repetition
  \ resident_blocks sm statement static_coal_mem_insts static_comp_insts static_sync_insts
  \ static_uncoal_mem_insts sync_insts thread uncoal_mem_insts uncoal_per_mw warp warps_per_block
syntax keyword gpxOperation add.bf16x2 add.f16x2 add.f32 add.f64 add.rn.f32 add.rz.f32 add.s32
  \ add.u32 and.b32 atom.global.add.u32 atom.global.cas.b32 atom.global.exch.b32 atom.shared.add.u32
  \ atom.shared.cas.b32 atom.shared.exch.b32 bar.sync bfe.u32 bfind.u32 brev.b32 clock clz.b32
  \ cos.approx.f32 cvt.f32.f16.f32 cvt.f32.f64.f32 cvt.rni.f32 cvt.s32.f32.s32 div.approx.f32
  \ div.full.f32 div.rn.f32 div.rn.f64 div.s32 div.u32 dp2a.lo.u32 dp4a.s32 dp4a.u32 ex2.approx.f32
  \ exp.approx.f32 exp10.approx.f32 fma.bf16x2 fma.f16x2 fma.rn.f32 fma.rn.f64 lg2.approx.f32
  \ log.approx.f32 log10.approx.f32 lop3.b32 mad.f32 mad.f64 mad.lo.s32 mad.lo.u32 mad.wide.u32
  \ match.all.b32 match.any.b32 max.f32 max.f64 max.s32 max.u32 min.f32 min.f64 min.s32 min.u32
  \ mma.m16n8k16.f16 mma.m16n8k16.f32.bf16 mma.m16n8k16.f32.f16 mma.m16n8k32.s32.s8
  \ mma.m16n8k8.f32.tf32 mma.m8n8k4.f64 mul.bf16x2 mul.f16x2 mul.f32 mul.f64 mul.hi.s32 mul.hi.u32
  \ mul.lo.s32 mul.lo.u32 mul.lo.u64 mul.rn.f32 mul.rz.f32 mul24.lo.s32 mul24.lo.u32 or.b32 popc.b32
  \ pow.approx.f32 prmt.b32 rcp.approx.f32 redux.add.u32 redux.min.u32 rem.s32 rem.u32
  \ rsqrt.approx.f32 sad.s32 sad.u32 selp.b32 setp.f32 setp.u32 shf.l.b32 shf.r.b32 shfl.bfly.b32
  \ shfl.idx.b32 shl.b32 shl.one.b32 shr.s32 shr.u32 sin.approx.f32 sqrt.approx.f32 sqrt.rn.f32
  \ sub.f32 sub.f64 sub.s32 sub.u32 tan.approx.f32 tanh.approx.f32 vote.ballot.b32 xor.b32

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
