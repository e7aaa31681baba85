import { expect, it } from 'vitest';
import { RinglabError, type WireError } from '../../../shared/base/errors.ts';
import { defaultPlacement, emptyLab, type LabDocument } from '../../../shared/lab/lab.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RankRecord } from '../../../shared/run/run.ts';
import { createEventLog } from '../../base/events.ts';
import type { RunServices } from '../record/services.ts';
import { removeFromNodes } from './removal.ts';

const launcher = () => ({});

it('what lay in pods that have ended is gone, and a node that does not answer keeps its run', async () => {
  const directory = '/work/.ringlab/runs/20261130-120000-abcdef/rank-0';
  const rank: RankRecord = {
    ...{ rank: 0, nodeId: 'a', nodeName: 'A', state: 'done', localRank: 0, argv: [], env: {} },
    directory,
  };
  const run = runRecord('20261130-120000-abcdef', { ranks: [rank] });
  const removed = (code: 'pods_ended' | 'connection_lost'): Promise<void> => {
    const reach = { session: () => Promise.reject(new RinglabError(code, {})) };
    // What is read of the services.
    return removeFromNodes({ reach, settings: {}, launcher } as unknown as RunServices, run);
  };
  await expect(removed('pods_ended')).resolves.toBeUndefined();
  await expect(removed('connection_lost')).rejects.toMatchObject({ code: 'connection_lost' });
});

it('a node of which another one took the place is cleared, too, or named, and keeps no run', async () => {
  const id = '20261130-120000-abcdef';
  const directory = (home: string): string => `/${home}/.ringlab/runs/${id}/rank-0`;
  const base = emptyLab('lab', 'Lab');
  const nodes = ['a', 'b', 'c'].map((name) => ({
    ...{ id: name, name: name.toUpperCase(), kind: 'cpu' as const, position: { x: 0, y: 0 } },
    ...{ placement: defaultPlacement('cpu'), access: { type: 'local' as const } },
  }));
  const rank: RankRecord = {
    ...{ rank: 0, nodeId: 'c', nodeName: 'C', state: 'done', localRank: 0, argv: [], env: {} },
    directory: directory('c'),
  };
  const run = runRecord(id, {
    lab: { ...base, nodes: nodes.slice(2) },
    ranks: [rank],
    recovery: {
      restarts: [],
      left: nodes.slice(0, 2).map((node) => ({ node, directory: directory(node.id) })),
    },
  });
  const scripts: string[] = [];
  const reach = {
    session: ({ nodes: drawn }: LabDocument, nodeId: string) =>
      nodeId === 'b'
        ? Promise.reject(new RinglabError('host_unreachable', { host: 'b', port: 22, reason: 'x' }))
        : Promise.resolve({
            run: (script: string) => {
              expect(drawn.map((node) => node.id)).toContain(nodeId);
              scripts.push(script);
              return Promise.resolve();
            },
          }),
  };
  const events = createEventLog();
  const problems: WireError[] = [];
  events.subscribe((event) => {
    if (event.name === 'app.problem') problems.push(event.data.error);
  });
  // What is read of the services.
  await removeFromNodes({ reach, events, settings: {}, launcher } as unknown as RunServices, run);
  expect(scripts.sort()).toEqual(['a', 'c'].map((home) => `rm -rf /${home}/.ringlab/runs/${id}`));
  expect(problems).toMatchObject([{ code: 'host_unreachable', where: 'B' }]);
  expect(problems[0]?.detail).toContain(`/b/.ringlab/runs/${id}`);
});

it('a job that may be in the cluster is cancelled before the folder is removed, and keeps the run where that fails', async () => {
  const id = '20261130-120000-abcdef';
  const directory = `/home/.ringlab/runs/${id}/rank-0`;
  const rank: RankRecord = {
    ...{ rank: 0, nodeId: 'a', nodeName: 'A', state: 'failed', localRank: 0, argv: [], env: {} },
    directory,
  };
  const done: string[] = [];
  let silent = true;
  const abandon = (given: string): Promise<void> => {
    done.push(`abandon ${given}`);
    return silent
      ? Promise.reject(new RinglabError('cluster_silent', { cluster: 'login' }))
      : Promise.resolve();
  };
  const reach = {
    session: () => Promise.resolve({ run: (script: string) => Promise.resolve(void done.push(script)) }),
  };
  // What is read of the services.
  const services = { reach, settings: {}, launcher: () => ({ abandon }) } as unknown as RunServices;
  const remove = (): Promise<void> => removeFromNodes(services, runRecord(id, { ranks: [rank] }));
  await expect(remove()).rejects.toMatchObject({ code: 'cluster_silent' });
  silent = false;
  await remove();
  const asked = `abandon ${directory}`;
  expect(done).toEqual([asked, asked, `rm -rf /home/.ringlab/runs/${id}`]);
});
