import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AnyEvent } from '../../shared/contract/api.ts';
import {
  defaultPlacement,
  emptyLab,
  labMaxBytes,
  maxLinks,
  maxNodes,
  type LabLink,
  type LabNode,
} from '../../shared/lab/lab.ts';
import { formatLab } from '../../shared/lab/read-lab.ts';
import { createEventLog } from '../base/events.ts';
import { createLabs, readLabFile, type Labs } from './index.ts';

const assets = resolve(import.meta.dirname, '../../../assets');
let folder: string;
let labs: Labs;
let reported: AnyEvent[];

function start(): void {
  const events = createEventLog();
  events.subscribe((event) => reported.push(event));
  labs = createLabs({ dataFolder: folder, assetsFolder: assets, events });
}
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-labs-'));
  reported = [];
  start();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const fileOf = (id: string): string => join(folder, 'labs', `${id}.lab.json`);
const put = (id: string, content: string): void => {
  mkdirSync(join(folder, 'labs'), { recursive: true });
  writeFileSync(fileOf(id), content);
};

describe('labs', () => {
  it('creates, opens, saves and lists a lab with a name in any script', async () => {
    const made = await labs.create({ name: '分布式训练 🚀 Ä', description: 'three nodes' });
    expect(made.lab.id).toMatch(/^[A-Za-z0-9_-]{8,64}$/);
    expect(made).toMatchObject({ revision: 1, path: fileOf(made.lab.id) });
    expect(made.issues.map((issue) => issue.code)).toContain('no_nodes');
    const saved = await labs.save({ ...made.lab, description: 'changed' }, 1);
    expect(saved.revision).toBe(2);
    expect(await labs.open(made.lab.id)).toEqual(saved);
    expect(await labs.list()).toMatchObject([{ id: made.lab.id, name: '分布式训练 🚀 Ä', nodes: 0 }]);
    expect(reported).toMatchObject([
      { name: 'lab.changed', data: { labId: made.lab.id, revision: 1, summary: { nodes: 0 } } },
      { name: 'lab.changed', data: { labId: made.lab.id, revision: 2, summary: (await labs.list())[0] } },
    ]);
    expect(readdirSync(join(folder, 'labs')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('lists nothing in an empty folder', async () => {
    expect(await labs.list()).toEqual([]);
  });

  it('writes only changes', async () => {
    const { lab } = await labs.create({ name: 'A', description: '' });
    // The same document, laid out by hand, with a byte order mark.
    writeFileSync(fileOf(lab.id), `\uFEFF${JSON.stringify(lab, null, 7)}`);
    utimesSync(fileOf(lab.id), 1, 1);
    const { revision } = await labs.open(lab.id);
    reported = [];
    expect((await labs.save(lab, revision)).revision).toBe(revision);
    expect(statSync(fileOf(lab.id)).mtimeMs).toBe(1000);
    expect(reported).toEqual([]);
  });

  it('refuses to overwrite changes saved by others', async () => {
    const { lab } = await labs.create({ name: 'A', description: '' });
    await labs.save({ ...lab, name: 'theirs' }, 1);
    await expect(labs.save({ ...lab, name: 'mine' }, 1)).rejects.toMatchObject({ code: 'lab_conflict' });
    expect((await labs.open(lab.id)).lab.name).toBe('theirs');
    expect((await labs.save({ ...lab, name: 'mine' }, 2)).revision).toBe(3);
  });

  it('accepts only one of two saves at once', async () => {
    const { lab } = await labs.create({ name: 'A', description: '' });
    const outcomes = await Promise.allSettled([
      labs.save({ ...lab, name: 'one' }, 1),
      labs.save({ ...lab, name: 'two' }, 1),
    ]);
    expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('notices a change by an editor', async () => {
    const { lab } = await labs.create({ name: 'A', description: '' });
    writeFileSync(fileOf(lab.id), formatLab({ ...lab, name: 'edited by hand' }));
    await expect(labs.save({ ...lab, name: 'mine' }, 1)).rejects.toMatchObject({ code: 'lab_conflict' });
    expect(await labs.open(lab.id)).toMatchObject({ revision: 2, lab: { name: 'edited by hand' } });
  });

  it('continues the revision numbers after a restart', async () => {
    const { lab } = await labs.create({ name: 'A', description: '' });
    await labs.save({ ...lab, name: 'B' }, 1);
    start();
    expect((await labs.open(lab.id)).revision).toBe(2);
    await expect(labs.save({ ...lab, name: 'old window' }, 1)).rejects.toMatchObject({
      code: 'lab_conflict',
    });
    writeFileSync(join(folder, 'labs', '.revisions.json'), 'junk');
    start();
    expect((await labs.open(lab.id)).lab.name).toBe('B');
  });

  it('gives no two contents one revision where an editor changed a lab before and after a restart', async () => {
    const { lab } = await labs.create({ name: 'A', description: '' });
    const byHand = (name: string): void => writeFileSync(fileOf(lab.id), formatLab({ ...lab, name }));
    byHand('by hand 1');
    const window = await labs.open(lab.id);
    start();
    byHand('by hand 2');
    await expect(labs.save({ ...window.lab, name: 'mine' }, window.revision)).rejects.toMatchObject({
      code: 'lab_conflict',
    });
    expect((await labs.open(lab.id)).lab.name).toBe('by hand 2');
  });

  it('goes on counting where a deleted lab’s id is used again: a window that missed it would overwrite the new lab', async () => {
    const missed = await labs.importText(formatLab({ ...emptyLab('shared', 'A'), description: 'old' }), 'a');
    await labs.delete('shared');
    const newer = formatLab({ ...emptyLab('shared', 'A'), description: 'new' });
    const again = await labs.importText(newer, 'a');
    expect(again.revision).toBeGreaterThan(missed.revision);
    const stale = { ...missed.lab, description: 'stale' };
    await expect(labs.save(stale, missed.revision)).rejects.toMatchObject({ code: 'lab_conflict' });
    await labs.delete('shared');
    start();
    await labs.restore('shared');
    expect((await labs.open('shared')).revision).toBeGreaterThan(again.revision);
    await expect(labs.save(stale, again.revision)).rejects.toMatchObject({ code: 'lab_conflict' });
    expect((await labs.open('shared')).lab.description).toBe('new');
  });

  it('keeps one number for all deleted labs', async () => {
    for (const name of ['A', 'B', 'C'])
      await labs.delete((await labs.create({ name, description: '' })).lab.id);
    const kept: unknown = JSON.parse(readFileSync(join(folder, 'labs', '.revisions.json'), 'utf8'));
    expect(kept).toEqual({ '.deleted': { revision: 6, hash: '' } });
  });

  it('refuses the revisions of before where the list of revisions is damaged', async () => {
    const { lab, revision } = await labs.create({ name: 'A', description: '' });
    writeFileSync(join(folder, 'labs', '.revisions.json'), 'junk');
    start();
    writeFileSync(fileOf(lab.id), formatLab({ ...lab, name: 'by hand' }));
    await expect(labs.save({ ...lab, name: 'mine' }, revision)).rejects.toMatchObject({
      code: 'lab_conflict',
    });
  });

  it('gives each new lab a name of its own, and leaves the names of the others', async () => {
    const name = 'New lab';
    const made = await Promise.all([1, 2].map(() => labs.create({ name, description: '' })));
    expect(made.map(({ lab }) => lab.name).sort()).toEqual(['New lab', 'New lab 2']);
    const examples = [];
    for (let count = 0; count < 2; count += 1)
      examples.push((await labs.fromExample('three-local-nodes', 'en')).lab.name);
    expect(new Set(examples).size).toBe(2);
    const long = 'x'.repeat(120);
    await labs.create({ name: long, description: '' });
    expect((await labs.create({ name: long, description: '' })).lab.name).toBe(`${'x'.repeat(118)} 2`);
    const first = made[0];
    if (first === undefined) throw new Error('nothing was made');
    await labs.duplicate(first.lab.id, 'Copy');
    expect((await labs.duplicate(first.lab.id, 'Copy')).lab.name).toBe('Copy 2');
    expect((await labs.open(first.lab.id)).lab.name).toBe(first.lab.name);
  });

  it('stores a run’s lab under its own id, once', async () => {
    const { lab } = await labs.create({ name: 'A', description: '' });
    const foreign = { ...lab, id: 'from-a-file' };
    const [first, second] = await Promise.all([labs.openOr(foreign), labs.openOr(foreign)]);
    expect([first.lab.id, second.lab.id]).toEqual(['from-a-file', 'from-a-file']);
    expect(first.lab.name).toBe('A 2');
    const changed = await labs.save({ ...first.lab, description: 'mine' }, first.revision);
    expect(await labs.openOr(foreign)).toEqual(changed);
    expect(await labs.list()).toHaveLength(2);
  });

  it.skipIf(process.platform === 'win32')(
    'saves through a symbolic link, as into a Git checkout',
    async () => {
      const checkout = join(folder, 'checkout');
      mkdirSync(checkout);
      const target = join(checkout, 'mine.lab.json');
      writeFileSync(target, formatLab(emptyLab('x', 'A')));
      put('other', formatLab(emptyLab('other', 'B')));
      symlinkSync(join('..', 'checkout', 'mine.lab.json'), fileOf('linked'));
      const { lab, revision } = await labs.open('linked');
      const saved = await labs.save({ ...lab, description: 'mine' }, revision);
      expect(lstatSync(fileOf('linked')).isSymbolicLink()).toBe(true);
      expect(readFileSync(target, 'utf8')).toContain('"mine"');
      expect(readdirSync(checkout)).toEqual(['mine.lab.json']);
      // A checkout of another version is a change by others.
      writeFileSync(target, formatLab({ ...lab, name: 'theirs' }));
      await expect(labs.save({ ...saved.lab, name: 'ours' }, saved.revision)).rejects.toMatchObject({
        code: 'lab_conflict',
      });
      // Only the link is deleted, and it comes back.
      await labs.delete('linked');
      expect(readFileSync(target, 'utf8')).toContain('theirs');
      await labs.restore('linked');
      expect((await labs.open('linked')).lab.name).toBe('theirs');
      rmSync(target);
      await expect(labs.open('linked')).rejects.toMatchObject({ code: 'not_found' });
      expect((await labs.openOr({ ...lab, id: 'linked' })).lab.id).toBe('linked');
      expect(lstatSync(fileOf('linked')).isSymbolicLink()).toBe(false);
    },
  );

  it('duplicates a lab under a new id', async () => {
    const { lab } = await labs.create({ name: 'A', description: 'd' });
    const copy = await labs.duplicate(lab.id, 'A (copy)');
    expect(copy.lab).toEqual({ ...lab, id: copy.lab.id, name: 'A (copy)' });
    expect(copy.lab.id).not.toBe(lab.id);
    expect(await labs.list()).toHaveLength(2);
  });

  it('moves a deleted lab to the trash, even if it cannot be read', async () => {
    const { lab } = await labs.create({ name: 'A', description: 'precious' });
    await labs.delete(lab.id);
    expect(await labs.list()).toEqual([]);
    const [kept] = readdirSync(join(folder, 'labs', '.trash'));
    expect(readFileSync(join(folder, 'labs', '.trash', kept!), 'utf8')).toContain('precious');
    expect(reported.at(-1)).toMatchObject({ name: 'lab.changed', data: { labId: lab.id, summary: null } });
    put('broken', '{');
    await labs.delete('broken');
    expect(await labs.list()).toEqual([]);
    await expect(labs.delete(lab.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(labs.open(lab.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(labs.save(lab, 1)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('takes a deleted lab out of the trash, the one deleted last, and over none that has its id', async () => {
    const { lab } = await labs.create({ name: 'A', description: 'first' });
    const other = await labs.create({ name: 'B', description: '' });
    await labs.delete(lab.id);
    await labs.openOr({ ...lab, description: 'second' });
    await expect(labs.restore(lab.id)).rejects.toMatchObject({ code: 'not_found' });
    await labs.delete(lab.id);
    await labs.restore(lab.id);
    expect(reported.at(-1)).toMatchObject({
      name: 'lab.changed',
      data: { labId: lab.id, summary: { name: 'A' } },
    });
    const again = await labs.open(lab.id);
    expect(again.lab.description).toBe('second');
    await labs.save({ ...again.lab, description: 'third' }, again.revision);
    expect((await labs.list()).map(({ name }) => name)).toEqual(['A', 'B']);
    for (const id of [other.lab.id, `x-${lab.id}`, '../secret', ''])
      await expect(labs.restore(id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each(['../secret', '..', '.trash', '', 'a/b'])('refuses the unknown lab %j', async (id) => {
    writeFileSync(join(folder, 'secret.lab.json'), '{}');
    await expect(labs.open(id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(labs.delete(id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('offers the examples, each as a separate copy', async () => {
    const examples = await labs.examples();
    expect(examples.map(({ name }) => name)).toEqual([
      'ceni-three-gpu-nodes',
      'one-machine-many-gpus',
      'own-script',
      'three-local-nodes',
    ]);
    const one = await labs.fromExample('three-local-nodes', 'en');
    const two = await labs.fromExample('three-local-nodes', 'zh-CN');
    expect([one.lab.name, two.lab.name]).toEqual(['Three local nodes', '三个本机节点']);
    expect(examples[3]?.title).toEqual({ en: one.lab.name, 'zh-CN': two.lab.name });
    expect(two.lab.nodes).toEqual(one.lab.nodes);
    expect(one.lab.id).not.toBe(two.lab.id);
    expect(one.issues.filter((issue) => issue.severity === 'error')).toEqual([]);
    await expect(labs.fromExample('../../package', 'zh-CN')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('imports a lab under its id, or another if that is in use', async () => {
    const { lab } = await labs.create({ name: 'A', description: '' });
    const taken = await labs.importText(formatLab({ ...lab, name: 'B' }), 'b.lab.json');
    expect(taken.lab.id).not.toBe(lab.id);
    const free = await labs.importText(formatLab({ ...lab, id: 'free-id' }), 'c.lab.json');
    expect(free.lab.id).toBe('free-id');
    await expect(labs.importText('{', 'd.lab.json')).rejects.toMatchObject({ code: 'lab_unreadable' });
    expect(await labs.list()).toHaveLength(3);
  });
});

describe('lab files that cannot be read', () => {
  const cases: [string, string, string][] = [
    ['damaged', '{"format":"ringlab-lab","versi', 'lab_unreadable'],
    ['of another kind', '{"format":"gns3"}', 'lab_invalid'],
    ['empty', '', 'lab_unreadable'],
    ['newer', '{"format":"ringlab-lab","version":99,"more":"than we know"}', 'lab_newer'],
  ];

  it.each(cases)(
    'fault 36: a file that is %s is listed with its reason and left unchanged',
    async (_, text, code) => {
      const { lab } = await labs.create({ name: 'Good', description: '' });
      put('bad', text);
      const listed = await labs.list();
      expect(listed.find(({ id }) => id === 'bad')).toMatchObject({
        nodes: 0,
        error: { code, where: 'bad.lab.json' },
      });
      expect(listed.find(({ id }) => id === lab.id)).not.toHaveProperty('error');
      await expect(labs.open('bad')).rejects.toMatchObject({ code });
      for (const revision of [0, 1, 2])
        await expect(labs.save({ ...lab, id: 'bad' }, revision)).rejects.toMatchObject({ code });
      await expect(labs.duplicate('bad', 'copy')).rejects.toMatchObject({ code });
      expect(readFileSync(fileOf('bad'), 'utf8')).toBe(text);
      expect((await labs.importText(formatLab({ ...lab, id: 'bad' }), 'x')).lab.id).not.toBe('bad');
      expect(readFileSync(fileOf('bad'), 'utf8')).toBe(text);
    },
  );

  it('refuses 50 MB of random data by its size alone', async () => {
    put('huge', '{');
    truncateSync(fileOf('huge'), 50 * 1024 * 1024);
    expect((await labs.list())[0]).toMatchObject({
      error: { code: 'lab_too_large', params: { bytes: 52_428_800 } },
    });
    await expect(readLabFile(fileOf('huge'))).rejects.toMatchObject({ code: 'lab_too_large' });
  });

  it('opens the largest drawing again', async () => {
    const reach = (host: string) => ({
      host: `${host}.cluster.example.org`,
      port: 22,
      user: 'alice',
      authentication: { method: 'key' as const, keyFile: '~/.ssh/id_ed25519' },
    });
    const idOf = (i: number): string => `n-${0x10000000 + i}`;
    const nodes = Array.from({ length: maxNodes }, (_, i): LabNode => {
      const access = { type: 'ssh' as const, ...reach(`gpu${i}`), jump: reach('login') };
      const placement = defaultPlacement('gpu');
      return { id: idOf(i), name: `gpu-node-${i}`, kind: 'gpu', position: { x: i, y: i }, placement, access };
    });
    const links = Array.from({ length: maxLinks }, (_, i): LabLink => {
      const ends: [string, string] = [idOf(i % maxNodes), idOf((i * 7 + 1) % maxNodes)];
      return { id: `l-${0x10000000 + i}`, ends, bandwidthMbps: 1000, delayMs: 0, lossPercent: 0 };
    });
    const text = JSON.stringify({ ...emptyLab('large', 'Large'), nodes, links });
    const { lab } = await labs.importText(text, 'large.lab.json', true);
    expect((await labs.open(lab.id)).lab.links).toHaveLength(maxLinks);
  });

  it('does not write a lab that could not be opened again', async () => {
    const { lab } = await labs.create({ name: 'A', description: '' });
    const before = readFileSync(fileOf(lab.id), 'utf8');
    const nodes = Array.from({ length: 1100 }, (_, i): LabNode => ({
      id: `n-${i}`,
      name: `N${i}`,
      kind: 'gpu',
      position: { x: 0, y: 0 },
      placement: defaultPlacement('gpu'),
      access: { type: 'local' },
      driverFile: `/${'驱'.repeat(4000)}.run`,
    }));
    const large = { ...lab, nodes };
    const refused = { code: 'lab_too_large', where: 'A', params: { limit: labMaxBytes } };
    await expect(labs.save(large, 1)).rejects.toMatchObject(refused);
    expect(readFileSync(fileOf(lab.id), 'utf8')).toBe(before);
    await expect(labs.importText(JSON.stringify(large), 'x', true)).rejects.toMatchObject({
      code: 'lab_too_large',
    });
    expect(await labs.ids()).toEqual([lab.id]);
  });

  it('names the place inside the file', async () => {
    const { lab } = await labs.create({ name: 'A', description: '' });
    put('wrong', JSON.stringify({ ...lab, experiment: { ...lab.experiment, epochs: 0 } }));
    await expect(labs.open('wrong')).rejects.toMatchObject({
      code: 'lab_invalid',
      params: { path: 'experiment.epochs' },
    });
  });

  it('opens a copy of a file under the copy’s name', async () => {
    const { lab } = await labs.create({ name: 'A', description: '' });
    put('copied-by-hand', formatLab(lab));
    expect((await labs.open('copied-by-hand')).lab.id).toBe('copied-by-hand');
  });

  it('lists a file whose name is not a valid id, with the reason', async () => {
    put('my lab', '{}');
    expect(await labs.list()).toMatchObject([{ id: 'my lab', error: { code: 'lab_invalid' } }]);
  });

  it('reports why a file given to the command line cannot be read', async () => {
    await expect(readLabFile(join(folder, 'none.lab.json'))).rejects.toMatchObject({
      code: 'file_unreadable',
    });
    await expect(readLabFile(folder)).rejects.toMatchObject({ code: 'file_unreadable' });
    symlinkSync('/dev/zero', join(folder, 'endless.lab.json'));
    await expect(readLabFile(join(folder, 'endless.lab.json'))).rejects.toMatchObject({
      code: 'file_unreadable',
    });
    expect((await readLabFile(join(assets, 'labs', 'three-local-nodes.lab.json'))).nodes).toHaveLength(3);
  });
});
