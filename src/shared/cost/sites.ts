/**
 * By paper: a streamed average over sites, inside each one first, then between one node of each, then back. Pure. The
 * trainer averages over all ranks at once, which is `sites` of one node each.
 */
import { streamedValueShare, syncCost, type ExchangeCost } from './collective-cost.ts';
import { modelShapes } from './model-shapes.ts';
import { partsOf, type Place } from './estimate.ts';
import { loadOf } from './flows.ts';

export interface Sites {
  readonly sites: number;
  readonly nodesEach: number;
  /** Of every node's link to its site's switch, and of every site's link to all others. */
  readonly insideMbps: number;
  readonly betweenMbps: number;
}

export interface SitesStep {
  readonly secondsPerStep: number;
  /** Of an exchange, which the next step's computing hides as far as it lasts. */
  readonly insideSeconds: number;
  readonly betweenSeconds: number;
  /** On a rank's CPU, which hides nothing. */
  readonly workSeconds: number;
  /** That a site sends to others in a step. */
  readonly bytesBetween: number;
  /** The share of these that is values: among many, messages are short, and their headers count. */
  readonly valueShare: number;
}

/** Undefined for an unknown architecture. `bits` a parameter, step and direction, inside sites and between them. */
export function sitesStep(
  drawn: Sites,
  architecture: string,
  classes: number,
  bits: { readonly inside: number; readonly between: number },
  computeSeconds: number,
): SitesStep | undefined {
  const model = modelShapes(architecture, classes);
  if (model === undefined) return undefined;
  const stream = (each: number, ranks: number): ExchangeCost | undefined =>
    ranks > 1 ? syncCost(`local:1,stream=${each},overlap=1`, model, ranks)?.exchange : undefined;
  const between = stream(bits.between, drawn.sites);
  const inside = stream(bits.inside, drawn.nodesEach);
  const over = (exchange: ExchangeCost | undefined, ranks: number, mbps: number) =>
    exchange === undefined ? { transfer: 0, work: 0 } : partsOf(exchange, star(ranks, mbps));
  const outside = over(between, drawn.sites, drawn.betweenMbps);
  const within = over(inside, drawn.nodesEach, drawn.insideMbps);
  // The mean of all sites, from the node that has it to the others of its site.
  const back = inside === undefined ? 0 : (bits.between * model.parameters) / (drawn.insideMbps * 1e6);
  const workSeconds = outside.work + within.work;
  const insideSeconds = within.transfer + back;
  return {
    secondsPerStep:
      computeSeconds + Math.max(0, insideSeconds + outside.transfer - computeSeconds) + workSeconds,
    insideSeconds,
    betweenSeconds: outside.transfer,
    workSeconds,
    valueShare: streamedValueShare(model, bits.between, drawn.sites),
    bytesBetween: between === undefined ? 0 : between.ringBytes + between.pairBytes * (drawn.sites - 1),
  };
}

/** Every rank has a link of its own to all others. */
function star(ranks: number, mbps: number): Place {
  const link = {
    ...{ linkId: '', ends: ['', ''] as const, bytesPerSecond: mbps * 125_000 },
    ring: loadOf(1, 1),
    pairs: loadOf(ranks - 1, ranks - 1),
  };
  return {
    network: { drawn: true, order: [], links: [link], delay: 0, farthest: 0 },
    crowding: 1,
    onGpus: false,
    ranks,
  };
}
