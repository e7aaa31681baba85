// `ringlab-train supervise`: keeps one rank of a run going without the app.
#pragma once

#include <string>
#include <vector>

namespace ringlab {

/// `[--restarts-per-hour N] [--pause SECONDS] [--longest-pause SECONDS] [--wait SECONDS] -- OPTIONS DIR`: runs the trainer with these options
/// as a child. When a rank of the run was lost, all start again from the newest checkpoint that all have (docs/recovery.md). Ends as the
/// last trainer did; with 7 if it was stopped in between. Throws Failure (usage).
int supervise_command(const std::vector<std::string>& arguments);

}  // namespace ringlab
