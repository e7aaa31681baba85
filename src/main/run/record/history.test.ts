import { describe, expect, it } from 'vitest';
import { defaultPlacement, emptyLab, type LabDocument } from '../../../shared/lab/lab.ts';
import { maxRunEvents } from '../../../shared/run/run.ts';
import { linkChanges, noteReach, withEvents } from './history.ts';
import { newRun } from '../service/new-run.ts';

const lab: LabDocument = {
  ...emptyLab('lab', 'Lab'),
  nodes: ['a', 'b'].map((id, index) => ({
    id,
    name: `N${index + 1}`,
    kind: 'cpu',
    position: { x: 0, y: 0 },
    placement: defaultPlacement('cpu'),
    access: { type: 'local' },
  })),
  links: [{ id: 'l', ends: ['a', 'b'], bandwidthMbps: 100, delayMs: 0, lossPercent: 0 }],
};
const run = newRun(lab, { lab, nodeOrder: undefined, estimate: undefined }, 100);

describe('a run’s history', () => {
  it('names a node that was lost and came back', () => {
    const gone = noteReach(run, { ...run, unreachable: { b: 130 } }, 131);
    expect(gone.events).toEqual([{ t: 130, kind: 'lost', what: 'N2' }]);
    const back = noteReach(gone, { ...gone, unreachable: {} }, 150);
    expect(back.events?.at(-1)).toEqual({ t: 150, kind: 'back', what: 'N2' });
    expect(noteReach(run, { ...run, step: 3 }, 131).events).toBeUndefined();
  });

  it('names a changed link with its old and new values', () => {
    const [link] = lab.links;
    if (link === undefined) throw new Error('no link');
    const slower = { ...lab, links: [{ ...link, bandwidthMbps: 10, delayMs: 5 }] };
    expect(linkChanges(lab, slower)).toEqual(['N1 – N2: 100 Mbps → 10 Mbps 5 ms']);
    expect(linkChanges(lab, lab)).toEqual([]);
  });

  it('is bounded', () => {
    const many = Array.from({ length: 500 }, (_, t) => ({ t, kind: 'link' as const, what: 'x' }));
    expect(withEvents(run, many).events).toHaveLength(maxRunEvents);
    expect(withEvents(run, many).events?.at(-1)?.t).toBe(499);
  });
});
