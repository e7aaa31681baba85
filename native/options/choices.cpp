#include "options/choices.h"

namespace ringlab {

const WordTable<Amp>& word_table(Amp) {
  static const WordTable<Amp> table = {{Amp::off, "off"}, {Amp::fp16, "fp16"}, {Amp::bf16, "bf16"}};
  return table;
}

const WordTable<OptimizerKind>& word_table(OptimizerKind) {
  static const WordTable<OptimizerKind> table = {{OptimizerKind::sgd, "sgd"}, {OptimizerKind::adam, "adam"}, {OptimizerKind::adamw, "adamw"}};
  return table;
}

const WordTable<Parallel>& word_table(Parallel) {
  static const WordTable<Parallel> table = {{Parallel::ddp, "ddp"}, {Parallel::dp, "dp"}, {Parallel::none, "none"}};
  return table;
}

const WordTable<Backend>& word_table(Backend) {
  static const WordTable<Backend> table = {{Backend::gloo, "gloo"}, {Backend::nccl, "nccl"}, {Backend::mpi, "mpi"}};
  return table;
}

const WordTable<When>& word_table(When) {
  static const WordTable<When> table = {{When::on, "on"}, {When::off, "off"}, {When::automatic, "auto"}};
  return table;
}

const WordTable<OnLostRank>& word_table(OnLostRank) {
  static const WordTable<OnLostRank> table = {{OnLostRank::end, "end"}, {OnLostRank::save, "save"}, {OnLostRank::go_on, "continue"}};
  return table;
}

const WordTable<ScheduleKind>& word_table(ScheduleKind) {
  static const WordTable<ScheduleKind> table = {{ScheduleKind::step, "step"}, {ScheduleKind::cosine, "cosine"}, {ScheduleKind::none, "none"}};
  return table;
}

}  // namespace ringlab
