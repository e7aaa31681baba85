/** Two nodes whose homes are one on a shared file system: local nodes, of which one's home is a link to the other's. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { monitorSource } from '../../../shared/metrics/metrics.ts';
import { createScriptBench, runsScripts, type ScriptBench } from '../testing/script-bench.ts';
import { linesOf } from '../testing/stored-lines.ts';

let bench: ScriptBench;
beforeEach(async () => {
  bench = await createScriptBench();
  const [first = '', second = ''] = bench.lab.nodes.map(({ id }) =>
    join(bench.dataFolder, 'nodes', bench.lab.id, id, 'home'),
  );
  await mkdir(first, { recursive: true });
  await mkdir(dirname(second), { recursive: true });
  await symlink(first, second);
});
afterEach(async () => {
  await bench.close();
});

/**
 * Each rank prints its own value; both write into one file of JSON lines, and one of them a checkpoint. They end when the file `go` is
 * there: a node that is late would find a file that the other one already has, and no time for its monitor.
 */
const script = (go: string): string => `
import json, os, time
rank = int(os.environ["RANK"])
print(f"loss: {rank}.5", flush=True)
with open("log.jsonl", "a") as file: file.write(json.dumps({"step": rank, "shared": rank}) + "\\n")
if rank == 1: open("model.pt", "wb").write(b"weights")
while not os.path.exists(${JSON.stringify(go)}): time.sleep(0.05)
`;

describe.skipIf(!runsScripts)('two nodes with one home', () => {
  it('each have their own monitor and collector, and what both see is collected once', async () => {
    const go = join(bench.dataFolder, 'go');
    const runId = await bench.start({ 'train.py': script(go) }, { outputs: ['log.jsonl'] });
    const { ranks } = await bench.until(runId, 'running');
    const kindsOf = async (source: string): Promise<unknown[]> =>
      (await linesOf(bench.app.store, runId, source)).map(({ kind }) => kind);
    for (const { rank, nodeId } of ranks) {
      await expect.poll(() => kindsOf(`rank-${rank}`), { timeout: 60_000 }).toContain('scalar');
      await expect.poll(() => kindsOf(monitorSource(nodeId)), { timeout: 60_000 }).toContain('sample');
    }
    await writeFile(go, '');
    const run = await bench.until(runId, 'finished');
    const lines = await Promise.all(
      run.ranks.map(({ rank }) => linesOf(bench.app.store, runId, `rank-${rank}`)),
    );
    for (const [rank, own] of lines.entries()) {
      const printed = own.filter(({ kind, from }) => kind === 'scalar' && from === 'output');
      expect(printed.map(({ values }) => values)).toEqual([{ loss: rank + 0.5 }]);
      expect(own.at(-1)).toMatchObject({ kind: 'collect_end', attempt: 1 });
    }
    const fromFile = lines.flat().filter(({ kind, from }) => kind === 'scalar' && from === 'json');
    expect(fromFile.map(({ step }) => Number(step)).sort()).toEqual([0, 1]);
    expect(lines.flat().filter(({ kind }) => kind === 'file')).toHaveLength(1);
    const { files } = await bench.app.runs.written(runId);
    expect(files.map(({ path }) => path)).toEqual(['log.jsonl', 'model.pt']);
    const samples = await Promise.all(
      run.ranks.map(({ nodeId }) => linesOf(bench.app.store, runId, monitorSource(nodeId))),
    );
    const watched = samples.map((own) => JSON.stringify(own.find(({ kind }) => kind === 'sample')));
    expect(watched[0]).not.toBe(watched[1]);
    expect(bench.app.problems).toEqual([]);
  }, 240_000);
});
