import { describe, expect, it } from 'vitest';
import { defaultPlacement, emptyLab, type LabDocument } from '../lab/lab.ts';
import { newSlurmTarget, type SlurmTarget } from '../lab/where.ts';
import { slurmMisfits } from './slurm-fit.ts';
import type { SlurmFacts } from './slurm-facts.ts';

const facts: SlurmFacts = {
  version: '22.05',
  partitions: [
    {
      ...{ name: 'main', isDefault: true, isUp: true, maxMinutes: 60 },
      nodes: [{ count: 3, idle: 1, cpus: 8, memoryMb: 16_384, gpus: [{ type: 'a100', count: 2 }] }],
    },
    {
      name: 'big',
      isDefault: false,
      isUp: false,
      nodes: [{ count: 9, idle: 0, cpus: 64, memoryMb: 1e6, gpus: [] }],
    },
  ],
  accounts: [
    { name: 'lab', qos: ['normal'] },
    { name: 'vision', partition: 'big', qos: ['high'] },
  ],
};

function labOf(count: number, gpus: number, cpus = 4): LabDocument {
  const lab = emptyLab('l', 'Lab');
  lab.nodes = Array.from({ length: count }, (_, index) => ({
    id: `n${index}`,
    name: `N${index}`,
    kind: 'gpu',
    position: { x: 0, y: 0 },
    placement: {
      ...defaultPlacement('gpu'),
      cpus,
      memoryGb: 8,
      flavour: { name: '', gpuModel: '', gpuCount: gpus },
    },
    access: { type: 'local' },
  }));
  return lab;
}
const misfits = (lab: LabDocument, change: Partial<SlurmTarget> = {}, of = facts) =>
  slurmMisfits(lab, { ...newSlurmTarget(), ...change }, of).map(({ field, code }) => `${field} ${code}`);

describe('a lab on a cluster as it was last seen', () => {
  it('fits where every part finds a node', () => {
    expect(misfits(labOf(3, 2))).toEqual([]);
    expect(
      misfits(labOf(3, 2), {
        partition: 'main',
        account: 'lab',
        qos: 'normal',
        gpuType: 'a100',
        timeLimitMinutes: 60,
      }),
    ).toEqual([]);
  });
  it('fits where one of several partitions takes it, and its account is written otherwise', () => {
    expect(misfits(labOf(3, 2), { partition: 'big,main', account: 'LAB', qos: 'Normal' })).toEqual([]);
    expect(misfits(labOf(4, 2), { partition: 'big,main' })).toEqual(['nodes tooManyNodes']);
    expect(misfits(labOf(3, 2), { partition: 'main,lost' })).toEqual(['partition noPartition']);
    expect(misfits(labOf(3, 0), { partition: 'big,main', account: 'Vision' })).toEqual([]);
  });
  it.each<[string, Partial<SlurmTarget>]>([
    ['partition noPartition', { partition: 'gpu' }],
    ['timeLimitMinutes time', { timeLimitMinutes: 61 }],
    ['gpuType noGpuType', { gpuType: 'h100' }],
    ['account noAccount', { account: 'physics' }],
    ['account noAccount', { account: 'vision', partition: 'main' }],
    ['qos noQos', { qos: 'high' }],
  ])('says %s', (said, change) => {
    expect(misfits(labOf(1, 1), change)).toContain(said);
  });
  it('says that a partition is down, has fewer nodes, or none that is large enough', () => {
    expect(misfits(labOf(1, 0), { partition: 'big' })).toEqual(['partition down']);
    expect(misfits(labOf(4, 1))).toEqual(['nodes tooManyNodes']);
    expect(misfits(labOf(1, 4))).toEqual(['nodes noSuchNode']);
    expect(misfits(labOf(1, 1, 9))).toEqual(['nodes noSuchNode']);
  });
  it('says nothing of accounts where there is no accounting, nor without a default partition', () => {
    const { version, partitions } = facts;
    expect(misfits(labOf(1, 1), { account: 'any', qos: 'any' }, { version, partitions })).toEqual([]);
    expect(misfits(labOf(9, 9), {}, { version, partitions: partitions.slice(1) })).toEqual([]);
  });
});

describe('the time limit', () => {
  const limited: SlurmFacts = {
    ...facts,
    partitions: facts.partitions.map((partition) => ({ ...partition, maxMinutes: undefined })),
    accounts: [
      { name: 'lab', qos: ['normal', 'long'], defaultQos: 'normal', maxTime: '7-00:00:00' },
      { name: 'guest', qos: ['open'], defaultQos: 'open', maxTime: '2:00:00' },
    ],
    qos: [
      { name: 'normal', maxTime: '1-00:00:00' },
      { name: 'long', maxTime: '14-00:00:00' },
      { name: 'open' },
    ],
  };
  const found = (change: Partial<SlurmTarget>) =>
    slurmMisfits(labOf(3, 2), { ...newSlurmTarget(), ...change }, limited).map(({ code, params }) => [
      code,
      params.name,
      params.minutes,
    ]);
  it('may be above that of the QOS, the default one where none is named, which counts before the account’s', () => {
    expect(found({ account: 'lab', timeLimitMinutes: 2000 })).toEqual([['qosTime', 'normal', 1440]]);
    expect(found({ account: 'lab', qos: 'LONG', timeLimitMinutes: 20_000 })).toEqual([]);
    expect(found({ account: 'guest', timeLimitMinutes: 121 })).toEqual([['accountTime', 'guest', 120]]);
    expect(found({ account: 'guest', timeLimitMinutes: 120 })).toEqual([]);
  });
  it('fits where one of the accounts allows it, or no time is asked for', () => {
    expect(found({ timeLimitMinutes: 1440 })).toEqual([]);
    expect(found({ timeLimitMinutes: 1441 })).toEqual([['qosTime', 'normal', 1440]]);
    expect(found({ account: 'guest' })).toEqual([]);
  });
});
