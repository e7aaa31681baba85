/** Converts a drawn link to the kernel's traffic control, as far as the kernel supports it. Pure. */
import type { LabLink } from '../../shared/lab/lab.ts';
import type { LinkProperty } from '../../shared/node/network.ts';

/** What emulates links here, found by trying: queueing disciplines of the kernel, and a program in place of netem. */
export interface KernelMeans {
  readonly tbf: boolean;
  readonly htb: boolean;
  readonly netem: boolean;
  /** The trainer, whose command `link` delays and loses frames between TAP devices; undefined where it cannot. */
  readonly linkProgram?: string | undefined;
}

export type Shape = Pick<LabLink, 'bandwidthMbps' | 'delayMs' | 'lossPercent'> & {
  readonly jitterMs?: number | undefined;
};

const wantsNetem = ({ delayMs, jitterMs = 0, lossPercent }: Shape): boolean =>
  delayMs > 0 || jitterMs > 0 || lossPercent > 0;

/** Whether the link's ends are TAP devices that the trainer's `link` command joins, instead of a veth pair. */
export const needsProgram = (shape: Shape, means: KernelMeans): boolean =>
  !means.netem && means.linkProgram !== undefined && wantsNetem(shape);

/** Drawn properties that this kernel does not support; each is reported. */
export function lackingOf(shape: Shape, means: KernelMeans): LinkProperty[] {
  const lacking: LinkProperty[] = [];
  if (!means.tbf && !means.htb) lacking.push('bandwidth');
  if (means.netem || means.linkProgram !== undefined) return lacking;
  if (shape.delayMs > 0) lacking.push('delay');
  if ((shape.jitterMs ?? 0) > 0) lacking.push('jitter');
  if (shape.lossPercent > 0) lacking.push('loss');
  return lacking;
}

/** A full-sized packet of Ethernet as the queues count it. */
const packetBytes = 1514;
/** tc accepts integer bits per second, and 32-bit sizes. */
const bitsOf = ({ bandwidthMbps }: Pick<Shape, 'bandwidthMbps'>): number =>
  Math.max(8, Math.round(bandwidthMbps * 1e6));
/**
 * Burst: two milliseconds of traffic, with a minimum of some packets, since the timer would otherwise limit the rate
 * below the drawn one.
 */
const burstOf = (shape: Pick<Shape, 'bandwidthMbps'>): number =>
  Math.min(64_000_000, Math.max(8 * packetBytes, Math.round((bitsOf(shape) / 8) * 0.002)));
/**
 * Queue length: 50 ms of traffic, as in a router, plus one of TCP's 64 kB segments (TSO), most of which would
 * otherwise be dropped.
 */
const queueOf = (shape: Pick<Shape, 'bandwidthMbps'>): number =>
  Math.min(256_000_000, 2 * 65_536 + Math.round((bitsOf(shape) / 8) * 0.05));
/** Seconds that a packet waits which joins a link's full queue. */
export const queueSeconds = (shape: Pick<Shape, 'bandwidthMbps'>): number =>
  (queueOf(shape) * 8) / bitsOf(shape);

/** Up to here single packets cost little CPU: 8,000 a second. */
const singlePacketsMbps = 100;
/**
 * How many packets a link carries in one piece. A virtual device is given up to 64 kB at once, and a node that forwards
 * waits for the whole of them: 52 ms a hop at 10 Mbps, which no real link has.
 */
export const packetsAtOnce = ({ bandwidthMbps }: Pick<Shape, 'bandwidthMbps'>): number =>
  bandwidthMbps <= singlePacketsMbps ? 1 : 65_535;

/**
 * `tc`'s arguments that bring one end of a link from any shape to this one, in order; idempotent. Shapes the device's
 * own queue, so each end limits what it sends.
 */
export function shapeCommands(device: string, shape: Shape, means: KernelMeans): string[][] {
  const rate = `${bitsOf(shape)}bit`;
  const root = ['dev', device, 'root'];
  if (!(wantsNetem(shape) && means.netem)) {
    const burst = ['burst', String(burstOf(shape))];
    if (means.tbf)
      return [['qdisc', 'replace', ...root, 'tbf', 'rate', rate, ...burst, 'limit', String(queueOf(shape))]];
    if (!means.htb) return [];
  }
  const netem = wantsNetem(shape) && means.netem ? netemWords(shape) : undefined;
  if (!means.htb) return netem === undefined ? [] : [['qdisc', 'replace', ...root, ...netem]];
  // A handle cannot change its kind: each kind has its own.
  const leaf =
    netem === undefined
      ? ['handle', '20:', 'bfifo', 'limit', String(queueOf(shape))]
      : ['handle', '10:', ...netem];
  return [
    ['qdisc', 'replace', ...root, 'handle', '1:', 'htb', 'default', '1'],
    ['class', 'replace', 'dev', device, 'parent', '1:', 'classid', '1:1', 'htb', ...rateWords(shape)],
    ['qdisc', 'replace', 'dev', device, 'parent', '1:1', ...leaf],
  ];
}

/** The rate of an htb class. */
export function rateWords(shape: Pick<Shape, 'bandwidthMbps'>): string[] {
  const burst = String(burstOf(shape));
  return ['rate', `${bitsOf(shape)}bit`, 'burst', burst, 'cburst', burst];
}

/** netem holds every packet in transit: as many as the delay and the queue need. */
function netemWords(shape: Shape): string[] {
  const { delayMs, jitterMs = 0, lossPercent } = shape;
  const underWay = (bitsOf(shape) / 8) * ((delayMs + jitterMs) / 1000);
  const packets = Math.min(1_000_000, Math.ceil((underWay + queueOf(shape)) / packetBytes) + 100);
  const words = ['netem', 'limit', String(packets)];
  if (delayMs > 0 || jitterMs > 0) words.push('delay', `${Math.round(delayMs * 1000)}us`);
  if (jitterMs > 0) words.push(`${Math.round(jitterMs * 1000)}us`);
  if (lossPercent > 0) words.push('loss', `${lossPercent}%`);
  return words;
}
