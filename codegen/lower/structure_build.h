// Builds a kernel's IR from its structure. Interface for structure.cpp, structure_access.cpp and
// the rows of patterns.cpp.
// Covered by tests/codegen/lower_test.cpp and tests/codegen/body_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "codegen/lower/structure.h"

namespace gpx::codegen {

class KernelBuilder {
 public:
  KernelBuilder(const Structure& structure, const Frame& frame, std::uint32_t threads)
      : structure_(structure), frame_(frame) {
    kernel_.threads = threads;
  }
  Kernel run();

  // For the rows of patterns.cpp.
  /// A register of the setup that holds the op's result.
  std::uint32_t temporary(Op op, std::vector<std::uint32_t> operands, std::uint64_t immediate = 0);
  /// The number of the thread: in the grid, of an access to shared memory in the block.
  std::uint32_t thread_of_pattern();
  /// A scalar parameter of the access that is being built.
  std::uint32_t scalar(const char* name) const;

 private:
  // structure.cpp
  std::uint32_t number_of_threads();
  std::uint32_t add_register(std::string name, Type type);
  void parameter(const std::string& name, Type type);
  std::uint32_t parameter(const char* name, std::size_t number) const;
  std::uint32_t setup(std::string name, Op op, std::vector<std::uint32_t> operands,
                      std::uint64_t immediate = 0, const std::string& what = {});
  std::uint32_t ready(std::uint32_t reg);
  Instruction& timed(Op op, std::string_view name);
  void body(const Shapes& list);
  void add(const AccessShape& shape);  // structure_access.cpp
  void add(const ChaseShape& shape);
  void add(const OperateShape& shape);
  void add(const PlainShape& shape);
  void add(const BranchShape& shape);
  std::uint32_t offset_of(const ChaseShape& shape);
  std::uint32_t rank_of(const ThreadValue* rank);
  std::vector<Instruction> region(const Shapes& list);
  std::uint32_t value(const ThreadValue& shape);
  std::uint32_t before(const ThreadValue& shape);
  std::uint32_t computed(const ThreadValue& shape);

  // structure_access.cpp
  std::pair<std::uint32_t, std::uint64_t> address(const std::string& memory, const Place& place);
  std::uint32_t loaded_value(Op op);
  std::uint32_t load(const AccessShape& shape, const Place& place);
  void store(const AccessShape& shape, const Place& place, std::uint32_t value);
  std::uint32_t stored_value(std::uint32_t width);
  void atomics(const AccessShape& shape, const std::vector<Place>& where);
  std::uint32_t value_for(Op op, const char* prefix);

  // structure_copy.cpp
  void copies(const AccessShape& shape, const std::vector<Place>& where);
  void copy(const AccessShape& shape, const Place& from, const Place& to);
  void wait();

  const Structure& structure_;
  const Frame& frame_;
  Kernel kernel_;
  std::vector<Instruction>* list_ = nullptr;  // Where timed instructions go.
  std::map<std::string, std::uint32_t> parameters_;
  /// By memory, offset, window and rank.
  std::map<std::tuple<std::string, std::uint32_t, std::uint64_t, std::uint32_t>, std::uint32_t>
      addresses_;
  std::map<Op, std::uint32_t> stored_;
  std::vector<std::pair<ThreadValue, std::uint32_t>> values_;  // Computed before the region.
  std::vector<std::uint32_t> ready_, loaded_;
  std::uint32_t thread_ = 0, in_block_ = 0;
  Space space_ = Space::global;       // Of the access that is being built.
  std::uint32_t rank_ = kNoRegister;  // The same; none: the block's own memory.
  std::uint32_t ranks_ = kNoRegister;
  std::uint32_t temporaries_ = 0, words_ = 0, conditions_ = 0, loads_ = 0;
  std::size_t access_ = 0;  // The number of the one that is being built.
  std::uint32_t line_ = 0;
  int depth_ = 0;
  std::uint64_t copied_ = 0;  // Bytes of kCopied that the copies so far have.
  // What `wait` waits for: copies of threads, bulk loads (what announces them: its place in the
  // list), bulk stores.
  bool copies_ = false, stores_ = false;
  std::uint32_t map_ = 0, corner_ = 0;  // Of the tensor copy that is being built.
  std::optional<std::size_t> expect_;
};

}  // namespace gpx::codegen
