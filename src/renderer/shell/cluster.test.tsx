// @vitest-environment jsdom
/** A lab on a cluster: what the cluster offers where the user chooses, and what does not fit it. */
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RinglabError } from '../../shared/base/errors.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { newSlurmTarget } from '../../shared/lab/where.ts';
import type { SlurmFacts } from '../../shared/node/slurm-facts.ts';
import { furnishBrowser, labOf, openWindow, type OpenedWindow } from './window.fixture.tsx';

let opened: OpenedWindow | undefined;
const person = userEvent.setup();
beforeEach(furnishBrowser);
afterEach(() => {
  opened?.stop();
  opened = undefined;
  document.body.replaceChildren();
});

/** Each with a login of its own: what a cluster said is kept as long as the window is open. */
function onCluster(host: string): LabDocument {
  const lab = labOf(['N1', 'N2']);
  const where = newSlurmTarget();
  return {
    ...lab,
    experiment: { ...lab.experiment, where: { ...where, login: { ...where.login, host, user: 'a' } } },
  };
}
const facts: SlurmFacts = {
  version: '22.05.8',
  partitions: [
    {
      ...{ name: 'main', isDefault: true, isUp: true, maxMinutes: 60, defaultMinutes: 10 },
      nodes: [{ count: 3, idle: 2, cpus: 8, memoryMb: 16_384, gpus: [{ type: 'a100', count: 4 }] }],
    },
    {
      name: 'tiny',
      isDefault: false,
      isUp: true,
      nodes: [{ count: 1, idle: 1, cpus: 1, memoryMb: 1024, gpus: [] }],
    },
  ],
  accounts: [{ name: 'lab', qos: ['normal', 'two-jobs'], maxJobs: 4 }],
  qos: [
    { name: 'two-jobs', maxSubmit: 2, maxOfUser: 'gres/gpu=1' },
    { name: 'others', maxSubmit: 1 },
  ],
  home: { free: 4e11, total: 1e12 },
  quota: { used: 5e9, limit: 1e10 },
};
const inspector = () => within(screen.getByRole('complementary', { name: 'Inspector' }));

it('asks the cluster, and shows its partitions, accounts, limits and quota', async () => {
  opened = await openWindow(onCluster('one.test'), { 'slurm.facts': () => facts });
  await person.click(await screen.findByRole('button', { name: 'Ask the cluster' }));
  await inspector().findByText(/^main · up to 1 h.* by default$/);
  for (const text of [
    /^2 of 3 free · 8 CPUs · .*4 × a100$/,
    'lab (normal, two-jobs, 4 running jobs)',
    'two-jobs (gres/gpu=1, 2 submitted jobs)',
    'quota: 5 GB of 10 GB used',
  ])
    expect(inspector().getByText(text)).toBeDefined();
  expect(inspector().queryByText(/^others/)).toBeNull();
});

it('offers its names in the fields, and says at them what does not fit', async () => {
  opened = await openWindow(onCluster('two.test'), { 'slurm.facts': () => facts });
  await person.click(await screen.findByRole('button', { name: 'Ask the cluster' }));
  await inspector().findByText(/^2 of 3 free/);
  const partition = inspector().getByLabelText<HTMLInputElement>('Partition');
  await person.type(partition, 'ti');
  await person.click(await screen.findByRole('option', { name: 'tiny', hidden: true }));
  expect(partition.value).toBe('tiny');
  expect(
    inspector().getByText('The lab asks for 2 nodes; the partition “tiny” has 1.', { exact: false }),
  ).toBeDefined();
  await person.clear(partition);
  await person.type(partition, 'gpu');
  await person.tab();
  expect(
    await inspector().findByText(
      'Slurm lists no partition “gpu” (a hidden one works all the same). It lists: main, tiny.',
    ),
  ).toBeDefined();
  await person.clear(partition);
  await person.type(inspector().getByLabelText('Time limit (minutes)'), '90');
  await person.tab();
  expect(
    await inspector().findByText('The partition “main” allows 1 h 00 min at most.', { exact: false }),
  ).toBeDefined();
});

it('says why a cluster does not answer, and whether compute nodes see the home folder', async () => {
  opened = await openWindow(onCluster('three.test'), {
    'slurm.facts': () => {
      throw new RinglabError('cluster_silent', { cluster: 'three.test' });
    },
    'slurm.tryFolder': () => ({ state: 'apart', node: 'node2', folder: '/home/a/.ringlab' }),
  });
  await person.click(await screen.findByRole('button', { name: 'Ask the cluster' }));
  expect(await inspector().findByText(/Slurm’s controller does not answer three\.test/)).toBeDefined();
  await person.click(inspector().getByRole('button', { name: 'Try the shared folder' }));
  expect(await inspector().findByText(/^node2 does not see \/home\/a\/\.ringlab/)).toBeDefined();
  expect(inspector().queryByText(/does not answer/)).toBeNull();
});
