// Random kernels as CUDA C++. Interface: program.h.
//
// Threads are numbered by a table, `order`, so that a kernel whose threads exchange nothing can be
// run with its lanes permuted; `first` is the number of the launch's first block.
#include <fmt/format.h>

#include "program.h"

namespace gpx::random_kernels {
namespace {

using Kind = Statement::Kind;
using Leaf = Expression::Leaf;

constexpr const char* kNames[] = {"unsigned", "ull", "float", "double"};
constexpr char kLetters[] = {'u', 'l', 'f', 'd'};

std::string variable(Type type, u64 k) {
  return fmt::format("{}{}", kLetters[static_cast<std::size_t>(type)], k);
}

std::string literal(Type type, u64 bits) {
  switch (type) {
    case Type::word: return fmt::format("{}u", bits);
    case Type::wide: return fmt::format("{}ull", bits);
    case Type::single: return fmt::format("__uint_as_float({}u)", bits);
    default: return fmt::format("__longlong_as_double((long long){}ull)", bits);
  }
}

std::string text(const Expression& e) {
  switch (e.leaf) {
    case Leaf::constant: return literal(e.type, e.value);
    case Leaf::variable: return variable(e.type, e.value);
    case Leaf::thread: return "t";
    case Leaf::lane: return "(t & 31)";
    case Leaf::block: return "b";
    case Leaf::input: return fmt::format("in[{} & {}]", text(e.arguments[0]), kInputs - 1);
    case Leaf::array: return fmt::format("a[{} & {}]", text(e.arguments[0]), kArray - 1);
    default: break;
  }
  std::string made = e.op->text;
  for (std::size_t k = 0; k < e.arguments.size(); ++k) {
    const std::string place = fmt::format("{{{}}}", k), argument = text(e.arguments[k]);
    for (auto at = made.find(place); at != std::string::npos;
         at = made.find(place, at + argument.size()))
      made.replace(at, place.size(), argument);
  }
  return made;
}

class Emitter {
 public:
  Emitter(const Kernel& kernel, std::string name) : kernel_(kernel), name_(std::move(name)) {}

  std::string all() {
    for (std::size_t k = 0; k < kernel_.functions.size(); ++k) out_ += function_head(k) + ";\n";
    for (std::size_t k = 0; k < kernel_.functions.size(); ++k) {
      function_ = true;
      out_ += function_head(k) + " {\n" + variables(1) + "unsigned a[8] = {};\n";
      list(kernel_.functions[k].body);
      out_ += fmt::format("return {};\n}}\n", text(kernel_.functions[k].result));
    }
    function_ = false;
    out_ += fmt::format(
        "extern \"C\" __global__ void {}(const unsigned* in, ull* out, ull* slots, ull* own, "
        "unsigned* votes, "
        "const unsigned* order, unsigned first) {{\n"
        "const unsigned t = order[threadIdx.x], b = blockIdx.x + first, n = blockDim.x, at = b * n "
        "+ t;\n"
        "__shared__ unsigned s[128]; __shared__ float sf[128]; __shared__ double sd[128];\n"
        "s[t] = t; sf[t] = 0; sd[t] = 0; __syncthreads();\nunsigned a[8] = {{}};\n",
        name_);
    out_ += variables(0);
    list(kernel_.body);
    out_ += "ull r = 0;\n";
    for (Type type : kTypes)
      for (unsigned k = 0; k < kVariables; ++k)
        out_ += type == Type::word || type == Type::wide
                    ? fmt::format("r = r * 0x100000001b3ull ^ {};\n", variable(type, k))
                    : fmt::format("r = r * 0x100000001b3ull ^ bits({});\n", variable(type, k));
    for (unsigned k = 0; k < kArray; ++k)
      out_ += fmt::format("r = r * 0x100000001b3ull ^ a[{}];\n", k);
    return out_ + "out[at] = r;\n}\n";
  }

 private:
  std::string function_head(std::size_t k) const {
    return fmt::format(
        "__device__ {} unsigned {}_f{}(unsigned u0, ull l0, float f0, double d0, unsigned t, "
        "unsigned b, const unsigned* in)",
        kernel_.functions[k].inlined ? "__forceinline__" : "__noinline__", name_, k);
  }
  static std::string variables(unsigned first) {
    std::string made;
    for (Type type : kTypes)
      for (unsigned k = first; k < kVariables; ++k)
        made += fmt::format("{} {} = {};\n", kNames[static_cast<std::size_t>(type)],
                            variable(type, k), k == 0 ? "t" : "0");
    return made;
  }

  void list(const std::vector<Statement>& statements) {
    for (const Statement& s : statements) one(s);
  }
  void body(const std::vector<Statement>& statements) {
    out_ += "{\n";
    list(statements);
    out_ += "}\n";
  }

  void give_back(const std::string& condition, const std::string& value) {
    out_ += function_ ? fmt::format("if ({}) return {};\n", condition, value)
                      : fmt::format("if ({}) {{ out[at] = {}; return; }}\n", condition, value);
  }

  void one(const Statement& s) {
    const auto e = [&](std::size_t k) { return text(s.e[k]); };
    const std::string to = variable(s.type, s.to), u = variable(Type::word, s.to);
    switch (s.kind) {
      case Kind::assign: out_ += fmt::format("{} = {};\n", to, e(0)); break;
      case Kind::store_array:
        out_ += fmt::format("a[{} & {}] = {};\n", e(0), kArray - 1, e(1));
        break;
      case Kind::branch:
        out_ += fmt::format("if ({}) ", e(0));
        body(s.bodies[0]);
        if (s.bodies[1].empty()) break;
        out_ += "else ";
        body(s.bodies[1]);
        break;
      case Kind::loop: {
        const unsigned id = loops_++;
        out_ += fmt::format("for (unsigned i{0} = 0, e{0} = {1} % {2}u; i{0} < e{0}; ++i{0}) ", id,
                            e(0), s.n + 1);
        body(s.bodies[0]);
        break;
      }
      case Kind::leave_loop: out_ += fmt::format("if ({}) break;\n", e(0)); break;
      case Kind::next_turn: out_ += fmt::format("if ({}) continue;\n", e(0)); break;
      case Kind::choose:
        out_ += fmt::format("switch ({} % {}u) {{\n", e(0), s.bodies.size());
        for (std::size_t k = 0; k < s.bodies.size(); ++k) {
          out_ += fmt::format("case {}: ", k);
          body(s.bodies[k]);
          if (!s.falls[k]) out_ += "break;\n";
        }
        out_ += "}\n";
        break;
      case Kind::give_back: give_back(e(0), e(1)); break;
      case Kind::never:
        give_back(fmt::format("in[{} & {}] == 0x9e3779b9u", e(0), kInputs - 1), e(1));
        break;
      case Kind::call:
        out_ += fmt::format("{} = {}_f{}({}, {}, {}, {}, t, b, in);\n", u, name_, s.n, e(0), e(1),
                            e(2), e(3));
        break;
      default:
        out_ += "{ ";
        together(s, u);
        out_ += " }\n";
    }
  }

  void together(const Statement& s, const std::string& u) {
    const std::string x =
        fmt::format("const unsigned x = {}, k = {};",
                    s.kind == Kind::shuffle_wide ? "0" : text(s.e[0]), text(s.e[1]));
    const std::string live = x + " const unsigned m = __ballot_sync(~0u, 1), lane = t & 31;";
    const std::string peers =
        live + " const unsigned p = __match_any_sync(m, k & 7), lead = __ffs(p) - 1;";
    switch (s.kind) {
      case Kind::exchange_block:
        out_ += fmt::format("{} s[t] = x; __syncthreads(); {} = s[(t + {}) % n]; __syncthreads();",
                            x, u, 1 + s.n * 7);
        break;
      case Kind::count_block: {
        constexpr const char* kCalls[] = {"__syncthreads_count", "__syncthreads_and",
                                          "__syncthreads_or"};
        out_ += fmt::format("{} {} = {}(x & 1 << (k & 3));", x, u, kCalls[s.n % 3]);
        break;
      }
      case Kind::exchange_warp:
        out_ += fmt::format(
            "{} const unsigned from = t ^ {}; s[t] = x; __syncwarp(m); {} = m >> (from & 31) & 1 ? "
            "s[from] : x; __syncwarp(m);",
            live, 1 + s.n, u);
        break;
      case Kind::shuffle:
      case Kind::shuffle_wide: shuffle(s, live); break;
      case Kind::shuffle_tile:
        out_ += fmt::format(
            "{0} const unsigned w = 2u << (k & 3), tile = (w == 32 ? ~0u : (1u << w) - 1) << (lane "
            "& ~(w - 1)) & m;"
            " const unsigned got = __shfl_xor_sync(tile, x, {1} & (w - 1), w), from = lane ^ ({1} "
            "& (w - 1));"
            " {2} = tile >> from & 1 ? got : x;",
            live_uniform(s), s.n, u);
        break;
      case Kind::partition:
        out_ += fmt::format("{} {} = __shfl_sync(p, x, lead) + __popc(p);", peers, u);
        break;
      case Kind::reduce: {
        constexpr const char* kCalls[] = {
            "__reduce_add_sync(p, x)", "__reduce_xor_sync(p, x)",
            "__reduce_min_sync(p, x)", "(unsigned)__reduce_max_sync(p, (int)x)",
            "__reduce_and_sync(p, x)", "__reduce_or_sync(p, x)"};
        out_ += fmt::format("{} {} = {};", peers, u, kCalls[s.n % 6]);
        break;
      }
      case Kind::vote: {
        constexpr const char* kCalls[] = {"__ballot_sync(p, x & 4)", "__any_sync(p, x & 4) != 0",
                                          "__all_sync(p, x & 4) != 0"};
        out_ += fmt::format("{} {} = {};", peers, u, kCalls[s.n % 3]);
        break;
      }
      case Kind::vote_branch:
        out_ += fmt::format(
            "{} const unsigned q = __ballot_sync(m, k & 2), r = m & ~q;"
            " if (k & 2) {{ {} = __shfl_sync(q, x, __ffs(q) - 1) ^ __popc(q); }}"
            " else {{ {} = __reduce_add_sync(r, x); __syncwarp(r); }}",
            live, u, u);
        break;
      case Kind::aggregate:
        out_ += fmt::format(
            "{} unsigned got = 0; if (lane == lead) got = atomicAdd(&votes[(b * ((n + 31) / 32) + "
            "t / 32) * 8 + (k & 7)], __popc(p));"
            " {} = __shfl_sync(p, got, lead) + __popc(p & ((1u << lane) - 1)) + (x & 1);",
            peers, u);
        break;
      default: atomic(s, u);
    }
  }
  // The width of tiles must be one for all lanes: it is drawn from the block.
  static std::string live_uniform(const Statement& s) {
    return fmt::format(
        "const unsigned x = {}, k = b + {}, m = __ballot_sync(~0u, 1), lane = t & 31;",
        text(s.e[0]), s.n);
  }

  void shuffle(const Statement& s, const std::string& live) {
    const bool wide = s.kind == Kind::shuffle_wide;
    constexpr const char* kCalls[] = {"__shfl_sync", "__shfl_up_sync", "__shfl_down_sync",
                                      "__shfl_xor_sync"};
    constexpr const char* kFrom[] = {"k & 31", "lane - (j & 31)", "lane + (j & 31)",
                                     "lane ^ (j & 31)"};
    const unsigned way = s.n % 4;
    const std::string j = way == 0 ? "k & 31" : "j & 31";
    out_ += fmt::format(
        "{} const unsigned j = {}, from = {}; const {} y = {}; const {} got = {}(m, y, {}); {} = "
        "from < 32 && (m >> from & 1) ? got : y;",
        live, s.n * 5 + 1, kFrom[way], wide ? "ull" : "unsigned", wide ? text(s.e[0]) : "x",
        wide ? "ull" : "unsigned", kCalls[way], j, variable(s.type, s.to));
  }

  void atomic(const Statement& s, const std::string& u) {
    const std::string x = text(s.e[0]), k = text(s.e[1]);
    if (s.kind == Kind::atomic_wide) {
      constexpr const char* kCalls[] = {"atomicAdd(w, x)",
                                        "atomicMin(w, x)",
                                        "atomicMax(w, x)",
                                        "atomicAnd(w, x)",
                                        "atomicOr(w, x)",
                                        "atomicXor(w, x)",
                                        "atomicMax((long long*)w, (long long)x)",
                                        "ull o = *(volatile ull*)w, c; do { c = o; o = "
                                        "atomicCAS(w, c, c + 3 * x); } while (o != c)"};
      out_ += fmt::format("const ull x = {}; ull* w = &slots[{} + ({} & {})]; {};", x,
                          s.to * kSlotWords, k, kSlotWords - 1, kCalls[s.n % 8]);
    } else if (s.kind == Kind::atomic_own) {
      constexpr const char* kCalls[] = {"atomicAdd(w, x)",
                                        "atomicExch(w, x)",
                                        "atomicCAS(w, *w + (k & 1), x)",
                                        "atomicMin((long long*)w, (long long)x)",
                                        "atomicInc((unsigned*)w, (unsigned)x)",
                                        "atomicDec((unsigned*)w, (unsigned)x)",
                                        "atomicSub((unsigned*)w, (unsigned)x)",
                                        "atomicXor((unsigned*)w + 1, (unsigned)x)"};
      out_ += fmt::format(
          "const ull x = {}; const unsigned k = {}; ull* w = &own[4 * at]; {} = (unsigned)({});", x,
          k, u, kCalls[s.n % 8]);
    } else {
      const bool wide = s.type == Type::real;
      const std::string own = wide ? "(double*)&own[4 * at + 2]" : "(float*)&own[4 * at + 1]",
                        shared = wide ? "&sd[t]" : "&sf[t]";
      const std::string type = wide ? "double" : "float";
      const bool generic = s.n & 1;
      const std::string place = s.n & 2 ? shared : own;
      out_ += fmt::format(
          "const {0} x = {1}; {0} y = {2}({3}, x); {4} = (unsigned)(bits(y) ^ bits(*{3}));", type,
          x, generic ? (wide ? "add_double" : "add_float") : "atomicAdd", place, u);
    }
  }

  const Kernel& kernel_;
  std::string name_, out_;
  bool function_ = false;
  unsigned loops_ = 0;
};

}  // namespace

std::string emit(const Kernel& kernel, const std::string& name) {
  return Emitter(kernel, name).all();
}

}  // namespace gpx::random_kernels
