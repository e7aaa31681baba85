// ringlab-train: calls the subcommand and converts its exception to an exit code.
#include <cstdio>
#include <new>
#include <string>
#include <vector>

#include "base/console.h"
#include "base/error.h"
#include "base/stop_signal.h"
#include "checkpoint/state_dict_versions.h"
#include "collect/collect.h"
#include "collect/try_patterns.h"
#include "comm/probe/probe.h"
#include "data/writing/pack.h"
#include "data/writing/shapes.h"
#include "launch/elastic.h"
#include "launch/launch.h"
#include "link/link.h"
#include "models/architectures/catalog.h"
#include "monitor/monitor.h"
#include "options/options.h"
#include "src/engine.h"
#include "src/facts.h"
#include "supervise/supervise.h"

namespace {

int run(const std::vector<std::string>& arguments);

int dispatch(const std::vector<std::string>& arguments) {
  using namespace ringlab;
  for (const auto& argument : arguments) {
    if (argument == "--") break;
    if (argument == "--help" || argument == "-h") {
      std::fputs(help_text(architecture_names()).c_str(), stdout);
      return 0;
    }
  }
  const std::string first = arguments.empty() ? "" : arguments.front();
  const std::vector<std::string> rest(arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end());
  if (first == "--version") {
    std::printf("%s\n", version_line().c_str());
    return 0;
  }
  if (first == "facts") {
    for (const auto& argument : rest) {
      if (argument != "--load") throw Failure(ErrorCode::usage, "facts: " + argument + ": unknown option; valid: --load");
      engine();
    }
    std::printf("%s\n", facts_json().c_str());
    return 0;
  }
  if (first == "classify") return engine().classify(rest);
  if (first == "collect") return collect_command(rest);
  if (first == "link") return link_command(rest);
  if (first == "make-shapes") return make_shapes_command(rest);
  if (first == "module-prefix") return module_prefix_command(rest);
  if (first == "monitor") return monitor_command(rest);
  if (first == "pack") return pack_command(rest);
  if (first == "python-engine") {
    if (rest.size() != 1) throw Failure(ErrorCode::usage, "python-engine takes the name of the file to write");
    write_engine(rest.front());
    return 0;
  }
  if (first == "probe") return probe_command(rest);
  if (first == "supervise") return supervise_command(rest);
  if (first == "try-patterns") return try_patterns_command(rest);
  if (first == "verify") return engine().verify(rest);
  const Options options = parse_options(arguments, architecture_names());
  engine().check_image_size(options.arch, options.image_size);
  if (!starts_ranks(options)) return engine().train(options);
  const Capabilities capabilities = engine().capabilities();
  // Neither CUDA nor threads survive a fork: such ranks execute the file.
  const bool may_fork = !capabilities.cuda && is_single_threaded();
  return start_ranks(options, capabilities, may_fork ? run : nullptr);
}

/// The exit code; the error is on stderr.
int run(const std::vector<std::string>& arguments) {
  try {
    return dispatch(arguments);
  } catch (const ringlab::Failure& failure) {
    ringlab::write_error_file(failure);
    std::fprintf(stderr, "ringlab-train: error: %s%s%s\n", failure.what(), failure.hint().empty() ? "" : "; ", failure.hint().c_str());
    return failure.exit_code();
  } catch (const ringlab::Stopped&) {
    return ringlab::kExitStopped;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "ringlab-train: error: out of memory\n");
    return 6;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ringlab-train: error: %s\n", error.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  ringlab::speak_by_lines();
  ringlab::install_stop_signals();
  return run(std::vector<std::string>(argv + 1, argv + argc));
}
