// A few bits of every parameter's change, exchanged after every few local steps: what was not sent stays in the rank's own weights.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <vector>

#include "sync/parameter_average.h"
#include "sync/stream/stream_codec.h"
#include "sync/stream/stream_watch.h"
#include "sync/streamed/vector_stream.h"

namespace ringlab {

/// How many bits a value of a matrix may take where `bits` are meant for each of all parameters: vectors (tensors of one dimension) take
/// kVectorBits each, and at most half of all.
double stream_matrix_bits(double bits, int64_t matrices, int64_t vectors);

/// Keeps an anchor A of every parameter, equal on all ranks to the bit, and lets each rank's weights w differ from it. An exchange sends the
/// largest values s of A - w (against the norm of their matrix), in as many chunks as there are ranks: chunk j to rank j, its owner, which adds the decoded
/// chunks in the order of ranks, divides by their number W, adds them to its residual e, and gives all ranks the largest values m of e, which it keeps the rest
/// of. When it has landed, `overlap` steps later: A -= m and w += s - m. So nothing of what a step taught is undone, or lost: mean(w) - e is where plain
/// averages of the parameters would be.
/// With `adapt` every message carries what its rank saw of the exchange before; rank 0 judges it (StreamRule) and writes the pace of the exchanges to
/// come into its own means, so that all ranks take it when they land.
/// As EF21 (arXiv 2106.05203) and CSER's partial synchronisation (arXiv 2007.13221) keep what was not sent in the model instead of a buffer.
class StreamedAverage : public ParameterAverage {
 public:
  /// `parameters` are equal on all ranks now, in values and in the order of memory, and there is at least one. `mode.compression` is stream.
  /// `changed` is called by the training thread of every rank where the pace has changed.
  StreamedAverage(Communicator& communicator, const std::vector<at::Tensor>& parameters, const SyncMode& mode, StreamWatch::Changed changed = {});
  ~StreamedAverage() override;

  void take_loss(double loss) override { watch_.saw_loss(loss); }
  void after_step(int64_t step, double lr) override;
  /// All ranks' parameters become A; unless it is the last time, each rank's own weights come back with begin_steps(), so that this costs no exchange.
  void synchronise(bool last) override;
  void begin_steps() override { keep_own(); }
  void use_memory(const std::vector<at::Tensor>& parameters) override;
  bool exchanges_through() const override { return flying_ && age_ + 1 < pace_.overlap; }
  bool take_set_weights() override;
  void share_anchor() override;
  void abandon() override;
  void keep_own() override;
  [[nodiscard]] std::function<void()> take_over(ParameterAverage& before, int root, bool behind) override;
  NamedTensors state() override;
  void load_state(const NamedTensors& state, bool same_ranks) override;
  void admit(int root, bool is_new, const std::function<void(const Lacking&)>& before_sending) override;

 private:
  /// A parameter of two dimensions or more, in the order of its memory.
  struct Matrix {
    at::Tensor parameter;  ///< flat, wherever it is
    at::Tensor local;      ///< the same on the CPU in float: itself, or a copy

    bool is_direct() const { return parameter.is_cpu() && parameter.scalar_type() == at::kFloat; }
  };
  /// What one rank adds up: its share of every matrix, so that all chunks have about equally many large values.
  struct Chunk {
    std::vector<int64_t> lengths;
    std::vector<float*> local;
    std::vector<float*> anchor;
    int64_t count = 0;
  };

  std::vector<Chunk> chunks();
  [[nodiscard]] int64_t place_of_weights() const;
  void set_pace(const StreamPace& pace);
  void sign(const at::Tensor& rows) const;
  void pull();
  void push();
  at::Tensor encode_changes();
  void send(at::Tensor rows);
  void exchange();
  template <typename Work>
  void each_chunk(Work&& work);
  void add_own();
  void add_means(const at::Tensor& arrived);
  at::Tensor arrive();
  std::optional<StreamPace> decided_in(const at::Tensor& arrived) const;
  void land();
  void land_and_send();
  void measure();
  void average_exactly();
  [[nodiscard]] bool is_set() const;
  void add_sent(float sign);
  at::Tensor local_matrices() const;
  void set_local_matrices(const at::Tensor& values);

  StreamPace pace_;
  int max_period_;  ///< the one that it began with
  StreamWatch watch_;
  double sent_at_ = 0;           ///< steady clock, seconds; 0: by the run before
  double exchange_seconds_ = 0;  ///< of the exchange under way, once arrived
  VectorStream vectors_;
  int64_t layout_ = 0;  ///< hash of the order in which matrices lie in memory: chunks and messages mean something in this one alone
  std::vector<Matrix> matrices_;
  at::Tensor anchor_;    ///< of all matrices, flat
  at::Tensor residual_;  ///< e of this rank's chunk; changed by the exchange
  int64_t message_bytes_ = 0;  ///< of a chunk; what its vectors take comes behind, then with `adapt` a note
  int64_t row_bytes_ = 0;
  std::vector<StreamEncoder> encoders_;  ///< of each chunk, then of the mean of this rank's
  int64_t position_ = 0;  ///< local steps in this period
  int64_t age_ = 0;       ///< local steps since the exchange under way began
  int64_t sent_step_ = 0;  ///< optimizer steps before it
  bool together_ = true;  ///< all parameters are A
  at::Tensor apart_;      ///< of all matrices while they are A and shall not stay so: this rank's own
  bool flying_ = false;
  at::Tensor sent_;       ///< (W, row) while flying
  at::Tensor arrived_rows_;  ///< once arrived: (W, row), the means
  std::shared_future<void> arrived_;
};

}  // namespace ringlab
