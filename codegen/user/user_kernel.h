// Kernels from a file: a user's CUDA C++ compiled as it is, and what its functions take.
//
// The PTX says how many parameters an entry has and how large they are; their names, and what a
// pointer points to, are read from the source beside it. Covered by
// tests/codegen/user_kernel_test.cpp and tests/codegen/compile_file_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/compile/artifact.h"
#include "codegen/compile/cache.h"
#include "codegen/ir/program.h"
#include "codegen/user/struct_text.h"
#include "codegen/user/value_types.h"
#include "lang/diagnostic.h"

namespace gpx::codegen {

class Clang;

struct KernelParameter {
  enum class Kind {
    pointer,
    integer,
    real,   ///< f32 or f64
    other,  ///< A struct by value.
  };
  std::string name;  ///< As in the source; "param_0" where that cannot be read.
  std::string type;  ///< As in the source: "const float*"; else the PTX's: ".u64".
  Kind kind = Kind::integer;
  std::uint32_t bytes = 0;
  bool is_signed = true;                          ///< Of an integer.
  std::optional<Element> element = std::nullopt;  ///< Of what a pointer points to, where known.
  DeclaredStruct declared = {};  ///< Of a struct by value, where the file says what it holds.
  /// Of what is passed by value: its type where gpx knows it, else what the PTX says of a number.
  std::optional<ValueType> value = std::nullopt;
  Enumerators enumerators = {};  ///< Of an enumeration.
  bool any_sign = false;         ///< Of an integer of which only the PTX is known.
};

struct KernelEntry {
  std::string symbol;  ///< "_Z6matmulPfi": the PTX's name.
  std::string name;    ///< "matmul"
  std::vector<KernelParameter> parameters;
  std::string dynamic_shared;  ///< Its `extern __shared__` array; "": it has none.
};

/// The text with each macro's name ("T float") as its value: what a parameter's type is then.
std::string with_macros(std::string text, const std::vector<std::string>& defines);

/// What a pointer of this type ("const float4*") points to; of a vector its parts. Nothing of a
/// type that is not built in and of a pointer to pointers.
std::optional<Element> element_of(std::string_view type);

/// The types of a mangled symbol's parameters: "float const*"; empty where it is not mangled.
std::vector<std::string> parameter_types(const std::string& symbol);

/// The `__global__` functions of a compiled file.
std::vector<KernelEntry> entries_of(const std::string& ptx, const std::string& source);

/// The entry that the user calls `name`. Errors at `span` of `text`: none, with the names that the
/// file has (`code`: its text, in which a template of the name may stand); several (overloads),
/// with their symbols.
Result<KernelEntry> find_entry(const std::vector<KernelEntry>& entries, const std::string& name,
                               const std::string& file, const Source& text, Span span,
                               const std::string& code = {});

/// What is said of a name that no entry has.
struct NoEntry {
  std::string message, hint;
};
/// Of a file's text, before it is compiled: the name stands nowhere in it, and neither an include
/// nor a macro that joins words could make it. Nothing where only a compiler can tell.
std::optional<NoEntry> plainly_no_entry(const std::string& source, const std::string& name,
                                        const std::string& file);

struct FileOptions {
  std::uint32_t registers = 0;             ///< A thread takes so many at most; 0: as it comes.
  std::vector<std::string> defines = {};   ///< "UNROLL 8"
  std::vector<std::string> includes = {};  ///< Folders that the file may include from, too.
  std::string entry = {};                  ///< As the user calls it; "k<float>" is instantiated.
};

/// A file compiled whole. Artifact::entry is empty: the file may have several.
struct CompiledFile {
  Artifact artifact;
  /// 32-bit registers a thread takes, by symbol.
  std::vector<std::pair<std::string, std::uint32_t>> registers;
  int registers_sm = 0;       ///< The machine code that they are of: sm_75 where the target is PTX.
  std::string included = {};  ///< The text of what it includes of its own folder and below.
  /// What the compiler says of its entries (codegen/user/debug_info.h); empty: it says nothing.
  std::string declarations = {};
  /// Symbols of the instances of templates that were asked for, by what they were called.
  std::vector<std::pair<std::string, std::string>> instances = {};
  std::vector<std::string> left_out = {};  ///< Headers that were found nowhere, and are empty.

  /// The symbol of an instance; what is no instance as it is.
  std::string symbol_of(const std::string& entry) const;
  std::uint32_t registers_of(std::string_view symbol) const;  ///< 0: not known.
};

/// Compiles with line information, code for the host left out (codegen/user/file_compiler.h).
/// Errors of the compiler point into the file and what it includes: files of its own folder and
/// below, of FileOptions::includes, and the toolkit's headers (codegen/compile/file_watch.h);
/// Artifact::hash covers what it included.
Result<CompiledFile> compile_file(const Source& file, const Target& target,
                                  const FileOptions& options, const ArtifactCache& cache,
                                  std::vector<std::string>* warnings);

/// The same by clang, as PTX, and without the cache: what clang would have looked for is not known.
/// A line of CompiledFile::registers has the number 0. It may include files of its own folder and
/// below.
Result<CompiledFile> compile_file(const Source& file, const Clang& clang, int sm,
                                  const FileOptions& options = {});

/// The file's text behind the lines of its macros; a compiler counts its lines as before.
std::string defined_text(const Source& file, const std::vector<std::string>& defines);

/// The macros of a kernel at a point: "UNROLL 8".
std::vector<std::string> defines_of(const UserKernel& kernel, const Scope& scope);

/// The text of a kernel's file for a compiler: without a mark of byte order, lines end in "\n", and
/// bytes of comments and texts that are no UTF-8 are written otherwise. Lines keep their numbers.
std::string readable_text(std::string_view bytes);

/// An error of a compiler's log.
struct LogError {
  std::string file;  ///< As the log has it; empty: it names no place.
  int line = 0;
  int column = 0;  ///< From 1; 0: not known.
  std::string text;
  int ptx_line = 0;  ///< Of the PTX, where the assembler found it; 0: it did not.
};
/// Each once; warnings are none.
std::vector<LogError> read_log(const std::string& log);

/// The text of an included file; nothing: it cannot be read.
using ReadIncluded = std::function<std::optional<std::string>(const std::string& path)>;
/// The errors at their lines of the file and of what it includes; the log, where there are none.
Error log_errors(const Source& file, const std::vector<LogError>& errors, const std::string& log,
                 const std::string& compiler, const ReadIncluded& read = {});

/// The folder of a file, for what it includes; "." where its name has none.
std::string folder_of(const Source& file);

/// A measure that runs a kernel from a file: one launch for each point; Program::kernels has one
/// for each number of registers that the sweep asks for. Errors point at the experiment's text: a
/// parameter without an argument, an argument that is no parameter, a kind that does not fit.
Result<Program> lower_user(const Experiment& experiment, const Measure& measure,
                           const UserKernel& kernel, const KernelEntry& entry, const Source& source,
                           const Limits& limits);

}  // namespace gpx::codegen
