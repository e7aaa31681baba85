import { expect, it } from 'vitest';
import { foreignLab } from './foreign-lab.ts';
import { defaultPlacement, emptyLab, type Experiment, type LabNode } from './lab.ts';

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

it.each(['none', 'dp', 'ddp'] as const)(
  'a path of this computer does not stay in a lab whose first node is another machine, with parallel %s',
  (parallel) => {
    const node = (id: string, access: LabNode['access']): LabNode => ({
      ...{ id, name: id, kind: 'gpu', position: { x: 0, y: 0 }, placement: defaultPlacement('gpu'), access },
    });
    const far = { type: 'ssh', host: 'h', port: 22, user: 'u', authentication: { method: 'agent' } } as const;
    const lab = { ...emptyLab('lab', 'Lab'), nodes: [node('far', far), node('mine', { type: 'local' })] };
    const data = { type: 'folder', path: '/home/me/private' } as const;
    const experiment = { ...lab.experiment, parallel, data, pretrained: '/home/me/w.pth' };
    const { kept, dropped } = foreignLab({ ...lab, experiment });
    expect(dropped).toEqual(['data.path = /home/me/private', 'pretrained = /home/me/w.pth']);
    expect(JSON.stringify(kept)).not.toContain('/home/me');
  },
);
