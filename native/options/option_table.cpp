#include "options/option_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "base/suggest.h"
#include "checkpoint/position.h"
#include "sync/mode.h"

namespace ringlab {
namespace {

[[noreturn]] void bad_value(const std::string& name, const std::string& value, const std::string& valid) {
  throw Failure(ErrorCode::usage, name + " " + (value.empty() ? "''" : value) + ": " + valid);
}

int64_t whole_number(const std::string& name, const std::string& value, int64_t low, int64_t high) {
  int64_t number = 0;
  const auto result = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool whole = result.ec == std::errc() && result.ptr == value.data() + value.size();
  if (whole && number >= low && number <= high) return number;
  std::string valid = "not a whole number";
  if (whole || result.ec == std::errc::result_out_of_range) valid = "out of range";
  valid += "; valid: " + std::to_string(low);
  valid += high == std::numeric_limits<int>::max() || high == std::numeric_limits<int64_t>::max() ? " or more" : " to " + std::to_string(high);
  bad_value(name, value, valid);
}

double real_number(const std::string& name, const std::string& value, double low, bool low_allowed) {
  const auto number = number_of<double>(value);
  const bool real = number && std::isfinite(*number);
  if (real && (*number > low || (low_allowed && *number == low))) return *number;
  const std::string bound = json_number(low);
  bad_value(name, value, std::string(real ? "out of range" : "not a number") + "; valid: " + (low_allowed ? bound + " or more" : "more than " + bound));
}

OptionRow integer(std::vector<std::string> names, int Options::*field, int low, int high, const char* group, const char* help) {
  return {std::move(names), "N", help, group,
          [=](Options& o, const std::string& name, const std::string& value) { o.*field = static_cast<int>(whole_number(name, value, low, high)); },
          [=](const Options& o, JsonObject& out, const std::string& key) { out.add(key, o.*field); }};
}

OptionRow real(std::vector<std::string> names, double Options::*field, double low, bool low_allowed, const char* metavar, const char* group,
               const char* help) {
  return {std::move(names), metavar, help, group,
          [=](Options& o, const std::string& name, const std::string& value) { o.*field = real_number(name, value, low, low_allowed); },
          [=](const Options& o, JsonObject& out, const std::string& key) { out.add(key, o.*field); }};
}

OptionRow text(std::vector<std::string> names, std::string Options::*field, const char* metavar, const char* group, const char* help) {
  return {std::move(names), metavar, help, group,
          [=](Options& o, const std::string& name, const std::string& value) {
            if (value.empty()) bad_value(name, value, "is empty");
            o.*field = value;
          },
          [=](const Options& o, JsonObject& out, const std::string& key) { out.add(key, o.*field); },
          [=](const Options& o) { return o.*field; }};
}

template <typename Kind>
OptionRow choice(std::vector<std::string> names, Kind Options::*field, const char* metavar, const char* group, const char* help) {
  return {std::move(names), metavar, help, group,
          [=](Options& o, const std::string& name, const std::string& value) {
            const auto& table = word_table(Kind{});
            const auto found = std::find_if(table.begin(), table.end(), [&value](const auto& row) { return row.second == value; });
            if (found == table.end()) bad_value(name, value, "unknown; nearest valid: " + join(nearest(value, words_of<Kind>(), 3)));
            o.*field = found->first;
          },
          [=](const Options& o, JsonObject& out, const std::string& key) { out.add(key, word_of(o.*field)); }};
}

OptionRow flag(std::vector<std::string> names, bool Options::*field, const char* group, const char* help) {
  return {std::move(names), "", help, group, [=](Options& o, const std::string&, const std::string&) { o.*field = true; },
          [=](const Options& o, JsonObject& out, const std::string& key) { out.add(key, o.*field); }};
}

/// The names as this option accepts them.
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

/// Words separated by commas.
OptionRow names(std::vector<std::string> option, std::vector<std::string> Options::*field, const char* metavar, const char* group, const char* help) {
  return {std::move(option), metavar, help, group,
          [=](Options& o, const std::string& name, const std::string& value) {
            (o.*field).clear();
            std::string word;
            for (const char c : value + ",") {
              if (c != ',') word += c;
              else if (word.empty()) bad_value(name, value, "a name is empty");
              else (o.*field).push_back(std::exchange(word, ""));
            }
          },
          [=](const Options& o, JsonObject& out, const std::string& key) { out.add(key, joined(o.*field)); },
          [=](const Options& o) { return joined(o.*field); }};
}

void check_dist_url(const std::string& name, const std::string& value) {
  if (value == "env://") return;
  const std::string valid = "not an address; valid: tcp://HOST:PORT, env://";
  if (value.rfind("tcp://", 0) != 0) bad_value(name, value, valid);
  const size_t colon = value.rfind(':');
  if (colon <= 6) bad_value(name, value, valid);
  whole_number(name + " " + value + ": port", value.substr(colon + 1), 1, 65535);
}

}  // namespace

std::vector<OptionRow> option_table(const std::vector<std::string>& architectures) {
  constexpr int kMax = std::numeric_limits<int>::max();
  constexpr int kMaxEpochCount = kMaxEpoch;
  const char* training = kTrainingGroup;
  const char* files = "Data and files";
  const char* dist = "Ranks";
  std::vector<OptionRow> rows;
  OptionRow arch = text({"--arch", "-a"}, &Options::arch, "ARCH", training, "architecture, one of the list below (default: %d)");
  arch.set = [architectures](Options& o, const std::string& name, const std::string& value) {
    if (std::find(architectures.begin(), architectures.end(), value) == architectures.end()) bad_value(name, value, unknown_architecture(value, architectures));
    o.arch = value;
  };
  rows.push_back(std::move(arch));
  rows.push_back(integer({"--epochs"}, &Options::epochs, 0, kMaxEpochCount, training, "number of epochs in all (default: %d)"));
  rows.push_back(integer({"--start-epoch"}, &Options::start_epoch, 0, kMaxEpochCount, training, "epoch to start at, from 0 (default: %d, or where --resume's file stands)"));
  rows.push_back(integer({"--batch-size", "-b"}, &Options::batch_size, 1, 1 << 20, training,
                         "images that this process computes at a time; with --multiprocessing-distributed of this node, split over its ranks (default: %d)"));
  rows.push_back(integer({"--accumulate"}, &Options::accumulate, 1, 1 << 16, training,
                         "batches whose mean gradient makes one step; the ranks communicate in the last one alone (default: %d)"));
  rows.push_back(choice({"--optimizer"}, &Options::optimizer, "NAME", training, "sgd, adam or adamw (default: %d)"));
  rows.push_back({{"--learning-rate", "--lr"}, "LR", "initial learning rate (default: 0.1; with adam and adamw 0.001)", training,
                  [](Options& o, const std::string& name, const std::string& value) { o.lr = real_number(name, value, 0, true); },
                  [](const Options& o, JsonObject& out, const std::string& key) { out.add(key, o.learning_rate()); },
                  [](const Options& o) { return o.lr ? json_number(*o.lr) : std::string(); }});
  rows.push_back({{"--backbone-lr"}, "LR", "initial learning rate of all but the last layer, for fine-tuning (default: as --lr)", training,
                  [](Options& o, const std::string& name, const std::string& value) { o.backbone_lr = real_number(name, value, 0, true); },
                  [](const Options& o, JsonObject& out, const std::string& key) {
                    if (o.backbone_lr) out.add(key, *o.backbone_lr);
                    else out.add_raw(key, "null");
                  },
                  [](const Options& o) { return o.backbone_lr ? json_number(*o.backbone_lr) : std::string(); }});
  rows.push_back(real({"--momentum"}, &Options::momentum, 0, true, "M", training, "SGD's momentum (default: %d)"));
  rows.push_back(real({"--weight-decay", "--wd"}, &Options::weight_decay, 0, true, "W", training, "weight decay (default: %d)"));
  rows.push_back(choice({"--scheduler"}, &Options::scheduler, "NAME", training,
                        "step (StepLR), cosine (to 0 at the last epoch) or none (default: %d)"));
  rows.push_back(integer({"--warmup-epochs"}, &Options::warmup_epochs, 0, kMaxEpochCount, training,
                         "epochs in which the learning rate grows step by step to --lr; the schedule begins after them (default: %d)"));
  rows.push_back(integer({"--step-size"}, &Options::step_size, 1, kMax, training, "StepLR: epochs between two drops of the learning rate (default: %d)"));
  rows.push_back(real({"--gamma"}, &Options::gamma, 0, false, "G", training, "StepLR: factor at each drop (default: %d)"));
  rows.push_back({{"--seed"}, "N", "makes initial weights, order and augmentation repeatable (default: drawn by rank 0)", training,
                  [](Options& o, const std::string& name, const std::string& value) {
                    o.seed = whole_number(name, value, 0, std::numeric_limits<int64_t>::max());
                  },
                  [](const Options& o, JsonObject& out, const std::string& key) {
                    if (o.seed) out.add(key, *o.seed);
                    else out.add_raw(key, "null");
                  }});
  rows.push_back({{"--label-smoothing"}, "S", "share of each label that is spread over all classes, 0 to less than 1 (default: 0)", training,
                  [](Options& o, const std::string& name, const std::string& value) {
                    const double share = real_number(name, value, 0, true);
                    if (share >= 1) bad_value(name, value, "out of range; valid: 0 to less than 1");
                    o.label_smoothing = share;
                  },
                  [](const Options& o, JsonObject& out, const std::string& key) { out.add(key, o.label_smoothing); }});
  rows.push_back(names({"--freeze"}, &Options::freeze, "NAMES", training, "parameters or modules that are not trained (frozen), such as layer1,layer2.0, or backbone: all but the last layer"));
  rows.push_back(flag({"--freeze-bn"}, &Options::freeze_bn, training, "batch norms that --freeze names keep their statistics as well, and use them in training (eval mode)"));
  rows.push_back(choice({"--amp"}, &Options::amp, "TYPE", training,
                        "compute in mixed precision while training: fp16 (GPUs alone, with a gradient scaler), bf16 or off (default: %d)"));
  rows.push_back(choice({"--channels-last"}, &Options::channels_last, "WHEN", training,
                        "keep model and images in channels-last memory format: on (without a word), off, or auto: where it is faster, measured at start (default: %d)"));
  rows.back().words = words_of<When>();
  rows.push_back(flag({"--draft"}, &Options::draft, training, "decode large JPEGs at 1/2, 1/4 or 1/8 of their size: faster, and not Pillow's pixels to the bit"));
  rows.push_back(flag({"--cuda-graph"}, &Options::cuda_graph, training, "record a step's forward and backward and start it as a whole (one GPU process, or local steps)"));
  rows.back().agreement = Agreement::own;
  rows.push_back(flag({"--evaluate", "-e"}, &Options::evaluate, training, "measure the model on val/ and end"));
  rows.push_back(integer({"--num-classes"}, &Options::num_classes, 1, 1 << 20, training, "outputs of the model (default: as many as the data has classes)"));
  rows.back().agreement = Agreement::own;
  rows.push_back(integer({"--image-size"}, &Options::image_size, 8, 4096, training,
                         "edge of the square input in pixels (default: %d); up to 64: pad, crop and flip; above: RandomResizedCrop and flip"));

  rows.push_back({{"--input-channels"}, "N", "3: colour; 1: images are made grey, as MNIST's are (default: %d)", training,
                  [](Options& o, const std::string& name, const std::string& value) {
                    if (value != "1" && value != "3") bad_value(name, value, "valid: 1, 3");
                    o.input_channels = value == "1" ? 1 : 3;
                  },
                  [](const Options& o, JsonObject& out, const std::string& key) { out.add(key, o.input_channels); }});

  rows.push_back(flag({"--dummy"}, &Options::dummy, files, "noise instead of data, with the numbers of ImageNet; DIR is not read then"));
  rows.push_back(flag({"--sharded-data"}, &Options::sharded_data, files, "train/ holds this node's part alone, and its ranks divide it; val/ is whole on every node"));
  rows.back().agreement = Agreement::same;
  rows.push_back(integer({"--workers", "-j"}, &Options::workers, 0, 1024, files, "threads that load data (default: %d)"));
  rows.push_back(text({"--resume"}, &Options::resume, "FILE", files, "resume from this checkpoint (ours or PyTorch's); rank 0 reads it, and other nodes where they have it"));
  rows.back().agreement = Agreement::given;
  rows.push_back(flag({"--fresh-rank-state"}, &Options::fresh_rank_state, files,
                      "where a rank has no rank-state.pth of --resume's save, start each rank's own state from its initial value instead of ending"));
  rows.back().agreement = Agreement::same;
  rows.push_back(integer({"--keep-every"}, &Options::keep_every, 0, kMax, files,
                         "also keep the checkpoint of every Nth epoch as checkpoint-epoch-<n>.pth.tar; 0: newest and best alone (default: %d)"));
  rows.back().agreement = Agreement::same;
  rows.push_back(real({"--checkpoint-every"}, &Options::checkpoint_every, 0, true, "S", files,
                      "also save within an epoch, after the first step that ends S seconds or more after the last save began; 0: at the ends of epochs alone (default: %d)"));
  rows.back().agreement = Agreement::same;
  rows.push_back(choice({"--module-prefix"}, &Options::module_prefix, "WHEN", files,
                        "names in checkpoints begin with 'module.', as main.py's do under DistributedDataParallel: on (without a word), off, or auto: where the run is distributed (default: %d)"));
  rows.back().words = words_of<When>();
  rows.push_back(text({"--pretrained"}, &Options::pretrained, "FILE", files, "start from the weights in this file, as PyTorch or torchvision saves them, or in torchvision's file in this folder; a last layer for other classes is initialised; rank 0 reads it, and other nodes where they have it"));
  rows.push_back(choice({"--transform-input"}, &Options::transform_input, "WHEN", files,
                        "googlenet and inception_v3: images as torchvision's transform_input=True gives them; auto: where the weights were trained so, as torchvision's published ones (default: %d)"));
  rows.push_back(choice({"--aux-logits"}, &Options::aux_logits, "WHEN", files,
                        "googlenet and inception_v3: with auxiliary heads; auto: as the weights' file has them, and as torchvision without those of googlenet's published file (default: %d)"));
  rows.push_back(text({"--metrics"}, &Options::metrics, "FILE", files, "append one JSON line an event to this file"));
  rows.push_back(integer({"--print-freq", "-p"}, &Options::print_freq, 1, kMax, files, "steps between two lines on the console (default: %d)"));

  rows.push_back(choice({"--parallel"}, &Options::parallel, "WAY", dist,
                        "ddp: ranks that average; dp: one process that splits each batch over replicas; none: one process (default: %d)"));
  rows.push_back(integer({"--replicas"}, &Options::replicas, 1, 1024, dist, "replicas of --parallel dp (default: one a GPU; 2 on a CPU)"));
  rows.push_back(flag({"--sync-bn"}, &Options::sync_bn, dist, "batch norm over the images of all ranks"));
  rows.back().agreement = Agreement::same;
  rows.push_back(integer({"--world-size"}, &Options::world_size, 1, 1 << 16, dist, "number of processes; with --multiprocessing-distributed of nodes"));
  rows.push_back(integer({"--rank"}, &Options::rank, 0, 1 << 16, dist, "this process's rank, from 0; with --multiprocessing-distributed this node's"));
  rows.push_back({{"--dist-url"}, "URL", "tcp://HOST:PORT of rank 0, or env:// (MASTER_ADDR, MASTER_PORT, WORLD_SIZE, RANK, LOCAL_RANK)", dist,
                  [](Options& o, const std::string& name, const std::string& value) {
                    check_dist_url(name, value);
                    o.dist_url = value;
                  },
                  [](const Options& o, JsonObject& out, const std::string& key) { out.add(key, o.dist_url); }});
  rows.push_back(choice({"--dist-backend"}, &Options::dist_backend, "NAME", dist, "gloo, nccl or mpi (default: %d)"));
  rows.push_back(flag({"--multiprocessing-distributed"}, &Options::multiprocessing_distributed, dist, "start a rank for each GPU of this node, or --nproc-per-node"));
  rows.push_back(integer({"--nproc-per-node"}, &Options::nproc_per_node, 1, 1024, dist, "ranks to start on this node; implies --multiprocessing-distributed"));
  rows.push_back(integer({"--local-rank"}, &Options::local_rank, 0, 1024, dist, "this process's number on its node (default: %d)"));
  rows.push_back({{"--gpu"}, "N", "GPU to use (default: the local rank's, where there are any)", dist,
                  [](Options& o, const std::string& name, const std::string& value) { o.gpu = static_cast<int>(whole_number(name, value, 0, 1024)); },
                  [](const Options& o, JsonObject& out, const std::string& key) {
                    if (o.gpu) out.add(key, *o.gpu);
                    else out.add_raw(key, "null");
                  }});
  rows.push_back(flag({"--no-accel"}, &Options::no_accel, dist, "use the CPU"));
  rows.push_back(integer({"--threads"}, &Options::threads, 1, 1024, dist, "threads that compute (default: one a core, shared by the node's ranks)"));
  rows.push_back(text({"--interface"}, &Options::interface, "NAME", dist, "network interface for the collectives, such as eth0"));
  rows.push_back(text({"--address"}, &Options::address, "HOST", dist, "address of this machine for the collectives"));
  rows.push_back(text({"--secret-file"}, &Options::secret_file, "FILE", dist,
                      "file of mode 600 whose first line is the secret that all ranks share; '-': standard input; without it every rank must run without"));
  rows.push_back(names({"--peers"}, &Options::peers, "ADDRESSES", dist, "rank 0: addresses that may connect to it, with commas between them (default: any)"));
  rows.push_back(real({"--rendezvous-timeout"}, &Options::rendezvous_timeout, 0, false, "S", dist, "seconds to wait for all ranks at the start (default: %d)"));
  rows.push_back(real({"--peer-timeout"}, &Options::peer_timeout, 0.5, true, "S", dist, "seconds of silence after which a peer is lost (default: %d)"));
  rows.push_back(choice({"--on-lost-rank"}, &Options::on_lost_rank, "WHAT", dist, "end: all ranks end; save: the others save together what they have, and end; continue: they go on, where more than half are left (default: %d)"));
  rows.back().agreement = Agreement::same;
  rows.push_back(flag({"--keep-global-batch"}, &Options::keep_global_batch, dist, "with --on-lost-rank continue and averaged gradients: the ranks that are left take the images of all, in as many batches as that needs; without it a step has fewer images and a lower learning rate"));
  rows.back().agreement = Agreement::same;
  rows.push_back({{"--sync"}, "MODE",
                  "what the ranks exchange: " + sync_mode_forms() + "; with further parts after commas, see native/PROTOCOL.md (default: %d)",
                  dist,
                  [](Options& o, const std::string& name, const std::string& value) {
                    o.sync = parse_sync_mode(name, value);
                  },
                  [](const Options& o, JsonObject& out, const std::string& key) { out.add(key, o.sync.text); }, [](const Options& o) { return o.sync.text; }});
  rows.back().agreement = Agreement::same;
  rows.push_back(flag({"--check-sync"}, &Options::check_sync, dist, "compare a hash of the parameters over all ranks after each epoch"));
  rows.back().agreement = Agreement::same;
  return rows;
}

}  // namespace ringlab
