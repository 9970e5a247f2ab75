// Errors as bytes, for two processes of the same program. Covered by
// tests/codegen/confined_test.cpp.
#pragma once

#include "codegen/confined/confined.h"
#include "codegen/confined/wire.h"
#include "lang/diagnostic.h"

namespace gpx {

template <typename Archive, Sent<Location> T>
void exchange(Archive& archive, T& value) {
  auto& [file, line, column, length, line_text] = value;
  archive(file, line, column, length, line_text);
}

template <typename Archive, Sent<Diagnostic> T>
void exchange(Archive& archive, T& value) {
  auto& [message, location, hint] = value;
  archive(message, location, hint);
}

template <typename Archive, Sent<Error> T>
void exchange(Archive& archive, T& value) {
  auto& [fault, diagnostics] = value;
  archive(fault, diagnostics);
}

namespace confined {

/// A result with its error; `T` has an exchange().
template <typename T>
wire::Bytes to_bytes(const Result<T>& result) {
  wire::Writer writer;
  writer(result.has_value());
  if (result)
    writer(*result);
  else
    writer(result.error());
  return writer.take();
}

/// Bytes that are none are an error: the other process was not what it should be.
template <typename T>
Result<T> result_from(const wire::Bytes& bytes) {
  wire::Reader reader(bytes);
  bool good = false;
  reader(good);
  T value{};
  Error error{Fault::device, {}};
  if (good)
    reader(value);
  else
    reader(error);
  if (!reader.complete() || (!good && error.diagnostics.empty()))
    return fail(Fault::device, "a process of gpx answered what cannot be read");
  if (!good) return tl::unexpected<Error>(std::move(error));
  return value;
}

}  // namespace confined
}  // namespace gpx
