// Jobs on one machine, and errors that name the launch. Interface: worker.h.
// Covered by tests/vgpu/virtual_test.cpp.
#include "runtime/device/vgpu/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "lang/stop.h"
#include "lang/try.h"
#include "runtime/device/vgpu/counts/counted_launch.h"
#include "runtime/device/vgpu/exec/tensor_map.h"

namespace gpx::vgpu {
namespace {

// Words of the result area that are copied at once.
constexpr std::size_t kChunk = 1 << 20;

constexpr std::size_t kBetweenPolls = 1 << 16;  // Elements of an array: a few milliseconds.

/// The blocks of so few say little of the others: what was counted of the grid does.
constexpr std::uint64_t kFewBlocks = 8;

unsigned chunk_bytes(std::size_t at, std::size_t words) {
  return static_cast<unsigned>(8 * std::min(kChunk, words - at));
}

void fill(std::uint64_t offset, std::uint64_t bytes, std::uint8_t* out) {
  for (std::uint64_t at = 0; at < bytes; at += 4) {
    const std::uint32_t word = codegen::initial_word((offset + at) / 4);
    std::memcpy(out + at, &word, std::min<std::uint64_t>(4, bytes - at));
  }
}

/// Memory that nobody reads before it is written.
void fill_nothing(std::uint64_t, std::uint64_t bytes, std::uint8_t* out) {
  std::memset(out, 0, bytes);
}

std::string describe(const codegen::Launch& launch, const LoadedProgram& program) {
  const std::uint64_t blocks = launch.all_blocks(), threads = launch.all_threads();
  return fmt::format("kernel '{}', {} block{} of {} thread{}", program.kernels[launch.kernel].name,
                     blocks, blocks == 1 ? "" : "s", threads, threads == 1 ? "" : "s");
}

/// Why a launch is not of whole clusters that the device has; "": it is, or has none.
std::string cluster_fault(const codegen::Launch& launch, const ptx::Function& entry,
                          const timing::Description& device) {
  const exec::Grid grid = grid_of(launch, entry);
  if (!grid.clustered())
    return entry.bounds.clustered ? "the kernel is launched in clusters: 'cluster N' is missing"
                                  : "";
  if (!device.cluster) return fmt::format("'{}' has no clusters of blocks", device.name);
  const std::uint32_t blocks = grid.cluster_blocks(), most = device.cluster->most;
  if (blocks > most)
    return fmt::format("a cluster of '{}' has {} blocks at most, not {}", device.name, most,
                       blocks);
  for (std::size_t axis = 0; axis < grid.cluster.size(); ++axis)
    if (grid.blocks[axis] % grid.cluster[axis] != 0)
      return fmt::format("{} blocks are not whole clusters of {}", grid.blocks[axis],
                         grid.cluster[axis]);
  const bool says = entry.bounds.cluster[0] != 0;
  if (says && entry.bounds.cluster != grid.cluster)
    return fmt::format("the kernel declares clusters of {} blocks",
                       entry.bounds.cluster[0] * entry.bounds.cluster[1] * entry.bounds.cluster[2]);
  return "";
}

/// Why the device cannot launch it; "": it can.
std::string why_not(const codegen::Launch& launch, const LoadedKernel& kernel,
                    const timing::Description& device) {
  const ptx::Function& entry = *kernel.entry;
  const std::uint64_t threads = launch.all_threads();
  const std::uint64_t shared_bytes = entry.shared_bytes + launch.shared_bytes;
  if (threads > device.sm.max_threads_per_block)
    return fmt::format("'{}' has {} threads a block at most", device.name,
                       device.sm.max_threads_per_block);
  if (entry.bounds.threads != 0 && threads > entry.bounds.threads)
    return fmt::format("the kernel declares blocks of {} threads at most", entry.bounds.threads);
  if (std::string fault = cluster_fault(launch, entry, device); !fault.empty()) return fault;
  const std::uint64_t most_shared = timing::most_shared(device);
  const std::uint64_t besides = timing::shared_allocation(device).besides(entry.parameter_bytes());
  if (shared_bytes + besides > most_shared)
    return fmt::format("needs {} B of shared memory{}, an SM of '{}' has {} B", shared_bytes,
                       besides > 0 ? fmt::format(" and {} B that the system takes", besides) : "",
                       device.name, most_shared);
  if (!device.registers) return "";
  if (kernel.registers > device.registers->per_thread_max)
    return fmt::format("needs {} registers a thread, '{}' has {} at most", kernel.registers,
                       device.name, device.registers->per_thread_max);
  const std::uint64_t registers = device.registers->of_block(kernel.registers, threads);
  if (registers > device.registers->per_sm)
    return fmt::format("needs {} registers a block, an SM of '{}' has {}", registers, device.name,
                       device.registers->per_sm);
  return "";
}

/// The module's constant memory as its initial values have it.
std::vector<std::uint8_t> constant_image(const ptx::Module& module) {
  std::vector<std::uint8_t> image;
  for (const ptx::Variable& v : module.variables) {
    if (v.space != ptx::Space::constant) continue;
    image.resize(std::max<std::size_t>(image.size(), v.address + v.bytes));
    std::copy(v.initial.begin(), v.initial.end(),
              image.begin() + static_cast<std::ptrdiff_t>(v.address));
  }
  return image;
}

/// Calls put(offset, link) for each element of a chase.
template <typename Put>
void for_links(const codegen::ChaseContents& contents, Put put) {
  const std::vector<std::uint64_t> visit = codegen::visit_order(contents);
  for (std::size_t k = 0; k < visit.size(); ++k) {
    if (k % kBetweenPolls == 0 && StopScope::raised()) return;
    put(visit[k], visit[(k + 1) % visit.size()]);
  }
}

/// Launch::contents by buffer; nullptr: the buffer has none.
std::vector<const codegen::ChaseContents*> contents_by_buffer(const codegen::Launch& launch,
                                                              const LoadedProgram& program) {
  std::vector<const codegen::ChaseContents*> result;
  std::size_t next = 0;
  for (const codegen::Buffer& buffer : program.buffers)
    result.push_back(buffer.has_contents ? &launch.contents[next++] : nullptr);
  return result;
}

/// A global address as programmers know it: "an access 4 B past the end of 'out' (4096 B)". What
/// lies nearer than the gap between two buffers is taken for the one that it is nearer to.
std::string near_buffer(std::uint64_t address, const LoadedProgram& program,
                        const std::vector<std::uint64_t>& buffers) {
  constexpr std::uint64_t kGap = std::uint64_t{2} << 20;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::uint64_t begin = buffers[i], end = begin + program.buffers[i].bytes;
    const bool past = address >= end && address - end < kGap / 2;
    const bool before = address < begin && begin - address <= kGap / 2;
    if (begin == 0 || (!past && !before)) continue;
    return fmt::format("an access {} B {} '{}' ({} B)", past ? address - end : begin - address,
                       past ? "past the end of" : "before the start of", program.buffers[i].name,
                       program.buffers[i].bytes);
  }
  return {};
}

/// The trap's message, by the buffer that it was about in place of the address.
std::string message_of(const exec::Trap& trap, const LoadedProgram& program,
                       const std::vector<std::uint64_t>& buffers) {
  constexpr std::string_view kAddress = "global address 0x", kOutside = " is outside every buffer";
  const std::size_t at = trap.message.find(kAddress);
  if (at == std::string::npos) return trap.message;
  std::uint64_t address = 0;
  const char* digits = trap.message.data() + at + kAddress.size();
  std::from_chars(digits, trap.message.data() + trap.message.size(), address, 16);
  const std::string where = near_buffer(address, program, buffers);
  const std::size_t end = trap.message.find(kOutside, at);
  if (where.empty() || end == std::string::npos) return trap.message;
  return std::string(trap.message).replace(at, end + kOutside.size() - at, where);
}

Error error_of(const exec::Trap& trap, const codegen::Launch& launch, const LoadedProgram& program,
               const std::vector<std::uint64_t>& buffers) {
  Error error{Fault::device, {}};
  Diagnostic diagnostic;
  diagnostic.message =
      fmt::format("{}: {}", describe(launch, program), message_of(trap, program, buffers));
  const LoadedKernel& kernel = program.kernels[launch.kernel];
  if (trap.line > 0) {
    std::size_t begin = 0;
    for (int line = 1; line < trap.line && begin < kernel.text.size(); ++line)
      begin = std::min(kernel.text.find('\n', begin), kernel.text.size() - 1) + 1;
    const std::size_t end = std::min(kernel.text.find('\n', begin), kernel.text.size());
    diagnostic.location =
        Source(kernel.name + (kernel.machine_code ? ".sass" : ".ptx"), kernel.text)
            .locate({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
  }
  error.diagnostics.push_back(std::move(diagnostic));
  return error;
}

}  // namespace

Result<std::optional<Outcome>> check_launch(const codegen::Launch& launch,
                                            const LoadedProgram& program,
                                            const timing::Description& device) {
  if (launch.kernel >= program.kernels.size())
    return fail(Fault::device, fmt::format("there is no kernel {}", launch.kernel));
  const LoadedKernel& kernel = program.kernels[launch.kernel];
  const std::string what = describe(launch, program);
  if (launch.all_blocks() == 0 || launch.all_threads() == 0)
    return fail(Fault::device, what + ": an empty grid cannot be launched");
  if (program.user && launch.fills.size() != program.buffers.size())
    return fail(Fault::device, fmt::format("{}: {} fills for {} buffers", what, launch.fills.size(),
                                           program.buffers.size()));
  std::size_t given = 1 + launch.scalars.size(), with_contents = 0, maps = 0;
  for (const codegen::Buffer& buffer : program.buffers) {
    given += buffer.place != codegen::Buffer::Place::constant;
    with_contents += buffer.has_contents;
    maps += buffer.place == codegen::Buffer::Place::tensor_map;
  }
  if (program.user) given = launch.arguments.size();
  if (kernel.entry->parameters.size() != given)
    return fail(Fault::device, fmt::format("{}: {} parameters for a kernel that takes {}", what,
                                           given, kernel.entry->parameters.size()));
  if (launch.contents.size() != with_contents)
    return fail(Fault::device, fmt::format("{}: {} contents for {} buffers", what,
                                           launch.contents.size(), with_contents));
  if (launch.tensors.size() != maps)
    return fail(Fault::device,
                fmt::format("{}: {} tensors for {} maps", what, launch.tensors.size(), maps));
  if (launch.record_rows() > program.record_rows)
    return fail(Fault::device, fmt::format("{}: more records than the program's launches", what));
  const std::string why = why_not(launch, kernel, device);
  if (why.empty()) return std::nullopt;
  if (program.outcomes) return Outcome::launch_failure;
  return fail(Fault::device, what + ": " + why);
}

std::uint64_t resident_blocks_of(const codegen::Launch& launch, const LoadedKernel& kernel,
                                 const timing::Description& device) {
  const std::uint64_t threads = launch.all_threads();
  const std::uint64_t warps = (threads + exec::kWarpSize - 1) / exec::kWarpSize;
  const std::uint64_t shared = timing::shared_allocation(device).of_block(
      kernel.entry->shared_bytes + launch.shared_bytes, kernel.entry->parameter_bytes());
  std::uint64_t blocks = std::min<std::uint64_t>(
      device.sm.block_slots, device.sm.warp_slots / std::max(warps, std::uint64_t{1}));
  if (shared > 0) blocks = std::min(blocks, device.sm.shared_bytes / shared);
  if (device.registers && kernel.registers > 0)
    blocks = std::min(
        blocks, device.registers->per_sm / device.registers->of_block(kernel.registers, threads));
  return blocks;
}

Worker::Worker(const timing::Description& device, const LoadedProgram& program,
               timing::Listener* listener, std::unique_ptr<timing::Machine> machine,
               timing::Tenant* tenant)
    : device_(device),
      program_(program),
      listener_(listener),
      tenant_(tenant),
      machine_(machine ? std::move(machine) : std::make_unique<timing::Machine>(device, tenant)) {
  const std::uint64_t words = program.results.size() + program.record_rows * program.record_columns;
  result_address_ = memory_.allocate(std::max<std::uint64_t>(8, 8 * words), fill);
  fills_.resize(program.buffers.size());
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    const codegen::Buffer& buffer = program.buffers[i];
    const bool constant = buffer.place == codegen::Buffer::Place::constant;
    const auto user_fill = [this, i](std::uint64_t at, std::uint64_t bytes, std::uint8_t* out) {
      fills_[i].write(at, bytes, out);
    };
    if (buffer.has_fill)
      buffer_addresses_.push_back(memory_.allocate(buffer.bytes, user_fill));
    else if (buffer.bare)
      buffer_addresses_.push_back(memory_.allocate(buffer.bytes, fill_nothing, buffer.alignment()));
    else
      buffer_addresses_.push_back(constant ? 0
                                           : memory_.allocate_words<codegen::initial_word>(
                                                 buffer.bytes, buffer.alignment()));
    if (!constant) uploads_.push_back({buffer_addresses_.back(), buffer.bytes});
  }
  laid_out_.resize(program.buffers.size());
  machine_->set_uploads(uploads_);
  machine_->listen(listener_);
}

std::unique_ptr<timing::Machine> Worker::leave_machine() {
  if (configured_) return nullptr;
  machine_->listen(nullptr);
  return std::move(machine_);
}

std::vector<std::uint8_t> Worker::parameters(const codegen::Launch& launch,
                                             const ptx::Function& entry) const {
  if (program_.user) return user_parameters(launch, entry);
  std::vector<std::uint64_t> values = {result_address_};
  for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
    using Place = codegen::Buffer::Place;
    const Place place = program_.buffers[i].place;
    if (place != Place::constant)
      values.push_back(place == Place::texture ? exec::texture_handle(address(i, launch))
                                               : address(i, launch));
  }
  values.insert(values.end(), launch.scalars.begin(), launch.scalars.end());
  const ptx::Variable& last = entry.parameters.back();
  std::vector<std::uint8_t> block(last.address + last.bytes);
  for (std::size_t i = 0; i < values.size(); ++i)
    std::memcpy(block.data() + entry.parameters[i].address, &values[i],
                std::min<std::size_t>(8, entry.parameters[i].bytes));
  return block;
}

std::vector<std::uint8_t> Worker::user_parameters(const codegen::Launch& launch,
                                                  const ptx::Function& entry) const {
  if (entry.parameters.empty()) return {};
  std::vector<std::uint8_t> block(entry.parameters.back().address + entry.parameters.back().bytes);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const ptx::Variable& parameter = entry.parameters[i];
    launch.arguments[i].write(std::span(block).subspan(parameter.address, parameter.bytes),
                              [&](std::size_t buffer) { return address(buffer, launch); });
  }
  return block;
}

// Every job finds the same, whatever ran here before.
void Worker::prepare_buffers(const codegen::Launch& launch) {
  const auto contents = contents_by_buffer(launch, program_);
  std::size_t tensor = 0;
  for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
    if (buffer_addresses_[i] == 0) continue;
    if (program_.buffers[i].place == codegen::Buffer::Place::tensor_map) {
      const codegen::TensorMap& map = launch.tensors[tensor++];
      const exec::TensorWords words = exec::tensor_words(map, address(map.buffer, launch));
      memory_.write(buffer_addresses_[i], &words, sizeof words);
    }
    if (program_.buffers[i].has_fill) fills_[i] = launch.fills[i];
    if (program_.buffers[i].written) {
      memory_.reset(buffer_addresses_[i]);
      laid_out_[i].reset();
    }
    if (contents[i]) lay_out(i, *contents[i]);
  }
}

// The links of the job before become the fixed hash again: far cheaper than to fill all anew.
void Worker::lay_out(std::size_t buffer, const codegen::ChaseContents& contents) {
  auto& before = laid_out_[buffer];
  if (before == contents) return;
  const std::uint64_t base = buffer_addresses_[buffer];
  if (before)
    for_links(*before, [&](std::uint64_t offset, std::uint64_t) {
      std::uint8_t bytes[8];
      fill(offset, before->width, bytes);
      memory_.write(base + offset, bytes, before->width);
    });
  for_links(contents, [&](std::uint64_t offset, std::uint64_t link) {
    memory_.write(base + offset, &link, contents.width);
  });
  before = contents;
  if (!StopScope::raised()) return;
  memory_.reset(base);  // some of the links may be missing
  before.reset();
}

// load() has seen that the module has the arrays.
void Worker::prepare_constants(const codegen::Launch& launch, const ptx::Module& module) {
  constants_ = nullptr;
  const auto contents = contents_by_buffer(launch, program_);
  std::vector<std::uint8_t> image;
  for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
    if (program_.buffers[i].place != codegen::Buffer::Place::constant) continue;
    const ptx::Variable* array = constant_array(module, program_.buffers[i].name);
    if (!array) continue;
    if (image.empty()) image = constant_image(module);
    std::uint8_t* bytes = image.data() + array->address;
    fill(0, array->bytes, bytes);
    if (contents[i])
      for_links(*contents[i], [&](std::uint64_t offset, std::uint64_t link) {
        if (offset + contents[i]->width <= array->bytes)
          std::memcpy(bytes + offset, &link, contents[i]->width);
      });
  }
  if (!image.empty())
    constants_ = std::make_shared<const std::vector<std::uint8_t>>(std::move(image));
}

// A machine that is set otherwise is another one.
void Worker::configure(const codegen::Launch& launch, const LoadedKernel& kernel) {
  timing::SmSettings wanted{launch.bank_width};
  if (launch.carveout) wanted.split = split_of(launch, kernel);
  if (wanted == settings_) return;
  settings_ = wanted;
  auto configured = std::make_unique<timing::Description>(timing::configured(device_, wanted));
  machine_ = std::make_unique<timing::Machine>(*configured, tenant_);
  machine_->set_uploads(uploads_);
  machine_->listen(listener_);
  configured_ = std::move(configured);
}

Result<JobResult> Worker::run(const Job& job, const std::atomic<bool>& stop) {
  const codegen::Launch& launch_of = *job.launch;
  const auto outcome = GPX_TRY(check_launch(launch_of, program_, device_));
  JobResult result;
  if (outcome) {
    result.repetitions.assign(job.repetitions, Repetition{*outcome, {}, 0});
    return result;
  }
  auto made = attempt(job, launch_of.sampled, stop);
  // What waits for blocks that are not in the sample waits for ever there, and there alone.
  if (launch_of.sampled && made && made->deadlock) made = attempt(job, false, stop);
  if (!made) return tl::unexpected(made.error());
  // Where all blocks take no time there is no reason to guess, and less where a sample does not
  // tell.
  const auto any = [&](const auto& is) {
    return std::ranges::any_of(made->result.repetitions, is);
  };
  const bool partly = any([](const Repetition& each) { return each.blocks_run > 0; });
  const bool refused = partly && any([](const Repetition& each) {
                         return each.blocks_run > 0 && !(each.sample_error <= kMostTimeError);
                       });
  if (partly && made->whole_instructions <= (refused ? 40 : 1) * launch_of.whole_below)
    made = attempt(job, false, stop);
  if (!made) return tl::unexpected(made.error());
  return std::move(made->result);
}

Result<Worker::Attempt> Worker::attempt(const Job& job, bool sampled,
                                        const std::atomic<bool>& stop) {
  const codegen::Launch& launch_of = *job.launch;
  const LoadedKernel& kernel = program_.kernels[launch_of.kernel];
  prepare_buffers(launch_of);
  memory_.reset_heap();
  prepare_constants(launch_of, kernel.module);
  configure(launch_of, kernel);
  machine_->start_job(job.seed);
  Attempt made;
  for (std::uint32_t i = 0; i < launch_of.warmup + job.repetitions; ++i) {
    if (stop) return StopScope::error();
    const bool timed = i >= launch_of.warmup;
    if (timed && launch_of.flush) machine_->flush(launch_of.flush_bytes);
    const std::uint64_t before = machine_->instructions();
    auto repetition = GPX_TRY(launch(job, kernel, sampled, stop));
    if (sampled && repetition.outcome == Outcome::deadlock) {
      made.deadlock = true;
      return made;
    }
    const double part = repetition.blocks_run > 0 ? static_cast<double>(repetition.blocks_run) /
                                                        static_cast<double>(launch_of.all_blocks())
                                                  : 1;
    if (i == 0 && repetition.outcome == Outcome::completed)
      for (const std::uint32_t buffer : job.read)
        made.result.buffers.push_back(contents(buffer, launch_of));
    made.whole_instructions += static_cast<double>(machine_->instructions() - before) / part;
    if (timed) made.result.repetitions.push_back(std::move(repetition));
  }
  return made;
}

std::vector<std::uint8_t> Worker::contents(std::uint32_t buffer, const codegen::Launch& launch) {
  std::vector<std::uint8_t> bytes(launch.fills[buffer].bytes);
  const std::uint64_t begin = address(buffer, launch);
  for (std::size_t at = 0; at < bytes.size(); at += kChunk)
    memory_.read(begin + at, &bytes[at],
                 static_cast<unsigned>(std::min(kChunk, bytes.size() - at)));
  return bytes;
}

timing::LaunchNeeds Worker::needs_of(const codegen::Launch& launch,
                                     const LoadedKernel& kernel) const {
  timing::LaunchNeeds needs{
      timing::shared_allocation(device_).of_block(kernel.entry->shared_bytes + launch.shared_bytes,
                                                  kernel.entry->parameter_bytes()),
      0, 0, launch.watchdog * device_.clock_hz};
  if (device_.registers)
    needs.registers = device_.registers->of_block(kernel.registers, launch.all_threads());
  if (const auto split = split_of(launch, kernel); split && device_.l1_unified > 0)
    needs.l1_data = device_.l1_unified - device_.l1_unused - *split;
  needs.deviation = launch.deviation;
  needs.largest = launch.largest;
  needs.most_instructions = launch.most_instructions;
  return needs;
}

// Bytes of shared memory where L1 has the rest. What a program prefers, a block may exceed.
std::optional<std::uint64_t> Worker::split_of(const codegen::Launch& launch,
                                              const LoadedKernel& kernel) const {
  if (device_.shared.splits.empty() || !device_.l1) return std::nullopt;
  const timing::BlockNeeds block{
      launch.all_threads(), kernel.entry->shared_bytes + launch.shared_bytes,
      timing::shared_allocation(device_).of_block(kernel.entry->shared_bytes + launch.shared_bytes,
                                                  kernel.entry->parameter_bytes()),
      device_.registers ? device_.registers->of_block(kernel.registers, launch.all_threads()) : 0};
  if (launch.carveout) return timing::split_for(device_, std::max(*launch.carveout, block.shared));
  if (device_.l1_unified == 0) return std::nullopt;
  return timing::preferred_split(device_, block);
}

tl::expected<timing::Clk, exec::Trap> Worker::run_grid(const codegen::Launch& launch,
                                                       const LoadedKernel& kernel,
                                                       const timing::LaunchNeeds& needs,
                                                       const std::atomic<bool>* stop) {
  words_.clear();
  for (const codegen::ResultSlot& slot : program_.results) words_.push_back(slot.initial);
  words_.resize(words_.size() + launch.record_rows() * program_.record_columns, codegen::kNotKept);
  for (std::size_t at = 0; at < words_.size(); at += kChunk)
    memory_.write(result_address_ + 8 * at, &words_[at], chunk_bytes(at, words_.size()));
  const exec::Grid grid = grid_of(launch, *kernel.entry);
  exec::Executor executor(kernel.module, *kernel.entry, grid, parameters(launch, *kernel.entry),
                          memory_);
  if (constants_) executor.set_constants(constants_);
  if (time_alone_) executor.leave_values_out(rereads_);
  return machine_->launch(executor, *kernel.costs, grid, needs, stop);
}

Error Worker::error_at(const exec::Trap& trap, const codegen::Launch& launch) const {
  return error_of(trap, launch, program_, buffer_addresses_);
}

Result<Repetition> Worker::launch(const Job& job, const LoadedKernel& kernel, bool sampled,
                                  const std::atomic<bool>& stop) {
  timing::LaunchNeeds needs = needs_of(*job.launch, kernel);
  needs.sample = sampled;
  return finish(job, sampled, run_grid(*job.launch, kernel, needs, &stop));
}

Result<Repetition> Worker::finish(const Job& job, bool sampled,
                                  const tl::expected<timing::Clk, exec::Trap>& clocks) {
  Repetition repetition;
  if (!clocks) {
    const bool result = program_.outcomes || sampled;
    if (!result || !clocks.error().deadlock)
      return tl::unexpected(error_at(clocks.error(), *job.launch));
    repetition.outcome = Outcome::deadlock;
    return repetition;
  }
  const double cold = job.launch->flush ? device_.launch_cold : 0;
  repetition.seconds =
      (static_cast<double>(*clocks) + device_.launch_overhead + cold) / device_.clock_hz;
  if (machine_->blocks_run() < job.launch->all_blocks()) {
    repetition.blocks_run = machine_->blocks_run();
    repetition.sample_error = machine_->sample_error();
    // One SM ran all of its share, of few blocks: how these differ from the others, their counts
    // say.
    const double counted =
        2 * job.launch->deviation / std::sqrt(static_cast<double>(repetition.blocks_run));
    if (!device_.l2 && repetition.blocks_run < kFewBlocks && std::isfinite(counted)) {
      const double least = std::max(kLeastSampleError, counted);
      repetition.sample_error =
          std::isfinite(repetition.sample_error) ? std::max(repetition.sample_error, least) : least;
    }
  }
  for (std::size_t at = 0; at < words_.size(); at += kChunk)
    memory_.read(result_address_ + 8 * at, &words_[at], chunk_bytes(at, words_.size()));
  repetition.results = words_;
  return repetition;
}

}  // namespace gpx::vgpu
