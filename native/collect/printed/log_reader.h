// What a script prints: metrics and progress in log.txt.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "collect/printed/cell_table.h"
#include "collect/printed/columns.h"
#include "collect/printed/evaluated.h"
#include "collect/printed/line_scan.h"
#include "collect/printed/progress_bar.h"
#include "collect/records/step_track.h"
#include "collect/patterns/user_patterns.h"
#include "collect/records/reader.h"

namespace ringlab {

/// Lines end with '\n' or '\r' (progress bars). Understands tqdm's bars, Python's dicts (Hugging Face), tables (columns.h, cell_table.h), and numbers with
/// names (line_scan.h). Epoch and step of a line without its own are those of the lines before it. The launcher's line `[ringlab] attempt N` says
/// that the script has started again.
class LogReader : public Reader {
 public:
  /// `patterns`: the user's own, or null.
  explicit LogReader(std::shared_ptr<const UserPatterns> patterns = nullptr) : patterns_(std::move(patterns)) {}

  uint64_t read(std::string_view bytes, bool last, std::vector<Found>& found) override;
  std::string state() const override;
  void restore(const std::string& state) override;
  const ScriptProgress* progress() const override { return progress_.empty() ? nullptr : &progress_; }

 private:
  void line(std::string_view text, uint64_t end, std::vector<Found>& found);
  void known_line(std::string_view text, uint64_t end, std::vector<Found>& found);
  void end_table(uint64_t end, std::vector<Found>& found);
  void column_row(ColumnRow row, uint64_t end, std::vector<Found>& found);
  bool dict(std::string_view text, LineScan said, Found& record, std::string& phase);
  void dicts(std::string_view line, uint64_t end, std::vector<Found>& found);
  bool bar(const ProgressBar& bar, std::optional<ColumnRow> row, Found& record);
  std::string_view bar_phase(const ProgressBar& bar) const;
  void take_bar_values(const ProgressBar& bar, const LineScan& said, Found& record);
  void counts(LineScan& scan, Found& record);
  std::optional<double> evaluated_step(const LineScan& scan) const;
  static void add_phase(std::vector<std::pair<std::string, double>>& values, const std::string& phase);
  void add(Found record, const std::string& phase, std::vector<Found>& found);
  void begin_attempt(std::string_view mark, uint64_t end, std::vector<Found>& found);
  void take_epoch(double at, std::optional<double> of);
  void say_place(Found& record) const;

  std::shared_ptr<const UserPatterns> patterns_;
  std::optional<double> epoch_;
  std::optional<double> step_;
  StepTracks tracks_;
  std::string main_;  ///< the track with the most steps: that of the training
  Evaluated evaluated_;
  Columns columns_;
  CellTable cells_;
  ScriptProgress progress_;
  std::map<std::string, std::string> shown_;  ///< the newest values of a bar: it is drawn again without new ones
  std::string plain_;
};

}  // namespace ringlab
