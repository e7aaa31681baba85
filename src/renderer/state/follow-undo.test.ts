// @vitest-environment jsdom
/** Undo after another window has saved the same lab. */
import { expect, it } from 'vitest';
import { emptyLab, type LabDocument } from '../../shared/lab/lab.ts';
import { standIn } from '../api/client.fixture.ts';
import { followRemoteLab } from './autosave.ts';
import { editLab, redoEdit, showLab, undoEdit, useLabStore } from './lab.ts';
import { newLink, newNode } from './new-parts.ts';

const node = (id: string): LabDocument['nodes'][number] => ({
  ...newNode(emptyLab('lab', 'A'), 'cpu', { x: 0, y: 0 }, false),
  id,
  name: id,
});
const drawn = { ...emptyLab('lab', 'A'), nodes: ['a', 'b', 'c'].map(node) };
const between = { ...newLink(drawn, 'a', 'b'), id: 'l' };
const lab = { ...drawn, links: [between] };
const shown = (): LabDocument => useLabStore.getState().lab!;

/** Edits the lab here and saves it; then another window changes it. */
async function follow(edit: () => void, theirs: (mine: LabDocument) => LabDocument): Promise<void> {
  showLab({ lab, path: '/l', revision: 1, issues: [] });
  edit();
  useLabStore.setState({ savedLab: shown(), revision: 2, save: { state: 'saved' } });
  const open = { lab: theirs(shown()), path: '/l', revision: 3, issues: [] };
  await followRemoteLab(standIn({ 'lab.open': () => open }).client, 3);
  expect(shown()).toEqual(open.lab);
}
const rename = (nodeId: string, name: string): void =>
  editLab({ type: 'node', nodeId, change: { name } }, 'k');

it('takes back what was done here, and keeps what the other window did', async () => {
  await follow(
    () => rename('a', 'Mine'),
    (mine) => ({ ...mine, description: 'Theirs' }),
  );
  rename('a', 'Mine, too');
  undoEdit();
  expect(shown()).toMatchObject({ description: 'Theirs', nodes: [{ name: 'Mine' }, {}, {}] });
  undoEdit();
  expect(shown()).toMatchObject({ description: 'Theirs', nodes: [{ name: 'a' }, {}, {}] });
  redoEdit();
  expect(shown()).toMatchObject({ description: 'Theirs', nodes: [{ name: 'Mine' }, {}, {}] });
});

const removeLink = (): void => editLab({ type: 'remove', nodeIds: [], linkIds: ['l'] });

it('brings back no link without its node', async () => {
  await follow(removeLink, (mine) => ({ ...mine, nodes: mine.nodes.filter(({ id }) => id !== 'b') }));
  undoEdit();
  expect(shown().links).toEqual([]);
});

it('brings back no second link between two nodes, and a node with the links that are still possible', async () => {
  const other = { ...between, id: 'm', ends: ['b', 'a'] as [string, string] };
  await follow(removeLink, (mine) => ({ ...mine, links: [other] }));
  undoEdit();
  expect(shown().links).toEqual([other]);
  await follow(
    () => editLab({ type: 'remove', nodeIds: ['a'], linkIds: [] }),
    (mine) => ({ ...mine, nodes: mine.nodes.filter(({ id }) => id === 'c') }),
  );
  undoEdit();
  expect(shown().nodes.map(({ id }) => id)).toEqual(['a', 'c']);
  expect(shown().links).toEqual([]);
});
