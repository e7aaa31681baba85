/** What PyTorch says in a script's last lines where a process lost the others: in Gloo, NCCL and its store. */

/** Also a POSIX extended regular expression: a pod's script searches by it, too. */
export const saysPeerLost =
  /Connection closed by peer|Connection reset by peer|Broken pipe|ncclRemoteError|NCCL communicator was aborted|Socket Timeout|DistNetworkError|DistBackendError|failed to recv, got 0 bytes/;
