/** Fuzz test of untrusted topology files: reading one ends, and returns a lab or throws one of our errors. */
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { RinglabError } from '../../shared/base/errors.ts';
import { formatLab, isDeep, parseLab } from '../../shared/lab/read-lab.ts';
import { maxNodes, type LabDocument } from '../../shared/lab/lab.ts';
import {
  anyTree,
  fuzzTimeout,
  mutateText,
  mutateTree,
  readsOrRefuses,
  type Random,
} from '../../shared/testing/fuzz.ts';
import { fromContainerlab } from './containerlab.ts';
import { toContainerlab } from './to-containerlab.ts';

const corpus = Object.entries(
  import.meta.glob<string>('./corpus/*.yml', { query: '?raw', import: 'default', eager: true }),
);
const valid = corpus.flatMap(([name, text]) => (name.includes('/valid') ? [text] : []));
const trees = valid.map((text): unknown => parse(text));

/** A lab, or undefined if it was refused. Any other error is a fault. */
function read(text: string): LabDocument | undefined {
  try {
    return fromContainerlab(text, 'fuzzed.clab.yml').lab;
  } catch (error) {
    if (!(error instanceof RinglabError)) throw error;
    expect(error.code).toMatch(/^lab_/);
    return undefined;
  }
}

function check(lab: LabDocument): void {
  // What the window sends to main is valid for main.
  expect(parseLab(formatLab(lab), 'x')).toEqual(lab);
  const again = read(toContainerlab(lab));
  expect(again?.nodes.map(({ name, kind, position }) => [name, kind, position])).toEqual(
    lab.nodes.map(({ name, kind, position }) => [name, kind, position]),
  );
  expect(again?.links.length).toBe(lab.links.length);
  // A second round trip changes nothing.
  expect(again === undefined ? '' : toContainerlab(again)).toBe(toContainerlab(lab));
}

/** YAML's block form cannot represent everything, and indents deep values; such cases are written as JSON, a subset of YAML. */
function written(tree: unknown): string {
  try {
    if (!isDeep(tree, 40)) return stringify(tree);
  } catch {
    // Written as JSON instead.
  }
  return JSON.stringify(tree);
}
const words = [
  '&a ',
  '*a',
  '<<: ',
  '!!binary ',
  '|\n',
  '>-\n',
  '? ',
  '- ',
  ': ',
  '---\n',
  '...\n',
  '%YAML 9\n',
  '{',
  '}',
  '[',
  ']',
];
const shapes: readonly ((random: Random) => string)[] = [
  (random) => written(mutateTree(random.pick(trees), random)),
  (random) => JSON.stringify(mutateTree(random.pick(trees), random)),
  (random) => mutateText(random.pick(valid), random, words),
  (random) => written({ topology: { nodes: { a: null, b: anyTree(random) }, links: [anyTree(random)] } }),
];

function refusalOf(text: string): unknown {
  try {
    return fromContainerlab(text, 'x');
  } catch (error) {
    return error;
  }
}

describe('containerlab files', () => {
  it(
    'broken by structure and by text are read or refused',
    () => readsOrRefuses('containerlab files', shapes, read, check),
    fuzzTimeout(),
  );

  it('of the corpus give the result in their name', () => {
    expect(corpus.length).toBeGreaterThan(5);
    for (const [name, text] of corpus) {
      const lab = read(text);
      expect(lab !== undefined, name).toBe(name.includes('/valid'));
      if (lab !== undefined) check(lab);
    }
  });

  it('with more nodes than a lab may have are refused before the layout', () => {
    const nodes = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`n${index}`, null]));
    const text = stringify({ topology: { nodes } });
    expect(refusalOf(text)).toMatchObject({
      code: 'lab_invalid',
      params: {
        path: 'topology.nodes',
        problem: `20000, and ${maxNodes} is the limit`,
      },
    });
    // A long list that is referred to often counts as often as it would be read.
    const labels = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`l${index}`, 'x']));
    const often = Array.from({ length: 90 }, (_, index) => `    n${index}: { labels: *l }\n`).join('');
    const bomb = `${stringify({ x: 0 })}y: &l ${JSON.stringify(labels)}\ntopology:\n  nodes:\n${often}`;
    expect(refusalOf(bomb)).toMatchObject({
      code: 'lab_invalid',
      params: { path: '', problem: 'more than 500000 values' },
    });
  });

  it('of the largest lab are exported and imported unchanged', () => {
    const nodes = Object.fromEntries(
      Array.from({ length: maxNodes }, (_, index) => [`n${index}`, { kind: index % 2 ? 'bridge' : 'linux' }]),
    );
    const links = Array.from({ length: maxNodes - 1 }, (_, index) => ({
      endpoints: [`n${index}:a`, `n${index + 1}:b`],
    }));
    const lab = read(stringify({ topology: { nodes, links } }));
    expect(lab?.nodes).toHaveLength(maxNodes);
    expect(new Set(lab?.nodes.map(({ position: { x, y } }) => `${x} ${y}`)).size).toBe(maxNodes);
  });
});
