// `--sync MODE`: what the ranks exchange, how often, and in what form.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringlab {

/// The form in which an average crosses the network.
enum class Compression {
  none,      ///< all-reduce in the parameters' own type
  fp16,      ///< 2 bytes a value, summed in float
  bf16,
  int8,      ///< 1 byte a value and a scale a block, with error feedback
  int4,      ///< half a byte
  sparse,    ///< `bits` a value for the largest ones' places and signs, with error feedback
  powersgd,  ///< rank `rank`, with error feedback
  topk,      ///< the largest `fraction` of the values, with error feedback
  stream,    ///< `bits` a value for the largest ones' places, signs and levels; the rest stays in the rank's weights
};

struct SyncMode {
  enum class Kind {
    gradients,  ///< every step, by a hook of the Reducer
    outer,      ///< local steps, then an average of what they changed
  };

  std::string text = "allreduce";  ///< as given: for lines and messages
  Kind kind = Kind::gradients;
  Compression compression = Compression::none;
  int rank = 2;              ///< PowerSGD's
  bool half_factors = false; ///< PowerSGD: its factors as fp16
  double fraction = 0.001;   ///< top-k's
  double bits = 0.5;         ///< sparse and stream: a value
  int start = 0;             ///< plain all-reduce in the first steps of the run
  bool late = false;         ///< gradients: use each average one step late, so that its exchange overlaps with a whole step
  int period = 1;            ///< outer: H, local steps between two averages of the same parameter
  double outer_lr = 1;       ///< outer: 1 and 0 are the plain average of the parameters
  double outer_momentum = 0; ///< outer: Nesterov's
  int fragments = 1;         ///< outer: the parameters go in so many parts, one after another within a period
  int overlap = 0;           ///< outer: steps that are computed while a fragment is on its way
  double adapt = 0;          ///< stream: bits and period follow what is seen of the exchanges, up to so many bits; 0: they stay
  double qsr = 0;            ///< outer: H grows as (qsr / learning rate)² where that is more; 0: it does not
};

/// Reads MODE:
///   allreduce | fp16 | bf16 | powersgd[:RANK][,fp16] | topk[:FRACTION]  [,start=N] [,late]
///   local:H | diloco:H  [,RANK[,fp16] | ,8bit | ,4bit | ,sparse=BITS | ,stream=BITS | ,fp16 | ,bf16 | ,fp32 | ,topk=FRACTION] [,outer_lr=X] [,outer_momentum=X]
///                       [,fragments=N] [,overlap=N] [,start=N] [,qsr=X] [,adapt=BITS]
/// Throws Failure (usage) that names `option`, the wrong part and what is valid.
SyncMode parse_sync_mode(const std::string& option, const std::string& text);

/// Whether it keeps what it did not send of a gradient, or uses it later: no step of it may be dropped.
bool remembers_gradients(const SyncMode& mode);

/// Whether it averages the gradients of every step and uses each average at once, as a hook of DistributedDataParallel must.
bool averages_every_step(const SyncMode& mode);

/// Whether an exchange goes on while later steps compute.
bool overlaps(const SyncMode& mode);

/// The modes as --help lists them: "allreduce, …, powersgd[:RANK][,fp16], …, local:H".
std::string sync_mode_forms();

/// Those of them that average gradients.
std::string gradient_mode_forms();

/// The words a mode may start with.
const std::vector<std::string>& sync_mode_names();

}  // namespace ringlab
