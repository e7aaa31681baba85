// Ranks were lost, and the others go on. PROTOCOL.md, 'Going on with fewer'.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/console.h"
#include "base/error.h"
#include "checkpoint/share_value.h"
#include "comm/collectives/share_model.h"
#include "train/shares.h"
#include "train/trainer.h"

namespace ringlab {
namespace {

std::string numbers(const std::vector<int>& all) {
  std::vector<std::string> texts;
  for (const int one : all) texts.push_back(std::to_string(one));
  return json_array(texts);
}

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}

template <typename Part>
void remove_part(std::vector<std::pair<std::string, Part*>>& parts, const char* name) {
  parts.erase(std::remove_if(parts.begin(), parts.end(), [name](const auto& part) { return part.first == name; }), parts.end());
}

}  // namespace

/// Is `failure` the loss of ranks, after which the others may go on, or save?
bool Trainer::can_go_on(const std::exception_ptr& failure) const {
  if (run_.options.on_lost_rank == OnLostRank::end || run_.communicator == nullptr) return false;
  try {
    std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    return false;
  } catch (const Stopped&) {
    return false;
  } catch (const Failure& failed) {
    // A save that lost its ranks.
    return failed.code() == ErrorCode::internal && run_.communicator->has_lost();
  } catch (const std::exception& error) {
    return !run_.communicator->fails_alone(error) && std::string(error.what()).find("memory") == std::string::npos;
  }
}

/// Where this rank stands with the members that it trains with.
Stand Trainer::stand() const {
  const Position& position = state_.training.position;
  return {position.epoch, position.batch, position.step, sync_->landed(), sync_->landed_step()};
}

Trainer::MemberChange Trainer::begin_change() const {
  MemberChange change;
  change.standing.generation = generation_;
  change.standing.stand = stand();
  const TrainingState& training = state_.training;
  change.before = {launch_, run_.step, state_.share, training.position, state_.sums, state_.steps_per_epoch, training.best_top1, training.parts, state_.rank_parts};
  return change;
}

/// One more rank was lost before all that were left had what they needed, and none of them trains yet.
void Trainer::go_back(MemberChange& change) {
  if (change.sync) {
    sync_->abandon();
    sync_ = std::move(change.sync);
  }
  const MemberState& before = change.before;
  TrainingState& training = state_.training;
  launch_ = before.launch;
  run_.step = before.step;
  state_.share = before.share;
  training.position = before.position;
  state_.sums = before.sums;
  state_.steps_per_epoch = before.steps_per_epoch;
  training.best_top1 = before.best_top1;
  training.parts = before.parts;
  state_.rank_parts = before.rank_parts;
  change.standing.next_generation = 0;
}

/// With the ranks that have met: whose members they train with, and from where they go on.
void Trainer::agree(MemberChange& change, Regrouped next) {
  const AgreedStands agreed = agreed_stands(next.notes);
  if (agreed.generation != change.standing.generation) {
    complete(change);
    sync_->abandon();
    change = begin_change();
  } else if (!change.places.empty()) {
    go_back(change);
    for (int& place : next.places) place = change.places[static_cast<size_t>(place)];
    next.lost.insert(next.lost.end(), change.next.lost.begin(), change.next.lost.end());
    std::sort(next.lost.begin(), next.lost.end());
    next.may_go_on = next.may_go_on && change.next.may_go_on;
    next.seconds = steady_seconds() - change.noticed;
    const Failure& first = change.next.why;
    next.why = Failure(first.code(), std::string(first.what()) + "; " + next.why.what(), first.hint()).about_peer(first.peer_rank(), first.peer_address());
  }
  if (change.places.empty()) change.noticed = steady_seconds() - next.seconds;
  change.places = next.places;
  const int64_t own_step = state_.training.position.step;
  change.boundary = take_place(agreed.stands, next.places);
  // A rank that gets the weights of a step has gone through its forward pass.
  const bool gets_step = !sync_->averages_parameters() && change.boundary.behind[static_cast<size_t>(launch_.rank)];
  if (!gets_step) step_start_->restore(own_step);
  change.next = std::move(next);
}

/// Among the members of the next generation, which were the ranks `places`: this rank's number, its images, and the position from which all go on.
Boundary Trainer::take_place(const std::vector<Stand>& stands, const std::vector<int>& places) {
  TrainingState& training = state_.training;
  Position& position = training.position;
  const int64_t earliest = std::min_element(stands.begin(), stands.end(), [](const Stand& a, const Stand& b) { return a.epoch < b.epoch; })->epoch;
  if (position.epoch > earliest) {
    const std::string epoch_id = position.epoch_id;
    position = epoch_end_.position;
    position.epoch_id = epoch_id;
    state_.sums = epoch_end_.sums;
    state_.steps_per_epoch = epoch_end_.steps_per_epoch;
    training.best_top1 = epoch_end_.best_top1;
    run_.progress.epochs_completed = position.epoch;
  }
  const Boundary boundary = boundary_of(stands, places, run_.launch.world_size, position.deal.batches, sync_->averages_parameters());
  std::vector<int64_t> images;
  const Cut cut = cut_of(run_, state_.share, position.deal);
  for (const int64_t steps : boundary.counted) images.push_back(cut.images(steps));
  position.deal = next_deal(position.deal, state_.share.images, images, boundary.batch, places,
                            {cut.images(boundary.sent), boundary.any_sent});
  position.epoch = boundary.epoch;
  position.batch = boundary.batch;
  position.step = boundary.step;

  const auto mine = std::find(places.begin(), places.end(), launch_.rank);
  launch_.rank = static_cast<int>(mine - places.begin());
  launch_.world_size = static_cast<int>(places.size());
  state_.share = agree_on_share(run_);
  if (run_.options.keep_global_batch && !sync_->averages_parameters()) run_.step = shared_step(first_global_batch_, launch_.world_size, run_.options.batch_size);
  even_out(run_, state_, position.deal);
  state_.steps_per_epoch = steps_of_epoch(run_, state_.share, position.deal);
  position.global_batch = run_.images_a_step();
  position.world_size = launch_.world_size;
  if (!sync_->averages_parameters()) rates_.scale(static_cast<double>(position.global_batch) / static_cast<double>(first_global_batch_));
  rates_.apply(training, position.epoch, position.batch, state_.steps_per_epoch);
  run_.progress.step = position.step;
  return boundary;
}

/// Averaged gradients: a rank that lacks the last step gets its weights, and the state of optimizer and scaler, from one that has them. The function returned takes them.
std::function<void()> Trainer::share_step(const Boundary& boundary) {
  const bool differ = std::find(boundary.behind.begin(), boundary.behind.end(), true) != boundary.behind.end();
  if (run_.communicator == nullptr || sync_->averages_parameters() || !differ) return [] {};
  const bool behind = boundary.behind[static_cast<size_t>(launch_.rank)];
  NamedModel weights;
  // Copies where they are received: half of a step's weights, and half of the one's before, would be no step's.
  for (const auto& item : model_->module().named_parameters()) weights.emplace_back(item.key(), behind ? item.value().detach().clone() : item.value());
  share_model(*run_.communicator, weights, [this](const Lacking& lacking) {
    JsonObject line;
    line.add("what", "weights").add("tensors", lacking.tensors).add("bytes", lacking.bytes);
    run_.metrics.write("sharing", line);
  }, boundary.root);
  const TrainingState& training = state_.training;
  Value own = Value::dict().set("optimizer", optimizer_->state_dict(training.lr, training.initial_lr));
  if (scaler_) own.set("scaler", scaler_->state_dict());
  const Value shared = share_value(*run_.communicator, own, own, {}, boundary.root);
  if (!behind) return [] {};
  return [this, weights, shared] {
    size_t at = 0;
    for (const auto& parameter : model_->module().parameters()) parameter.detach().copy_(weights[at++].second);
    const Value* optimizer = shared.find("optimizer");
    if (optimizer != nullptr) optimizer_->load_state_dict(*optimizer);
    const Value* scaler = shared.find("scaler");
    if (scaler_ && scaler != nullptr) scaler_->load_state_dict(*scaler);
  };
}

/// A collective of the ranks that have met: each gets what it lacks, and none takes it before all have it.
void Trainer::receive(MemberChange& change) {
  if (communicator_) communicator_->connect();
  const Boundary& boundary = change.boundary;
  std::function<void()> take_step = share_step(boundary);
  remove_part(state_.training.parts, "buckets");
  remove_part(state_.rank_parts, "sync");
  change.sync = std::exchange(sync_, std::make_unique<Synchronisation>(run_, state_, *model_));
  sync_->prepare();
  std::function<void()> take_average = sync_->take_over(*change.sync, boundary.root, boundary.behind[static_cast<size_t>(launch_.rank)]);
  change.take = [take_step = std::move(take_step), take_average = std::move(take_average)] {
    take_step();
    take_average();
  };
  change.standing.next_generation = change.next.generation;
  change.standing.next = stand();
  if (communicator_) communicator_->barrier();
}

/// All that are left have what they need, or one of them would not train.
void Trainer::complete(MemberChange& change) {
  change.take();
  change.sync.reset();
  const Regrouped& next = change.next;
  generation_ = next.generation;
  // Another set than one of the same step before, and than that of ranks on the other side of a network that has fallen apart.
  state_.run_id += static_cast<uint64_t>(next.generation) + (static_cast<uint64_t>(next.members.front()) << 32U);
  if (run_.options.on_lost_rank == OnLostRank::save || !next.may_go_on) {
    const std::string few = next.may_go_on ? "" : "; too few ranks are left to go on";
    lost_ = Failure(ErrorCode::peer_lost, next.why.what() + few, next.why.hint()).about_peer(next.why.peer_rank(), next.why.peer_address());
  } else {
    report_members(next, change.boundary);
  }
}

void Trainer::report_members(const Regrouped& next, const Boundary& boundary) const {
  const Position& position = state_.training.position;
  std::vector<std::string> counted;
  for (const int64_t steps : boundary.counted) counted.push_back(std::to_string(steps));
  JsonObject line;
  line.add("generation", next.generation).add_raw("ranks", numbers(next.members)).add_raw("lost", numbers(next.lost)).add("why", next.why.what());
  line.add("epoch", position.epoch).add("step", position.step).add("batch", position.batch).add("batches", state_.steps_per_epoch).add("next_epoch_steps", steps_of_next_epoch(run_, state_)).add_raw("counted", json_array(counted));
  line.add("batch_size", position.global_batch).add("images_seen", images_seen()).add("seconds", next.seconds);
  run_.metrics.write("membership", line);
  say(std::string("=> ") + next.why.what() + "; training goes on with " + std::to_string(next.members.size()) + (next.members.size() == 1 ? " rank" : " ranks") + " from step " + std::to_string(position.step));
}

/// From a failed exchange to ranks that are ready for their next step, and save. What they have in memory is all that it takes. Where more are lost before all are ready,
/// those that are left begin again.
void Trainer::go_on(std::exception_ptr failure) {
  // They outlive what still refers to them.
  std::vector<std::unique_ptr<Communicator>> left;
  MemberChange change = begin_change();
  const int64_t epoch = state_.training.position.epoch;
  bool whole = false;
  while (true) {
    Regrouped next = communicator_->regroup(text_of(failure), note_of(change.standing), 2 * longest_step_);
    if (left.empty()) {
      sync_->abandon();
      whole = saver_->end_save();
      step_.reset();
      saver_.reset();
      optimizer_->zero_grad();
    }
    left.push_back(std::exchange(communicator_, std::move(next.communicator)));
    run_.communicator = communicator_.get();
    agree(change, std::move(next));
    try {
      receive(change);
      break;
    } catch (...) {
      failure = std::current_exception();
      if (!can_go_on(failure)) throw;
    }
  }
  complete(change);
  longest_step_ = 0;
  // The best model may be of an epoch that ends once more.
  if (state_.training.position.epoch < epoch) state_.kept_best_top1 = std::min(state_.kept_best_top1, state_.training.best_top1);
  saver_ = std::make_unique<Saver>(run_, state_, rates_, whole);
  if (!lost_) step_ = std::make_unique<TrainingStep>(run_, state_, *model_, *optimizer_, scaler_.get(), rates_, *sync_, *saver_);
  // The sets on the disks are of ranks that are no longer there.
  saver_->save();
}

/// With --on-lost-rank save, or where too few are left: with the ranks that are left. Where one more is lost meanwhile, its exception is passed on.
void Trainer::end_saved() {
  try {
    saver_->finish();
  } catch (const Failure& failure) {
    if (run_.communicator != nullptr && run_.communicator->has_lost()) throw;
    // A full disk, which a warning has named: the last checkpoint is whole.
    throw Failure(*lost_);
  }
  const Position& position = state_.training.position;
  say(std::string("=> ") + lost_->what() + "; the ranks that are left have saved step " + std::to_string(position.step));
  try {
    if (run_.communicator != nullptr) run_.communicator->finish();
  } catch (const std::exception&) {
    // It is saved: one more that is lost changes nothing.
  }
  throw Failure(*lost_);
}

}  // namespace ringlab
