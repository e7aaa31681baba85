// What a reader of a growing file of another program returns, and the interface of all such readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringlab {

/// One record of a file.
struct Found {
  enum class Kind {
    scalars,  ///< named numbers
    config,   ///< `text`: a JSON object of the script's settings
    waiting,  ///< `text`: a JSON object: where a rank stands among its collectives
    profile,  ///< `text`: a JSON object: what a rank's time goes into
    histogram,  ///< `values`: its name; `text`: members of its line
    picture,    ///< the same; its encoded bytes are at `offset`
    saved,    ///< `text`: the path of a file that the script names as its result
    start,    ///< `step`: the attempt that begins behind it
    problem,  ///< `text`: what could not be read, and why
  };
  Kind kind = Kind::scalars;
  uint64_t end = 0;  ///< bytes from the start of what was given to read() to the end of the record
  uint64_t offset = 0;  ///< as `end`
  double time = 0;   ///< Unix seconds as the record says; 0 if it does not
  std::optional<double> step;
  std::optional<double> epoch;
  std::vector<std::pair<std::string, double>> values;
  std::string text;
};

/// What could not be read up to byte `end`, and why.
inline void add_problem(const char* reason, uint64_t end, std::vector<Found>& found) {
  Found one;
  one.kind = Found::Kind::problem;
  one.end = end;
  one.text = reason;
  found.push_back(std::move(one));
}

/// How far a script is, as its output says. Counts from its own first number, which may be 0 or 1.
struct ScriptProgress {
  std::optional<double> step;
  std::optional<double> steps;
  std::optional<double> epoch;
  std::optional<double> epochs;
  std::optional<double> remaining;  ///< seconds

  bool operator==(const ScriptProgress& other) const {
    return step == other.step && steps == other.steps && epoch == other.epoch && epochs == other.epochs && remaining == other.remaining;
  }
  bool empty() const { return !step && !steps && !epoch && !epochs; }
};

/// A reader sees at most this many bytes of its file at once: no record that it uses is longer.
constexpr size_t kReadWindow = size_t{1} << 20;

/// Reads one file from its start to its end as it grows. What it finds depends on the bytes alone, not on how they are divided into
/// calls or when they come, so that a restarted collector finds the same records at the same places. Never throws on content.
class Reader {
 public:
  Reader() = default;
  virtual ~Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// `bytes`: the file from the first byte that is not done, at most kReadWindow; not empty. `last`: nothing will be added. Returns how
  /// many bytes are done: 0 if the first record is incomplete, more than given if the rest of the first record is to be skipped.
  virtual uint64_t read(std::string_view bytes, bool last, std::vector<Found>& found) = 0;

  /// What it has to know to continue behind the bytes that are done, as JSON; "" if that is nothing.
  virtual std::string state() const { return {}; }
  virtual void restore(const std::string&) {}

  /// Records that are no numbers: pictures, histograms, graphs.
  virtual uint64_t others() const { return 0; }

  /// How far the script is; null where the file does not say.
  virtual const ScriptProgress* progress() const { return nullptr; }
};

}  // namespace ringlab
