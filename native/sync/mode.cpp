#include "sync/mode.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/error.h"
#include "base/numbers.h"
#include "base/suggest.h"

namespace ringlab {
namespace {

/// A mode: the word that it starts with, what may follow, and what it is without that.
struct ModeRow {
  const char* name;
  const char* rest;
  SyncMode::Kind kind;
  Compression compression;
};

constexpr ModeRow kModes[] = {
    {"allreduce", "", SyncMode::Kind::gradients, Compression::none},
    {"fp16", "", SyncMode::Kind::gradients, Compression::fp16},
    {"bf16", "", SyncMode::Kind::gradients, Compression::bf16},
    {"powersgd", "[:RANK][,fp16]", SyncMode::Kind::gradients, Compression::powersgd},
    {"topk", "[:FRACTION]", SyncMode::Kind::gradients, Compression::topk},
    {"local", ":H", SyncMode::Kind::outer, Compression::none},
    {"diloco", ":H[,RANK]", SyncMode::Kind::outer, Compression::int4},
};

std::string form_of(const ModeRow& row) { return std::string(row.name) + row.rest; }

struct Reader {
  const std::string& option;
  const std::string& text;

  [[noreturn]] void wrong(const std::string& part, const std::string& why) const {
    throw Failure(ErrorCode::usage, option + " " + text + ": " + (part == text ? "" : "'" + part + "': ") + why);
  }

  int whole(const std::string& part, const std::string& value, int low, int high) const {
    const auto number = number_of<int>(value);
    if (!number || *number < low || *number > high) wrong(part, "valid: a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    return *number;
  }

  double real(const std::string& part, const std::string& value, double low, double high, const std::string& valid) const {
    const auto number = number_of<double>(value);
    if (!number || !std::isfinite(*number) || *number < low || *number > high) wrong(part, "valid: " + valid);
    return *number;
  }
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

constexpr int kMaxRank = 64;
constexpr int kMaxSteps = 1000000;
constexpr double kMinFraction = 1e-5;
const char* const kFractions = "a fraction from 0.00001 to 0.5";

bool is_number(const std::string& word) { return !word.empty() && word.find_first_not_of("0123456789.") == std::string::npos; }

void set_fraction(SyncMode& mode, const Reader& read, const std::string& part, const std::string& value) {
  mode.compression = Compression::topk;
  mode.fraction = read.real(part, value, kMinFraction, 0.5, kFractions);
}

void set_rank(SyncMode& mode, const Reader& read, const std::string& part, const std::string& value) {
  mode.compression = Compression::powersgd;
  mode.rank = read.whole(part, value, 1, kMaxRank);
}

/// A later part of a gradient mode; false where the word is not known.
bool set_gradient_part(SyncMode& mode, const Reader& read, const std::string& part, const std::string& name, const std::string& value) {
  if (name == "start") mode.start = read.whole(part, value, 0, kMaxSteps);
  else if (part == "late") mode.late = true;
  else if (part == "fp16" && mode.compression == Compression::powersgd) mode.half_factors = true;
  else return false;
  return true;
}

bool set_outer_part(SyncMode& mode, const Reader& read, const std::string& part, const std::string& name, const std::string& value) {
  if (is_number(part)) set_rank(mode, read, part, part);
  else if (part == "8bit") mode.compression = Compression::int8;
  else if (part == "4bit") mode.compression = Compression::int4;
  else if (part == "fp16" && mode.compression == Compression::powersgd) mode.half_factors = true;
  else if (part == "fp16") mode.compression = Compression::fp16;
  else if (part == "bf16") mode.compression = Compression::bf16;
  else if (part == "fp32") mode.compression = Compression::none;
  else if (name == "topk") set_fraction(mode, read, part, value);
  else if (name == "sparse" || name == "stream") {
    mode.compression = name == "sparse" ? Compression::sparse : Compression::stream;
    mode.bits = read.real(part, value, 0.01, 4, "bits a value, 0.01 to 4");
  } else if (name == "outer_lr") mode.outer_lr = read.real(part, value, 1e-6, 100, "more than 0, at most 100");
  else if (name == "outer_momentum") mode.outer_momentum = read.real(part, value, 0, 0.999, "0 to 0.999");
  else if (name == "fragments") mode.fragments = read.whole(part, value, 1, 1024);
  else if (name == "overlap") mode.overlap = read.whole(part, value, 0, kMaxSteps);
  else if (name == "start") mode.start = read.whole(part, value, 0, kMaxSteps);
  else if (name == "adapt") mode.adapt = read.real(part, value, 0.01, 4, "bits a value, 0.01 to 4");
  else if (name == "qsr") mode.qsr = read.real(part, value, 0, 1e6, "0 or more");
  else return false;
  return true;
}

}  // namespace

const std::vector<std::string>& sync_mode_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& row : kModes) all.emplace_back(row.name);
    return all;
  }();
  return names;
}

std::string sync_mode_forms() {
  std::vector<std::string> forms;
  for (const auto& row : kModes) forms.push_back(form_of(row));
  return join(forms);
}

std::string gradient_mode_forms() {
  std::vector<std::string> forms;
  for (const auto& row : kModes) {
    if (row.kind == SyncMode::Kind::gradients) forms.push_back(form_of(row));
  }
  return join(forms);
}

bool overlaps(const SyncMode& mode) { return mode.overlap > 0 || mode.late; }

bool averages_every_step(const SyncMode& mode) { return mode.kind == SyncMode::Kind::gradients && !mode.late && mode.start == 0; }

bool remembers_gradients(const SyncMode& mode) {
  return mode.kind == SyncMode::Kind::outer || mode.late || mode.compression == Compression::powersgd || mode.compression == Compression::topk;
}

SyncMode parse_sync_mode(const std::string& option, const std::string& text) {
  const Reader read{option, text};
  SyncMode mode;
  mode.text = text;
  const size_t colon = text.find(':');
  const size_t comma = text.find(',');
  const size_t end = std::min(colon, comma);
  const std::string name = text.substr(0, end);
  std::vector<std::string> parts;
  if (end != std::string::npos) parts = split(text.substr(end + 1), ',');
  const bool positional = colon != std::string::npos && colon == end;

  if (name == "auto") read.wrong(text, "the app chooses from the drawn links before it starts a run (ringlab estimate LAB); valid here: " + join(sync_mode_names()));
  const auto row = std::find_if(std::begin(kModes), std::end(kModes), [&](const ModeRow& one) { return name == one.name; });
  if (row == std::end(kModes)) read.wrong(name, "unknown; nearest valid: " + join(nearest(name, sync_mode_names(), 3)));
  mode.kind = row->kind;
  mode.compression = row->compression;
  if (name == "allreduce") {
    if (!parts.empty()) read.wrong(text, name + " takes nothing after it");
    return mode;
  }

  if (mode.kind == SyncMode::Kind::outer) {
    if (!positional) read.wrong(text, "the number of local steps H is missing, as in " + name + ":8");
    mode.period = read.whole(parts.front(), parts.front(), 1, kMaxSteps);
    parts.erase(parts.begin());
    if (name == "diloco") {
      mode.outer_lr = 0.7;
      mode.outer_momentum = 0.9;
    }
  } else if (positional) {
    if (name == "powersgd") set_rank(mode, read, parts.front(), parts.front());
    else if (name == "topk") set_fraction(mode, read, parts.front(), parts.front());
    else read.wrong(text, name + " takes no value after ':'");
    parts.erase(parts.begin());
  }
  for (const auto& part : parts) {
    const size_t equals = part.find('=');
    const std::string key = equals == std::string::npos ? "" : part.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
    const bool outer = mode.kind == SyncMode::Kind::outer;
    if (outer ? set_outer_part(mode, read, part, key, value) : set_gradient_part(mode, read, part, key, value)) continue;
    read.wrong(part.empty() ? text : part, outer ? "valid after H: a rank for PowerSGD (and fp16 for its factors), 8bit, 4bit, sparse=BITS, stream=BITS, fp16, bf16, fp32, topk=F, outer_lr=X, outer_momentum=X, fragments=N, overlap=N, start=N, qsr=X, adapt=BITS"
                                                 : "valid: start=N, late; after powersgd also fp16");
  }
  if (mode.compression == Compression::stream) {
    const bool plain = mode.outer_lr == 1 && mode.outer_momentum == 0 && mode.fragments == 1 && mode.start == 0 && mode.qsr == 0;
    if (!plain) read.wrong(text, "beside stream=BITS only overlap=N and adapt=BITS are valid");
    if (mode.overlap > mode.period) read.wrong(text, "overlap: an exchange must have arrived before the next one goes; valid: 0 to " + std::to_string(mode.period));
    if (mode.adapt > 0 && mode.overlap == 0) read.wrong(text, "adapt: what does not overlap cannot be hidden; add overlap=" + std::to_string(mode.period));
    return mode;
  }
  if (mode.adapt > 0) read.wrong(text, "adapt is valid beside stream=BITS only");
  if (mode.kind == SyncMode::Kind::outer && mode.fragments > mode.period) read.wrong(text, "more fragments than local steps; valid: 1 to " + std::to_string(mode.period));
  if (mode.kind == SyncMode::Kind::outer && mode.overlap * mode.fragments >= mode.period && mode.overlap > 0) {
    read.wrong(text, "overlap: a fragment must have arrived before the next one goes; valid: 0 to " + std::to_string((mode.period - 1) / mode.fragments));
  }
  return mode;
}

}  // namespace ringlab
