// The trainer's synchronisation for a model that Python owns: the seam between its objects and sync/.
#pragma once

#include <ATen/core/Tensor.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "comm/collectives/gradient_reducer.h"
#include "python/parameter_memory.h"
#include "sync/compressor.h"
#include "sync/parameter_average.h"

namespace ringlab {

/// How the ranks of a script meet: beside the script's own process group, so that its collectives and ours never mix.
struct ScriptRendezvous {
  int rank = 0;
  int world_size = 2;
  Endpoint master;        ///< a free port of rank 0's machine
  std::string secret;     ///< the same on every rank
  std::string interface;  ///< Gloo's; empty: the one that reaches rank 0
  double rendezvous_timeout = 60;
  double peer_timeout = 30;
};

/// Parameters by their names, in one order on all ranks; those of `parameters` all require a gradient.
struct ScriptModel {
  NamedTensors parameters;
  NamedTensors frozen;  ///< parameters that are not trained
  NamedTensors buffers;
  std::vector<at::Tensor> statistics;  ///< those of `buffers` that each rank's own steps change: averaged, not rank 0's
};

/// For the training thread of every rank, at the same steps. A lost peer is a std::runtime_error from the call that needs it; where such a call
/// waits (a link that went down), the process ends with exit code 4 and the reason on stderr, as the trainer does.
class ScriptEngine {
 public:
  /// Who collects gradients, in a mode that averages them.
  enum class Gradients { here, elsewhere };

  /// Meets all ranks and gives them rank 0's parameters, frozen ones too, and buffers. `steps_per_epoch`: 0 where unknown. With gradients collected
  /// elsewhere average() is all there is.
  /// Throws std::runtime_error.
  ScriptEngine(ScriptRendezvous rendezvous, ScriptModel model, const std::string& mode, int64_t steps_per_epoch, Gradients gradients = Gradients::here);
  ~ScriptEngine();

  /// Are weights exchanged, not gradients? Then a step's forward and backward need no call.
  bool averages_parameters() const { return average_ != nullptr; }
  /// Before each forward pass whose gradients are to be used, where gradients are averaged. `averages`: its backward exchanges them; others add theirs to
  /// this rank's.
  void before_forward(bool averages);
  /// After a forward pass that averages.
  void before_backward();
  /// After each optimizer step, which had the learning rate `lr`.
  void after_step(double lr);
  /// Brings all ranks to one point, weights and buffers: before an evaluation or a save. `last`: no step follows.
  void synchronise(bool last);
  /// Before the first step, also of all; more calls do nothing. Weights that something else has set since synchronise(), or since this was made, are where
  /// the steps begin: all ranks take rank 0's with their first step.
  void begin_steps();
  /// The model's buffers, and its statistics among them, as it has them now: a model may give a name another tensor.
  void use_buffers(NamedTensors buffers, std::vector<at::Tensor> statistics);
  /// Throws std::runtime_error on every rank where the parameters of any, frozen ones too, differ from rank 0's. After synchronise().
  void check();
  /// This rank's mean with all others' of gradients that something else collected: of the parameters `which`. For gradient modes.
  void average(const std::vector<size_t>& which, std::vector<at::Tensor>& gradients);

  /// What this rank needs to continue exactly: with the same mode, parameters and number of ranks. They share memory with the engine.
  NamedTensors state();
  /// Takes it back, with the number of the next step and the buckets() that belong to it. Throws std::runtime_error.
  void load_state(const NamedTensors& state, int64_t step, BucketNames buckets);
  int64_t step() const { return step_; }
  /// In which order gradients are added; empty where weights are exchanged.
  BucketNames buckets() const;
  /// Of the collectives of this process.
  Traffic traffic() const;
  /// Ends the exchanges under way and the connection, and lets go of the model. No other call may follow.
  void close();

 private:
  /// What the thread that notices a lost peer reads: after a failed exchange it outlives this.
  struct Waiting {
    std::atomic<double> since{0};  ///< steady clock; 0: the script computes
    std::atomic<bool> closing{false};
  };

  static void on_peer_lost(const Waiting& waiting, const Failure& failure);
  void guarded(const std::function<void()>& collective);
  [[noreturn]] void report(const std::exception& error);
  void follow_memory();
  void take_set_weights();
  void share_set_weights();
  void make_reducer(BucketNames buckets);
  Communicator& communicator() const;

  ScriptModel model_;
  ParameterMemory memory_;
  SyncMode mode_;
  std::shared_ptr<Waiting> waiting_ = std::make_shared<Waiting>();
  std::unique_ptr<Communicator> communicator_;
  std::unique_ptr<Compressor> compressor_;
  std::unique_ptr<GradientReducer> reducer_;
  std::unique_ptr<ParameterAverage> average_;
  int64_t step_ = 0;
  bool broken_ = false;  ///< an exchange failed
  bool at_rest_ = true;  ///< all stand on one point, and begin_steps() was not called yet
  bool set_ = false;     ///< this rank's weights were set by something else meanwhile
  bool asks_ = false;    ///< whether any rank's were is not known yet
};

}  // namespace ringlab
