/** Fuzzed lab files: reading ends with a lab or a RinglabError, never another error. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RinglabError } from '../../shared/base/errors.ts';
import { foreignLab } from '../../shared/lab/foreign-lab.ts';
import { checkLab } from '../../shared/lab/lab-check.ts';
import { formatLab, parseLab } from '../../shared/lab/read-lab.ts';
import { labMaxBytes, type LabDocument } from '../../shared/lab/lab.ts';
import {
  anyTree,
  deep,
  fuzzTimeout,
  mutateText,
  mutateTree,
  readsOrRefuses,
  type Random,
} from '../../shared/testing/fuzz.ts';

const assets = resolve(import.meta.dirname, '../../../assets/labs');
const corpus = join(import.meta.dirname, 'corpus');
const texts = (folder: string): { name: string; text: string }[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
/** Examples, and one that has every field a lab may have. */
const valid = [...texts(assets), ...texts(corpus).filter(({ name }) => name.startsWith('valid'))].map(
  ({ text }) => text,
);
const trees = valid.map((text): unknown => JSON.parse(text));

/** A lab, or undefined where it was refused. Any other error is a bug. */
function read(text: string): LabDocument | undefined {
  try {
    return parseLab(text, 'fuzzed');
  } catch (error) {
    if (!(error instanceof RinglabError)) throw error;
    expect(error.code).toMatch(/^lab_/);
    return undefined;
  }
}

/** Invariants of every parsed lab. */
function check(lab: LabDocument): void {
  const text = formatLab(lab);
  expect(formatLab(parseLab(text, 'again'))).toBe(text);
  for (const issue of checkLab(lab)) expect(issue.path).not.toBe('');
  const { kept, dropped } = foreignLab(lab);
  expect(read(formatLab(kept))).toBeDefined();
  expect(foreignLab(kept)).toEqual({ kept, dropped: [] });
  expect(dropped.length === 0).toBe(formatLab(kept) === text);
  for (const { access } of lab.nodes)
    if (access.type === 'ssh') expect(`${access.user}@${access.host}`).not.toMatch(/\p{Cc}|^\s*-/u);
}

const shapes: readonly ((random: Random) => string)[] = [
  (random) => JSON.stringify(mutateTree(random.pick(trees), random)),
  (random) => JSON.stringify(mutateTree(random.pick(trees), random, 1)),
  (random) => mutateText(random.pick(valid), random, ['{', '}', '[', ']', ',', '"', ':', '1e999', '-0']),
  (random) => JSON.stringify({ format: 'ringlab-lab', version: 1, ...Object(anyTree(random)) }),
];

describe('lab files', () => {
  it(
    'broken by structure and by text are read or refused',
    () => readsOrRefuses('lab files', shapes, read, check),
    fuzzTimeout(),
  );

  it('of the corpus give the result in their name', () => {
    const all = texts(corpus);
    expect(all.length).toBeGreaterThan(5);
    for (const { name, text } of all) {
      const lab = read(text);
      expect(lab !== undefined, name).toBe(name.startsWith('valid'));
      if (lab !== undefined) check(lab);
    }
  });

  it('of the maximum size and depth end at once with a lab error', () => {
    const many = '{"format":"ringlab-lab","version":1,"nodes":['.padEnd(labMaxBytes, '{},');
    for (const text of [
      many,
      `${many.slice(0, -3)}{}]}`,
      '['.repeat(labMaxBytes),
      '"'.padEnd(labMaxBytes, '\\'),
    ])
      expect(read(text)).toBeUndefined();
    for (const lists of [true, false]) {
      const nested = JSON.stringify({ ...(trees[0] as object), experiment: deep(3000, lists) });
      expect(read(nested)).toBeUndefined();
    }
    expect(read(' '.repeat(labMaxBytes + 1))).toBeUndefined();
  });
});
