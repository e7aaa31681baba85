// SIGTERM, SIGINT and SIGHUP ask this process to stop; a second one ends it at once. The handler sets a flag and, where this
// process is the one that reports to the user, reports it.
#pragma once

#include <string>

namespace ringlab {

/// Installs the handlers. SIGPIPE and SIGXFSZ are ignored, so that writes report the error instead; SIGHUP stays ignored where
/// it is (nohup).
/// A second signal ends the process with 128 + its number. Not counted: what follows within a quarter of a second (timeout(1)
/// signals twice), and one of the parent's after one of another process's or the reverse: Ctrl-C reaches the whole foreground
/// group, and a launcher passes it on, too.
void install_stop_signals();

/// For a launcher: a second signal sets a flag instead, so that it can end its children first.
void count_second_signal();
/// In a fork of the launcher that becomes a rank: a second signal ends it, and it announces nothing. What has come already stays.
void signals_of_a_rank();
/// The second signal's number; 0: there was none.
int second_signal();

/// From now on the first signal writes one line to standard output: its name, `what` happens then (a literal), and what a second one does.
void announce_stop_signals(const char* what);

/// Has a signal come, or request_stop()? Safe from every thread.
bool stop_requested();
/// Asks this process to stop, as a signal would. `number`: the signal that stands for the reason.
void request_stop(int number);
/// What asked for it: "SIGTERM", "SIGINT", …; "" where nothing has yet.
std::string stop_reason();
std::string signal_name(int number);

}  // namespace ringlab
