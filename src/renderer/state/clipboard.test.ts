// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { maxAnnotations } from '../../shared/lab/annotation.ts';
import { emptyLab, LabDocument, maxNodes } from '../../shared/lab/lab.ts';
import {
  addNode,
  changeNodes,
  duplicateSelected,
  groupSelected,
  removeSelected,
  selectAll,
} from './actions.ts';
import { addAnnotation, changeAnnotation } from './annotations.ts';
import { setCamera } from './camera.ts';
import { copySelected, pasteParts } from './clipboard.ts';
import { editLab, select, showLab, undoEdit, useLabStore } from './lab.ts';
import { applyEdit } from './lab-edit.ts';
import { useWindowStore } from './window.ts';
import { insertLink, insertNode, newLink, newNode } from './new-parts.ts';
import { insertTemplate } from './templates.ts';

function ring(): LabDocument {
  let lab = emptyLab('lab', 'Lab');
  for (let at = 0; at < 3; at += 1) {
    lab = applyEdit(lab, insertNode(lab, newNode(lab, 'cpu', { x: at * 300, y: 0 }, false))).lab;
  }
  for (const [a, b] of [
    [0, 1],
    [1, 2],
    [2, 0],
  ] as const) {
    lab = applyEdit(lab, insertLink(lab, newLink(lab, lab.nodes[a]!.id, lab.nodes[b]!.id))).lab;
  }
  return lab;
}
const lab = (): LabDocument => useLabStore.getState().lab!;
const open = (document: LabDocument): void => showLab({ lab: document, path: '', revision: 1, issues: [] });

beforeEach(() => open(ring()));

describe('a full lab', () => {
  const codes = () => useWindowStore.getState().problems.map(({ error }) => error.code);
  beforeEach(() => useWindowStore.setState({ problems: [] }));

  it('takes no more notes than can be saved', () => {
    const note = {
      kind: 'note',
      position: { x: 0, y: 0 },
      size: { width: 40, height: 40 },
      text: '',
    } as const;
    const annotations = Array.from({ length: maxAnnotations - 1 }, (_, index) => ({
      ...note,
      colour: 'yellow' as const,
      id: `a${index}`,
    }));
    open({ ...ring(), annotations });
    addAnnotation('note', { x: 0, y: 0 });
    expect(codes()).toEqual([]);
    const full = lab();
    const selected = useLabStore.getState().selection;
    addAnnotation('note', { x: 0, y: 0 });
    duplicateSelected();
    expect(copySelected()).toBeDefined();
    expect(pasteParts()).toBe(true);
    expect(codes()).toEqual(['lab_full', 'lab_full', 'lab_full']);
    expect(lab()).toBe(full);
    expect(useLabStore.getState().selection).toEqual(selected);
    expect(LabDocument.safeParse(full).success).toBe(true);
  });

  it('takes no more nodes than can be saved', () => {
    const [node] = ring().nodes;
    const nodes = Array.from({ length: maxNodes }, (_, index) => ({
      ...node!,
      id: `n${index}`,
      name: `N${index}`,
      position: { x: 300 * (index % 100), y: 200 * Math.floor(index / 100) },
    }));
    open({ ...emptyLab('lab', 'Lab'), nodes });
    addNode('cpu', { x: 0, y: 0 });
    insertTemplate('ring', { x: 0, y: 0 }, (letter) => letter);
    expect(codes()).toEqual(['lab_full', 'lab_full']);
    expect(lab().nodes).toHaveLength(maxNodes);
  });
});

describe('copy and paste', () => {
  it('finding 4: pasted parts from elsewhere name no file of this computer, and the window reports what was left out', () => {
    const [node] = lab().nodes;
    const hostile = {
      ...node!,
      name: 'theirs',
      driverFile: '~/.ssh/id_ed25519',
      shareBuilds: true,
      access: {
        type: 'ssh',
        host: 'h',
        port: 22,
        user: 'u',
        authentication: { method: 'key', keyFile: '/etc/shadow' },
      },
    };
    const text = JSON.stringify({ format: 'ringlab-parts', nodes: [hostile], links: [] });
    expect(pasteParts(text)).toBe(true);
    const pasted = lab().nodes.at(-1)!;
    expect(pasted).not.toHaveProperty('driverFile');
    expect(pasted).not.toHaveProperty('shareBuilds');
    expect(pasted.access).toMatchObject({ authentication: { method: 'key', keyFile: '' } });
    const [problem] = useWindowStore.getState().problems.slice(-1);
    expect(problem?.error.params.fields).toBe(
      'theirs: driverFile = ~/.ssh/id_ed25519; theirs: shareBuilds = true; theirs: keyFile = /etc/shadow',
    );
    // This window's own copy keeps all of it.
    editLab({ type: 'node', nodeId: pasted.id, change: { driverFile: '~/NVIDIA.run' } });
    select({ nodes: [pasted.id], links: [] });
    copySelected();
    pasteParts();
    expect(lab().nodes.at(-1)).toMatchObject({ driverFile: '~/NVIDIA.run' });
  });

  it('includes the links between copied nodes, and no others', () => {
    select({ nodes: [lab().nodes[0]!.id, lab().nodes[1]!.id], links: [] });
    copySelected();
    expect(pasteParts()).toBe(true);
    expect(lab().nodes.map((node) => node.name)).toEqual(['N1', 'N2', 'N3', 'N4', 'N5']);
    expect(lab().links).toHaveLength(4);
    expect(lab().links[3]!.ends).toEqual([lab().nodes[3]!.id, lab().nodes[4]!.id]);
    expect(useLabStore.getState().selection.nodes).toEqual([lab().nodes[3]!.id, lab().nodes[4]!.id]);
    undoEdit();
    expect(lab().nodes).toHaveLength(3);
    expect(lab().links).toHaveLength(3);
  });

  it('pastes beside the previous copy, and keeps names that are unused in the lab', () => {
    select({ nodes: lab().nodes.map((node) => node.id), links: [] });
    copySelected();
    pasteParts();
    pasteParts();
    const places = lab().nodes.map(({ position }) => `${position.x} ${position.y}`);
    expect(new Set(places).size).toBe(9);
    open(emptyLab('other', 'Other'));
    pasteParts(undefined, { x: 1000, y: 1000 });
    expect(lab().nodes.map((node) => node.name)).toEqual(['N1', 'N2', 'N3']);
    const xs = lab().nodes.map(({ position }) => position.x);
    expect(Math.abs((Math.min(...xs) + Math.max(...xs)) / 2 + 90 - 1000)).toBeLessThanOrEqual(10);
  });

  it('pastes into the middle of the view what would not be seen, and the next copy beside it', () => {
    const forget = setCamera({
      zoomIn() {},
      zoomOut() {},
      showAll() {},
      showParts() {},
      middle: () => ({ x: 9400, y: 300 }),
      visible: () => ({ x: 9000, y: 0, width: 800, height: 600 }),
    });
    try {
      select({ nodes: [lab().nodes[0]!.id], links: [] });
      copySelected();
      pasteParts();
      pasteParts();
      const [first, second] = lab().nodes.slice(-2);
      expect(first!.position).toEqual({ x: 9320, y: 260 });
      expect(second!.position).toEqual({ x: 9360, y: 300 });
    } finally {
      forget();
    }
  });

  it('includes notes, also without nodes; a deletion leaves locked ones', () => {
    addAnnotation('rectangle', { x: 0, y: 0 });
    addAnnotation('note', { x: 400, y: 0 });
    const [area, note] = lab().annotations!;
    changeAnnotation(area!.id, { text: 'Site A', locked: true });
    select({ nodes: [lab().nodes[0]!.id], links: [], annotations: [area!.id] });
    copySelected();
    pasteParts();
    expect(lab().nodes).toHaveLength(4);
    expect(lab().annotations!.map(({ text }) => text)).toEqual(['Site A', '', 'Site A']);
    expect(lab().annotations![2]!.position).not.toEqual(area!.position);
    select({ nodes: [], links: [], annotations: [note!.id] });
    copySelected();
    pasteParts(undefined, { x: 1000, y: 1000 });
    expect(lab().annotations![3]).toMatchObject({ kind: 'note', position: { x: 900, y: 960 } });
    selectAll();
    expect(removeSelected()).toBe(2);
    expect(lab().nodes).toHaveLength(0);
    expect(lab().annotations!.map(({ kind }) => kind)).toEqual(['rectangle', 'rectangle']);
    undoEdit();
    expect(lab().annotations).toHaveLength(4);
  });

  it('ignores text that is not a copy of lab parts', () => {
    const before = lab();
    for (const text of ['', 'hello', '{}', '{"format":"ringlab-parts","nodes":[{}],"links":[]}']) {
      expect(pasteParts(text)).toBe(false);
    }
    expect(lab()).toBe(before);
  });

  it.each([17, 6000])(
    'does not insert a node with %s jump hosts, whose lab could not be read again',
    (count) => {
      const before = lab();
      const hop = '"host":"j","port":22,"user":"u","authentication":{"method":"agent"}';
      const chain = `{${hop},"jump":`.repeat(count - 1) + `{${hop}}` + '}'.repeat(count - 1);
      const node = JSON.stringify({ ...before.nodes[0]!, access: 0 });
      const through = node.replace('"access":0', `"access":{"type":"ssh",${hop},"jump":${chain}}`);
      expect(pasteParts(`{"format":"ringlab-parts","nodes":[${through}],"links":[]}`)).toBe(false);
      expect(lab()).toBe(before);
    },
  );
});

describe('a new node', () => {
  it('whose nearest free place is out of the view shows everything', () => {
    const showAll = vi.fn();
    const forget = setCamera({
      zoomIn() {},
      zoomOut() {},
      showAll,
      showParts() {},
      middle: () => ({ x: 400, y: 300 }),
      visible: () => ({ x: 0, y: 0, width: 800, height: 600 }),
    });
    vi.stubGlobal('requestAnimationFrame', (draw: () => void) => draw());
    try {
      open(emptyLab('lab', 'Lab'));
      addNode('cpu', { x: 400, y: 300 }, true);
      // The next ones have room above, below and beside it.
      addNode('cpu', { x: 400, y: 300 }, true);
      expect(showAll).not.toHaveBeenCalled();
      for (let count = 0; count < 9; count += 1) addNode('cpu', { x: 400, y: 300 }, true);
      expect(showAll).toHaveBeenCalled();
    } finally {
      vi.unstubAllGlobals();
      forget();
    }
  });
});

describe('notes and areas', () => {
  it('that are added at one place do not cover each other', () => {
    for (let count = 0; count < 3; count += 1) addAnnotation('note', { x: 500, y: 500 });
    const places = lab().annotations!.map(({ position: { x, y } }) => `${x} ${y}`);
    expect(new Set(places).size).toBe(3);
  });

  it('are not covered by a template', () => {
    open(emptyLab('lab', 'Lab'));
    addAnnotation('rectangle', { x: 0, y: 0 });
    const [area] = lab().annotations!;
    insertTemplate('sites', { x: 0, y: 0 }, (letter) => `here ${letter}`);
    // The window's language names the sites.
    expect(lab().nodes.map(({ group }) => group)).toEqual(['here A', 'here A', 'here B', 'here B']);
    for (const { position } of lab().nodes)
      expect(position.y).toBeGreaterThanOrEqual(area!.position.y + area!.size.height);
  });
});

describe('several at once', () => {
  it('is one undo step, even if a field was absent before', () => {
    const before = JSON.stringify(lab());
    select({ nodes: lab().nodes.map((node) => node.id), links: [] });
    groupSelected('Site A');
    expect(lab().nodes.map((node) => node.group)).toEqual(['Site A', 'Site A', 'Site A']);
    undoEdit();
    expect(JSON.stringify(lab())).toBe(before);
  });

  it('keeps locked parts when the selection is deleted, and reports their number', () => {
    changeNodes([{ id: lab().nodes[0]!.id, change: { locked: true } }]);
    select({ nodes: lab().nodes.map((node) => node.id), links: [] });
    expect(removeSelected()).toBe(1);
    expect(lab().nodes.map((node) => node.name)).toEqual(['N1']);
  });

  it('keeps the link between two locked nodes when all is deleted, and removes it where it is selected alone', () => {
    const [a, b] = lab().nodes;
    const [between] = lab().links;
    changeNodes([a!, b!].map(({ id }) => ({ id, change: { locked: true } })));
    selectAll();
    expect(removeSelected()).toBe(2);
    expect(lab().links).toEqual([between]);
    select({ nodes: [], links: [between!.id] });
    expect(removeSelected()).toBe(0);
    expect(lab().links).toEqual([]);
  });
});
