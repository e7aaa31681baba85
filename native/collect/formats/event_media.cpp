#include "collect/formats/event_media.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "base/json.h"
#include "base/numbers.h"
#include "collect/formats/protobuf.h"

namespace ringlab {
namespace {

constexpr size_t kBins = 30;
constexpr size_t kMaxBuckets = 10000;
constexpr uint64_t kMaxEdge = 65535;

struct Bucket {
  double left = 0;
  double right = 0;
  double count = 0;
};

/// A packed list of doubles, or one double that was written alone.
void add_doubles(const ProtoField& field, std::vector<double>& numbers) {
  if (field.wire == 1 && numbers.size() < kMaxBuckets) numbers.push_back(field.as_double());
  if (field.wire != 2) return;
  ProtoReader packed(field.bytes);
  ProtoField one;
  while (numbers.size() < kMaxBuckets && packed.fixed(8, one.number)) numbers.push_back(one.as_double());
}

/// Buckets of any widths become bins of equal width, each count divided by overlap.
std::optional<std::string> members_of(std::vector<Bucket> buckets) {
  const auto useless = [](const Bucket& one) { return !std::isfinite(one.left) || !std::isfinite(one.right) || !std::isfinite(one.count) || one.count <= 0 || one.right < one.left; };
  buckets.erase(std::remove_if(buckets.begin(), buckets.end(), useless), buckets.end());
  if (buckets.empty()) return std::nullopt;
  double low = buckets.front().left;
  double high = buckets.front().right;
  for (const auto& one : buckets) {
    low = std::min(low, one.left);
    high = std::max(high, one.right);
  }
  const double width = (high - low) / kBins;
  if (!std::isfinite(width)) return std::nullopt;
  std::vector<double> counts(width > 0 ? kBins : 1, 0.0);
  const auto bin_at = [&](double value) { return width > 0 ? std::min(counts.size() - 1, static_cast<size_t>(std::max(0.0, (value - low) / width))) : 0; };
  for (const auto& one : buckets) {
    const size_t first = bin_at(one.left);
    const size_t last = bin_at(one.right);
    if (first == last || one.right == one.left) {
      counts[first] += one.count;
      continue;
    }
    for (size_t bin = first; bin <= last; ++bin) {
      const double from = std::max(one.left, low + width * static_cast<double>(bin));
      const double to = bin == last ? one.right : std::min(one.right, low + width * static_cast<double>(bin + 1));
      counts[bin] += one.count * std::max(0.0, to - from) / (one.right - one.left);
    }
  }
  std::vector<std::string> texts;
  for (const double count : counts) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", count);
    texts.emplace_back(text);
  }
  return "\"low\":" + json_number(low) + ",\"high\":" + json_number(high) + ",\"counts\":" + json_array(texts);
}

const char* format_of(std::string_view bytes) {
  const auto begins = [&](std::string_view magic) { return bytes.substr(0, magic.size()) == magic; };
  if (begins("\x89PNG\r\n\x1a\n")) return "png";
  if (begins("\xFF\xD8\xFF")) return "jpeg";
  if (begins("GIF87a") || begins("GIF89a")) return "gif";
  return nullptr;
}

std::optional<EventPicture> picture(std::string_view bytes, uint64_t width, uint64_t height) {
  const char* format = format_of(bytes);
  if (format == nullptr) return std::nullopt;
  JsonObject members;
  members.add("format", format).add("width", std::min(width, kMaxEdge)).add("height", std::min(height, kMaxEdge));
  const std::string text = members.str();
  return EventPicture{text.substr(1, text.size() - 2), bytes};
}

}  // namespace

std::optional<std::string> histogram_members(std::string_view message) {
  ProtoReader reader(message);
  ProtoField field;
  double low = 0;
  double high = 0;
  std::vector<double> limits;
  std::vector<double> counts;
  while (reader.next(field)) {
    if (field.id == 1 && field.wire == 1) low = field.as_double();
    if (field.id == 2 && field.wire == 1) high = field.as_double();
    if (field.id == 6) add_doubles(field, limits);
    if (field.id == 7) add_doubles(field, counts);
  }
  if (reader.failed() || limits.size() != counts.size() || !(low <= high)) return std::nullopt;
  // The outermost limits are the largest doubles.
  std::vector<Bucket> buckets;
  for (size_t i = 0; i < limits.size(); ++i) buckets.push_back({i == 0 ? low : std::clamp(limits[i - 1], low, high), std::clamp(limits[i], low, high), counts[i]});
  return members_of(std::move(buckets));
}

std::optional<std::string> histogram_tensor_members(std::string_view message) {
  ProtoReader reader(message);
  ProtoField field;
  std::vector<double> numbers;
  uint64_t type = 0;
  while (reader.next(field)) {
    if (field.id == 1 && field.wire == 0) type = field.number;
    if (field.id == 6) add_doubles(field, numbers);
    if (field.id == 4 && field.wire == 2 && field.bytes.size() % 8 == 0) add_doubles(field, numbers);
  }
  if (reader.failed() || type != 2 || numbers.size() % 3 != 0) return std::nullopt;
  std::vector<Bucket> buckets;
  for (size_t i = 0; i + 2 < numbers.size(); i += 3) buckets.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
  return members_of(std::move(buckets));
}

std::optional<EventPicture> picture_of(std::string_view message) {
  ProtoReader reader(message);
  ProtoField field;
  uint64_t width = 0;
  uint64_t height = 0;
  std::string_view bytes;
  while (reader.next(field)) {
    if (field.id == 1 && field.wire == 0) height = field.number;
    if (field.id == 2 && field.wire == 0) width = field.number;
    if (field.id == 4 && field.wire == 2) bytes = field.bytes;
  }
  return reader.failed() ? std::nullopt : picture(bytes, width, height);
}

std::optional<EventPicture> picture_of_tensor(std::string_view message) {
  ProtoReader reader(message);
  ProtoField field;
  uint64_t edges[2] = {0, 0};
  size_t texts = 0;
  while (reader.next(field)) {
    if (field.id != 8 || field.wire != 2) continue;
    if (texts < 2) {
      edges[texts++] = number_of<uint64_t>(field.bytes).value_or(0);
    } else {
      return picture(field.bytes, edges[0], edges[1]);
    }
  }
  return std::nullopt;
}

}  // namespace ringlab
