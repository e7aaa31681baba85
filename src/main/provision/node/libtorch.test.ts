import { expect, it } from 'vitest';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { usableGpus, type Libtorch } from './libtorch.ts';

it('ranks compute on GPUs whose driver works, with a libtorch that can', () => {
  const nvidia = { nouveau: false, secureBoot: false, headers: true, sources: [], dkms: [], packages: [] };
  const facts = (works: boolean): Pick<NodeFacts, 'gpus' | 'nvidia'> => ({
    gpus: [0, 1].map((index) => ({ index, name: 'NVIDIA 0x2206' })),
    nvidia: { ...nvidia, works },
  });
  const libtorch = (cuda: string | undefined): Libtorch => ({ version: '2.9.1', cuda, abi: 'cxx11' });
  expect(usableGpus(facts(true), libtorch('12.8'))).toBe(2);
  expect(usableGpus(facts(true), libtorch(undefined))).toBe(0);
  expect(usableGpus(facts(false), libtorch('12.8'))).toBe(0);
  // An own script's torch is not known here.
  expect(usableGpus(facts(true), undefined)).toBe(2);
  expect(usableGpus({ gpus: facts(true).gpus }, undefined)).toBe(0);
});
