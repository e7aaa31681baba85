// main.py's meters and console lines, in its exact format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringlab {

/// Makes standard output line-buffered, even into a pipe or file: a line is written before errors that follow it.
void speak_by_lines();

/// Writes one line to standard output and adds the line end. If its reader has closed (`| head`), the run is asked to
/// stop; if it cannot be written for another reason (a full disk), standard error reports it once.
void say(const std::string& line);

/// Last value, and mean weighted by the number of images.
class AverageMeter {
 public:
  enum class Summary { none, average };
  /// `format` is a printf format of one double, such as "%6.3f".
  AverageMeter(std::string name, std::string format, Summary summary = Summary::average)
      : name_(std::move(name)), format_(std::move(format)), summary_(summary) {}

  void update(double value, double count = 1);
  /// Restores a sum after a resume.
  void restore(double sum, double count);
  double average() const { return count_ > 0 ? sum_ / count_ : 0; }
  double sum() const { return sum_; }
  double count() const { return count_; }
  std::string line() const;     ///< "Loss 1.0e+00 (1.0e+00)"
  std::string summary() const;  ///< "Acc@1 12.345", or empty

 private:
  std::string name_;
  std::string format_;
  Summary summary_;
  double value_ = 0;
  double sum_ = 0;
  double count_ = 0;
};

/// "Epoch: [0][ 1/47]\tTime …" and " *   Acc@1 … Acc@5 …".
class ProgressMeter {
 public:
  ProgressMeter(int64_t batches, std::vector<const AverageMeter*> meters, std::string prefix)
      : batches_(batches), meters_(std::move(meters)), prefix_(std::move(prefix)) {}
  void display(int64_t batch) const;
  void display_summary() const;

 private:
  int64_t batches_;
  std::vector<const AverageMeter*> meters_;
  std::string prefix_;
};

}  // namespace ringlab
