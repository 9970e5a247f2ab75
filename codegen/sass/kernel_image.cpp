// Kernel images. Interface: kernel_image.h.
#include "codegen/sass/kernel_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/ptx/shared_begin.h"
#include "codegen/sass/cubin.h"
#include "codegen/sass/elf.h"

namespace gpx::codegen::sass {
namespace {

constexpr std::uint32_t kHopper = 90;

/// Calls use(attribute, bytes) for each entry of .nv.info: a format, an attribute, a size.
template <class Use>
void for_attributes(std::span<const std::uint8_t> info, Use use) {
  constexpr std::uint8_t kSized = 4;
  for (std::uint64_t at = 0; at + 4 <= info.size();) {
    const std::uint8_t format = info[at], attribute = info[at + 1];
    const std::uint64_t bytes =
        format == kSized ? read_number<std::uint16_t>(info, at + 2).value_or(0) : 0;
    if (at + 4 + bytes > info.size()) return;
    if (format == kSized) use(attribute, info.subspan(at + 4, bytes));
    at += 4 + bytes;
  }
}

class ImageReader {
 public:
  ImageReader(const Elf& elf, std::string_view entry)
      : elf_(elf), symbols_(elf.symbols()), entry_(entry) {}

  void read(KernelImage& out) {
    read_sizes(out);
    read_shared(out);
    for (const unsigned bank : {2u, 3u, 4u}) read_bank(bank, out);
    if (const ElfSection* initial = elf_.find(".nv.global.init"))
      out.initial = section_of(*initial);
    read_variables(out);
  }

 private:
  std::span<const std::uint8_t> bytes_of(std::string_view name) const {
    const ElfSection* found = elf_.find(name);
    return found ? found->bytes : std::span<const std::uint8_t>();
  }

  void read_sizes(KernelImage& out) const {
    constexpr std::uint8_t kParameters = 0x0a, kParameter = 0x17, kLeastStack = 0x12,
                           kCluster = 0x3d;
    const auto word = [](std::span<const std::uint8_t> bytes, std::uint64_t at) {
      return read_number<std::uint32_t>(bytes, at).value_or(0);
    };
    // A kernel without parameters does not say where they would be.
    out.parameters_begin = out.sm >= static_cast<int>(kHopper) ? 0x210 : 0x160;
    for_attributes(bytes_of(".nv.info." + std::string(entry_)), [&](auto attribute, auto bytes) {
      if (attribute == kParameters) out.parameters_begin = word(bytes, 4) & 0xffff;
      if (attribute == kCluster)
        for (std::size_t k = 0; k < out.cluster.size(); ++k) out.cluster[k] = word(bytes, 4 * k);
      if (attribute != kParameter) return;
      constexpr unsigned kSizeBit = 18;
      const std::size_t number = word(bytes, 4) & 0xffff;
      if (out.parameters.size() <= number) out.parameters.resize(number + 1);
      out.parameters[number] = {word(bytes, 4) >> 16, word(bytes, 8) >> kSizeBit};
    });
    for_attributes(bytes_of(".nv.info"), [&](auto attribute, auto bytes) {
      const std::uint32_t symbol = word(bytes, 0);
      if (attribute != kLeastStack || symbol >= symbols_.size()) return;
      if (symbols_[symbol].name == entry_) out.frame_bytes = word(bytes, 4);
    });
  }

  void read_shared(KernelImage& out) const {
    out.shared_begin = ptx::shared_begin(out.sm);
    const ElfSection* shared = elf_.find(".nv.shared." + std::string(entry_));
    if (!shared) return;
    // Vectors are read to the end of the last 16 bytes.
    out.shared_bytes =
        (shared->size - std::min<std::uint64_t>(shared->size, out.shared_begin) + 15) / 16 * 16;
  }

  void read_bank(unsigned bank, KernelImage& out) const {
    const std::string name = fmt::format(".nv.constant{}", bank);
    const ElfSection* section = elf_.find(fmt::format("{}.{}", name, entry_));
    if (!section) section = elf_.find(name);
    if (section) out.banks[bank] = section_of(*section);
  }

  ImageSection section_of(const ElfSection& section) const {
    ImageSection made;
    made.bytes.assign(section.bytes.begin(), section.bytes.end());
    for (const bool addend : {true, false}) {
      const auto list = bytes_of((addend ? ".rela" : ".rel") + std::string(section.name));
      const std::uint64_t size = addend ? 24 : 16;
      for (std::uint64_t at = 0; at + size <= list.size(); at += size)
        if (auto fixup = fixup_at(list, at, addend)) made.fixups.push_back(std::move(*fixup));
    }
    return made;
  }

  std::optional<Fixup> fixup_at(std::span<const std::uint8_t> list, std::uint64_t at,
                                bool addend) const {
    const std::uint64_t info = read_number<std::uint64_t>(list, at + 8).value_or(0);
    const std::uint64_t symbol = info >> 32;
    if (symbol >= symbols_.size()) return std::nullopt;
    const ElfSymbol& named = symbols_[symbol];
    Fixup made;
    made.offset = read_number<std::uint64_t>(list, at).value_or(0);
    made.type = static_cast<std::uint32_t>(info);
    made.symbol = named.name;
    made.value = named.value;
    if (addend) made.value += read_number<std::uint64_t>(list, at + 16).value_or(0);
    made.function = named.function && named.section != 0;
    return made;
  }

  void read_variables(KernelImage& out) const {
    const auto& sections = elf_.sections();
    for (const ElfSymbol& symbol : symbols_) {
      if (symbol.section >= sections.size() || symbol.function || symbol.name.empty()) continue;
      const std::string_view section = sections[symbol.section].name;
      const bool initialised = section == ".nv.global.init", constant = section == ".nv.constant3";
      if (!initialised && !constant && section != ".nv.global") continue;
      if (symbol.size == 0) continue;
      out.variables.push_back(
          {std::string(symbol.name), symbol.value, symbol.size, initialised, constant});
    }
  }

  const Elf& elf_;
  std::vector<ElfSymbol> symbols_;
  std::string_view entry_;
};

}  // namespace

// A kernel has a bank of parameters; a function for the device has none.
std::vector<std::string> kernels_of(const Elf& elf) {
  constexpr std::string_view kBank = ".nv.constant0.";
  std::vector<std::string> names;
  for (const ElfSection& section : elf.sections())
    if (section.name.starts_with(kBank)) names.emplace_back(section.name.substr(kBank.size()));
  return names;
}

KernelImage read_kernel_interface(const Elf& elf, std::string_view entry) {
  KernelImage image;
  image.sm = elf.sm();
  ImageReader(elf, entry).read(image);
  return image;
}

Result<KernelImage> read_kernel_image(std::span<const std::uint8_t> cubin, std::string_view entry) {
  auto program = read_program(cubin, "the cubin", entry);
  if (!program) return tl::unexpected(program.error());
  const auto elf = Elf::read(cubin, "the cubin");
  if (!elf) return tl::unexpected(elf.error());
  KernelImage image = read_kernel_interface(*elf, entry);
  for (Function& function : program->functions)
    if (function.name == entry) image.function = std::move(function);
  if (image.function.statements.empty())
    return fail(Fault::input, fmt::format("the cubin has no kernel '{}'", entry));
  image.registers = cubin_registers(cubin, entry);
  return image;
}

}  // namespace gpx::codegen::sass
