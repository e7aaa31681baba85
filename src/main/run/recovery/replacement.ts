/** Another node of the drawing takes the place of a lost one: its ranks, and its part of the run's lab. */
import { labErrors } from '../../../shared/lab/issue-texts.ts';
import { checkLab } from '../../../shared/lab/lab-check.ts';
import type { LabDocument, LabLink } from '../../../shared/lab/lab.ts';
import { replaceable, spareNodes } from '../../../shared/run/membership.ts';
import { maxLeftNodes, type Replacement, type WantedReplacement } from '../../../shared/run/recovery.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { phrase } from '../../i18n/index.ts';
import { wrongState } from '../record/wrong-state.ts';

/** The run's lab with the new nodes in the places of the lost ones. */
export function replacedLab(lab: LabDocument, replacements: readonly Replacement[]): LabDocument {
  const gone = new Map(replacements.map((one) => [one.nodeId, one]));
  return {
    ...lab,
    nodes: lab.nodes.map((node) => gone.get(node.id)?.node ?? node),
    links: [
      ...lab.links.filter(({ ends }) => !ends.some((end) => gone.has(end))),
      ...new Map(replacements.flatMap(({ links }) => links).map((link) => [link.id, link])).values(),
    ],
  };
}

/** Those of the lost node, for a new one that is not linked to the others yet. */
function inheritedLinks(
  { links }: LabDocument,
  nodeId: string,
  wanted: readonly WantedReplacement[],
): LabLink[] {
  const named = (end: string): string => wanted.find((one) => one.nodeId === end)?.by ?? end;
  return links
    .filter(({ ends }) => ends.includes(nodeId))
    .map((link) => ({ ...link, ends: [named(link.ends[0]), named(link.ends[1])] }));
}

/**
 * Rejects with `run_wrong_state` where a node is not lost, or the other one is not drawn as a machine or takes part
 * already; and where the run could not be of the lab that results.
 */
export function replacementsOf(
  run: RunRecord,
  drawn: LabDocument,
  wanted: readonly WantedReplacement[],
): Replacement[] {
  const lost = new Set(replaceable(run));
  const spare = spareNodes(drawn, run);
  const there = new Set([...run.lab.nodes.map(({ id }) => id), ...wanted.map(({ by }) => by)]);
  for (const { nodeId } of wanted) there.delete(nodeId);
  const refused = wrongState(run, phrase('reasons.run.notReplaced'));
  for (const ids of [wanted.map(({ nodeId }) => nodeId), wanted.map(({ by }) => by)])
    if (new Set(ids).size < ids.length) throw refused;
  const replacements = wanted.map(({ nodeId, by }): Replacement => {
    const node = spare.find(({ id }) => id === by);
    if (node === undefined || !lost.has(nodeId)) throw refused;
    const links = drawn.links.filter(({ ends }) => ends.includes(by) && ends.every((end) => there.has(end)));
    return { nodeId, node, links: links.length > 0 ? links : inheritedLinks(run.lab, nodeId, wanted) };
  });
  const invalid = labErrors(checkLab(replacedLab(run.lab, replacements)), run.lab.name);
  if (invalid !== undefined) throw invalid;
  return replacements;
}

/** The run once its ranks have ended: those of the lost nodes are of the new ones. */
export function withReplacements(run: RunRecord): RunRecord {
  const { recovery, nodeOrder } = run;
  const { replaces = [], ...rest } = recovery ?? { restarts: [] };
  if (replaces.length === 0) return run;
  const gone = new Map(replaces.map(({ nodeId, node }) => [nodeId, node]));
  const left = run.lab.nodes.flatMap((node) => {
    const directory = run.ranks.find(({ nodeId }) => nodeId === node.id)?.directory ?? '';
    return gone.has(node.id) && directory !== '' ? [{ node, directory }] : [];
  });
  return {
    ...run,
    lab: replacedLab(run.lab, replaces),
    ranks: run.ranks.map((rank) => {
      const node = gone.get(rank.nodeId);
      // It has no folder there yet.
      return node === undefined ? rank : { ...rank, nodeId: node.id, nodeName: node.name, directory: '' };
    }),
    ...(nodeOrder === undefined ? {} : { nodeOrder: nodeOrder.map((id) => gone.get(id)?.id ?? id) }),
    recovery: { ...rest, left: [...(rest.left ?? []), ...left].slice(-maxLeftNodes) },
  };
}
