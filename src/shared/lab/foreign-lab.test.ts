import { expect, it } from 'vitest';
import { foreignLab } from './foreign-lab.ts';
import { emptyLab, type Experiment } from './lab.ts';

const imported = (change: Partial<Experiment>): ReturnType<typeof foreignLab> => {
  const lab = emptyLab('lab', 'Lab');
  return foreignLab({ ...lab, experiment: { ...lab.experiment, ...change } });
};

it('an imported lab brings no folder of PyTorch, also where its machines are others: it is somebody’s programs', () => {
  const { kept, dropped } = imported({ runtime: { type: 'existing', path: '/scratch/mallory/torch' } });
  expect(kept.experiment.runtime).toEqual({ type: 'existing' });
  expect(dropped).toEqual(['runtime.path = /scratch/mallory/torch']);
});

it('an imported lab names no key of a bucket, whose secret may be kept here for other data', () => {
  const place = {
    type: 's3',
    endpoint: 'https://s3.example',
    region: 'r',
    bucket: 'b',
    prefix: 'private',
  } as const;
  const { kept, dropped } = imported({ data: { ...place, accessKeyId: 'AKIAVICTIM' } });
  expect(kept.experiment.data).toMatchObject({ ...place, accessKeyId: '' });
  expect(dropped).toEqual(['data.accessKeyId = AKIAVICTIM']);
});

it('an imported lab names no agent of this computer', () => {
  const login = (socket: string) => ({
    ...{ host: 'gate', port: 22, user: 'u' },
    authentication: { method: 'agent' as const, socket },
  });
  const access = { type: 'ssh' as const, ...login('/run/a.sock'), jump: login('~/b.sock') };
  const { kept, dropped } = imported({ where: { type: 'slurm', login: access } });
  expect(JSON.stringify(kept)).not.toContain('.sock');
  expect(dropped).toEqual(['where.login.socket = /run/a.sock', 'where.login.socket = ~/b.sock']);
});
