import { describe, expect, it } from 'vitest';
import { languages } from '../base/language.ts';
import { defaultPlacement, emptyLab, type LabDocument } from '../lab/lab.ts';
import { KubernetesFacts } from './kubernetes-facts.ts';
import { kubernetesMisfits } from './kubernetes-fit.ts';
import { describeMisfit } from './misfit.ts';

const gibi = 1024 ** 3;

/** Nodes of four processors, 8 GiB and so many GPUs. */
function lab(...gpus: number[]): LabDocument {
  const made = emptyLab('l', 'Lab');
  made.nodes = gpus.map((count, index) => ({
    id: `n${index}`,
    name: `n${index}`,
    kind: 'gpu',
    position: { x: 0, y: 0 },
    placement: {
      ...{ ...defaultPlacement('gpu'), cpus: 4, memoryGb: 8 },
      flavour: { name: '', gpuModel: 'A100', gpuCount: count },
    },
    access: { type: 'local' },
  }));
  return made;
}
const facts = (change: Partial<KubernetesFacts> = {}): KubernetesFacts =>
  KubernetesFacts.parse({ version: '1.32.0', namespace: 'team', lacking: [], ...change });
const machine = (count: number, cpus: number, gpus: number) => ({
  count,
  cpus,
  memoryBytes: 64 * gibi,
  gpus,
});
const found = (drawn: LabDocument, change: Partial<KubernetesFacts>) =>
  kubernetesMisfits(drawn, facts(change)).map(({ code, params }) => [code, params]);

describe('what of a lab does not fit a Kubernetes cluster', () => {
  it('nothing where its pods have room, or where it is not known', () => {
    expect(found(lab(1, 1, 2), { machines: [machine(1, 16, 2), machine(2, 8, 1)] })).toEqual([]);
    expect(found(lab(8), {})).toEqual([]);
  });
  it('a pod that is larger than each machine', () => {
    expect(found(lab(1, 4), { machines: [machine(9, 16, 2)] })).toEqual([
      ['noSuchMachine', { cpus: 4, gb: 8, gpus: 4 }],
    ]);
    expect(found(lab(0), { machines: [] })).toEqual([['noSuchMachine', { cpus: 4, gb: 8, gpus: 0 }]]);
  });
  it('pods without GPUs where the machines are kept for those with some', () => {
    const kept = { ...machine(2, 16, 2), gpuPodsOnly: true };
    expect(found(lab(1, 1), { machines: [kept] })).toEqual([]);
    expect(found(lab(1, 0), { machines: [kept] })).toEqual([['noSuchMachine', { cpus: 4, gb: 8, gpus: 0 }]]);
    expect(found(lab(1, 0), { machines: [kept, machine(1, 4, 0)] })).toEqual([]);
  });
  it('more pods than empty machines hold, the largest placed first', () => {
    expect(found(lab(1, 1, 2), { machines: [machine(1, 8, 2), machine(1, 4, 1)] })).toEqual([
      ['tooManyPods', { asked: 3, there: 2 }],
    ]);
    expect(found(lab(1, 1, 2), { machines: [machine(1, 12, 4)] })).toEqual([]);
  });
  it('rights that are lacking, and quotas that leave too little', () => {
    const quota = (resource: string, hard: number, used: number) => ({ name: 'q', resource, hard, used });
    const quotas = [
      quota('requests.nvidia.com/gpu', 4, 2),
      quota('limits.memory', 20 * gibi, 12 * gibi),
      quota('limits.cpu', 9, 8),
      quota('pods', 10, 2),
      quota('count/secrets', 0, 0),
    ];
    expect(found(lab(2, 1), { lacking: ['create jobs'], quotas })).toEqual([
      ['noRights', { namespace: 'team', what: 'create jobs' }],
      ['quota', { name: 'q', resource: 'requests.nvidia.com/gpu', asked: '3', left: '2', hard: '4' }],
      ['quota', { name: 'q', resource: 'limits.memory', asked: '16Gi', left: '8Gi', hard: '20Gi' }],
      ['quota', { name: 'q', resource: 'limits.cpu', asked: '8', left: '1', hard: '9' }],
    ]);
  });
  it('is said in words without gaps', () => {
    const misfits = kubernetesMisfits(
      lab(2, 1),
      facts({
        lacking: ['create jobs'],
        machines: [machine(1, 8, 2)],
        quotas: [{ name: 'q', resource: 'pods', hard: 1, used: 0 }],
      }),
    );
    for (const language of languages)
      for (const misfit of misfits)
        expect(describeMisfit(misfit, language)).not.toMatch(/\{\{|undefined|NaN/);
    expect(misfits.map(({ code }) => code)).toEqual(['noRights', 'tooManyPods', 'quota']);
  });
});
