#include "supervise/supervise.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "base/arguments.h"
#include "base/clock.h"
#include "base/console.h"
#include "base/error.h"
#include "base/metrics.h"
#include "base/stop_signal.h"
#include "comm/transport/descriptors.h"
#include "comm/transport/run_secret.h"
#include "launch/launch.h"
#include "models/architectures/catalog.h"
#include "options/options.h"
#include "supervise/attempt_lines.h"
#include "supervise/council.h"
#include "supervise/rendezvous.h"
#include "supervise/trainer_process.h"

namespace ringlab {
namespace {

constexpr double kTurn = 0.05;         ///< seconds between two looks at the trainer
constexpr double kReadEvery = 0.5;     ///< between two looks at its lines
constexpr double kAskEvery = 2;        ///< between two questions whether another rank has failed
constexpr double kMinPatience = 5;   ///< how long after another rank has failed a trainer may run on
constexpr double kMaxPatience = 60;
constexpr double kSaving = 300;  ///< the same, while the ranks that are left may send each other weights over a slow link, and save

struct Settings {
  Options options;
  RestartLimits limits;
  double wait = 86400;
};

Settings parse(const std::vector<std::string>& arguments) {
  Settings settings;
  const auto line = std::find(arguments.begin(), arguments.end(), "--");
  parse_arguments("supervise", {arguments.begin(), line},
                  {number_row("--restarts-per-hour", settings.limits.per_hour, 0, 1'000'000), number_row("--pause", settings.limits.pause, 0, 86400, " seconds"),
                   number_row("--longest-pause", settings.limits.longest_pause, 0, 86400, " seconds"), number_row("--wait", settings.wait, 1, 1e9, " seconds")});
  if (line == arguments.end()) refuse_usage("supervise: `--` and the rank's options are missing");
  const Options options = parse_options({line + 1, arguments.end()}, architecture_names());
  if (options.metrics.empty()) refuse_usage("supervise: give the rank --metrics FILE: its lines say how far it is");
  if (options.evaluate) refuse_usage("supervise: --evaluate trains nothing that could be continued");
  if (starts_ranks(options)) refuse_usage("supervise: one rank each, without --multiprocessing-distributed and --nproc-per-node");
  if (options.world_size > 1) {
    if (options.dist_url.empty() || options.dist_url == "env://") refuse_usage("supervise: give --dist-url tcp://HOST:PORT of rank 0");
    if (options.rank < 0 || options.rank >= options.world_size) refuse_usage("supervise: --rank is missing or out of range; valid: 0 to " + std::to_string(options.world_size - 1));
    if (options.secret_file.empty() || options.secret_file == "-") refuse_usage("supervise: several ranks need a secret in a file: --secret-file FILE");
  }
  settings.options = options;
  return settings;
}

class Supervisor {
 public:
  explicit Supervisor(Settings settings) : settings_(std::move(settings)), options_(settings_.options), several_(options_.world_size > 1) {
    if (several_) {
      // The others' supervisors connect to rank 0's.
      if (options_.rank == 0) make_room_for_descriptors(static_cast<size_t>(options_.world_size) + 16, "the supervisor of rank 0 of " + std::to_string(options_.world_size));
      secret_ = read_secret(options_.secret_file);
      SupervisorRendezvousSettings place;
      place.endpoint = parse_endpoint(options_.dist_url);
      place.from = options_.address;
      place.peers = options_.peers;
      place.secret = {derived_secret(secret_, "supervisors of the run")};
      place.leads = options_.rank == 0;
      rendezvous_ = std::make_unique<SupervisorRendezvous>(std::move(place));
    }
    council_ = std::make_unique<Council>(CouncilSettings{std::max(0, options_.rank), std::max(1, options_.world_size), options_.metrics, settings_.wait, options_.on_lost_rank == OnLostRank::save}, settings_.limits, rendezvous_.get());
  }

  int run() {
    std::optional<NextStep> from;
    if (continues_own()) from = council_->first_file();
    if (stop_requested()) return kExitStopped;
    for (int attempt = 1;; ++attempt) {
      council_->begin(attempt);
      AttemptLines lines(options_.metrics);
      const RankEnd end = train(attempt, from, lines);
      if (second_signal() != 0) return 128 + second_signal();
      if (stop_requested() || end.code == kExitStopped) {
        council_->leave();
        end_like(end);
      }
      // Whoever starts a run sees at once why it cannot start.
      if (attempt == 1 && !lines.started()) end_like(end);
      const NextStep next = council_->after(end, lines);
      if (next.kind == NextStep::Kind::stop) {
        say("=> stopped on " + (stop_reason().empty() ? std::string("request") : stop_reason()) + " between two attempts");
        return kExitStopped;
      }
      if (next.kind == NextStep::Kind::end) end_like(end);
      from = next;
    }
  }

 private:
  /// The run's own checkpoint, in this rank's folder; another run's has a path.
  bool continues_own() const { return !options_.resume.empty() && options_.resume.find('/') == std::string::npos; }

  /// `from`: the checkpoint that all agreed on, with the file "" for none; nothing: as the command says.
  RankEnd train(int attempt, const std::optional<NextStep>& from, AttemptLines& lines) {
    Options options = options_;
    std::optional<SecretInMemory> secret;
    // Another secret for each attempt: a trainer of an earlier one cannot join.
    if (several_) options.secret_file = secret.emplace(derived_secret(secret_, "attempt " + std::to_string(attempt))).path();
    if (from && !from->file.empty()) {
      options.resume = from->file;
      options.fresh_rank_state = from->fresh;
    } else if (from && continues_own()) {
      options.resume.clear();
    }
    TrainerProcess trainer(options_as_arguments(options));
    bool passed_on = false;
    double read_at = 0;
    double ask_at = 0;
    Council::Others others = Council::Others::run;
    double since = 0;  ///< when that was seen
    while (!trainer.ended()) {
      const double now = steady_seconds();
      if (stop_requested() && !passed_on) {
        trainer.signal(stop_signal());
        passed_on = true;
      }
      if (second_signal() != 0) trainer.signal(SIGKILL);
      if (now >= read_at) {
        lines.read();
        read_at = now + kReadEvery;
      }
      if (several_ && lines.started() && !passed_on && now >= ask_at) {
        const Council::Others seen = others == Council::Others::ended ? others : council_->others();
        // A connection that is away says nothing.
        if (seen != others && seen != Council::Others::run) {
          others = seen;
          since = now;
        }
        ask_at = steady_seconds() + (options_.rank == 0 ? kReadEvery : kAskEvery);
      }
      if (others != Council::Others::run && now - since > patience(others)) trainer.give_up();
      std::this_thread::sleep_for(std::chrono::duration<double>(kTurn));
    }
    lines.read();
    RankEnd end = trainer.end();
    end.error = lines.error();
    end.message = lines.message();
    return end;
  }

  /// A trainer notices a lost peer after --peer-timeout, and then ends by itself; with --on-lost-rank save when all have saved.
  double patience(Council::Others others) const {
    if (others == Council::Others::failed && options_.on_lost_rank == OnLostRank::save) return kSaving;
    return std::clamp(2 * options_.peer_timeout, kMinPatience, kMaxPatience);
  }

  const Settings settings_;
  const Options& options_;
  const bool several_;
  RunSecret secret_;
  std::unique_ptr<SupervisorRendezvous> rendezvous_;
  std::unique_ptr<Council> council_;
};

}  // namespace

int supervise_command(const std::vector<std::string>& arguments) {
  Settings settings = parse(arguments);
  count_second_signal();
  // The clock may be set between two attempts.
  pass_line_clock_on();
  return Supervisor(std::move(settings)).run();
}

}  // namespace ringlab
