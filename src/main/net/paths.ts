/** Compares measured paths with the drawing. Pure. */
import type { LabDocument } from '../../shared/lab/lab.ts';
import type { PathMeasure } from '../../shared/node/network.ts';
import { topologyOf } from '../../shared/lab/topology.ts';

export interface Measurement {
  /** Node ids. */
  readonly from: string;
  readonly to: string;
  readonly mbps: number;
  readonly rttMs: number;
}

/** Drawn beside measured values; pairs without a drawn path are omitted. */
export function besideDrawn(lab: LabDocument, measured: readonly Measurement[], at: number): PathMeasure[] {
  const topology = topologyOf(lab);
  const links = new Map(lab.links.map((link) => [link.id, link]));
  return measured.flatMap(({ from, to, mbps, rttMs }): PathMeasure[] => {
    const hops = topology.route(from, to);
    if (hops === undefined || hops.length === 0) return [];
    const crossed = hops.flatMap(({ linkId }) => links.get(linkId) ?? []);
    return [
      {
        from,
        to,
        linkIds: crossed.map(({ id }) => id),
        drawnMbps: Math.min(...crossed.map(({ bandwidthMbps }) => bandwidthMbps)),
        drawnRttMs: crossed.reduce((sum, { delayMs }) => sum + 2 * delayMs, 0),
        measuredMbps: mbps,
        measuredRttMs: rttMs,
        at,
      },
    ];
  });
}
