#include "collect/formats/event_file.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/file_bytes.h"
#include "base/json.h"
#include "base/numbers.h"
#include "collect/formats/crc32c.h"
#include "collect/formats/event_media.h"
#include "collect/formats/protobuf.h"
#include "collect/records/json_reader.h"

namespace ringlab {
namespace {

constexpr size_t kHead = 12;
constexpr size_t kTail = 4;
constexpr size_t kMaxMediaNames = 200;
constexpr size_t kMaxMediaName = 1000;  ///< bytes
constexpr uint64_t kAllOfTheFirst = 64;
constexpr uint64_t kMaxEventBytes = uint64_t{1} << 40;  ///< a length above this is no length, whatever its CRC

bool is_head(std::string_view bytes, size_t at) {
  return little_endian_at(bytes, at, 8) <= kMaxEventBytes && masked_crc32c(bytes.substr(at, 8)) == static_cast<uint32_t>(little_endian_at(bytes, at + 8, 4));
}

/// A float as its writer typed it: 0.1, and not 0.10000000149.
double shortest(float value) {
  if (!std::isfinite(value)) return value;
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  double number = value;
  std::from_chars(text, end, number);
  return number;
}

double half(uint64_t bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  const int exponent = static_cast<int>((bits >> 10) & 0x1FU);
  const auto fraction = static_cast<double>(bits & 0x3FFU);
  if (exponent == 31) return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

/// A number of TensorFlow's DataType from its bytes in `tensor_content`.
std::optional<double> content_number(uint64_t type, std::string_view content) {
  ProtoReader reader(content);
  ProtoField field;
  const auto fixed = [&](size_t size) { return content.size() == size && reader.fixed(size, field.number); };
  switch (type) {
    case 1: return fixed(4) ? std::optional<double>(shortest(field.as_float())) : std::nullopt;
    case 2: return fixed(8) ? std::optional<double>(field.as_double()) : std::nullopt;
    case 3: return fixed(4) ? std::optional<double>(static_cast<int32_t>(field.number)) : std::nullopt;
    case 9: return fixed(8) ? std::optional<double>(static_cast<double>(static_cast<int64_t>(field.number))) : std::nullopt;
    case 14:  // bfloat16: the upper half of a float
      if (!fixed(2)) return std::nullopt;
      field.number <<= 16;
      return field.as_float();
    case 19: return fixed(2) ? std::optional<double>(half(field.number)) : std::nullopt;
    default: return std::nullopt;
  }
}

/// A TensorProto of one number; nothing for others.
std::optional<double> tensor_number(std::string_view message) {
  ProtoReader reader(message);
  ProtoField field;
  uint64_t type = 0;
  std::optional<double> value;
  std::string_view content;
  size_t numbers = 0;
  const auto number = [&](const ProtoField& one) -> double {
    switch (one.id) {
      case 5: return shortest(one.as_float());
      case 6: return one.as_double();
      case 13: return type == 14 ? ProtoField{0, 5, one.number << 16, {}}.as_float() : half(one.number);
      default: return static_cast<double>(static_cast<int64_t>(one.number));
    }
  };
  while (reader.next(field)) {
    if (field.id == 1 && field.wire == 0) type = field.number;
    if (field.id == 2 && field.wire == 2) {  // the shape: more than one element is no scalar
      ProtoReader shape(field.bytes);
      ProtoField dimension;
      while (shape.next(dimension)) {
        ProtoReader inner(dimension.bytes);
        ProtoField size;
        while (dimension.id == 2 && inner.next(size)) {
          if (size.id == 1 && size.number != 1) return std::nullopt;
        }
      }
    }
    if (field.id == 4 && field.wire == 2) content = field.bytes;
    // float, double, int, int64, half: one number, or a packed list.
    if (field.id != 5 && field.id != 6 && field.id != 7 && field.id != 10 && field.id != 13) continue;
    if (field.wire != 2) {
      value = number(field);
      ++numbers;
      continue;
    }
    ProtoReader packed(field.bytes);
    ProtoField one = field;
    while (numbers < 2 && (field.id == 5 ? packed.fixed(4, one.number) : field.id == 6 ? packed.fixed(8, one.number) : packed.varint(one.number))) {
      value = number(one);
      ++numbers;
    }
  }
  if (reader.failed() || numbers > 1) return std::nullopt;
  return numbers == 1 ? value : content_number(type, content);
}

}  // namespace

uint64_t EventFile::read(std::string_view bytes, bool, std::vector<Found>& found) {
  size_t done = 0;
  while (bytes.size() - done >= kHead) {
    if (!is_head(bytes, done)) {
      if (!searching_) add_problem("a record is damaged: what follows up to the next whole one is left out", done + 1, found);
      searching_ = true;
      ++done;
      continue;
    }
    searching_ = false;
    const uint64_t length = little_endian_at(bytes, done, 8);
    const uint64_t whole = kHead + length + kTail;
    if (whole > kReadWindow) {  // a graph or pictures
      ++others_;
      return done + whole;
    }
    if (bytes.size() - done < whole) break;
    const std::string_view payload = bytes.substr(done + kHead, static_cast<size_t>(length));
    const size_t end = done + static_cast<size_t>(whole);
    if (masked_crc32c(payload) == static_cast<uint32_t>(little_endian_at(bytes, end - kTail, 4))) {
      event(payload, done + kHead, end, found);
    } else {
      add_problem("a record's checksum is wrong: it is left out", end, found);
    }
    done = end;
  }
  return done;
}

std::string EventFile::state() const {
  JsonObject seen;
  for (const auto& [name, count] : seen_) seen.add(name, std::to_string(count));
  return JsonObject().add("others", std::to_string(others_)).add_raw("seen", seen.str()).str();
}

void EventFile::restore(const std::string& state) {
  const auto value = read_json(state);
  if (!value) return;
  const auto count = [](const JsonValue* one) { return one == nullptr ? uint64_t{0} : number_of<uint64_t>(one->text).value_or(0); };
  others_ = count(value->find("others"));
  const JsonValue* seen = value->find("seen");
  if (seen == nullptr) return;
  for (const auto& [name, one] : seen->members) {
    if (seen_.size() < kMaxMediaNames) seen_[name] = count(&one);
  }
}

/// The first 64 of a name, then every second, from 128 on every fourth, and so on: as many again in each doubling.
bool EventFile::is_sampled(std::string_view tag) {
  const std::string name(tag.substr(0, kMaxMediaName));
  if (seen_.count(name) == 0 && seen_.size() >= kMaxMediaNames) return false;
  const uint64_t index = seen_[name]++;
  uint64_t every = 1;
  while (index / every >= kAllOfTheFirst) every *= 2;
  return index % every == 0;
}

void EventFile::event(std::string_view message, uint64_t at, uint64_t end, std::vector<Found>& found) {
  Found record;
  record.end = end;
  record.step = 0;  // protobuf leaves out what is 0
  ProtoReader reader(message);
  ProtoField field;
  std::string_view summary;
  while (reader.next(field)) {
    if (field.id == 1 && field.wire == 1) record.time = field.as_double();
    if (field.id == 2 && field.wire == 0) record.step = static_cast<double>(static_cast<int64_t>(field.number));
    if (field.id == 5 && field.wire == 2) summary = field.bytes;
  }
  ProtoReader values(summary);
  std::vector<Found> media;
  while (values.next(field)) {
    if (field.id == 1 && field.wire == 2) value(field.bytes, message, record, media);
  }
  if (reader.failed() || values.failed()) return add_problem("an event is no valid message: it is left out", end, found);
  if (!std::isfinite(record.time)) record.time = 0;
  // Each record ends at an offset of its own, and none before one that comes first: every value has more bytes than one.
  for (size_t i = 0; i < media.size(); ++i) {
    Found& one = media[i];
    one.end = end - (media.size() - i);
    one.offset += at;
    one.time = record.time;
    one.step = record.step;
    found.push_back(std::move(one));
  }
  if (!record.values.empty()) found.push_back(std::move(record));
}

void EventFile::value(std::string_view message, std::string_view whole, Found& record, std::vector<Found>& media) {
  ProtoReader reader(message);
  ProtoField field;
  std::string_view tag;
  std::string_view plugin = "scalars";
  std::optional<double> number;
  std::string_view histogram;
  std::string_view image;
  std::string_view tensor;
  bool other = false;
  while (reader.next(field)) {
    if (field.id == 1 && field.wire == 2) tag = field.bytes;
    if (field.id == 2 && field.wire == 5) number = shortest(field.as_float());
    if (field.id == 8 && field.wire == 2) tensor = field.bytes;
    if (field.id == 4 && field.wire == 2) image = field.bytes;
    if (field.id == 5 && field.wire == 2) histogram = field.bytes;
    if (field.id == 6) other = true;  // audio
    if (field.id == 9 && field.wire == 2) {
      ProtoReader metadata(field.bytes);
      ProtoField data;
      while (metadata.next(data)) {
        ProtoReader inner(data.bytes);
        ProtoField name;
        while (data.id == 1 && data.wire == 2 && inner.next(name)) {
          if (name.id == 1 && name.wire == 2) plugin = name.bytes;
        }
      }
    }
  }
  if (!tensor.empty() && plugin == "scalars") number = tensor_number(tensor);
  const bool is_picture = !image.empty() || (!tensor.empty() && plugin == "images");
  const bool is_histogram = !histogram.empty() || (!tensor.empty() && plugin == "histograms");
  if (is_picture || is_histogram) {
    Found one;
    one.values.emplace_back(std::string(tag), 0);
    if (is_picture) {
      const auto picture = image.empty() ? picture_of_tensor(tensor) : picture_of(image);
      one.kind = Found::Kind::picture;
      if (picture) {
        one.offset = static_cast<uint64_t>(picture->bytes.data() - whole.data());
        one.text = picture->members + ",\"length\":" + std::to_string(picture->bytes.size());
      }
    } else {
      one.kind = Found::Kind::histogram;
      one.text = (histogram.empty() ? histogram_tensor_members(tensor) : histogram_members(histogram)).value_or("");
    }
    if (!one.text.empty() && is_sampled(tag)) {
      media.push_back(std::move(one));
    } else {
      ++others_;
    }
    return;
  }
  if (other || plugin != "scalars" || !number) {
    ++others_;
    return;
  }
  if (record.values.size() < 1000) record.values.emplace_back(std::string(tag), *number);
}

}  // namespace ringlab
