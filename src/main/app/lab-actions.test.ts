import { describe, expect, it } from 'vitest';
import { emptyLab } from '../../shared/lab/lab.ts';
import { runRecord } from '../../shared/run/run.fixture.ts';
import type { RunRecord } from '../../shared/run/run.ts';
import { createLabActions } from './lab-actions.ts';

const run = (id: string, labId: string, createdAt: number): RunRecord =>
  runRecord(id, { labId, createdAt, lab: emptyLab('as-written', `lab of ${id}`) });

/** Actions on stored labs and runs. */
function actions(stored: readonly string[], runs: readonly RunRecord[]) {
  const opened: unknown[] = [];
  const deleted: string[] = [];
  const takenDown: string[] = [];
  const labs = {
    ids: () => Promise.resolve(stored),
    openOr: (lab: unknown) => {
      opened.push(lab);
      return Promise.resolve({ lab });
    },
    open: (labId: string) => {
      const nodes = ['local', 'local', 'ssh'].map((type, index) => ({
        id: `n${index + 1}`,
        access: { type },
      }));
      const lab = { ...emptyLab(labId, labId), nodes };
      return deleted.includes(labId) ? Promise.reject(new Error('no lab')) : Promise.resolve({ lab });
    },
    delete: (labId: string) => Promise.resolve(void deleted.push(labId)),
  };
  const networks = { remove: (labId: string) => Promise.resolve(void takenDown.push(labId)) };
  const disconnected: string[] = [];
  const forgotten: string[] = [];
  const leftNodes = { remove: () => Promise.resolve() };
  const reach = {
    forget: (labId: string, nodeId: string) => Promise.resolve(void disconnected.push(`${labId} ${nodeId}`)),
  };
  const provisioner = { forget: (labId: string, nodeId: string) => forgotten.push(`${labId} ${nodeId}`) };
  const service = {
    list: (labId?: string) =>
      Promise.resolve(runs.filter((one) => labId === undefined || one.labId === labId)),
    get: (id: string) => Promise.resolve(runs.find((one) => one.id === id)),
  };
  // Only these services are used.
  const parts = { labs, leftNodes, networks, reach, provisioner, runs: service } as unknown as Parameters<
    typeof createLabActions
  >[0];
  return { lab: createLabActions(parts), opened, deleted, takenDown, disconnected, forgotten };
}

describe('labs that only runs have', () => {
  const runs = [
    run('a', 'stored', 5),
    run('b', 'file', 2),
    run('c', 'file', 4),
    run('d', 'deleted', 9),
  ] as const;

  it('are listed once each, the newest run first, with its lab’s name', async () => {
    const { lab } = actions(['stored'], runs);
    expect(await lab.ofRuns()).toEqual([
      { labId: 'deleted', name: 'lab of d', runId: 'd', at: 9, runs: 1 },
      { labId: 'file', name: 'lab of c', runId: 'c', at: 4, runs: 2 },
    ]);
    expect(await actions(['stored', 'file', 'deleted'], runs).lab.ofRuns()).toEqual([]);
  });

  it('are opened under the id that their runs have', async () => {
    const { lab, opened } = actions([], runs);
    await lab.fromRun('c');
    expect(opened).toMatchObject([{ id: 'file', name: 'lab of c' }]);
  });
});

describe('a lab that is deleted', () => {
  const ofState = (state: RunRecord['state']): RunRecord[] => [
    runRecord('ended', { labId: 'l', state: 'finished' }),
    runRecord('other', { labId: 'another', state: 'running' }),
    runRecord('r', { labId: 'l', state }),
  ];
  it.each(['preparing', 'running', 'recovering', 'stopping'] as const)(
    'keeps its network and connections while a run that is %s uses it',
    async (state) => {
      const { lab, deleted, takenDown, disconnected } = actions(['l'], ofState(state));
      await lab.delete('l');
      expect({ deleted, takenDown, disconnected }).toEqual({
        deleted: ['l'],
        takenDown: [],
        disconnected: [],
      });
    },
  );
  it.each(['queued', 'finished', 'lost'] as const)(
    'takes its network and connections along where its run is %s',
    async (state) => {
      const { lab, deleted, takenDown, disconnected, forgotten } = actions(['l'], ofState(state));
      await lab.delete('l');
      expect({ deleted, takenDown }).toEqual({ deleted: ['l'], takenDown: ['l'] });
      // Local nodes' servers end.
      expect(disconnected).toEqual(['l n1', 'l n2']);
      expect(forgotten).toEqual(disconnected);
    },
  );
});
