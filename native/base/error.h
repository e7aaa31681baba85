// The trainer's one exception type, and the exit code of each kind of failure (see PROTOCOL.md).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace ringlab {

/// The closed list of error codes in PROTOCOL.md, in its order.
enum class ErrorCode {
  usage,
  port_in_use,
  address_not_local,
  backend_missing,
  peer_lost,
  peer_disagrees,
  rendezvous_timeout,
  bad_data,
  checkpoint_mismatch,
  diverged,
  out_of_memory,
  disk_full,
  internal,
};

/// The code's name in metrics lines.
const char* error_code_name(ErrorCode code);

/// The exit code for it (2 usage, 3 data, 4 peers, 5 diverged, 6 memory, 1 all others).
int exit_code_of(ErrorCode code);

/// A failure to show to the user: what happened, what to do, and what it concerns.
class Failure : public std::runtime_error {
 public:
  Failure(ErrorCode code, const std::string& message, std::string hint = {})
      : std::runtime_error(message), code_(code), hint_(std::move(hint)) {}

  Failure& at_path(std::string path) {
    path_ = std::move(path);
    return *this;
  }
  Failure& about_peer(int rank, std::string address) {
    peer_rank_ = rank;
    peer_address_ = std::move(address);
    return *this;
  }

  ErrorCode code() const { return code_; }
  int exit_code() const { return exit_code_of(code_); }
  const std::string& hint() const { return hint_; }
  const std::string& path() const { return path_; }
  int peer_rank() const { return peer_rank_; }  ///< -1: none
  const std::string& peer_address() const { return peer_address_; }

 private:
  ErrorCode code_;
  std::string hint_;
  std::string path_;
  int peer_rank_ = -1;
  std::string peer_address_;
};

/// For options that are wrong or exclude each other: throws Failure (usage).
[[noreturn]] inline void refuse_usage(const std::string& message) { throw Failure(ErrorCode::usage, message); }

/// Thrown if SIGTERM or SIGINT ends something that has no state to save yet (exit code 7).
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("stopped on request") {}
};

constexpr int kExitStopped = 7;

}  // namespace ringlab
