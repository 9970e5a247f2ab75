// Modules of machine code. Interface: machine_code.h.
#include "runtime/device/vgpu/exec/sass/machine_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lang/lists.h"
#include "runtime/device/vgpu/exec/sass/builder.h"

namespace gpx::vgpu::exec {
namespace {

namespace code = codegen::sass;

/// Stack beyond what the cubin says, for functions that call themselves.
constexpr std::uint64_t kStackBytes = 16 * 1024;
/// R_CUDA_64 and R_CUDA_G64, a generic address.
bool is_address(const code::Fixup& fixup) {
  return fixup.type == 2 || fixup.type == 4;
}
/// R_CUDA_G8_0 to R_CUDA_G8_56: a byte of a generic address, which stands at an odd place.
std::optional<unsigned> byte_of_address(const code::Fixup& fixup) {
  constexpr std::uint32_t kLowest = 0x54;
  if (fixup.type < kLowest || fixup.type >= kLowest + 8) return std::nullopt;
  return fixup.type - kLowest;
}

std::uint64_t driver_address(std::string_view name) {
  using ptx::Builtin;
  constexpr std::pair<std::string_view, Builtin> kNames[] = {{"vprintf", Builtin::vprintf},
                                                             {"__assertfail", Builtin::assertfail},
                                                             {"malloc", Builtin::malloc},
                                                             {"free", Builtin::free}};
  for (const auto& [known, builtin] : kNames)
    if (known == name) return sass::kBuiltinCode + 16 * static_cast<std::uint64_t>(builtin);
  return 0;
}

class Maker {
 public:
  Maker(const code::KernelImage& image, const ptx::Module& made_from, const ptx::Function& entry)
      : image_(image), from_(made_from), entry_(entry) {}

  ptx::Module take() {
    ptx::Module module;
    module.version = from_.version;
    module.target = from_.target;
    module.shared_begin = image_.shared_begin;
    module.variables = from_.variables;
    add_unnamed(module.variables);
    variables_ = &module.variables;
    for (ptx::Variable& variable : module.variables) place(variable);
    module.functions.resize(1);
    ptx::Function& function = module.functions[0];
    function.name = entry_.name;
    function.is_entry = true;
    // Alignment counts from the begin of the bank: large ones may lie elsewhere than in PTX.
    function.parameters = entry_.parameters;
    if (image_.parameters.size() == function.parameters.size())
      for (std::size_t k = 0; k < function.parameters.size(); ++k)
        function.parameters[k].address = image_.parameters[k].offset;
    function.bounds = entry_.bounds;
    function.shared_bytes = image_.shared_bytes;
    build(module, function);
    return module;
  }

 private:
  const code::ImageVariable* find(const std::string& name) const {
    for (const code::ImageVariable& each : image_.variables)
      if (each.name == name) return &each;
    return nullptr;
  }

  /// Variables in the body of a function, whose names the assembler changes.
  void add_unnamed(std::vector<ptx::Variable>& variables) const {
    constexpr std::uint64_t kAlignment = 256;
    std::uint64_t end = 0;
    for (const ptx::Variable& each : variables)
      if (each.space == ptx::Space::global) end = std::max(end, each.address + each.bytes);
    for (const code::ImageVariable& each : image_.variables) {
      if (contains(variables, each.name, &ptx::Variable::name)) continue;
      ptx::Variable made;
      made.name = each.name;
      made.space = each.constant ? ptx::Space::constant : ptx::Space::global;
      made.bytes = each.bytes;
      made.address = each.address;
      if (!each.constant) {
        made.address = (end + kAlignment - 1) / kAlignment * kAlignment + each.address % kAlignment;
        end = made.address + made.bytes;
      }
      variables.push_back(std::move(made));
    }
  }

  /// Constants lie where the cubin has them; initial values are its own, which hold addresses.
  void place(ptx::Variable& variable) const {
    const code::ImageVariable* there = find(variable.name);
    if (!there) return;
    if (there->constant) variable.address = there->address;
    const auto bank = image_.banks.find(3);
    const bool known = there->constant ? bank != image_.banks.end() : there->initialised;
    if (known) initialise(variable, *there, there->constant ? bank->second : image_.initial);
  }

  void initialise(ptx::Variable& variable, const code::ImageVariable& there,
                  const code::ImageSection& section) const {
    const auto& bytes = section.bytes;
    if (there.address > bytes.size() || bytes.size() - there.address < there.bytes) return;
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(there.address);
    variable.initial.assign(begin, begin + static_cast<std::ptrdiff_t>(there.bytes));
    variable.relocations.clear();
    for (const code::Fixup& fixup : section.fixups) {
      const bool inside =
          fixup.offset >= there.address && fixup.offset < there.address + there.bytes;
      const auto byte = byte_of_address(fixup);
      if (!inside || (!byte && !is_address(fixup))) continue;
      ptx::Relocation made;
      if (byte) made.bytes = 1, made.mask = 0xffull << 8 * *byte;
      made.offset = fixup.offset - there.address;
      made.space = space_of(fixup, made.address);
      made.generic = true;
      variable.relocations.push_back(made);
    }
  }

  /// What a fixup's symbol is, and its address there.
  ptx::Space space_of(const code::Fixup& fixup, std::uint64_t& address) const {
    address = driver_address(fixup.symbol);
    if (address != 0) return ptx::Space::none;
    address = fixup.value;
    if (fixup.function) return ptx::Space::none;
    const code::ImageVariable* there = find(fixup.symbol);
    const auto variable = std::ranges::find(*variables_, fixup.symbol, &ptx::Variable::name);
    if (!there || variable == variables_->end()) return ptx::Space::none;
    if (there->constant) return ptx::Space::constant;
    address = variable->address + (fixup.value - there->address);
    return variable->space;
  }

  void build(const ptx::Module& module, ptx::Function& function) const {
    auto program = std::make_shared<Program>();
    auto machine = std::make_shared<sass::MachineProgram>();
    machine->parameters_begin = image_.parameters_begin;
    for (const auto& [bank, section] : image_.banks) {
      machine->banks[bank] = section.bytes;
      for (const code::Fixup& fixup : section.fixups) {
        if (!is_address(fixup)) continue;
        sass::BankAddress made{bank, static_cast<std::uint32_t>(fixup.offset), ptx::Space::none, 0};
        made.space = space_of(fixup, made.value);
        machine->addresses.push_back(made);
      }
    }
    program->machine = machine;
    const std::uint64_t frame = image_.frame_bytes + sass::kPassedBytes;
    const bool grows = calls_itself() || std::ranges::any_of(from_.functions, takes_stack);
    program->local_bytes = (frame + (grows ? kStackBytes : 0) + 15) / 16 * 16;
    attach_images(*program, module);
    add_driver_calls(*program);
    sass::Builder(image_, function, *program).build();
    function.local_bytes = program->local_bytes;
    function.prepared.set(std::shared_ptr<const Program>(program));
  }

  /// A call of what lies in the same section may come round.
  bool calls_itself() const {
    return std::ranges::any_of(image_.function.statements, [](const code::Statement& each) {
      return each.instruction.base() == "CALL";
    });
  }

  /// Arguments lie 8 bytes apart at the begin of local memory, the result behind them.
  static void add_driver_calls(Program& program) {
    constexpr std::uint32_t kResult = 48;
    const std::vector<std::uint32_t> sizes[] = {{8, 8}, {8, 8, 4, 8, 8}, {8}, {8}};
    for (const auto& arguments : sizes) {
      CallSite site;
      for (std::uint32_t k = 0; k < arguments.size(); ++k)
        site.parameters.push_back({8 * k, 0, arguments[k]});
      const bool prints = arguments.size() == 2;
      site.returns.push_back({0, kResult, prints ? 4u : 8u});
      program.builtin_calls.push_back(std::move(site));
    }
  }

  const code::KernelImage& image_;
  const ptx::Module& from_;
  const ptx::Function& entry_;
  const std::vector<ptx::Variable>* variables_ = nullptr;  ///< Of the module that is made.
};

/// With lines of the kernel's own file alone.
std::string listing_of(const code::KernelImage& image) {
  std::string text;
  for (const code::Statement& each : image.function.statements) {
    text += fmt::format("/*{:04x}*/ {}", each.address, each.instruction.text());
    if (each.own_line > 0 && each.own_file == image.function.statements.front().own_file)
      text += fmt::format("  // line {}", each.own_line);
    text += '\n';
  }
  return text;
}

}  // namespace

Result<MachineCode> read_machine_code(std::span<const std::uint8_t> cubin,
                                      const ptx::Module& made_from, const std::string& entry) {
  auto image = code::read_kernel_image(cubin, entry);
  if (!image) {
    Error error = image.error();
    error.fault = Fault::device;
    return tl::unexpected(std::move(error));
  }
  const ptx::Function* function = made_from.find(entry);
  if (!function) return fail(Fault::device, fmt::format("the PTX has no kernel '{}'", entry));
  MachineCode made;
  made.text = listing_of(*image);
  made.module = Maker(*image, made_from, *function).take();
  return made;
}

}  // namespace gpx::vgpu::exec
