/** Finds links whose drawing changed, and keeps those that a run still has. Pure. */
import type { LabDocument } from '../../shared/lab/lab.ts';
import type { Shape } from './shaping.ts';

export const shapesOf = (lab: LabDocument): Map<string, Shape> =>
  new Map(lab.links.map((link) => [link.id, link]));
const sameShape = (a: Shape, b: Shape): boolean =>
  a.bandwidthMbps === b.bandwidthMbps &&
  a.delayMs === b.delayMs &&
  (a.jitterMs ?? 0) === (b.jitterMs ?? 0) &&
  a.lossPercent === b.lossPercent;

/** Links of `lab` that are new or changed. */
export function reshapedLinks(before: LabDocument, lab: LabDocument): string[] {
  const were = shapesOf(before);
  return [...shapesOf(lab)].flatMap(([linkId, is]) => {
    const was = were.get(linkId);
    return was === undefined || !sameShape(was, is) ? [linkId] : [];
  });
}

/**
 * A link of the network that was deleted from the drawing stays as it was: the run goes on with what it started with.
 * @param raised the network's links
 */
export function withDeletedLinks(
  before: LabDocument,
  lab: LabDocument,
  raised: readonly { readonly linkId: string }[] = before.links.map(({ id }) => ({ linkId: id })),
): LabDocument {
  const drawn = new Set(lab.links.map(({ id }) => id));
  const ours = new Set(raised.map(({ linkId }) => linkId));
  const deleted = before.links.filter(({ id }) => ours.has(id) && !drawn.has(id));
  return { ...lab, links: [...lab.links, ...deleted] };
}
