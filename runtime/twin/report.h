// A twin and its exam for people. Covered by tests/twin/exam_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/report/style.h"
#include "runtime/twin/causes.h"
#include "runtime/twin/draft.h"
#include "runtime/twin/exam.h"

namespace gpx::twin {

/// How many values are measured and assumed, what is not known, and which findings are missing.
std::string draft_text(const Draft& draft, const std::string& file, const report::Style& style);

/// Findings that a twin did not get, why, and what stands in their place; "" where there are none.
std::string missing_text(const std::vector<vgpu::FileMissing>& missing, const report::Style& style);

/// Errors by family with the worst point of each, the worst of all, what was left out, and causes.
std::string exam_text(const Exam& exam, const std::vector<Cause>& causes, const std::string& device,
                      const report::Style& style);

/// The records of a device file.
std::string records_text(const std::vector<vgpu::FileRecord>& records, const report::Style& style);

/// The values of a device file with what they are from.
std::string values_text(const vgpu::FileContents& file, const report::Style& style);

}  // namespace gpx::twin
