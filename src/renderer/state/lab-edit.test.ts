import { describe, expect, it } from 'vitest';
import type { Annotation } from '../../shared/lab/annotation.ts';
import { emptyLab, type LabDocument } from '../../shared/lab/lab.ts';
import { commit, emptyHistory, redo, seal, undo, type Changed } from './history.ts';
import { applyEdit, type LabEdit } from './lab-edit.ts';
import { duplicateParts, insertLink, insertNode, newLink, newNode, refuseLink } from './new-parts.ts';

/** The pseudo-random generator Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const noteOf = (id: string): Annotation => ({
  id,
  kind: 'note',
  position: { x: 0, y: 0 },
  size: { width: 200, height: 80 },
  text: '',
  colour: 'yellow',
});

function randomEdit(lab: LabDocument, random: () => number): LabEdit {
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const node = pick(lab.nodes);
  const link = pick(lab.links);
  const number = Math.floor(random() * 100);
  switch (Math.floor(random() * 14)) {
    case 0:
    case 1:
      return insertNode(
        lab,
        newNode(lab, pick(['gpu', 'cpu', 'switch'] as const)!, { x: number, y: number }, true),
      );
    case 2:
    case 3: {
      const other = pick(lab.nodes);
      return node === undefined || other === undefined || refuseLink(lab, node.id, other.id) !== undefined
        ? { type: 'lab', change: { name: `Lab ${number}` } }
        : insertLink(lab, newLink(lab, node.id, other.id));
    }
    case 4:
      return { type: 'node', nodeId: node?.id ?? 'gone', change: { name: `n${number}` } };
    case 5:
      return {
        type: 'link',
        linkId: link?.id ?? 'gone',
        change: { bandwidthMbps: number + 1, delayMs: number },
      };
    case 6:
      return {
        type: 'move',
        positions: Object.fromEntries(
          lab.nodes.filter(() => random() < 0.5).map(({ id }) => [id, { x: number, y: random() * 50 }]),
        ),
      };
    case 7:
      return {
        type: 'remove',
        nodeIds: lab.nodes.filter(() => random() < 0.2).map(({ id }) => id),
        linkIds: lab.links.filter(() => random() < 0.3).map(({ id }) => id),
      };
    case 8:
      return {
        type: 'experiment',
        change: { epochs: number + 1, data: { type: 'folder', path: `/d${number}` } },
      };
    case 9:
      return (
        duplicateParts(
          lab,
          lab.nodes.filter(() => random() < 0.4).map(({ id }) => id),
        )?.edit ?? {
          type: 'lab',
          change: { description: String(number) },
        }
      );
    case 10: {
      const annotations = lab.annotations ?? [];
      return {
        type: 'insert',
        nodes: [],
        links: [],
        annotations: [
          { index: Math.min(number, annotations.length), item: noteOf(`a-${number}-${annotations.length}`) },
        ],
      };
    }
    case 11: {
      const annotation = pick(lab.annotations ?? []);
      return { type: 'annotation', annotationId: annotation?.id ?? 'gone', change: { text: `t${number}` } };
    }
    case 12:
      return {
        type: 'several',
        edits: [
          {
            type: 'move',
            positions: {},
            annotations: Object.fromEntries(
              (lab.annotations ?? []).filter(() => random() < 0.5).map(({ id }) => [id, { x: number, y: 1 }]),
            ),
          },
          {
            type: 'remove',
            nodeIds: [],
            linkIds: [],
            annotationIds: (lab.annotations ?? []).filter(() => random() < 0.3).map(({ id }) => id),
          },
        ],
      };
    default:
      return {
        type: 'node',
        nodeId: node?.id ?? 'gone',
        change: {
          access: {
            type: 'ssh',
            host: `h${number}`,
            port: 22,
            user: 'u',
            authentication: { method: 'agent' },
          },
        },
      };
  }
}

const freeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
};

describe('edits', () => {
  it.each(Array.from({ length: 40 }, (_, seed) => seed + 1))(
    'all undone restore the first lab, and redone the last (seed %i)',
    (seed) => {
      const random = randomFrom(seed);
      const first = freeze(emptyLab('lab', 'Lab'));
      let now: Changed = { lab: first, history: emptyHistory };
      for (let count = 0; count < 60; count += 1) {
        now = commit(now.lab, now.history, randomEdit(now.lab, random));
        freeze(now.lab);
        if (random() < 0.15) now = undo(now.lab, now.history);
        if (random() < 0.1) now = redo(now.lab, now.history);
      }
      const last = now.lab;
      let steps = 0;
      while (now.history.undo.length > 0) {
        now = undo(now.lab, now.history);
        steps += 1;
      }
      expect(now.lab).toEqual(first);
      for (let count = 0; count < steps; count += 1) now = redo(now.lab, now.history);
      expect(now.lab).toEqual(last);
    },
  );

  it('keep the identity of unchanged parts', () => {
    let lab = emptyLab('lab', 'Lab');
    for (const kind of ['gpu', 'cpu', 'switch'] as const) {
      lab = applyEdit(lab, insertNode(lab, newNode(lab, kind, { x: 0, y: 0 }, true))).lab;
    }
    const [a, b, c] = lab.nodes;
    const next = applyEdit(lab, { type: 'node', nodeId: b!.id, change: { name: 'B' } }).lab;
    expect(next.nodes[0]).toBe(a);
    expect(next.nodes[2]).toBe(c);
    expect(next.nodes[1]).not.toBe(b);
    expect(next.links).toBe(lab.links);
    expect(next.experiment).toBe(lab.experiment);
  });

  it('that change nothing return the same document', () => {
    const lab = emptyLab('lab', 'Lab');
    const idle: LabEdit[] = [
      { type: 'lab', change: { name: 'Lab' } },
      { type: 'experiment', change: { data: { ...lab.experiment.data } } },
      { type: 'node', nodeId: 'gone', change: { name: 'x' } },
      { type: 'link', linkId: 'gone', change: { delayMs: 1 } },
      { type: 'move', positions: { gone: { x: 1, y: 1 } } },
      { type: 'remove', nodeIds: ['gone'], linkIds: [] },
      { type: 'insert', nodes: [], links: [] },
      { type: 'annotation', annotationId: 'gone', change: { text: 'x' } },
      { type: 'remove', nodeIds: [], linkIds: [], annotationIds: ['gone'] },
    ];
    for (const edit of idle) expect(applyEdit(lab, edit).lab).toBe(lab);
  });

  it('remove a node together with its links, and bring both back where they were', () => {
    let lab = emptyLab('lab', 'Lab');
    for (let count = 0; count < 3; count += 1) {
      lab = applyEdit(lab, insertNode(lab, newNode(lab, 'cpu', { x: 0, y: 0 }, true))).lab;
    }
    const [a, b, c] = lab.nodes.map((node) => node.id);
    for (const [from, to] of [
      [a, b],
      [b, c],
      [c, a],
    ] as const) {
      lab = applyEdit(lab, insertLink(lab, newLink(lab, from!, to!))).lab;
    }
    const gone = applyEdit(lab, { type: 'remove', nodeIds: [b!], linkIds: [] });
    expect(gone.lab.links).toHaveLength(1);
    expect(applyEdit(gone.lab, gone.inverse).lab).toEqual(lab);
  });
});

describe('history', () => {
  const typed = (texts: readonly string[], now: Changed, key: string): Changed =>
    texts.reduce((at, name) => commit(at.lab, at.history, { type: 'lab', change: { name } }, key), now);
  const start: Changed = { lab: emptyLab('lab', 'A'), history: emptyHistory };

  it('takes typing in one field as one step', () => {
    const now = typed(['B', 'Bo', 'Bob'], start, 'lab.name');
    expect(now.history.undo).toHaveLength(1);
    const before = undo(now.lab, now.history);
    expect(before.lab.name).toBe('A');
    expect(redo(before.lab, before.history).lab.name).toBe('Bob');
  });

  it('begins a new step when the field was left, or another was edited', () => {
    const left = typed(['B'], start, 'lab.name');
    const again = typed(['C'], { lab: left.lab, history: seal(left.history) }, 'lab.name');
    expect(again.history.undo).toHaveLength(2);
    const other = commit(left.lab, left.history, { type: 'experiment', change: { epochs: 9 } }, 'epochs');
    expect(typed(['C'], other, 'lab.name').history.undo).toHaveLength(3);
  });

  it('has no step for what was typed and taken away again', () => {
    const before = commit(start.lab, start.history, { type: 'experiment', change: { epochs: 9 } });
    const back = typed(['B', 'Bo', 'B', 'A'], before, 'lab.name');
    expect(back.lab).toEqual(before.lab);
    expect(back.history.undo).toEqual(before.history.undo);
    const again = typed(['C'], back, 'lab.name');
    expect(undo(again.lab, again.history).lab.name).toBe('A');
  });

  it('drops undone edits after a new edit', () => {
    const now = typed(['B'], start, 'lab.name');
    const back = undo(now.lab, now.history);
    expect(back.history.redo).toHaveLength(1);
    expect(typed(['C'], back, 'lab.name').history.redo).toHaveLength(0);
  });

  it('goes past steps that change nothing, as their parts are gone', () => {
    const node = newNode(start.lab, 'cpu', { x: 0, y: 0 }, true);
    let now = typed(['B'], start, 'lab.name');
    now = commit(now.lab, now.history, insertNode(now.lab, node));
    now = commit(now.lab, now.history, { type: 'node', nodeId: node.id, change: { name: 'C' } });
    const theirs = { ...now.lab, nodes: [] };
    const back = undo(theirs, now.history);
    expect(back.lab).toEqual(start.lab);
    expect(back.history).toMatchObject({ undo: [], redo: [{}] });
    expect(undo(start.lab, emptyHistory)).toEqual({ lab: start.lab, history: emptyHistory });
  });

  it('keeps at most 500 steps', () => {
    let now = start;
    for (let count = 0; count < 520; count += 1) now = typed([`n${count}`], now, `key ${count}`);
    expect(now.history.undo).toHaveLength(500);
  });

  it('takes a new link and its first bandwidth as one step', () => {
    let lab = emptyLab('lab', 'Lab');
    for (let count = 0; count < 2; count += 1) {
      lab = applyEdit(lab, insertNode(lab, newNode(lab, 'cpu', { x: 0, y: 0 }, true))).lab;
    }
    const link = newLink(lab, lab.nodes[0]!.id, lab.nodes[1]!.id);
    let now = commit(lab, emptyHistory, insertLink(lab, link), 'new-link');
    now = commit(
      now.lab,
      now.history,
      { type: 'link', linkId: link.id, change: { bandwidthMbps: 25 } },
      'new-link',
    );
    const back = undo(now.lab, now.history);
    expect(back.lab.links).toEqual([]);
    expect(redo(back.lab, back.history).lab.links[0]?.bandwidthMbps).toBe(25);
  });
});
