// The op table and the words of a mnemonic. Interface: ops.h. Covered by tests/vgpu/ptx_test.cpp.
#include "codegen/ptx/ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>

#include "codegen/ptx/wmma.h"

namespace gpx::ptx {
namespace {

// Type sets of ops.def.
constexpr TypeSet kInt16 = bit(Type::u16) | bit(Type::s16);
constexpr TypeSet kInt32 = bit(Type::u32) | bit(Type::s32);
constexpr TypeSet kInt64 = bit(Type::u64) | bit(Type::s64);
constexpr TypeSet kInt = kInt16 | kInt32 | kInt64;
constexpr TypeSet kSigned = bit(Type::s16) | bit(Type::s32) | bit(Type::s64);
constexpr TypeSet kPred = bit(Type::pred);
constexpr TypeSet kBits32 = bit(Type::b32);
constexpr TypeSet kBits64 = bit(Type::b64);
constexpr TypeSet kBits128 = bit(Type::b128);
constexpr TypeSet kBits = bit(Type::b16) | kBits32 | kBits64;
constexpr TypeSet kLogic = kPred | kBits;
constexpr TypeSet kPairs16 = bit(Type::u16x2) | bit(Type::s16x2);
constexpr TypeSet kFloat = bit(Type::f32) | bit(Type::f64);
constexpr TypeSet kHalf16 = bit(Type::f16) | bit(Type::f16x2);
constexpr TypeSet kHalf = kHalf16 | bit(Type::bf16) | bit(Type::bf16x2);
constexpr TypeSet kFp8 = bit(Type::e4m3x2) | bit(Type::e5m2x2);
constexpr TypeSet kFp8Scalar = bit(Type::e4m3) | bit(Type::e5m2);
constexpr TypeSet kHalfScalar = bit(Type::f16) | bit(Type::bf16);
constexpr TypeSet kConvert =
    kInt | bit(Type::u8) | bit(Type::s8) | kFloat | bit(Type::f16) | bit(Type::bf16);
constexpr TypeSet kBytes = bit(Type::u8) | bit(Type::s8);
constexpr TypeSet kNibbles = bit(Type::u4) | bit(Type::s4);
constexpr TypeSet kWmmaFactor =
    kHalfScalar | kBytes | kNibbles | bit(Type::tf32) | bit(Type::f64) | bit(Type::b1);
constexpr TypeSet kWmmaSum = kFloat | bit(Type::f16) | bit(Type::s32);
constexpr TypeSet kAddress = bit(Type::u64);
constexpr TypeSet kMemory = kInt | bit(Type::u8) | bit(Type::s8) | kBits | bit(Type::b8) | kFloat;
constexpr TypeSet kTexel = kInt32 | bit(Type::f32);
constexpr TypeSet kAtomAdd = kInt32 | bit(Type::u64) | kFloat | kHalf;
constexpr TypeSet kAsync = kBits32 | kBits64 | kInt32 | kInt64 | kFloat;  ///< st.async

// Groups of modifiers.
enum : std::uint64_t {
  kRound = 1u << 0,
  kRoundInt = 1u << 1,
  kRoundNearest = 1u << 2,  ///< .rn alone
  kFtz = 1u << 3,
  kSat = 1u << 4,
  kNan = 1u << 5,
  kCompare = 1u << 6,
  kBool = 1u << 7,
  kFunnel = 1u << 8,
  kPermute = 1u << 9,
  kSpace = 1u << 10,
  kCacheLoad = 1u << 11,
  kCacheStore = 1u << 12,
  kNc = 1u << 13,
  kVector = 1u << 14,
  kOrder = 1u << 15,
  kScope = 1u << 16,
  kScopeOld = 1u << 17,  ///< membar.gl
  kHint = 1u << 18,      ///< Prefetch size and eviction priority.
  kUni = 1u << 19,
  kCta = 1u << 20,
  kAligned = 1u << 21,
  kNoFtz = 1u << 22,
  kRelu = 1u << 23,
  kNeedRound = 1u << 24,
  kNeedCompare = 1u << 25,
  kNeedFunnel = 1u << 26,
  kSatFinite = 1u << 27,
  kNeedSatFinite = 1u << 28,
  kMma = 1u << 29,         ///< .sync.aligned, the layouts, and four types: sum, factors, sum.
  kCacheAsync = 1u << 31,  ///< .ca, .cg
  kWarpgroup = 1u << 30,   ///< .sync.aligned, a shape, and three types: sum, factors.
  kPolicy = 1ull << 32,    ///< .L2::cache_hint: a policy is the last operand.
  kPriority = 1ull << 33,  ///< .L2::evict_last and the like, once or twice.
  kRestrict = 1ull << 34,  ///< .sync_restrict
  kWmma = 1ull << 35,      ///< .sync.aligned, layouts, a shape (ptx/wmma.h).
  kNeedVector = 1ull << 36,
  kAccumulate = 1ull << 38,           ///< .add behind another operation.
  kVideo = kAccumulate | 1ull << 39,  ///< Three types: result, sources.
  kNeedSat = 1ull << 37,
  kSecond = 1ull << 40,  ///< .min, .max behind another operation.
  kScale = 1ull << 41,   ///< .po, .shr7, .shr15
};

constexpr std::array kRows = {
#define OP(id, name, shape, unit, types, types2, groups) \
  OpRow{OpId::id, name, shape, Unit::unit, types, types2, groups},
#include "codegen/ptx/ops.def"
#undef OP
};
static_assert(kRows.size() == static_cast<std::size_t>(OpId::count));

struct Word {
  std::string_view name;
  std::uint64_t group;
  std::uint32_t bits;       ///< Into Instruction::modifiers.
  std::uint32_t field = 0;  ///< The field that the bits fill: two words of a field exclude another.
};

template <class E>
constexpr std::uint32_t at(unsigned shift, E value) {
  return static_cast<std::uint32_t>(value) << shift;
}
using M = Modifiers;
constexpr std::uint32_t kRoundingField = 15u << M::kRounding, kCompareField = 31u << M::kCompare,
                        kBoolField = 3u << M::kBool, kCacheField = 7u << M::kCache,
                        kPermuteField = 7u << M::kPermute, kScopeField = 3u << M::kScope,
                        kVectorField = 3u << M::kVector, kSecondField = 3u << M::kSecond,
                        kScaleField = 3u << M::kScale,
                        // Words of mma that leave no bits: the fields say that they were there.
    kMmaFields = kCompareField, kWarpgroupFields = 3u << M::kCompare;

// Orderings and hints leave no bits: the interpreter executes one access after the other, which
// satisfies every ordering, and a hint changes no value.
constexpr Word kWords[] = {
    {"rn", kRound | kRoundNearest, at(M::kRounding, Rounding::rn), kRoundingField},
    {"rz", kRound, at(M::kRounding, Rounding::rz), kRoundingField},
    {"rm", kRound, at(M::kRounding, Rounding::rm), kRoundingField},
    {"rp", kRound, at(M::kRounding, Rounding::rp), kRoundingField},
    {"rni", kRoundInt, at(M::kRounding, Rounding::rni), kRoundingField},
    {"rzi", kRoundInt, at(M::kRounding, Rounding::rzi), kRoundingField},
    {"rmi", kRoundInt, at(M::kRounding, Rounding::rmi), kRoundingField},
    {"rpi", kRoundInt, at(M::kRounding, Rounding::rpi), kRoundingField},
    {"ftz", kFtz, M::kFtz},
    {"sat", kSat, M::kSat},
    {"NaN", kNan, M::kNan},
    {"relu", kRelu, M::kRelu},
    {"satfinite", kSatFinite, M::kSatFinite},
    {"eq", kCompare, at(M::kCompare, Compare::eq), kCompareField},
    {"ne", kCompare, at(M::kCompare, Compare::ne), kCompareField},
    {"lt", kCompare, at(M::kCompare, Compare::lt), kCompareField},
    {"le", kCompare, at(M::kCompare, Compare::le), kCompareField},
    {"gt", kCompare, at(M::kCompare, Compare::gt), kCompareField},
    {"ge", kCompare, at(M::kCompare, Compare::ge), kCompareField},
    {"lo", kCompare, at(M::kCompare, Compare::lo), kCompareField},
    {"ls", kCompare, at(M::kCompare, Compare::ls), kCompareField},
    {"hi", kCompare, at(M::kCompare, Compare::hi), kCompareField},
    {"hs", kCompare, at(M::kCompare, Compare::hs), kCompareField},
    {"equ", kCompare, at(M::kCompare, Compare::equ), kCompareField},
    {"neu", kCompare, at(M::kCompare, Compare::neu), kCompareField},
    {"ltu", kCompare, at(M::kCompare, Compare::ltu), kCompareField},
    {"leu", kCompare, at(M::kCompare, Compare::leu), kCompareField},
    {"gtu", kCompare, at(M::kCompare, Compare::gtu), kCompareField},
    {"geu", kCompare, at(M::kCompare, Compare::geu), kCompareField},
    {"num", kCompare, at(M::kCompare, Compare::num), kCompareField},
    {"nan", kCompare, at(M::kCompare, Compare::nan), kCompareField},
    {"and", kBool, at(M::kBool, Bool::and_), kBoolField},
    {"or", kBool, at(M::kBool, Bool::or_), kBoolField},
    {"xor", kBool, at(M::kBool, Bool::xor_), kBoolField},
    {"clamp", kFunnel, 0, M::kWrap},
    {"wrap", kFunnel, M::kWrap, M::kWrap},
    {"f4e", kPermute, at(M::kPermute, Permute::f4e), kPermuteField},
    {"b4e", kPermute, at(M::kPermute, Permute::b4e), kPermuteField},
    {"rc8", kPermute, at(M::kPermute, Permute::rc8), kPermuteField},
    {"ecl", kPermute, at(M::kPermute, Permute::ecl), kPermuteField},
    {"ecr", kPermute, at(M::kPermute, Permute::ecr), kPermuteField},
    {"rc16", kPermute, at(M::kPermute, Permute::rc16), kPermuteField},
    {"ca", kCacheLoad | kCacheAsync, at(M::kCache, Cache::ca), kCacheField},
    {"cg", kCacheLoad | kCacheStore | kCacheAsync, at(M::kCache, Cache::cg), kCacheField},
    {"cs", kCacheLoad | kCacheStore, at(M::kCache, Cache::cs), kCacheField},
    {"cv", kCacheLoad, at(M::kCache, Cache::cv), kCacheField},
    {"lu", kCacheLoad, at(M::kCache, Cache::lu), kCacheField},
    {"wb", kCacheStore, at(M::kCache, Cache::wb), kCacheField},
    {"wt", kCacheStore, at(M::kCache, Cache::wt), kCacheField},
    {"nc", kNc, M::kNonCoherent},
    {"v2", kVector, 1u << M::kVector, kVectorField},
    {"v4", kVector, 2u << M::kVector, kVectorField},
    {"v8", kVector, 3u << M::kVector, kVectorField},
    {"weak", kOrder, 0},
    {"volatile", kOrder, M::kVolatile},
    {"relaxed", kOrder, 0},
    {"acquire", kOrder, 0},
    {"release", kOrder, 0},
    {"acq_rel", kOrder, 0},
    {"sc", kOrder, 0},
    {"cta", kScope, at(M::kScope, Scope::cta), kScopeField},
    {"cta", kCta, 0},
    {"cluster", kScope, at(M::kScope, Scope::gpu), kScopeField},
    {"gpu", kScope, at(M::kScope, Scope::gpu), kScopeField},
    {"gl", kScopeOld, at(M::kScope, Scope::gpu), kScopeField},
    {"sys", kScope, at(M::kScope, Scope::sys), kScopeField},
    {"L1::evict_normal", kHint, 0},
    {"L1::evict_unchanged", kHint, 0},
    {"L1::evict_first", kHint, 0},
    {"L1::evict_last", kHint, 0},
    {"L1::no_allocate", kHint, 0},
    {"L2::64B", kHint, 0},
    {"L2::128B", kHint, 0},
    {"L2::256B", kHint, 0},
    {"L2::cache_hint", kPolicy, 0},
    {"L2::evict_normal", kPriority, 0},
    {"L2::evict_unchanged", kPriority, 0},
    {"L2::evict_first", kPriority, 0},
    {"L2::evict_last", kPriority, 0},
    {"sync_restrict::shared::cta", kRestrict, 0},
    {"sync_restrict::shared::cluster", kRestrict, 0},
    {"mmio", kOrder, 0},
    {"uni", kUni, M::kUni},
    {"add", kAccumulate, M::kUni},
    {"min", kSecond, at(M::kSecond, Second::min), kSecondField},
    {"max", kSecond, at(M::kSecond, Second::max), kSecondField},
    {"po", kScale, M::kPlusOne},
    {"shr7", kScale, 1u << M::kScale, kScaleField},
    {"shr15", kScale, 2u << M::kScale, kScaleField},
    {"aligned", kAligned, 0},
    {"noftz", kNoFtz, 0},
    {"sync", kMma | kWarpgroup | kWmma, 0, 1u << M::kCompare},
    {"aligned", kMma | kWarpgroup | kWmma, 0, 2u << M::kCompare},
    {"row", kMma, 0, 4u << M::kCompare},
    {"col", kMma, 0, 24u << M::kCompare},
};

constexpr std::pair<std::string_view, Space> kSpaces[] = {
    {"global", Space::global},          {"shared", Space::shared},
    {"shared::cta", Space::shared},     {"local", Space::local},
    {"const", Space::constant},         {"param", Space::param},
    {"param::entry", Space::param},     {"param::func", Space::param},
    {"shared::cluster", Space::shared},
};

constexpr std::string_view kTypeNames[] = {
    "",       "pred", "b8",   "b16",  "b32", "b64",   "b128", "u8",     "u16",   "u32", "u64",
    "s8",     "s16",  "s32",  "s64",  "f16", "f16x2", "bf16", "bf16x2", "f32",   "f64", "e4m3x2",
    "e5m2x2", "tf32", "e4m3", "e5m2", "b1",  "u4",    "s4",   "u16x2",  "s16x2",
};

/// Of the factors, or of the one matrix that is loaded or stored.
unsigned layouts_of(const OpRow& row) {
  return row.types2 != 0 ? 2 : 1;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = std::min(text.find('.', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

const std::unordered_multimap<std::string_view, const OpRow*>& rows_by_base() {
  static const auto map = [] {
    std::unordered_multimap<std::string_view, const OpRow*> result;
    for (const OpRow& row : kRows) result.emplace(row.name.substr(0, row.name.find('.')), &row);
    return result;
  }();
  return map;
}

/// How far a row got before it refused; the furthest refusal is the one worth reporting.
struct Attempt {
  Mnemonic found;
  int progress = 0;  ///< 16 for each matching word of the row's name, 1 for each other word.
  std::string why;
};

bool take_space(std::string_view word, const OpRow& row, Mnemonic& m) {
  if (!(row.groups & kSpace) || m.space != Space::none) return false;
  for (auto& [name, space] : kSpaces) {
    if (name != word) continue;
    if (word == "shared::cluster") m.modifiers |= M::kCluster;
    return m.space = space, true;
  }
  return false;
}

bool take_type(std::string_view word, const OpRow& row, Mnemonic& m, int& types) {
  Type type = type_named(word);
  if (type == Type::none) return false;
  const bool wmma = row.groups & kWmma;
  const bool three = row.groups & (kMma | kWarpgroup | (kVideo & ~kAccumulate));
  const TypeSet product = three ? row.types2 : 0;
  const TypeSet last = row.groups & kMma ? bit(m.type) : 0;
  const TypeSet allowed[] = {row.types, row.types2, wmma ? bit(m.type2) : product,
                             wmma ? row.types : last};
  if (types > 3 || !(allowed[types] & bit(type))) return false;
  Type* const places[] = {&m.type, &m.type2, wmma ? &m.type2 : &m.type3, wmma ? &m.type3 : &m.type};
  *places[types++] = type;
  return true;
}

/// The shape and the layouts of wmma.
bool take_wmma(std::string_view word, const OpRow& row, Mnemonic& m) {
  if (!(row.groups & kWmma)) return false;
  if (const unsigned shape = wmma_shape(word); shape != 0 && (m.columns & WmmaWord::kShape) == 0)
    return m.columns |= static_cast<std::uint16_t>(shape), true;
  if ((word != "row" && word != "col") || m.depth == layouts_of(row)) return false;
  if (word == "col") m.columns |= static_cast<std::uint16_t>(WmmaWord::kFirstColumn << m.depth);
  return ++m.depth, true;
}

/// "m64n128k16": M and K follow from the instruction and its types.
bool take_shape(std::string_view word, const OpRow& row, Mnemonic& m) {
  if (!(row.groups & kWarpgroup) || row.types == 0 || m.columns != 0) return false;
  unsigned columns = 0, k = 0;
  if (!word.starts_with("m64n")) return false;
  const char* const end = word.data() + word.size();
  auto [at, code] = std::from_chars(word.data() + 4, end, columns);
  if (code != std::errc{} || at == end || *at != 'k') return false;
  const auto rest = std::from_chars(at + 1, end, k);
  if (rest.ec != std::errc{} || rest.ptr != end) return false;
  if (columns == 0 || columns > 256 || columns % 8 != 0) return false;
  m.columns = static_cast<std::uint16_t>(columns);
  m.depth = static_cast<std::uint16_t>(k);
  return true;
}

bool take_modifier(std::string_view word, const OpRow& row, Mnemonic& m, std::uint32_t& fields) {
  for (const Word& w : kWords) {
    if (w.name != word || !(w.group & row.groups)) continue;
    std::uint32_t field = w.field ? w.field : w.bits;
    if (fields & field) return false;
    fields |= field;
    m.modifiers |= w.bits;
    m.policy |= w.group == kPolicy;
    return true;
  }
  return false;
}

std::string_view missing_of(const OpRow& row, std::uint32_t fields) {
  if ((row.groups & kNeedRound) && !(fields & kRoundingField)) return "a rounding mode";
  if ((row.groups & kNeedCompare) && !(fields & kCompareField)) return "a comparison";
  if ((row.groups & kNeedFunnel) && !(fields & M::kWrap)) return ".clamp or .wrap";
  if ((row.groups & kNeedSatFinite) && !(fields & M::kSatFinite)) return ".satfinite";
  if ((row.groups & kNeedSat) && !(fields & M::kSat)) return ".sat";
  if ((row.groups & kNeedVector) && !(fields & kVectorField)) return ".v2, .v4 or .v8";
  if ((row.groups & kMma) && (fields & kMmaFields) != kMmaFields) {
    return ".sync.aligned, .row and .col";
  }
  if ((row.groups & (kWarpgroup | kWmma)) && (fields & kWarpgroupFields) != kWarpgroupFields)
    return ".sync.aligned";
  return {};
}

Attempt try_row(const OpRow& row, std::vector<std::string_view> words, std::string_view text) {
  Attempt attempt;
  auto refuse = [&](std::string why) {
    attempt.why = std::move(why);
    return attempt;
  };
  auto required = split(row.name);
  for (std::size_t i = 1; i < required.size(); ++i) {
    auto it = std::find(words.begin() + 1, words.end(), required[i]);
    if (it == words.end()) {
      return refuse(fmt::format("instruction '{}' is not supported by the virtual GPU", text));
    }
    words.erase(it);
    attempt.progress += 16;
  }
  Mnemonic m{.row = &row};
  int types = 0;
  std::uint32_t fields = 0;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!take_space(words[i], row, m) && !take_shape(words[i], row, m) &&
        !take_wmma(words[i], row, m) && !take_type(words[i], row, m, types) &&
        !take_modifier(words[i], row, m, fields)) {
      return refuse(fmt::format("'.{}' of instruction '{}' is not supported by the virtual GPU",
                                words[i], text));
    }
    ++attempt.progress;
  }
  const bool warpgroup = (row.groups & kWarpgroup) && row.types != 0;
  const bool four = (row.groups & kMma) || ((row.groups & kWmma) && row.types2 != 0);
  const int all = (row.types != 0) + (row.types2 != 0) + (four ? 2 : 0) +
                  (warpgroup || (row.groups & kVideo & ~kAccumulate) ? 1 : 0);
  if (warpgroup && m.columns == 0)
    return refuse(fmt::format("instruction '{}' lacks a shape such as .m64n64k16", text));
  if ((row.groups & kWmma) && ((m.columns & WmmaWord::kShape) == 0 || m.depth != layouts_of(row)))
    return refuse(fmt::format("instruction '{}' lacks a shape or a layout", text));
  if (types != all) {
    return refuse(fmt::format("instruction '{}' lacks a type", text));
  }
  if (auto missing = missing_of(row, fields); !missing.empty()) {
    return refuse(fmt::format("instruction '{}' needs {}", text, missing));
  }
  attempt.found = m;
  return attempt;
}

/// wmma.mma.f32.f32 of halves: its factors are in no word.
void name_factors(std::vector<std::string_view>& words) {
  const auto is_type = [](std::string_view word) { return type_named(word) != Type::none; };
  if (std::ranges::count_if(words, is_type) != 2) return;
  words.insert(std::ranges::find_if(words, is_type) + 1, 2, "f16");
}

/// Two words for one thing. Metadata in order are what the other has, too; a block's own shared
/// memory is part of its cluster's.
void unify(std::vector<std::string_view>& words) {
  const auto change = [&](std::string_view from, std::string_view to) {
    std::ranges::replace(words, from, to);
  };
  change("sp::ordered_metadata", "sp");
  const auto has = [&](std::string_view word) { return std::ranges::count(words, word) > 0; };
  if (words[0] == "wmma" && has("mma")) name_factors(words);
  if (words[0] != "cp" || !has("async")) return;
  if (!has("bulk")) change("shared::cta", "shared");
  if (has("mbarrier::complete_tx::bytes") && has("global"))
    change("shared::cta", "shared::cluster");
  if (has("tensor") && !has("tile") && !has("im2col")) words.emplace_back("tile");
}

Type widened(Type type) {
  switch (type) {
    case Type::u16: return Type::u32;
    case Type::s16: return Type::s32;
    case Type::u32: return Type::u64;
    case Type::s32: return Type::s64;
    default: return type;
  }
}

}  // namespace

Type role_type(char role, Type type, Type type2) {
  switch (role) {
    case 'w':
    case 'A': return widened(type);
    case 'r':
    case 'R':
    case 'u':
    case 'B':
    case 'i': return Type::b32;
    case 'L':
    case 'H': return Type::b64;
    case 'h': return Type::b16;
    case 's': return type2;
    case 'p':
    case 'P':
    case 'q':
    case 'Q': return Type::pred;
    default: return type;
  }
}

const OpRow& op_row(OpId id) {
  return kRows[static_cast<std::size_t>(id)];
}

bool takes_rounding(const OpRow& row, std::string_view word) {
  return std::any_of(std::begin(kWords), std::end(kWords), [&](const Word& w) {
    return w.name == word && (w.group & row.groups) != 0 && w.field == kRoundingField;
  });
}

Mnemonic find_op(std::string_view text, std::string& error) {
  auto words = split(text);
  unify(words);
  auto [begin, end] = rows_by_base().equal_range(words[0]);
  Attempt best{.found = {}, .progress = -1, .why = {}};
  best.why = fmt::format("instruction '{}' is not supported by the virtual GPU", text);
  for (auto it = begin; it != end; ++it) {
    Attempt attempt = try_row(*it->second, words, text);
    bool better = attempt.found.row ? !best.found.row || attempt.progress > best.progress
                                    : !best.found.row && attempt.progress > best.progress;
    if (better) best = std::move(attempt);
  }
  constexpr std::string_view kTextures[] = {"tex", "tld4", "txq", "suld", "sust", "sured", "suq"};
  if (!best.found.row && std::ranges::count(kTextures, words[0]) > 0)
    best.why = fmt::format(
        "a kernel from a file cannot use textures or surfaces ('{}'): read the "
        "array through a pointer, with __ldg where it is read-only",
        text);
  if (!best.found.row) error = std::move(best.why);
  return best.found;
}

Type type_named(std::string_view word) {
  for (std::size_t i = 1; i < std::size(kTypeNames); ++i) {
    if (kTypeNames[i] == word) return static_cast<Type>(i);
  }
  return Type::none;
}

std::string_view name_of(Type type) {
  return kTypeNames[static_cast<std::size_t>(type)];
}

bool is_float(Type type) {
  return type == Type::f32 || type == Type::f64;
}
bool is_half(Type type) {
  return bit(type) & kHalf;
}
bool is_signed(Type type) {
  return type >= Type::s8 && type <= Type::s64;
}
bool is_integer(Type type) {
  return type >= Type::u8 && type <= Type::s64;
}

unsigned bytes_of(Type type) {
  constexpr std::uint8_t kSizes[] = {0, 1, 1, 2, 4, 8, 16, 1, 2, 4, 8, 1, 2, 4, 8, 2,
                                     4, 2, 4, 4, 8, 2, 2,  4, 1, 1, 1, 1, 1, 4, 4};
  static_assert(std::size(kSizes) == std::size(kTypeNames));
  return kSizes[static_cast<std::size_t>(type)];
}

unsigned tensor_sides(OpId id) {
  const bool load = id >= OpId::cp_tensor_load_1d && id <= OpId::cp_tensor_load_5d;
  const bool store = id >= OpId::cp_tensor_store_1d && id <= OpId::cp_tensor_store_5d;
  if (!load && !store) return 0;
  const OpId first = load ? OpId::cp_tensor_load_1d : OpId::cp_tensor_store_1d;
  return 1 + static_cast<unsigned>(id) - static_cast<unsigned>(first);
}

}  // namespace gpx::ptx
