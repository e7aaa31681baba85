#include "src/train_command.h"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/console.h"
#include "base/memory.h"
#include "base/stop_signal.h"
#include "base/suggest.h"
#include "launch/elastic.h"
#include "train/device/device.h"
#include "train/trainer.h"

namespace ringlab {
namespace {

void write_end(MetricsFile& metrics, const Progress& progress, const char* reason, int code) {
  JsonObject line;
  const bool shut_down = code == kExitStopped && machine_shuts_down();
  line.add("reason", reason).add("exit_code", code).add("epochs_completed", progress.epochs_completed.load()).add("step", progress.step.load());
  line.add("seconds", steady_seconds() - progress.started);
  if (progress.top1) line.add("top1", *progress.top1);
  if (progress.top5) line.add("top5", *progress.top5);
  if (progress.best_top1) line.add("best_top1", *progress.best_top1);
  if (shut_down) line.add("shutdown", true);
  metrics.write("end", line);
}

/// FNV-1a over the names in order: with other names the same label has another meaning.
std::string class_fingerprint(const std::vector<std::string>& classes) {
  uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : join(classes)) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return std::to_string(classes.size()) + " names #" + std::to_string(hash % 1000000);
}

/// Must be equal on all ranks: the program, the options, the data.
std::vector<std::pair<std::string, std::string>> agreement(const Options& options, const Launch& launch, const TrainingData& data) {
  std::vector<std::pair<std::string, std::string>> agreed = {{"version", RINGLAB_VERSION}, {"world_size", std::to_string(launch.world_size)}};
  for (auto& option : agreed_options(options)) agreed.push_back(std::move(option));
  agreed.emplace_back("classes", std::to_string(data.classes));
  // Shards of a set may differ by a few images.
  agreed.emplace_back("train_images", options.sharded_data ? "a part" : std::to_string(data.train().size()));
  agreed.emplace_back("class_names", class_fingerprint(data.train().classes()));
  agreed.emplace_back("val_images", std::to_string(data.val().size()));
  return agreed;
}

/// torchrun starts all ranks of a node in one folder: each writes its metrics lines beside its files, in rank-<k> except for
/// rank 0. An absolute path is the same for all ranks that --nproc-per-node starts, too: there rank-<k> is put before the file's name.
std::string metrics_path(const Options& options, const Launch& launch) {
  namespace fs = std::filesystem;
  if (launch.rank == 0 || options.metrics.empty()) return options.metrics;
  const bool absolute = options.metrics.front() == '/';
  if (!torch_elastic() && !(absolute && started_by_launcher())) return options.metrics;
  std::error_code ignored;
  const fs::file_status given = fs::status(options.metrics, ignored);
  if (absolute && fs::exists(given) && !fs::is_regular_file(given)) return options.metrics;  // /dev/null
  const std::string below = absolute ? folder_of(options.metrics) + "/" : "";
  const std::string folder = below + "rank-" + std::to_string(launch.rank);
  mkdir(folder.c_str(), 0755);  // on failure, opening the file reports the reason
  return folder + "/" + (absolute ? fs::path(options.metrics).filename().string() : options.metrics);
}

bool is_out_of_memory(const std::string& what) {
  return what.find("can't allocate memory") != std::string::npos || what.find("not enough memory") != std::string::npos ||
         what.find("out of memory") != std::string::npos;
}

Failure out_of_memory(int batch_size) {
  return Failure(ErrorCode::out_of_memory, "out of memory", "lower --batch-size (now " + std::to_string(batch_size) + ") or --image-size");
}

/// Any exception of the training as a Failure.
Failure failure_of(std::exception_ptr thrown, const Options& options, Communicator* communicator) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Failure& failure) {
    return failure;
  } catch (const std::bad_alloc&) {
    return out_of_memory(options.batch_size);
  } catch (const c10::Error& error) {
    const std::string what = error.what_without_backtrace();
    if (is_out_of_memory(what)) return out_of_memory(options.batch_size);
    if (communicator != nullptr && !communicator->fails_alone(error)) return communicator->explain(what);
    return Failure(ErrorCode::internal, what);
  } catch (const std::exception& error) {
    if (is_out_of_memory(error.what())) return out_of_memory(options.batch_size);
    if (communicator != nullptr && !communicator->fails_alone(error)) return communicator->explain(error.what());
    return Failure(ErrorCode::internal, error.what());
  }
}

/// The end that all ranks reach together. Everything is saved: with --on-lost-rank save and continue a rank that is lost now changes nothing.
void finish(Communicator* communicator, const Options& options) {
  if (communicator == nullptr) return;
  try {
    communicator->finish();
  } catch (const std::exception&) {
    if (options.on_lost_rank == OnLostRank::end) throw;
  }
}

}  // namespace

int train_command(const Options& options) {
  keep_freed_memory();
  const Launch launch = resolve_launch(options, capabilities());
  enter_device(launch);
  MetricsFile metrics(metrics_path(options, launch));
  // Of ranks that share a console only rank 0 reports. The launcher of --nproc-per-node has already announced the signal;
  // its ranks except the first have their own log.
  const bool shared_console = torch_elastic().has_value();
  const bool reports = launch.rank == 0 || !shared_console;
  if (reports && !started_by_launcher()) announce_stop_signals(options.evaluate ? "stops" : "stops after the current step and saves a checkpoint");
  Progress progress;
  progress.started = steady_seconds();
  std::unique_ptr<Communicator> communicator;
  if (options.threads > 0) at::set_num_threads(options.threads);
  try {
    const TrainingData data(options);
    // If all ranks read one folder, only one reports it.
    for (const DataSet* set : {&data.train(), &data.val()}) {
      if (launch.rank != 0 && (set == &data.val() || !options.sharded_data)) continue;
      for (const Remark& remark : set->remarks()) metrics.warn("files_left_out", remark.message, remark.hint, remark.path);
    }
    if (launch.distributed) {
      CommSettings settings;
      settings.rank = launch.rank;
      settings.world_size = launch.world_size;
      settings.master = launch.master;
      settings.agent = launch.agent;
      if (!options.secret_file.empty()) settings.secret = read_secret(options.secret_file);
      settings.peers = options.peers;
      if (settings.secret.open() && launch.rank == 0) {
        say("=> no --secret-file: anyone who reaches " + std::string(launch.agent ? "torchrun's store at " : "") + launch.master.str() + " before all ranks have joined can join the run or end it");
      }
      settings.interface = options.interface;
      settings.address = options.address;
      settings.rendezvous_timeout = options.rendezvous_timeout;
      settings.peer_timeout = options.peer_timeout;
      settings.nccl = options.dist_backend == Backend::nccl;
      settings.goes_on = options.on_lost_rank != OnLostRank::end && !options.evaluate;
      if (settings.goes_on && launch.agent) refuse_usage("--on-lost-rank " + word_of(options.on_lost_rank) + ": torchrun's agent ends all ranks when one is lost; start the ranks without it");
      // Else a step's flags would wait for the exchange that goes on beside it, and what follows them with them.
      settings.control_group = overlaps(options.sync);
      settings.agreement = agreement(options, launch, data);
      settings.on_peer_lost = [&](const Failure& failure) {
        metrics.error(failure, progress.step);
        write_error_file(failure);
        write_end(metrics, progress, "failed", failure.exit_code());
        abandon_files();
        std::fflush(nullptr);
        // Rank 0's store ends with it: the others need two heartbeats to read the verdict.
        if (launch.rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(550));
        _exit(failure.exit_code());
      };
      communicator = std::make_unique<Communicator>(std::move(settings));
    }
    Trainer trainer(options, launch, data, communicator, metrics, progress);
    const auto outcome = trainer.run();
    finish(communicator.get(), options);
    const bool finished = outcome == Trainer::Outcome::finished;
    if (!finished && reports) say("=> " + trainer.stop_text());
    write_end(metrics, progress, finished ? "finished" : "stopped", finished ? 0 : kExitStopped);
    return finished ? 0 : kExitStopped;
  } catch (const LeavesAlone&) {
    if (reports) say("=> this machine is shut down: the other ranks go on without this one");
    communicator->leave("its machine is shut down");
    write_end(metrics, progress, "stopped", kExitStopped);
    std::fflush(nullptr);
    _exit(kExitStopped);
  } catch (const Stopped&) {
    if (reports) say("=> stopped on " + stop_reason() + " before the first step; nothing was saved");
    write_end(metrics, progress, "stopped", kExitStopped);
    std::fflush(nullptr);
    _exit(kExitStopped);
  } catch (...) {
    const Failure failure = failure_of(std::current_exception(), options, communicator.get());
    metrics.error(failure, progress.step);
    write_error_file(failure);
    write_end(metrics, progress, "failed", failure.exit_code());
    if (communicator) communicator->leave(std::string(error_code_name(failure.code())) + ": " + failure.what());
    std::fflush(nullptr);
    // Destructors would wait for collectives that no peer completes.
    _exit(failure.exit_code());
  }
}

}  // namespace ringlab
