// SIGTERM and SIGINT ask the trainer to stop; the handler only sets a flag.
#pragma once

namespace ringlab {

/// Installs the handlers; SIGPIPE and SIGXFSZ are ignored, so that writes report the error instead.
void install_stop_signals();

/// Has a signal come? Safe from every thread.
bool stop_requested();

}  // namespace ringlab
