// Cubins as files of kernels. Interface: cubin_file.h.
#include "codegen/user/cubin_file.h"

#include <fmt/format.h>

#include <span>

#include "codegen/sass/cubin.h"
#include "codegen/sass/kernel_image.h"
#include "lang/try.h"

namespace gpx::codegen {
namespace {

using sass::ImageParameter;
using sass::ImageVariable;
using sass::KernelImage;

/// Where variables are laid out anew they keep every alignment that CUDA has.
constexpr unsigned kVariableAlign = 128;

std::span<const std::uint8_t> bytes_of(const Source& file) {
  return {reinterpret_cast<const std::uint8_t*>(file.text().data()), file.text().size()};
}

/// "sm_90a": the code of one GPU alone is not told apart in the file.
std::string target_text(const Target& target) {
  return fmt::format("sm_{}{}", target.sm, target.specific ? "a" : "");
}

/// Within a major number later GPUs execute what was compiled for earlier ones.
Result<void> check_architecture(const Source& file, int sm, const Target& target) {
  if (target.form == Target::Form::ptx)
    return fail(
        Fault::input,
        fmt::format("'{}' is machine code of sm_{}: this device executes PTX", file.name(), sm),
        "a virtual GPU executes machine code where its file has the costs of the pipes, "
        "such as h100 and h200");
  if (sm / 10 == target.sm / 10 && sm <= target.sm) return {};
  return fail(Fault::input,
              fmt::format("'{}' is machine code of sm_{}: this device executes that of {}",
                          file.name(), sm, target_text(target)));
}

/// All sections must be there: variables and banks are read, too.
Result<void> check_whole(const Source& file, const Elf& elf) {
  for (const ElfSection& section : elf.sections())
    if (section.truncated)
      return fail(Fault::input,
                  fmt::format("'{}' is truncated: it ends before the end of section '{}'",
                              file.name(), section.name));
  return {};
}

/// A parameter's size and alignment; a type that a name gives is read by user_kernel.cpp.
std::string parameter_text(const KernelParameter* known, std::uint32_t bytes,
                           const std::string& name) {
  if (known && known->kind == KernelParameter::Kind::pointer && bytes == 8)
    return fmt::format(".param .u64 {}", name);
  if (known && known->value && known->value->lanes == 1 && known->value->bytes() == bytes)
    return fmt::format(".param .u{} {}", 8 * bytes, name);
  return fmt::format(".param .align {} .b8 {}[{}]",
                     bytes % 8 == 0   ? 8
                     : bytes % 4 == 0 ? 4
                                      : 1,
                     name, bytes);
}

std::string entry_text(const std::string& symbol, const KernelImage& image,
                       const std::vector<std::string>& types) {
  std::string parameters;
  for (std::size_t k = 0; k < image.parameters.size(); ++k) {
    KernelParameter known;
    const bool typed = types.size() == image.parameters.size();
    if (typed) known.value = value_type(types[k]);
    if (typed && types[k].find('*') != std::string::npos)
      known.kind = KernelParameter::Kind::pointer;
    parameters += fmt::format("{}{}", k == 0 ? "" : ", ",
                              parameter_text(typed ? &known : nullptr, image.parameters[k].bytes,
                                             fmt::format("{}_param_{}", symbol, k)));
  }
  const auto& cluster = image.cluster;
  const std::string bounds = cluster[0] == 0
                                 ? ""
                                 : fmt::format(".explicitcluster\n.reqnctapercluster {}, {}, {}\n",
                                               cluster[0], cluster[1], cluster[2]);
  return fmt::format(".visible .entry {}({})\n{}{{\n ret;\n}}\n", symbol, parameters, bounds);
}

std::string variable_text(const ImageVariable& variable) {
  return fmt::format(".visible .{} .align {} .b8 {}[{}];\n", variable.constant ? "const" : "global",
                     kVariableAlign, variable.name, variable.bytes);
}

/// Empty entries with what they take, and the variables.
std::string declarations_of(const Elf& elf, const std::vector<std::string>& kernels) {
  std::string text = fmt::format(".version 8.0\n.target sm_{}\n.address_size 64\n", elf.sm());
  std::string entries;
  for (const std::string& symbol : kernels) {
    const KernelImage image = sass::read_kernel_interface(elf, symbol);
    if (entries.empty())
      for (const ImageVariable& variable : image.variables) text += variable_text(variable);
    entries += entry_text(symbol, image, parameter_types(symbol));
  }
  return text + entries;
}

}  // namespace

bool is_cubin_name(std::string_view name) {
  return name.ends_with(".cubin");
}

Result<CompiledFile> read_cubin_file(const Source& file, const Target& target,
                                     const FileOptions& options) {
  const auto bytes = bytes_of(file);
  const auto elf = GPX_TRY(Elf::read(bytes, file.name()));
  GPX_TRY(check_whole(file, elf));
  GPX_TRY(check_architecture(file, elf.sm(), target));
  if (options.registers > 0 || !options.defines.empty())
    return fail(Fault::input,
                fmt::format("'{}' is compiled: its registers and macros are fixed", file.name()));
  const std::vector<std::string> kernels = sass::kernels_of(elf);
  if (kernels.empty()) return fail(Fault::input, fmt::format("'{}' has no kernel", file.name()));
  CompiledFile made;
  made.artifact.ptx = declarations_of(elf, kernels);
  made.artifact.cubin.assign(bytes.begin(), bytes.end());
  made.artifact.target = {Target::Form::cubin, elf.sm()};
  made.artifact.code_alone = true;
  made.artifact.hash = content_hash({file.text()});
  made.registers_sm = elf.sm();
  for (const std::string& symbol : kernels)
    made.registers.emplace_back(symbol, cubin_registers(bytes, symbol));
  return made;
}

}  // namespace gpx::codegen
