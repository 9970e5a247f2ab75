// Draws random kernels. Interface: program.h.
//
// What needs all threads together stands at the top of a kernel; calls, loops, switches and early
// returns around it make lanes come there apart.
#include "program.h"

namespace gpx::random_kernels {
namespace {

using Kind = Statement::Kind;
using Leaf = Expression::Leaf;

/// What a kernel is rich in. Each is drawn as often.
struct Taste {
  const char* name;
  const char* operations = nullptr;  ///< A kind that is drawn more often.
  bool exchanges = false, calls = false, recursion = false, returns = false, atomics = false,
       arrays = false, switches = false;
  bool shuffles = false;  ///< All exchanges are those of a part of the warp.
  bool wide = false;      ///< All atomics are of 64 bits.
  bool tables = false;    ///< Switches are frequent, and long enough for a table of branches.
};
constexpr Taste kTastes[] = {
    {.name = "integers", .operations = "integer"},
    {.name = "wide integers", .operations = "wide"},
    {.name = "floats", .operations = "float"},
    {.name = "doubles", .operations = "double"},
    {.name = "conversions", .operations = "conversion"},
    {.name = "halves", .operations = "half"},
    {.name = "divergence", .returns = true, .switches = true},
    {.name = "local arrays", .arrays = true, .switches = true},
    {.name = "switch tables", .returns = true, .switches = true, .tables = true},
    {.name = "calls", .exchanges = true, .calls = true, .returns = true, .arrays = true},
    {.name = "recursion", .calls = true, .recursion = true, .returns = true},
    {.name = "atomics", .calls = true, .atomics = true},
    {.name = "64-bit atomics", .operations = "wide", .atomics = true, .wide = true},
    {.name = "barriers and returns", .exchanges = true, .returns = true, .switches = true},
    {.name = "exchanges", .operations = "integer", .exchanges = true},
    {.name = "shuffles with partial masks", .exchanges = true, .returns = true, .shuffles = true},
    {.name = "all",
     .exchanges = true,
     .calls = true,
     .recursion = true,
     .returns = true,
     .atomics = true,
     .arrays = true,
     .switches = true},
};

constexpr unsigned kWideOwn = 4;  ///< Operations of atomic_own of 64 bits; they come first.

class Drawing {
 public:
  explicit Drawing(u64 seed) : random_(seed), taste_(kTastes[seed % std::size(kTastes)]) {}

  Kernel kernel() {
    kernel_.kinds = taste_.name;
    const unsigned functions = taste_.calls ? 1 + random_.below(3) : 0;
    for (unsigned k = 0; k < functions; ++k) kernel_.functions.push_back(function(k));
    in_function_ = false;
    kernel_.body = top(4 + random_.below(5));
    return std::move(kernel_);
  }

 private:
  Function function(unsigned k) {
    in_function_ = true;
    callees_ = k;
    Function f;
    f.inlined = random_.one_in(3);
    const bool recursive = taste_.recursion && k == 0;
    if (recursive) {
      f.inlined = false;
      f.body.push_back(statement(Kind::give_back,
                                 {is_zero(variable(Type::word, 0)), expression(Type::word, 2)}));
      append(f.body, list(1 + random_.below(3), 2));
      recurse(f.body, k, 1);
      if (random_.one_in(3)) recurse(f.body, k, 2);
      append(f.body, list(1 + random_.below(2), 2));
    } else {
      f.body = list(2 + random_.below(4), 2);
    }
    f.result = expression(Type::word, 2);
    return f;
  }

  // Its first argument counts down. The call may be guarded by what differs among lanes.
  void recurse(std::vector<Statement>& body, unsigned k, unsigned to) {
    Statement call =
        statement(Kind::call, {operation("({0} - {1})", variable(Type::word, 0), constant(1)),
                               expression(Type::wide, 1), expression(Type::single, 1),
                               expression(Type::real, 1)});
    call.to = to;
    call.n = k;
    if (random_.one_in(2)) {
      Statement guarded = statement(Kind::branch, {condition()});
      guarded.bodies = {{call}, {}};
      call = guarded;
    }
    body.push_back(call);
  }

  std::vector<Statement> top(unsigned count) {
    std::vector<Statement> all;
    for (unsigned k = 0; k < count; ++k) {
      append(all, list(1 + random_.below(2), 3));
      if (taste_.exchanges) all.push_back(exchange());
    }
    return all;
  }

  Statement exchange() {
    // Those of a part of the warp first.
    static constexpr Kind kKinds[] = {Kind::shuffle,     Kind::shuffle_wide,   Kind::shuffle_tile,
                                      Kind::partition,   Kind::reduce,         Kind::vote,
                                      Kind::vote_branch, Kind::exchange_block, Kind::count_block,
                                      Kind::aggregate,   Kind::exchange_warp};
    kernel_.alone = false;
    Statement s = statement(kKinds[random_.below(taste_.shuffles ? 7 : std::size(kKinds))],
                            {expression(Type::word, 2), expression(Type::word, 2)});
    if (s.kind == Kind::shuffle_wide) s.e[0] = expression(Type::wide, 2), s.type = Type::wide;
    s.to = random_.below(kVariables);
    s.n = random_.below(12);
    return s;
  }

  std::vector<Statement> list(unsigned count, unsigned depth) {
    std::vector<Statement> all;
    for (unsigned k = 0; k < count; ++k) all.push_back(one(depth));
    return all;
  }

  Statement one(unsigned depth) {
    const unsigned what = random_.below(20);
    if (depth > 0 && what < 3) return branch(depth);
    if (depth > 0 && what < 5) return loop(depth);
    if (depth > 0 && taste_.switches && (what == 5 || (taste_.tables && what > 13)))
      return choose(depth);
    if (what < 9 && taste_.returns) return leave();
    if (what < 11 && taste_.calls && (in_function_ ? callees_ > first_callee() : true))
      return call();
    if (what < 13 && taste_.arrays)
      return statement(Kind::store_array, {expression(Type::word, 1), expression(Type::word, 2)});
    if (what < 15 && taste_.atomics && !in_function_) return atomic();
    return assign();
  }

  Statement assign() {
    const Type type = kTypes[random_.below(4)];
    Statement s = statement(Kind::assign, {expression(type, 3)});
    s.type = type;
    s.to = target(type);
    return s;
  }
  Statement branch(unsigned depth) {
    Statement s = statement(Kind::branch, {condition()});
    s.bodies = {list(1 + random_.below(3), depth - 1), {}};
    if (random_.one_in(2)) s.bodies[1] = list(1 + random_.below(2), depth - 1);
    return s;
  }
  Statement loop(unsigned depth) {
    Statement s = statement(Kind::loop, {expression(Type::word, 1)});
    s.n = 1 + random_.below(5);
    ++loops_;
    s.bodies = {list(1 + random_.below(3), depth - 1)};
    if (random_.one_in(3))
      s.bodies[0].push_back(
          statement(random_.one_in(2) ? Kind::leave_loop : Kind::next_turn, {condition()}));
    if (random_.one_in(2)) s.bodies[0].push_back(assign());
    --loops_;
    return s;
  }
  Statement choose(unsigned depth) {
    Statement s = statement(Kind::choose, {expression(Type::word, 1)});
    const unsigned cases = taste_.tables ? 8 + random_.below(17) : 3 + random_.below(6);
    for (unsigned k = 0; k < cases; ++k) {
      s.bodies.push_back(list(1, depth > 1 && random_.one_in(4) ? 1 : 0));
      s.falls.push_back(random_.one_in(4));
    }
    return s;
  }
  Statement leave() {
    const bool never = random_.one_in(2);
    Statement s =
        statement(never ? Kind::never : Kind::give_back, {condition(), expression(Type::word, 1)});
    // Few lanes, or none is left after some statements.
    if (!never) s.e[0] = operation("({0} & {1})", s.e[0], condition());
    return s;
  }
  Statement call() {
    Statement s =
        statement(Kind::call, {operation("({0} & {1})", expression(Type::word, 1), constant(3)),
                               expression(Type::wide, 1), expression(Type::single, 1),
                               expression(Type::real, 1)});
    const unsigned first = in_function_ ? first_callee() : 0;
    const unsigned count =
        in_function_ ? callees_ : static_cast<unsigned>(kernel_.functions.size());
    s.n = first + random_.below(count - first);
    s.to = target(Type::word);
    return s;
  }
  // A recursive function is called by the kernel alone: else their depths multiply.
  unsigned first_callee() const { return taste_.recursion ? 1 : 0; }
  Statement atomic() {
    static constexpr Kind kKinds[] = {Kind::atomic_wide, Kind::atomic_own, Kind::atomic_float};
    Statement s = statement(kKinds[random_.below(taste_.wide ? 2 : 3)],
                            {expression(Type::wide, 2), expression(Type::word, 1)});
    s.n = random_.below(taste_.wide && s.kind == Kind::atomic_own ? kWideOwn : 12);
    if (s.kind == Kind::atomic_wide) s.to = kernel_.slots++;
    if (s.kind == Kind::atomic_float)
      s.e[0] = expression(random_.one_in(2) ? Type::single : Type::real, 2), s.type = s.e[0].type;
    if (s.kind != Kind::atomic_wide) s.to = target(Type::word);
    return s;
  }

  /// Of a function the first word counts its depth.
  unsigned target(Type type) {
    if (type == Type::word && in_function_) return 1 + random_.below(kVariables - 1);
    return random_.below(kVariables);
  }
  static Statement statement(Kind kind, std::vector<Expression> e) {
    Statement s;
    s.kind = kind;
    s.e = std::move(e);
    return s;
  }
  static void append(std::vector<Statement>& to, std::vector<Statement> from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  static Expression constant(u64 value, Type type = Type::word) {
    return {Leaf::constant, type, value};
  }
  static Expression variable(Type type, unsigned k) { return {Leaf::variable, type, k}; }
  static Expression operation(std::string_view text, Expression a, Expression b) {
    for (const Operation& op : operations())
      if (op.text == text) return {Leaf::none, op.result, 0, &op, {std::move(a), std::move(b)}};
    return a;
  }
  Expression is_zero(Expression of) {
    return operation("unsigned({0} < {1})", std::move(of), constant(1));
  }
  /// True for some lanes, mostly.
  Expression condition() {
    const Expression of =
        random_.one_in(2) ? Expression{Leaf::thread, Type::word} : expression(Type::word, 2);
    if (random_.one_in(3)) return operation("unsigned({0} < {1})", of, expression(Type::word, 1));
    return operation("({0} & {1})", of, constant(1u << random_.below(5)));
  }
  Expression expression(Type type, unsigned depth) {
    if (depth == 0 || random_.one_in(5)) return leaf(type);
    for (;;) {
      const Operation& op = operations()[random_.below(static_cast<unsigned>(operations().size()))];
      if (op.result != type) continue;
      if (taste_.operations && op.kind != std::string_view(taste_.operations) && random_.one_in(2))
        continue;
      Expression made{Leaf::none, type, 0, &op};
      for (Type argument : op.arguments) made.arguments.push_back(expression(argument, depth - 1));
      return made;
    }
  }
  Expression leaf(Type type) {
    switch (random_.below(type == Type::word ? 7 : 2)) {
      case 0: return constant(edge(random_, type), type);
      case 1:
      case 2: return variable(type, random_.below(kVariables));
      case 3: return {Leaf::thread, type};
      case 4: return {random_.one_in(2) ? Leaf::lane : Leaf::block, type};
      case 5:
        return {taste_.arrays ? Leaf::array : Leaf::input,
                type,
                0,
                nullptr,
                {expression(Type::word, 1)}};
      default: return {Leaf::input, type, 0, nullptr, {expression(Type::word, 1)}};
    }
  }

  Random random_;
  const Taste& taste_;
  Kernel kernel_;
  bool in_function_ = false;
  unsigned callees_ = 0, loops_ = 0;
};

}  // namespace

Kernel draw(u64 seed) {
  return Drawing(seed).kernel();
}

Memory initial_memory(const Kernel& kernel, const Shape& shape, u64 seed) {
  Random random(seed ^ 0x5bd1e995);
  Memory memory;
  memory.in.resize(kInputs);
  for (u32& word : memory.in)
    word = static_cast<u32>(edge(random, random.one_in(2) ? Type::word : Type::single));
  memory.out.assign(shape.all(), 0);
  memory.slots.resize(kernel.slots * kSlotWords);
  for (u64& word : memory.slots) word = random.bits();
  memory.own.resize(4 * shape.all());
  for (u64& word : memory.own) word = edge(random, Type::wide);
  memory.votes.assign(8 * shape.blocks * ((shape.threads + 31) / 32), 0);
  return memory;
}

}  // namespace gpx::random_kernels
