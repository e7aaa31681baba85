import { describe, expect, it } from 'vitest';
import { emptyLab, LabDocument } from '../../shared/lab/lab.ts';
import { cardSize } from '../../shared/drawing/card-size.ts';
import { applyEdit } from './lab-edit.ts';
import {
  duplicateParts,
  gridStep,
  insertLink,
  insertNode,
  insertParts,
  newLink,
  newNode,
  refuseLink,
  takeParts,
} from './new-parts.ts';

function labOf(count: number): LabDocument {
  let lab = emptyLab('lab', 'Lab');
  for (let at = 0; at < count; at += 1) {
    lab = applyEdit(lab, insertNode(lab, newNode(lab, 'gpu', { x: 300, y: 200 }, true))).lab;
  }
  return lab;
}

describe('new nodes', () => {
  it('have unique names and ids, and switches another letter', () => {
    const lab = labOf(3);
    expect(lab.nodes.map((node) => node.name)).toEqual(['N1', 'N2', 'N3']);
    expect(new Set(lab.nodes.map((node) => node.id)).size).toBe(3);
    expect(newNode(lab, 'switch', { x: 0, y: 0 }, false).name).toBe('S1');
    const without = applyEdit(lab, { type: 'remove', nodeIds: [lab.nodes[1]!.id], linkIds: [] }).lab;
    expect(newNode(without, 'cpu', { x: 0, y: 0 }, false).name).toBe('N2');
  });

  it('are on the grid, and do not cover each other without a given position', () => {
    const { nodes } = labOf(30);
    for (const [index, { position }] of nodes.entries()) {
      expect(Math.abs(position.x % gridStep)).toBe(0);
      expect(Math.abs(position.y % gridStep)).toBe(0);
      for (const other of nodes.slice(index + 1)) {
        const apart =
          Math.abs(other.position.x - position.x) >= cardSize.width ||
          Math.abs(other.position.y - position.y) >= cardSize.height;
        expect(apart).toBe(true);
      }
    }
  });
});

it('nodes that are added where very many are, as those of an SSH configuration, have a place each', () => {
  const [first] = labOf(1).nodes;
  const { x, y } = first!.position;
  const nodes = Array.from({ length: 41 * 41 }, (_, at) => {
    const position = { x: x + 260 * ((at % 41) - 20), y: y + 180 * (Math.floor(at / 41) - 20) };
    return { ...first!, id: `n${at}`, name: `N${at}`, position };
  });
  let lab = { ...emptyLab('lab', 'Lab'), nodes };
  for (let count = 0; count < 5; count += 1)
    lab = { ...lab, nodes: [...lab.nodes, newNode(lab, 'cpu', { x: 300, y: 200 }, true)] };
  expect(new Set(lab.nodes.map(({ position }) => `${position.x} ${position.y}`)).size).toBe(41 * 41 + 5);
});

describe('nodes that are added where the view was moved in between', () => {
  it('leave room for a link', () => {
    let lab = labOf(9);
    for (let at = 0; at < 6; at += 1)
      lab = applyEdit(lab, insertNode(lab, newNode(lab, 'cpu', { x: 300 + 70 * at, y: 250 }, true))).lab;
    for (const [index, { position }] of lab.nodes.entries())
      for (const other of lab.nodes.slice(index + 1))
        expect(
          Math.max(
            Math.abs(other.position.x - position.x) - cardSize.width,
            Math.abs(other.position.y - position.y) - cardSize.height,
          ),
        ).toBeGreaterThanOrEqual(3 * gridStep);
  });
});

describe('links', () => {
  it('are refused from a node to itself, twice in either direction, and to missing nodes', () => {
    let lab = labOf(2);
    const [a, b] = lab.nodes.map((node) => node.id) as [string, string];
    expect(refuseLink(lab, a, a)).toBe('itself');
    expect(refuseLink(lab, a, 'gone')).toBe('missing');
    expect(refuseLink(lab, a, b)).toBeUndefined();
    lab = applyEdit(lab, insertLink(lab, newLink(lab, a, b))).lab;
    expect(refuseLink(lab, a, b)).toBe('duplicate');
    expect(refuseLink(lab, b, a)).toBe('duplicate');
  });
});

describe('duplicates', () => {
  it('include the links between them, and only those', () => {
    let lab = labOf(3);
    const [a, b, c] = lab.nodes.map((node) => node.id) as [string, string, string];
    lab = applyEdit(lab, insertLink(lab, { ...newLink(lab, a, b), bandwidthMbps: 7 })).lab;
    lab = applyEdit(lab, insertLink(lab, newLink(lab, b, c))).lab;
    const copies = duplicateParts(lab, [a, b])!;
    const after = applyEdit(lab, copies.edit).lab;
    expect(after.nodes.map((node) => node.name)).toEqual(['N1', 'N2', 'N3', 'N4', 'N5']);
    expect(after.links).toHaveLength(3);
    expect(after.links[2]).toMatchObject({ ends: copies.selection.nodes, bandwidthMbps: 7 });
    expect(duplicateParts(lab, ['gone'])).toBeUndefined();
  });
});

describe('copies of groups', () => {
  const grouped = (groups: readonly string[]): LabDocument => {
    const lab = labOf(groups.length);
    return { ...lab, nodes: lab.nodes.map((node, at) => ({ ...node, group: groups[at] ?? '' })) };
  };
  const idsOf = (lab: LabDocument): string[] => lab.nodes.map(({ id }) => id);
  const groupsOf = (lab: LabDocument): (string | undefined)[] => lab.nodes.map(({ group }) => group);

  it('are groups of their own, which move apart from the originals', () => {
    const lab = grouped(['Site A', 'Site A', 'Rack 7', '']);
    const twice = applyEdit(lab, duplicateParts(lab, idsOf(lab))!.edit).lab;
    expect(groupsOf(twice).slice(4)).toEqual(['Site A 2', 'Site A 2', 'Rack 8', '']);
    const again = applyEdit(twice, duplicateParts(twice, idsOf(lab))!.edit).lab;
    expect(groupsOf(again).slice(8)).toEqual(['Site A 3', 'Site A 3', 'Rack 9', '']);
  });

  it('keep their names where they come into a lab without such a group, and not where it has one', () => {
    const from = grouped(['Site A', 'Site A']);
    const parts = takeParts(from, idsOf(from))!;
    const alone = insertParts(labOf(1), parts, { x: 0, y: 0 }).edit;
    expect(groupsOf(applyEdit(labOf(0), alone).lab)).toEqual(['Site A', 'Site A']);
    const other = grouped(['Site A']);
    const pasted = applyEdit(other, insertParts(other, parts, { x: 0, y: 0 }).edit).lab;
    expect(groupsOf(pasted)).toEqual(['Site A', 'Site A 2', 'Site A 2']);
  });

  it('have names that a lab can hold', () => {
    const name = 'x'.repeat(120);
    const lab = grouped([name]);
    const twice = applyEdit(lab, duplicateParts(lab, idsOf(lab))!.edit).lab;
    expect(LabDocument.safeParse(twice).error).toBeUndefined();
    expect(twice.nodes[1]!.group).not.toBe(name);
  });

  it('of one node of several are another member of its group', () => {
    const lab = grouped(['Site A', 'Site A']);
    const copied = applyEdit(lab, duplicateParts(lab, [lab.nodes[0]!.id])!.edit).lab;
    expect(groupsOf(copied)).toEqual(['Site A', 'Site A', 'Site A']);
  });
});
