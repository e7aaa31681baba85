// Rank 0's table of keys and its requests, as bytes, without sockets. PROTOCOL.md, 'The store'.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ringlab {

/// One letter per request.
enum class StoreRequest : char { set = 's', get = 'g', add = 'a', compare_set = 'c', check = 'k', wait = 'w', remove = 'd', count = 'n' };

/// First byte of a reply. `yes` is followed by the fields of the answer; `no`: missing keys, or a time-out.
enum class StoreReply : char { yes = 'y', no = 'n', refused = 'r' };

constexpr size_t kMaxKeysPerRequest = 4096;

/// Fields of a message: a 32-bit length and the bytes, or a 64-bit number.
class FieldWriter {
 public:
  explicit FieldWriter(char first) : bytes_(1, first) {}
  FieldWriter& text(std::string_view value);
  FieldWriter& number(int64_t value);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : rest_(bytes) {}
  /// Nothing if the message is too short.
  std::optional<std::string> text();
  std::optional<int64_t> number();
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

/// Limits of what ranks may store.
struct StoreLimits {
  size_t bytes = size_t{64} << 20;
  size_t keys = size_t{1} << 18;
};

class StoreTable {
 public:
  explicit StoreTable(StoreLimits limits = {}) : limits_(limits) {}

  /// Keys that are awaited until a deadline. Empty if the answer is in `reply`.
  struct Wait {
    std::vector<std::string> keys;
    int64_t milliseconds = 0;
  };
  std::optional<Wait> answer(std::string_view request, std::string& reply);
  bool has_all(const std::vector<std::string>& keys) const;

 private:
  bool put(const std::string& key, std::string value);

  StoreLimits limits_;
  std::unordered_map<std::string, std::string> values_;
  size_t bytes_ = 0;
};

}  // namespace ringlab
