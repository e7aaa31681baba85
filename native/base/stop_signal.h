// SIGTERM, SIGINT and SIGHUP ask this process to stop; a second one ends it at once. The handler sets a flag and, if this
// process reports to the user, writes a line.
#pragma once

#include <string>

namespace ringlab {

/// Installs the handlers. SIGPIPE and SIGXFSZ are ignored, so that writes return the error instead; SIGHUP stays ignored if it
/// already is (nohup). A second signal ends the process with 128 + its number. Not counted as second: a signal within a
/// quarter of a second (timeout(1) signals twice), and one from the parent after one from another process or the reverse, as
/// Ctrl-C reaches the whole foreground group and a launcher forwards it, too.
void install_stop_signals();

/// For a launcher: a second signal only sets a flag, so that it can end its children first.
void count_second_signal();
/// In a launcher's fork that becomes a rank: a second signal ends it, and nothing is announced. Signals received before are kept.
void signals_of_a_rank();
/// The second signal's number; 0 without one.
int second_signal();

/// From now on the first signal writes one line to standard output: its name, its effect `what` (a literal), and the effect of a
/// second one.
void announce_stop_signals(const char* what);

/// Was there a signal or request_stop()? Thread-safe.
bool stop_requested();
/// Asks this process to stop, as a signal would. `number`: the signal number to report.
void request_stop(int number);
/// The signal that asks other processes for what this one was asked for: its own, SIGTERM without one or where that is none that they would stop on.
int stop_signal();
/// What requested the stop: "SIGTERM", "SIGINT", …; "" without a request.
std::string stop_reason();
std::string signal_name(int number);

/// Is this machine being shut down or restarted? Every process gets SIGTERM then, as from a user who stops a run. Asks systemd, for two seconds at most, at the first call; later
/// calls have that answer. False where nothing says so. Thread-safe.
bool machine_shuts_down();

}  // namespace ringlab
