/** The run service's waiting times and bounds. All times in milliseconds. */
export interface RunSettings {
  /** From a stop's SIGTERM to SIGKILL. */
  readonly stopGrace: number;
  /** From the SIGTERM that follows another rank's failure to SIGKILL. */
  readonly failGrace: number;
  /** A rank that lost its peers is rarely the cause: how long to wait for the one that is. */
  readonly causePatience: number;
  /** A run that is taken up with a rank that has ended: how long its end is waited for before another is refused. */
  readonly endingPatience: number;
  /** A process that is gone without `exit.json`: its launcher may be about to write it. */
  readonly vanishGrace: number;
  /** Between two looks at the processes of a node; its files are read twice as often where lines do not come by themselves. */
  readonly lookEvery: number;
  /** A read or look that takes longer counts as a lost connection. */
  readonly readTimeout: number;
  /** Back-off between attempts to reach a node again: from, up to. */
  readonly reconnectFrom: number;
  readonly reconnectTo: number;
  /** After a refused login or host key, which no repetition mends and some servers punish. */
  readonly reconnectRefused: number;
  /** A node out of reach for so long is given up. */
  readonly lostAfter: number;
  /** Between two attempts to store while this computer's disk is full. */
  readonly diskFullRetry: number;
  /** Bytes of each rank's log that are kept on this computer. */
  readonly logMirrorBytes: number;
  /** Checkpoints up to this many bytes are taken home when a run ends. */
  readonly fetchBytes: number;
  /** On the nodes: names the boot. */
  readonly bootIdFile: string;
  /** Most points in one event. */
  readonly pointsPerEvent: number;
}

export const defaultSettings: RunSettings = {
  stopGrace: 30_000,
  failGrace: 2500,
  causePatience: 1000,
  endingPatience: 10_000,
  vanishGrace: 2000,
  lookEvery: 1000,
  readTimeout: 15_000,
  reconnectFrom: 1000,
  reconnectTo: 30_000,
  reconnectRefused: 600_000,
  lostAfter: 24 * 3_600_000,
  diskFullRetry: 5000,
  logMirrorBytes: 50_000_000,
  fetchBytes: 1_000_000_000,
  bootIdFile: '/proc/sys/kernel/random/boot_id',
  pointsPerEvent: 500,
};
