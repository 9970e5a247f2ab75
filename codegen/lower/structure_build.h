// Builds a kernel's IR from its structure. Interface for structure.cpp and structure_access.cpp.
// Covered by tests/codegen/lower_test.cpp and tests/codegen/body_test.cpp.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "codegen/lower/structure.h"

namespace gpx::codegen {

class KernelBuilder {
 public:
  explicit KernelBuilder(const Structure& structure) : structure_(structure) {}
  Kernel run();

  // For the rows of patterns.cpp.
  /// A register of the setup that holds the op's result.
  std::uint32_t temporary(Op op, std::vector<std::uint32_t> operands, std::uint64_t immediate = 0);
  /// The number of the thread in the grid.
  std::uint32_t number_of_threads();
  /// A scalar parameter of the access that is being built.
  std::uint32_t scalar(const char* name) const;

 private:
  // structure.cpp
  std::uint32_t add_register(std::string name, Type type);
  void parameter(const std::string& name, Type type);
  std::uint32_t setup(std::string name, Op op, std::vector<std::uint32_t> operands,
                      std::uint64_t immediate = 0, const std::string& what = {});
  std::uint32_t ready(std::uint32_t reg);
  Instruction& timed(Op op, const std::string& name);
  void body(const std::vector<StatementShape>& list);
  void statement(const StatementShape& shape);
  void chase(const StatementShape& shape);
  std::uint32_t offset_of(const StatementShape& shape);
  void branch(const StatementShape& shape);
  std::vector<Instruction> region(const std::vector<StatementShape>& list);
  std::uint32_t value(const ValueShape& shape);
  std::uint32_t before(const ValueShape& shape);
  std::uint32_t computed(const ValueShape& shape);

  // structure_access.cpp
  void access(const AccessShape& shape);
  std::string suffix() const;
  std::pair<std::uint32_t, std::uint64_t> address(const std::string& buffer, const Place& place);
  std::uint32_t load(const AccessShape& shape, const Place& place);
  void store(const AccessShape& shape, const Place& place, std::uint32_t value);
  std::uint32_t stored_value(std::uint32_t width);

  const Structure& structure_;
  Kernel kernel_;
  std::vector<Instruction>* list_ = nullptr;  // Where timed instructions go.
  std::map<std::string, std::uint32_t> parameters_;
  std::map<std::tuple<std::string, std::uint32_t, std::uint64_t>, std::uint32_t> addresses_;
  std::map<Op, std::uint32_t> stored_;
  std::map<std::string, std::uint32_t> values_;  // Computed before the region, by what they are.
  std::vector<std::uint32_t> ready_, loaded_;
  std::uint32_t thread_ = 0;
  std::uint32_t temporaries_ = 0, words_ = 0, conditions_ = 0;
  std::size_t accesses_ = 0, access_ = 0;  // How many there are; which one is being built.
  std::uint32_t line_ = 0;
  int depth_ = 0;
};

}  // namespace gpx::codegen
