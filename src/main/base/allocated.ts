/**
 * Words in commands of a job's ranks for what a scheduler decides only when it starts them: variables that the job's
 * script sets and each rank's shell replaces.
 */
export const allocated = {
  /** Of rank 0's node. */
  host: '$MASTER_ADDR',
  port: '$MASTER_PORT',
  /** Of the rank's own node. */
  address: '$RINGLAB_ADDRESS',
  /** Of all nodes, with commas. */
  peers: '$RINGLAB_PEERS',
} as const;

/** The port of a rendezvous as commands name it: with the host it is decided by the job. */
export const portWord = ({ host, port }: { readonly host: string; readonly port: number }): string =>
  host === allocated.host ? allocated.port : String(port);
