// Interface: results.h. Covered by tests/runtime/results_test.cpp.
#include "runtime/results.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "codegen/files/files.h"
#include "codegen/user/contents.h"
#include "codegen/user/npy.h"
#include "lang/lists.h"
#include "lang/try.h"
#include "runtime/compare_buffers.h"

namespace gpx {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// A buffer of a measure's program.
struct Place {
  std::size_t measure = 0;
  std::uint32_t buffer = 0;
  auto operator<=>(const Place&) const = default;
};

/// Where each expectation's buffers lie: of a kernel that several measures run, once for each.
std::vector<Place> places_of(std::span<const LoweredMeasure> measures, const ResultOf& result) {
  std::vector<Place> places;
  for (std::size_t m = 0; m < measures.size(); ++m) {
    const Run* run = measures[m].measure->run();
    if (!run || run->kernel != result.kernel) continue;
    const auto& buffers = measures[m].program.buffers;
    const auto found = std::ranges::find(buffers, result.parameter, &codegen::Buffer::name);
    if (found != buffers.end())
      places.push_back({m, static_cast<std::uint32_t>(found - buffers.begin())});
  }
  return places;
}

class ResultChecker {
 public:
  ResultChecker(Backend& backend, const Experiment& experiment,
                std::span<const LoweredMeasure> measures, std::string folder,
                const std::atomic<bool>& stop)
      : backend_(backend),
        experiment_(experiment),
        measures_(measures),
        folder_(std::move(folder)),
        stop_(stop) {
    for (const ResultExpect& expect : experiment.result_expects) {
      results_.expectations.push_back({expect.text, true, true, {}});
      for (const ResultOf* of : {&expect.result, &expect.other})
        for (const Place& place : places_of(measures, *of)) want(place);
    }
  }

  Result<void> save(std::span<const SavedBuffer> saved) {
    for (const SavedBuffer& each : saved) {
      const auto place = GPX_TRY(saved_place(each));
      want(place);
      saved_.push_back({&each, place});
    }
    return {};
  }

  Result<Results> run() {
    const std::uint64_t points = experiment_.sweep.points();
    if (!saved_.empty() && points > 1)
      return fail(Fault::input,
                  fmt::format("--save writes the results of one point, this sweep has {}", points),
                  "--set AXIS=VALUE takes one");
    for (std::uint64_t point = 0; point < points; ++point) {
      GPX_TRY(read(point));
      for (std::size_t i = 0; i < results_.expectations.size(); ++i) judge(i, point);
    }
    for (const auto& [wanted, place] : saved_) GPX_TRY(write(*wanted, place));
    if (!wanted_.empty()) results_.digest = fmt::format("{:016x}", digest_);
    return std::move(results_);
  }

 private:
  void want(const Place& place) {
    auto& buffers = wanted_[place.measure];
    add_once(buffers, place.buffer);
  }

  Result<Place> saved_place(const SavedBuffer& saved) const {
    const std::size_t dot = saved.buffer.find('.');
    std::vector<Place> found;
    std::vector<std::string> names;
    for (const UserKernel& kernel : experiment_.kernels)
      for (const Place& place : places_of(
               measures_, {kernel.name,
                           dot == std::string::npos ? saved.buffer : saved.buffer.substr(dot + 1)}))
        if (dot == std::string::npos || kernel.name == saved.buffer.substr(0, dot))
          found.push_back(place);
    for (const LoweredMeasure& each : measures_)
      for (const codegen::Buffer& buffer : each.program.buffers)
        if (each.program.user) names.push_back(buffer.name);
    if (found.size() == 1) return found.front();
    return fail(Fault::input,
                found.empty()
                    ? fmt::format("--save {}: there is no such buffer", saved.buffer)
                    : fmt::format("--save {}: several kernels have such a buffer", saved.buffer),
                fmt::format("the buffers are {}", fmt::join(names, ", ")));
  }

  /// The buffers of one point into `bytes_`.
  Result<void> read(std::uint64_t point) {
    bytes_.clear();
    for (const auto& [m, buffers] : wanted_) {
      const LoweredMeasure& measure = measures_[m];
      if (loaded_ != m) {
        GPX_TRY(backend_.load(measure.program, measure.artifacts));
        loaded_ = m;
      }
      codegen::Launch launch = measure.program.launches[point];
      launch.warmup = 0;
      launch.flush = false;
      launch.sampled = false;
      const Job job{&launch, 1, 1, buffers};
      auto results = GPX_TRY(backend_.run(std::span(&job, 1), stop_));
      if (results.empty()) return fail(Fault::device, "stopped while the results were checked");
      JobResult& result = results.front();
      for (std::size_t i = 0; i < result.buffers.size(); ++i) {
        const Bytes& bytes = result.buffers[i];
        digest_ = XXH3_64bits_withSeed(bytes.data(), bytes.size(), digest_);
        bytes_[{m, buffers[i]}] = std::move(result.buffers[i]);
      }
    }
    return {};
  }

  void judge(std::size_t index, std::uint64_t point) {
    ExpectationResult& out = results_.expectations[index];
    const ResultExpect& expect = experiment_.result_expects[index];
    for (const Place& place : places_of(measures_, expect.result)) {
      if (!out.pass) return;
      const std::string why = fault(expect, place);
      if (why.empty()) continue;
      out.pass = false;
      out.reason = why + where(place.measure, point);
    }
  }

  /// " at n=4, threads=128"
  std::string where(std::size_t measure, std::uint64_t point) const {
    std::string text;
    const auto add = [&](const std::string& name, const std::string& value) {
      text += fmt::format("{} {}={}", text.empty() ? " at" : ",", name, value);
    };
    if (const std::string& name = measures_[measure].measure->name; !name.empty())
      add("measure", name);
    const std::vector<Value> values = experiment_.sweep.at(point);
    const std::vector<const Axis*> axes = experiment_.sweep.axes();
    for (std::size_t i = 0; i < axes.size(); ++i) add(axes[i]->name, gpx::to_string(values[i]));
    return text;
  }

  const codegen::Buffer& buffer_of(const Place& place) const {
    return measures_[place.measure].program.buffers[place.buffer];
  }
  /// By the first launch: a buffer's type is the same at all points.
  ElementType type_of(const Place& place) const {
    const codegen::Launch& launch = measures_[place.measure].program.launches.front();
    return {launch.fills[place.buffer].element, buffer_of(place).is_signed};
  }

  /// Why the buffer is not what is expected; "": it is.
  std::string fault(const ResultExpect& expect, const Place& place) {
    const auto found = bytes_.find(place);
    if (found == bytes_.end()) return "the launch did not complete";
    const Bytes& bytes = found->second;
    const std::string& name = buffer_of(place).name;
    if (expect.with == ResultExpect::With::checksum) {
      const std::uint64_t sum = XXH3_64bits(bytes.data(), bytes.size());
      return sum == expect.checksum ? std::string()
                                    : fmt::format("the checksum of '{}' is {:#018x}", name, sum);
    }
    const auto expected = reference(expect, place, bytes.size());
    if (!expected) return expected.error();
    const auto difference = compare_buffers(bytes, *expected, type_of(place), expect.within);
    return difference ? fmt::format("'{}': {}", name, to_string(*difference)) : std::string();
  }

  tl::expected<Bytes, std::string> reference(const ResultExpect& expect, const Place& place,
                                             std::size_t bytes) const {
    const codegen::Buffer& buffer = buffer_of(place);
    const ElementType type = type_of(place);
    if (expect.with == ResultExpect::With::file) {
      if (!buffer.typed && expect.file.ends_with(".npy"))
        return tl::unexpected(fmt::format(
            "'{}' has elements of an unknown type: a file such as \"out.raw\" has its bytes",
            buffer.name));
      const std::string path = (std::filesystem::path(folder_) / expect.file).string();
      const auto words = codegen::file_words(path, bytes, type.element, codegen::Extra::refused);
      if (!words) return tl::unexpected(fmt::format("'{}': {}", expect.file, words.error()));
      Bytes out(bytes);
      std::copy_n(reinterpret_cast<const std::uint8_t*>(words->data()), bytes, out.data());
      return out;
    }
    if (expect.with == ResultExpect::With::value) {
      Bytes out(bytes);
      const codegen::BufferFill fill{BufferContents::Kind::value,
                                     type.element,
                                     bytes,
                                     expect.value.value,
                                     0,
                                     {},
                                     expect.value.rest};
      fill.write(0, bytes, out.data());
      return out;
    }
    const auto other = places_of(measures_, expect.other);
    const auto found = other.empty() ? bytes_.end() : bytes_.find(other.front());
    if (found == bytes_.end())
      return tl::unexpected(std::string("the launch of the reference did not complete"));
    if (type_of(other.front()).element != type.element)
      return tl::unexpected(fmt::format("'{}' and '{}' have elements of other types", buffer.name,
                                        buffer_of(other.front()).name));
    if (found->second.size() != bytes)
      return tl::unexpected(fmt::format("'{}' has {} bytes, the reference {}", buffer.name, bytes,
                                        found->second.size()));
    return found->second;
  }

  Result<void> write(const SavedBuffer& saved, const Place& place) const {
    const auto found = bytes_.find(place);
    const auto failed = [&](const std::string& why) {
      return fail(Fault::input, fmt::format("--save {}: {}", saved.file, why));
    };
    if (found == bytes_.end()) return failed("the launch did not complete");
    const Bytes& bytes = found->second;
    std::string text;
    if (saved.file.ends_with(".npy")) {
      const ElementType type = type_of(place);
      if (!buffer_of(place).typed)
        return failed(
            "the type of its elements is unknown; a file such as out.raw takes the bytes");
      auto header = codegen::npy_header(type.element, type.is_signed,
                                        bytes.size() / codegen::bytes_of(type.element));
      if (!header) return failed(header.error());
      text = std::move(*header);
    }
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::ofstream file(saved.file, std::ios::binary | std::ios::trunc);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file.flush()) return failed("it cannot be written");
    return {};
  }

  Backend& backend_;
  const Experiment& experiment_;
  std::span<const LoweredMeasure> measures_;
  std::string folder_;
  const std::atomic<bool>& stop_;
  std::map<std::size_t, std::vector<std::uint32_t>> wanted_;  ///< Buffers, by measure.
  std::vector<std::pair<const SavedBuffer*, Place>> saved_;
  std::map<Place, Bytes> bytes_;  ///< Of the point under way.
  std::optional<std::size_t> loaded_;
  std::uint64_t digest_ = 0;
  Results results_;
};

}  // namespace

Result<SavedBuffer> parse_saved(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return fail(Fault::input, fmt::format("--save {}: expected BUFFER=FILE", text),
                "such as --save out=result.npy");
  return SavedBuffer{text.substr(0, equals), text.substr(equals + 1)};
}

bool needs_results(const Experiment& experiment, std::span<const SavedBuffer> saved) {
  return !experiment.result_expects.empty() || !saved.empty();
}

Result<Results> check_results(Backend& backend, const Experiment& experiment,
                              std::span<const LoweredMeasure> measures, const std::string& folder,
                              std::span<const SavedBuffer> saved, const std::atomic<bool>& stop) {
  ResultChecker checker(backend, experiment, measures, folder, stop);
  GPX_TRY(checker.save(saved));
  return checker.run();
}

Result<void> check_references(const Experiment& experiment, const std::string& folder) {
  for (const ResultExpect& expect : experiment.result_expects) {
    if (expect.with != ResultExpect::With::file) continue;
    const std::string path = (std::filesystem::path(folder) / expect.file).string();
    if (const auto read = read_file_start(path, 1); !read)
      return fail(Fault::input,
                  fmt::format("expect {}: '{}' cannot be read: {}", expect.text, expect.file,
                              read.error().reason),
                  "gpx run --save BUFFER=FILE writes a file of results");
  }
  return {};
}

}  // namespace gpx
