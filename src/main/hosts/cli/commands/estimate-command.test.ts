import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import { chain, drawing } from '../../../../shared/lab/topology.fixture.ts';
import { givenTo } from '../../../../shared/run/script-time.ts';
import { cliPlatform } from '../platform.ts';
import { computeFromRuns, estimateCommand } from './estimate-command.ts';

const known = { localCpus: 2, compute: { seconds: 0.15, runId: 'run-1', runName: 'Run' } };

function estimated(lab: LabDocument, sync?: string, compute: Parameters<typeof estimateCommand>[1] = known) {
  const results: string[] = [];
  const remarks: string[] = [];
  const code = estimateCommand(lab, compute, sync, {
    result: (line) => results.push(line),
    remark: (line) => remarks.push(line),
  });
  return { code, results, remarks };
}

describe('ringlab estimate', () => {
  it('prints one JSON object: the step, its parts, the bottleneck and what to do', () => {
    const { code, results } = estimated(chain(3));
    expect(code).toBe(0);
    expect(results).toHaveLength(1);
    const said = JSON.parse(results[0] ?? '') as Record<string, number> & { advice: Record<string, unknown> };
    expect(said).toMatchObject({
      sync: 'allreduce',
      compute_seconds: 0.15,
      bytes_per_step: 59_635_440,
      at_end: null,
      accuracy_cost: { points: 0 },
      bottleneck: { link: 'N1–N2', id: 'l1' },
      compute_from: 'run run-1',
    });
    expect(said.seconds_per_step).toBeCloseTo(0.15 + said.communication_seconds!, 1);
    expect(said.advice.text).toMatch(
      /^5\d s per step: 2 equally slow links are the bottleneck; with .+: 0\.\d+ s$/,
    );
  });

  it('accepts another mode, including auto, which it resolves', () => {
    const power = JSON.parse(estimated(chain(3), 'powersgd:2').results[0] ?? '') as { sync: string };
    expect(power.sync).toBe('powersgd:2');
    const auto = JSON.parse(estimated(chain(3), 'auto').results[0] ?? '') as {
      sync: string;
      advice: { sync: string };
    };
    expect(auto.sync).toBe(auto.advice.sync);
    expect(auto.sync).not.toBe('auto');
  });

  it('reports its assumptions', () => {
    const { remarks, results } = estimated(drawing(3, []), undefined, { localCpus: 2 });
    expect(remarks.join('\n')).toMatch(/computation time is assumed[\s\S]*no links are drawn/);
    expect(JSON.parse(results[0] ?? '')).toMatchObject({
      bottleneck: null,
      compute_from: 'assumed',
      assumptions: ['compute_assumed', 'network_not_drawn'],
    });
  });

  it('exits with 2 for an invalid mode or unconnected nodes', () => {
    expect(estimated(chain(3), 'gossip')).toMatchObject({ code: 2, results: [] });
    expect(estimated(chain(3), 'gossip').remarks[0]).toContain('“gossip” is unknown');
    const apart = estimated(drawing(3, [[1, 2]]));
    expect(apart).toMatchObject({ code: 2, results: [] });
    expect(apart.remarks.join('\n')).toContain('N1 and N3 cannot reach each other');
  });

  it('of an own script: how long its last run took, and what has changed since', () => {
    const script = {
      source: { type: 'folder', path: '/code' },
      file: 'train.py',
      arguments: '--lr 1',
    } as const;
    const lab = { ...chain(2), experiment: { ...chain(2).experiment, script } };
    const measured = { ...givenTo(lab), runId: 'run-7', runName: 'Run', secondsPerStep: 0.123456 };
    const same = estimated(lab, undefined, { localCpus: 2, script: measured });
    expect(same).toMatchObject({ code: 0, remarks: [] });
    expect(JSON.parse(same.results[0] ?? '')).toEqual({
      script: 'train.py',
      seconds_per_step: 0.1235,
      seconds_per_epoch: null,
      seconds: null,
      from: 'run run-7',
      changed_since: [],
    });
    const other = { ...lab, links: [] };
    const changed = estimated(other, undefined, { localCpus: 2, script: measured });
    expect(changed.remarks.join()).toContain('the drawn links were different');
    expect(JSON.parse(changed.results[0] ?? '')).toMatchObject({ changed_since: ['links'] });
    const never = estimated(lab, undefined, { localCpus: 2 });
    expect(never).toMatchObject({ code: 2, results: [] });
    expect(never.remarks.join()).toContain('no run of train.py');
  });

  it('uses compute times of stored runs only', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ringlab-estimate-'));
    try {
      expect(await computeFromRuns(await cliPlatform(folder), chain(3))).not.toHaveProperty('compute');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('creates no data folder, and changes none that other commands refuse', async () => {
    const base = await mkdtemp(join(tmpdir(), 'ringlab-estimate-'));
    const contents = {
      'format.json': '{"format":"ringlab-data","version":9,"by":"9.0.0"}',
      'settings.json': '[]',
    };
    try {
      const absent = await cliPlatform(join(base, 'absent'));
      expect(await computeFromRuns(absent, chain(3))).not.toHaveProperty('compute');
      expect(await readdir(base)).toEqual([]);
      for (const [name, text] of Object.entries(contents)) await writeFile(join(base, name), text);
      expect(await computeFromRuns(await cliPlatform(base), chain(3))).not.toHaveProperty('compute');
      expect((await readdir(base)).sort()).toEqual(Object.keys(contents));
    } finally {
      await rm(base, { recursive: true, force: true });
    }
  });

  it.skipIf(process.platform === 'win32')(
    'reads a folder that others may read after it is private',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'ringlab-estimate-'));
      try {
        await chmod(folder, 0o755);
        await computeFromRuns(await cliPlatform(folder), chain(3));
        expect((await stat(folder)).mode & 0o777).toBe(0o700);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
});
