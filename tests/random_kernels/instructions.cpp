// Interface: instructions.h.
//
// Values lie in pools by class, and a source is one of them, a word of the input, or a constant.
// NaNs are one NaN before their bits are read as something else.
#include "instructions.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace gpx::random_kernels {
namespace {

constexpr unsigned kStatements = 40;
constexpr std::string_view kClasses = "hrlfd";
constexpr const char* kTypeNames[] = {"unsigned short", "unsigned", "ull", "float", "double"};

std::size_t index_of(char name) {
  return kClasses.find(name);
}

class Code {
 public:
  // Streams of neighbouring seeds are one stream, shifted: the numbers of a stream are not.
  Code(u64 seed, const std::vector<Form>& forms)
      : random_(Random(seed).bits()), forms_(forms), opaque_(seed & 1) {}

  Instructions take(const std::string& name) {
    for (unsigned k = 0; k < 3; ++k)
      for (const char each : kClasses) pools_[index_of(each)].push_back(input(each));
    for (unsigned k = 0; k < kStatements; ++k)
      statement(forms_[random_.below(static_cast<unsigned>(forms_.size()))]);
    made_.text = fmt::format(
        "extern \"C\" __global__ void {}(const unsigned* in, ull* out, ull* own) {{\n"
        "const unsigned t = threadIdx.x, at = blockIdx.x * {} + t, all = gridDim.x * {};\n"
        "__shared__ __align__(16) ull s[2 * {}]; s[2 * t] = in[t]; s[2 * t + 1] = in[t + 64];\n"
        "ull* const g = own + 2 * at; const unsigned sa = shared_address(s + 2 * t);\n"
        "__syncthreads();\n{}}}\n",
        name, kInstructionThreads, kInstructionThreads, kInstructionThreads, body_);
    return std::move(made_);
  }

 private:
  std::string input(char name) {
    const unsigned at = random_.below(kInputs);
    const std::string word =
        fmt::format("in[(t * {} + {}) & {}]", 1 + 2 * random_.below(8), at, kInputs - 1);
    switch (name) {
      case 'h': return fmt::format("(unsigned short)({} >> {})", word, random_.one_in(2) ? 16 : 0);
      case 'r': return word;
      case 'l': return fmt::format("((ull){} << 32 | in[(t + {}) & {}])", word, at, kInputs - 1);
      case 'f': return fmt::format("__uint_as_float({})", word);
      default: return fmt::format("wide_number({}, in[(t + {}) & {}])", word, at, kInputs - 1);
    }
  }

  std::string constant(char name) {
    const bool wide = name == 'l' || name == 'd';
    const u64 whole = edge(random_, wide ? Type::wide : Type::word);
    switch (name) {
      case 'h': return fmt::format("(unsigned short){}u", whole & 0xffff);
      case 'r': return fmt::format("{}u", whole);
      case 'l': return fmt::format("{}ull", whole);
      case 'f': return fmt::format("__uint_as_float({}u)", edge(random_, Type::single));
      default:
        return fmt::format("__longlong_as_double((long long){}ull)", edge(random_, Type::real));
    }
  }

  std::string source(char name, bool first = true) {
    const auto& pool = pools_[index_of(name)];
    if (random_.one_in(6) && !(first && opaque_)) return constant(name);
    if (random_.one_in(6)) return input(name);
    // What was made last is read more often: chains are what an assembler works on.
    const auto size = static_cast<unsigned>(pool.size());
    const unsigned from = random_.one_in(2) && size > 4 ? size - 4 : 0;
    return pool[from + random_.below(size - from)];
  }

  /// What a statement of inline assembly consists of.
  struct Assembly {
    struct Result {
      std::string name;
      char of;
    };
    std::vector<Result> results;
    std::string outputs, inputs, operands, predicate_source, predicate_result;
    unsigned place = 0;

    std::string output(const std::string& name, char of) {
      results.push_back({name, of});
      outputs += fmt::format("{}\"=&{}\"({})", outputs.empty() ? "" : ", ", of, name);
      return fmt::format("%{}", place++);
    }
    std::string input(const std::string& text, char of) {
      inputs += fmt::format("{}\"{}\"({})", inputs.empty() ? "" : ", ", of, text);
      return fmt::format("%{}", place++);
    }
  };

  std::string place_of(Assembly& made, char of, bool result) {
    return result ? made.output(fmt::format("{}{}", of, next_++), of)
                  : made.input(source(of, made.inputs.empty()), of);
  }

  std::string operand(Assembly& made, const std::string& word, bool first) {
    if (word == "A") return fmt::format("[{}]", made.input("sa", 'r'));
    if (word == "G") return fmt::format("[{}]", made.input("g", 'l'));
    if (word == "m") return "0xffffffff";
    if (word[0] == 'i') {
      const auto end = static_cast<unsigned>(std::stoul(word.substr(1)));
      return std::to_string(random_.below(end));
    }
    if (word == "p") {
      (first ? made.predicate_result : made.predicate_source) = place_of(made, 'r', first);
      return first ? "q" : "c";
    }
    const int count = word.size() > 1 ? word[1] - '0' : 1;
    std::string text;
    for (int k = 0; k < count; ++k) text = place_of(made, word[0], first);
    return text;
  }

  Assembly assemble(const Form& form) {
    Assembly made;
    for (std::size_t k = 0; k < form.operands.size(); ++k)
      made.operands += (k == 0 ? " " : ", ") + operand(made, form.operands[k], k == 0);
    return made;
  }

  static std::string body_of(const Form& form, const Assembly& made) {
    if (form.text[0] == '{') return form.text;
    std::string body = form.text + made.operands + ";";
    if (!made.predicate_source.empty())
      body = fmt::format("setp.ne.u32 c, {}, 0; {}", made.predicate_source, body);
    if (!made.predicate_result.empty())
      body += fmt::format(" selp.u32 {}, 1, 0, q;", made.predicate_result);
    return fmt::format("{{.reg .pred q, c; {}}}", body);
  }

  void statement(const Form& form) {
    const Assembly made = assemble(form);
    for (const auto& [name, of] : made.results)
      body_ +=
          fmt::format("{} {} = {};\n", kTypeNames[index_of(of)], name, pools_[index_of(of)][0]);
    const bool ordered = form.memory() || form.together;
    std::string lines =
        fmt::format("asm {}(\"{}\" : {} : {}{});\n", ordered ? "volatile" : "", body_of(form, made),
                    made.outputs, made.inputs, ordered ? " : \"memory\"" : "");
    if (form.together)
      lines = "__syncthreads();\n" + lines + "__syncthreads();\n";
    else if (random_.one_in(6))
      lines = fmt::format("if ({} & {}) {{\n{}}}\n", source('r'), 1u << random_.below(5), lines);
    body_ += lines;
    for (const auto& [name, of] : made.results) keep(form, name, of);
    if (!form.memory()) return;
    keep(form, "(*(volatile ull*)(s + 2 * t) ^ 3 * *(volatile ull*)(s + 2 * t + 1))", 0);
    keep(form, "(*(volatile ull*)g ^ 3 * *(volatile ull*)(g + 1))", 0);
  }

  /// `name`, where it may be a NaN with one NaN for all.
  static std::string stored(const Form& form, const std::string& name, char of) {
    if (of == 'f' || of == 'd') return fmt::format("bits({})", name);
    const bool brain = form.text.find(".bf16") != form.text.npos;
    if (!brain && form.text.find(".f16") == form.text.npos) return name;
    const char* const least = brain ? "0x7f80u" : "0x7c00u";
    if (of == 'h') return fmt::format("half_bits({}, {})", name, least);
    return of == 'r' ? fmt::format("halves_bits({}, {})", name, least) : name;
  }

  void keep(const Form& form, const std::string& name, char of) {
    const std::string value = stored(form, name, of);
    const std::string place = fmt::format("out[{} * all + at]", made_.results.size());
    body_ += fmt::format("{} = {};\n", place, value);
    made_.results.push_back(form.text);
    if (of == 0) return;
    // A load no wider than the value: of one of 64 bits the assembler of CUDA 13.0 takes the wrong
    // half for an atomic sum of two halves.
    const char* const type = of == 'l' || of == 'd' ? "ull" : "unsigned";
    const std::string word = opaque_ ? fmt::format("*(volatile {}*)&{}", type, place) : value;
    const auto also = [&](char to, const std::string& text) {
      pools_[index_of(to)].push_back(text);
    };
    // The bits of one class are a number of another.
    if (of == 'h') also('h', fmt::format("(unsigned short){}", word));
    if (of == 'h') also('r', fmt::format("((unsigned){} | 0x5a5a0000u)", word));
    if (of == 'r' || of == 'f') also('r', fmt::format("(unsigned){}", word));
    if (of == 'r' || (of == 'f' && opaque_))
      also('f', fmt::format("__uint_as_float((unsigned){})", word));
    if (of == 'f' && !opaque_) also('f', name);
    if (of == 'l' || of == 'd') also('l', word);
    if (of == 'd') also('d', opaque_ ? fmt::format("__longlong_as_double({})", word) : name);
  }

  Random random_;
  const std::vector<Form>& forms_;
  std::array<std::vector<std::string>, 5> pools_;
  std::string body_;
  unsigned next_ = 0;
  bool opaque_;
  Instructions made_;
};

}  // namespace

Instructions draw_instructions(u64 seed, const std::vector<Form>& forms, const std::string& name) {
  return Code(seed, forms).take(name);
}

const char* instructions_prelude() {
  return R"(typedef unsigned long long ull;
__device__ __forceinline__ unsigned bits(float x) { return x != x ? 0x7fffffffu : __float_as_uint(x); }
__device__ __forceinline__ ull bits(double x) { return x != x ? 0x7fffffffffffffffull : (ull)__double_as_longlong(x); }
__device__ __forceinline__ unsigned short half_bits(unsigned short x, unsigned most) { return (x & 0x7fffu) > most ? 0x7fff : x; }
__device__ __forceinline__ unsigned halves_bits(unsigned x, unsigned most) { return (unsigned)half_bits((unsigned short)(x >> 16), most) << 16 | half_bits((unsigned short)x, most); }
// Half of them have an exponent near that of 1, so that sums do not lose one of their operands.
__device__ __forceinline__ double wide_number(unsigned a, unsigned b) {
  const ull word = (ull)a << 32 | b;
  return __longlong_as_double(a & 1 ? (long long)((word & 0x800fffffffffffffull) | (ull)(1000 + (a >> 8) % 50) << 52) : (long long)word);
}
__device__ __forceinline__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
)";
}

}  // namespace gpx::random_kernels
