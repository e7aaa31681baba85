#include "collect/printed/metric_names.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <vector>

#include "collect/printed/chinese_words.h"

namespace ringlab {
namespace {

template <size_t N>
bool contains(const std::string_view (&words)[N], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

constexpr std::string_view kMetrics[] = {
    "loss",   "losses", "acc",  "accuracy", "top1", "top5", "prec",   "ppl",  "perplexity", "bpc",  "bpb",   "f1",    "auc",        "auroc", "ap50",   "miou", "iou", "psnr", "ssim",
    "rmse",   "mse",    "mae",  "bleu",     "rouge", "wer", "reward", "elbo", "nll",        "mcc",  "bce",   "map50", "dice", "fid", "spearman", "ap", "rew"};

constexpr std::string_view kCompanions[] = {"lr",   "time", "data", "error", "err",   "norm",       "gnorm", "wd",     "mfu",    "score",
                                                          "rate", "mem",  "memory", "throughput", "speed", "grad", "precision", "recall", "kl"};

constexpr std::string_view kSettings[] = {
    "weight", "weights", "coef",   "coefficient", "scale", "fn",      "func",  "function", "type",      "smoothing", "threshold", "target",  "interval", "freq",  "batchsize",
    "every",  "patience", "delta", "seed",        "port",  "rank",    "world", "pid",      "gpu",       "gpus",      "line",      "size",    "workers",  "version",
    "node",   "device",  "devices", "eta",        "elapsed", "remaining", "num", "epochs", "id",        "max",       "bytes",     "code", "count", "threads"};

/// Parts of a name: divided at what is no letter or digit, and where lower case is followed by upper case. A number behind a letter stays.
void parts_of(std::string_view name, std::vector<std::string>& parts) {
  parts.clear();
  bool open = false;
  char before = 0;
  for (const char c : name) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0 || (static_cast<unsigned char>(c) & 0x80) != 0;
    if (!letter) {
      open = false;
    } else {
      const bool hump = std::isupper(static_cast<unsigned char>(c)) != 0 && std::islower(static_cast<unsigned char>(before)) != 0;
      if (!open || hump) parts.emplace_back();
      parts.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      open = true;
    }
    before = c;
  }
}

std::string_view without_digits(std::string_view part) {
  while (!part.empty() && part.back() >= '0' && part.back() <= '9') part.remove_suffix(1);
  return part;
}

bool ends_with(std::string_view text, std::string_view end) { return text.size() >= end.size() && text.substr(text.size() - end.size()) == end; }

bool is_source_file(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  constexpr std::string_view kEndings[] = {"py", "pyx", "cpp", "cc", "c", "h", "hpp", "cu", "cuh", "so", "rs"};
  return contains(kEndings, name.substr(dot + 1));
}

}  // namespace

bool is_metric_name(std::string_view name) {
  if (is_setting_name(name)) return false;
  thread_local std::vector<std::string> parts;
  parts_of(name, parts);
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string_view part = parts[i];
    if (contains(kMetrics, part) || contains(kMetrics, without_digits(part)) || ends_with(part, "loss") || ends_with(part, "acc")) return true;
    if (part == "top" && i + 1 < parts.size() && (parts[i + 1] == "1" || parts[i + 1] == "5")) return true;
  }
  return is_chinese_metric(name);
}

bool is_loss_name(std::string_view name) { return lower(name).find("loss") != std::string::npos || name.find("损失") != std::string_view::npos; }

bool is_companion_name(std::string_view name) {
  thread_local std::vector<std::string> parts;
  parts_of(name, parts);
  // tokens/s, img/sec
  if (ends_with(name, "/s") || ends_with(name, "/sec")) return true;
  return !parts.empty() && contains(kCompanions, without_digits(parts.back()));
}

bool is_learning_rate(std::string_view name) {
  const std::string low = lower(name);
  return low == "lr" || low == "learning rate" || low == "learning_rate" || low == "学习率";
}

bool is_setting_name(std::string_view name) {
  if (is_source_file(name)) return true;
  thread_local std::vector<std::string> parts;
  parts_of(name, parts);
  return parts.empty() || std::any_of(parts.begin(), parts.end(), [](const std::string& part) { return contains(kSettings, part); });
}

bool is_device_name(std::string_view name) {
  const std::string low = lower(name);
  return low == "cuda" || low == "xpu" || low == "mps" || low == "npu" || low == "hip" || low == "hpu" || low == "xla";
}

std::string_view share_word(std::string_view sentence) {
  const std::string low = lower(sentence);
  for (const std::string_view word : {"accuracy", "precision", "recall", "error"}) {
    if (low.find(word) != std::string::npos) return word;
  }
  return {};
}

std::string curve_name(const std::string& words, std::string_view last, std::string& phase) {
  const size_t space = words.find(' ');
  const std::string_view found = space == std::string::npos ? std::string_view{} : phase_of(std::string_view(words).substr(0, space));
  const bool identifier = space != std::string::npos && last.find_first_of("_./") != std::string_view::npos && is_metric_name(last);
  std::string rest = identifier ? std::string(last) : found.empty() ? words : words.substr(space + 1);
  if (!found.empty() && rest.rfind("set ", 0) == 0) rest.erase(0, 4);  // `test set loss`
  if (found.empty() && space == std::string::npos) {
    const ChineseName own = chinese_name(words);
    if (own.phase.empty()) return std::string(own.metric);
    phase = own.phase;
    return phase + "/" + std::string(own.metric);
  }
  if (found.empty()) return rest;
  phase = found;
  return phase + "/" + rest;
}

Marker marker_of(std::string_view word) {
  const std::string low = lower(word);
  if (low == "epoch" || low == "ep" || low == "epochs" || low == "轮" || low == "轮次") return Marker::epoch;
  if (low == "step" || low == "steps" || low == "iter" || low == "iters" || low == "iteration" || low == "iterations" || low == "it" || low == "global_step" || low == "batch" || low == "update" || low == "num_updates" || low == "步" || low == "训练次数" || low == "训练步数" || low == "步数" || low == "迭代" || low == "迭代次数" || low == "批次") return Marker::step;
  if (low == "episode" || low == "episodes") return Marker::episode;
  return Marker::none;
}

}  // namespace ringlab
