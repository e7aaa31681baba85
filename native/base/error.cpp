#include "base/error.h"

namespace ringlab {

const char* error_code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage: return "usage";
    case ErrorCode::port_in_use: return "port_in_use";
    case ErrorCode::address_not_local: return "address_not_local";
    case ErrorCode::backend_missing: return "backend_missing";
    case ErrorCode::peer_lost: return "peer_lost";
    case ErrorCode::peer_disagrees: return "peer_disagrees";
    case ErrorCode::rendezvous_timeout: return "rendezvous_timeout";
    case ErrorCode::bad_data: return "bad_data";
    case ErrorCode::checkpoint_mismatch: return "checkpoint_mismatch";
    case ErrorCode::diverged: return "diverged";
    case ErrorCode::out_of_memory: return "out_of_memory";
    case ErrorCode::disk_full: return "disk_full";
    case ErrorCode::internal: return "internal";
  }
  return "internal";
}

int exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
    case ErrorCode::backend_missing: return 2;
    case ErrorCode::bad_data:
    case ErrorCode::checkpoint_mismatch: return 3;
    case ErrorCode::peer_lost:
    case ErrorCode::peer_disagrees:
    case ErrorCode::rendezvous_timeout: return 4;
    case ErrorCode::diverged: return 5;
    case ErrorCode::out_of_memory: return 6;
    case ErrorCode::port_in_use:
    case ErrorCode::address_not_local:
    case ErrorCode::disk_full:
    case ErrorCode::internal: return 1;
  }
  return 1;
}

}  // namespace ringlab
