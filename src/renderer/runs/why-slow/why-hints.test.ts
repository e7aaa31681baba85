import { describe, expect, it } from 'vitest';
import { defaultPlacement, emptyLab, type LabNode } from '../../../shared/lab/lab.ts';
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';
import { hintFor } from './why-hints.ts';

const ssh = (host: string): LabNode['access'] => ({
  type: 'ssh',
  host,
  port: 22,
  user: 'ada',
  authentication: { method: 'password' },
});
const runOn = (
  accesses: readonly LabNode['access'][],
  change: Partial<RunRecord['lab']['experiment']> = {},
): Pick<RunRecord, 'lab' | 'ranks' | 'estimate'> => {
  const lab = emptyLab('lab', 'Lab');
  return {
    lab: {
      ...lab,
      experiment: { ...lab.experiment, ...change },
      nodes: accesses.map((access, index) => ({
        id: `n${index}`,
        name: `N${index}`,
        kind: 'cpu',
        position: { x: 0, y: 0 },
        placement: defaultPlacement('cpu'),
        access,
      })),
    },
    ranks: accesses.map((_, rank): RankRecord => ({
      rank,
      nodeId: `n${rank}`,
      nodeName: `N${rank}`,
      localRank: 0,
      argv: [],
      env: {},
      directory: '/run',
      state: 'running',
    })),
    estimate: undefined,
  };
};
const local: LabNode['access'] = { type: 'local' };
const slow = { code: 'slowRank', share: 0.3, rank: 0, slower: 2 } as const;
const network = { code: 'network', share: 0.7 } as const;

describe('advice on slow steps', () => {
  it('looks for other programs only where no other node of the run is on the same machine', () => {
    expect(hintFor(slow, runOn([local, local, local]))).toBe('slowRankSharedHint');
    expect(hintFor(slow, runOn([ssh('a'), ssh('b')]))).toBe('slowRankHint');
    expect(hintFor(slow, runOn([ssh('a'), ssh('a')]))).toBe('slowRankSharedHint');
    expect(hintFor(slow, runOn([local, ssh('b')]))).toBe('slowRankHint');
  });

  it('names automatic synchronisation only where it is not set already', () => {
    expect(hintFor(network, runOn([local, local]))).toBe('networkHint');
    const estimate = {
      asked: 'auto',
      sync: 'fp16',
      secondsPerStep: 1,
      computeSeconds: 1,
      communicationSeconds: 1,
      bytesPerStep: 1,
      plainSecondsPerStep: 1,
      computeMeasured: false,
    };
    expect(hintFor(network, { ...runOn([local, local]), estimate })).toBe('networkChosenHint');
  });

  it('names mixed precision only where it is off, and no settings of the trainer to an own script', () => {
    const compute = { code: 'compute', share: 0.9 } as const;
    expect(hintFor(compute, runOn([local]))).toBe('computeHint');
    expect(hintFor(compute, runOn([local], { amp: 'bf16' }))).toBe('computeAmpHint');
    const script = { source: { type: 'folder', path: '/code' }, file: 'train.py', arguments: '' } as const;
    expect(hintFor(compute, runOn([local], { script }))).toBe('computeScriptHint');
    expect(hintFor(network, runOn([local, local], { script }))).toBe('networkScriptHint');
  });
});
