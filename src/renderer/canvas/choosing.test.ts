// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from 'vitest';
import { emptyLab, type LabNode } from '../../shared/lab/lab.ts';
import { newNode } from '../state/new-parts.ts';
import {
  closeLab,
  emptySelection,
  flowIdOf,
  select,
  showLab,
  showPage,
  useLabStore,
  useViewStore,
} from '../state/index.ts';
import type { FlowNode } from './flow-parts.ts';
import { changeSelection, chooseLink, chooseOne } from './choosing.ts';
import { frameAreas } from './framed-areas.ts';

const node = (id: string, group?: string): LabNode => ({
  ...newNode(emptyLab('lab', 'Lab'), 'cpu', { x: 0, y: 0 }, true),
  id,
  ...(group === undefined ? {} : { group }),
});
const nodes = [node('a', 'G'), node('b', 'G'), node('c'), node('d')];
const chosen = () => useLabStore.getState().selection.nodes;
const change = (id: string, selected: boolean) => ({ type: 'select' as const, id, selected });

beforeEach(() => {
  closeLab();
  showLab({ lab: { ...emptyLab('lab', 'Lab'), nodes }, path: '/l', revision: 1, issues: [] });
});

/** What React Flow has drawn as selected. */
const drawn = () => new Map(nodes.map(({ id }) => [id, { selected: chosen().includes(id) }]));
/** React Flow reports the difference between what it has drawn as selected and what the frame holds. */
const frame = (ids: readonly string[], before = drawn()): void => {
  const changes = [...before].flatMap(([id, { selected }]) =>
    selected === ids.includes(id) ? [] : [change(id, !selected)],
  );
  changeSelection('nodes', changes, before);
};

describe('a selection frame', () => {
  it('over a part of a group selects the group, whatever else it reaches', () => {
    frame(['a']);
    expect(chosen()).toEqual(['a', 'b']);
    frame(['a', 'c']);
    expect(chosen()).toEqual(['a', 'b', 'c']);
    frame(['a', 'c', 'd']);
    expect(chosen()).toEqual(['a', 'b', 'c', 'd']);
    frame(['c', 'd']);
    expect(chosen()).toEqual(['c', 'd']);
  });

  it('selects an area only where it holds the whole area, and a note where it touches it', () => {
    const at = (id: string, kind: 'note' | 'rectangle', x: number) => ({
      ...{ id, kind, text: '', colour: 'blue' as const },
      position: { x, y: 0 },
      size: { width: 100, height: 100 },
    });
    const annotations = [at('area', 'rectangle', 0), at('other', 'rectangle', 500), at('note', 'note', 50)];
    const lab = { ...emptyLab('lab', 'Lab'), nodes, annotations };
    closeLab();
    showLab({ lab, path: '/l', revision: 1, issues: [] });
    const notes = () => useLabStore.getState().selection.annotations ?? [];
    const both = new Map([...drawn(), ...['area', 'note'].map((id) => [flowIdOf(id), {}] as const)]);
    select({ ...emptySelection, annotations: ['other'] });
    changeSelection(
      'nodes',
      [change('c', true), change(flowIdOf('area'), true), change(flowIdOf('note'), true)],
      both,
    );
    frameAreas({ x: 10, y: 10, width: 60, height: 60 });
    expect([chosen(), notes()]).toEqual([['c'], ['note']]);
    frameAreas({ x: 0, y: 0, width: 100, height: 100 });
    expect([chosen(), notes()]).toEqual([['c'], ['note', 'area']]);
    frameAreas({ x: 0, y: 0, width: 99, height: 100 });
    expect(notes()).toEqual(['note']);
  });

  it('selects what was drawn as selected when it began', () => {
    select({ ...emptySelection, nodes: ['c'] });
    const before = drawn();
    select(emptySelection);
    frame(['c', 'd'], before);
    expect(chosen()).toEqual(['c', 'd']);
  });
});

describe('a click', () => {
  it('shows the page of a part that was chosen already', () => {
    select({ ...emptySelection, nodes: ['c'] });
    showPage('experiment');
    const card: FlowNode = {
      id: 'c',
      type: 'card',
      position: { x: 0, y: 0 },
      data: { node: nodes[2]!, index: 2 },
    };
    const plain = { shiftKey: false, ctrlKey: false, metaKey: false };
    chooseOne(plain, card);
    expect(useViewStore.getState().page).toBe('selection');
    showPage('experiment');
    chooseLink({ ...plain, ctrlKey: true });
    expect(useViewStore.getState().page).toBe('experiment');
    chooseLink(plain);
    expect(useViewStore.getState().page).toBe('selection');
  });

  it('with Ctrl selects a group and deselects it', () => {
    changeSelection('nodes', [change('a', true)]);
    expect(chosen()).toEqual(['a', 'b']);
    changeSelection('nodes', [change('b', false)]);
    expect(chosen()).toEqual([]);
  });

  it('on another node of a group of which one was chosen alone selects the group', () => {
    select({ ...emptySelection, nodes: ['b'] });
    changeSelection('nodes', [change('a', true), change('b', false)]);
    expect(chosen()).toEqual(['a', 'b']);
  });
});
