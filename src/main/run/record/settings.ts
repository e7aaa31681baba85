/** Time-outs and limits of the run service. All times in milliseconds. */
import type { BackOff } from '../../../shared/base/back-off.ts';

export interface RunSettings {
  /** The least grace period between SIGTERM and SIGKILL when a run is stopped. */
  readonly stopGrace: number;
  /** The same where ranks stop for lost ones to rejoin. */
  readonly rejoinGrace: number;
  /** The same where another rank has failed, and what they would save does not count. */
  readonly failGrace: number;
  /** A rank that lost its peers is rarely the cause: how long to wait for the one that is. */
  readonly causePatience: number;
  /** On adopting a run of which a rank has ended: how long to wait for the run's end before a new start is refused. */
  readonly endingPatience: number;
  /** After an own script's last rank has ended: how long to wait for what is still being collected. */
  readonly collectPatience: number;
  /** A process that is gone without `exit.json`: how long its launcher may take to write it. */
  readonly vanishGrace: number;
  /** Interval of looks at a node's processes; files are polled twice as often where lines are not streamed. */
  readonly lookEvery: number;
  /** Time-out of a read or look, after which the connection counts as lost. */
  readonly readTimeout: number;
  /** Between reconnection attempts. */
  readonly reconnect: BackOff;
  /** The same after a refused login or host key: retries do not help, and some servers block the client. */
  readonly reconnectRefused: number;
  /** Between automatic restarts of a run, by its failures in a row without a new checkpoint; the first restart is immediate. */
  readonly restart: BackOff;
  /** A node that is unreachable for so long is given up, unless its ranks train on. */
  readonly lostAfter: number;
  /** Steps of other ranks show that those of an unreachable node train on if the newest is not older. */
  readonly stepsWithin: number;
  /** Interval of attempts to store while this computer's disk is full. */
  readonly diskFullRetry: number;
  /** Maximum number of bytes of each rank's log that are copied to this computer. */
  readonly logMirrorBytes: number;
  /** Checkpoints up to this many bytes are downloaded when a run ends. */
  readonly fetchBytes: number;
  /** On the nodes: the file that identifies the boot. */
  readonly bootIdFile: string;
  /** Maximum number of points in one event. */
  readonly pointsPerEvent: number;
}

export const defaultSettings: RunSettings = {
  stopGrace: 30_000,
  rejoinGrace: 300_000,
  failGrace: 2500,
  causePatience: 1000,
  endingPatience: 10_000,
  collectPatience: 8000,
  vanishGrace: 2000,
  lookEvery: 1000,
  readTimeout: 15_000,
  reconnect: { firstMs: 1000, maxMs: 30_000 },
  reconnectRefused: 600_000,
  restart: { firstMs: 2000, maxMs: 60_000 },
  lostAfter: 24 * 3_600_000,
  stepsWithin: 600_000,
  diskFullRetry: 5000,
  logMirrorBytes: 50_000_000,
  fetchBytes: 1_000_000_000,
  bootIdFile: '/proc/sys/kernel/random/boot_id',
  pointsPerEvent: 500,
};
