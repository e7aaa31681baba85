#include "train/keepers.h"

#include <cstdint>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/atomic_file.h"
#include "base/console.h"
#include "checkpoint/newest_save.h"
#include "train/start_line.h"
#include "values/value_file.h"

namespace ringlab {
namespace {

/// None where it cannot be read; `why` receives the reason.
std::optional<LoadedCheckpoint> own_checkpoint(const std::string& path, std::string& why) {
  try {
    return load_checkpoint(path);
  } catch (const std::exception& error) {
    why = error.what();
    return std::nullopt;
  }
}

bool has_local_steps(const RunContext& run) { return run.options.sync.kind == SyncMode::Kind::outer; }

/// What this rank saved last, if this run can continue from it: another member may have had this rank's number then.
std::optional<RankState> own_state(const RunContext& run, const std::string& path) {
  try {
    RankState saved = rank_state_of(read_value(path));
    const Value* sync = saved.parts.find("sync");
    const Value* mode = sync == nullptr ? nullptr : sync->find("mode");
    if (saved.position.world_size == run.launch.world_size) return std::nullopt;
    if (has_local_steps(run) && (mode == nullptr || mode->as_text() != run.options.sync.text)) return std::nullopt;
    // What a compressor keeps belongs to the ranks that there were.
    if (!has_local_steps(run)) saved.parts = Value();
    saved.weights = Value();  // they are in `sync`, too
    return saved;
  } catch (const std::exception&) {
    // It comes as a new one.
    return std::nullopt;
  }
}

}  // namespace

std::optional<LoadedCheckpoint> agree_on_source(const RunContext& run, RunState& state) {
  const Options& options = run.options;
  if (run.communicator == nullptr || options.on_lost_rank == OnLostRank::end || options.resume.empty()) return std::nullopt;
  std::optional<LoadedCheckpoint> own;
  std::string unreadable;
  std::error_code ignored;
  // Ranks at one address may share the file, which is rank 0's then.
  const bool reads = run.is_first() || run.communicator->address_of(run.launch.rank) != run.communicator->address_of(0) || std::filesystem::path(options.resume).is_relative();
  if (reads && std::filesystem::exists(options.resume, ignored)) own = own_checkpoint(options.resume, unreadable);
  const bool counts = own && own->position && (options.on_lost_rank == OnLostRank::go_on || counts_of_fewer(run.launch.rank, *own->position, run.launch.world_size));
  const auto mine = counts ? std::optional(save_in(folder_of(options.resume), *own->position, run.launch.world_size)) : std::nullopt;
  std::vector<std::optional<NewestSave>> saves;
  for (const auto& text : run.communicator->gather_texts(text_of(mine))) saves.push_back(newest_save_of(text));
  state.source = rank_of_newest(saves).value_or(0);
  if (state.source != run.launch.rank) {
    // It may have been the newest. On the source it ends the run.
    if (!unreadable.empty()) run.metrics.warn("checkpoint_skipped", "'" + options.resume + "' is not used: " + unreadable, "all continue from the newest one that can be read", options.resume);
    return std::nullopt;
  }
  if (!run.is_first()) say("=> this rank's checkpoint is the newest: all continue from it");
  return own;
}

Keepers agree_on_keepers(const RunContext& run, const RunState& state) {
  const Options& options = run.options;
  Keepers keepers;
  if (run.communicator == nullptr || options.on_lost_rank == OnLostRank::end || options.resume.empty() || options.evaluate) return keepers;
  keepers.path = state.folder + "/" + kRankStateFile;
  keepers.own = own_state(run, keepers.path);
  // Other ranks do not know the source's save yet.
  if (run.launch.rank == state.source && keepers.own && keepers.own->position.epoch_id != state.training.position.epoch_id) keepers.own.reset();
  std::string text;
  if (keepers.own) text = keepers.own->position.epoch_id + (has_local_steps(run) && keepers.own->position.batch > 0 ? " apart" : " together");
  const auto saves = run.communicator->gather_texts(text);
  const std::string& counts = saves[static_cast<size_t>(state.source)];
  keepers.any = !counts.empty();
  keepers.apart = keepers.any && counts.substr(counts.rfind(' ')) == " apart";
  if (!keepers.any || text != counts) keepers.own.reset();
  if (keepers.any && !keepers.own && has_local_steps(run)) say("=> this rank has no state of that save: it starts from the weights that the others have in common, with momenta at zero");
  return keepers;
}

void admit_new_ranks(const RunContext& run, const RunState& state, const Keepers& keepers, Synchronisation& sync) {
  if (!keepers.any) return;
  sync.admit(state.source, !keepers.own, [&run](const Lacking& lacking) { announce_sharing(run, "weights", lacking.bytes, lacking.tensors); });
}

}  // namespace ringlab
