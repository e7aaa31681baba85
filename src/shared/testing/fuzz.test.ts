import { describe, expect, it } from 'vitest';
import { deep, forEachCase, mutateText, mutateTree, seeded } from './fuzz.ts';

const document = {
  name: 'lab',
  nodes: [
    { id: 'a', port: 22 },
    { id: 'b', port: 2222 },
  ],
  deep: { er: [1, 2, 3] },
};

describe('structured fuzzing', () => {
  it('gives equal cases for equal seeds, and others for other seeds', () => {
    const made = (seed: number): unknown[] =>
      Array.from({ length: 20 }, (_, index) => mutateTree(document, seeded(seed + index)));
    expect(made(1)).toEqual(made(1));
    expect(made(1)).not.toEqual(made(1000));
    expect(document.nodes[1]).toEqual({ id: 'b', port: 2222 });
  });

  it('reaches every place of a tree, and leaves most of it valid', () => {
    const broken = { name: 0, nodes: 0, deep: 0 };
    for (let seed = 0; seed < 2000; seed += 1) {
      const mutated = mutateTree(document, seeded(seed), 1) as Record<string, unknown> | null;
      for (const key of ['name', 'nodes', 'deep'] as const)
        if (JSON.stringify(mutated?.[key]) !== JSON.stringify(document[key])) broken[key] += 1;
    }
    for (const times of Object.values(broken)) expect(times).toBeGreaterThan(100);
    expect(broken.name).toBeLessThan(1000);
  });

  it('breaks text by line and by character', () => {
    const text = 'Host a\n  Port 22\nHost b\n  User c\n';
    const made = new Set(
      Array.from({ length: 500 }, (_, seed) => mutateText(text, seeded(seed), ['Match exec'])),
    );
    expect(made.size).toBeGreaterThan(400);
    expect([...made].some((one) => one.includes('Match exec'))).toBe(true);
    expect([...made].some((one) => one.length < text.length)).toBe(true);
  });

  it('handles deep nesting', () => {
    expect(mutateTree(deep(1000, true), seeded(3), 1)).toBeDefined();
  });

  it('names the case that failed', async () => {
    const failing = forEachCase('x', (_, number) => {
      if (number === 7) throw new Error('broken here');
    });
    await expect(failing).rejects.toThrow('RINGLAB_FUZZ_CASE=7: broken here');
  });
});
