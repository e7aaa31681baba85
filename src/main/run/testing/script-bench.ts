/** For tests: own scripts on two local nodes of a real run service, with the system's Python torch. */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { Script } from '../../../shared/lab/script.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { Prompter } from '../../ssh/index.ts';
import { createRealBench, trainerIsBuilt, type RealBench } from './real-services.ts';

/** Whether own scripts can run here: Debian's python3-torch, and the trainer's executable. */
export const runsScripts = (() => {
  try {
    const program = 'import importlib.util, sys; sys.exit(importlib.util.find_spec("torch") is None)';
    execFileSync('/usr/bin/python3', ['-c', program]);
    return trainerIsBuilt;
  } catch {
    return false;
  }
})();

export interface ScriptBench extends RealBench {
  /** Writes the files into the script's folder and starts a run of `train.py`. */
  start(files: Readonly<Record<string, string>>, script?: Partial<Script>): Promise<string>;
  log(run: RunRecord, rank?: number): Promise<string>;
  failed(runId: string): Promise<RunRecord>;
}

/** @param secret the answer to every question for a secret variable */
export async function createScriptBench(secret = ''): Promise<ScriptBench> {
  const ask: Prompter['ask'] = ({ kind }) =>
    kind === 'script-variable'
      ? Promise.resolve({ kind: 'secret', secret, remember: false })
      : Promise.reject(new RinglabError('prompt_unanswered'));
  const bench = await createRealBench({ prompter: { ask } });
  bench.lab.nodes.splice(2);
  const source = join(bench.dataFolder, 'project');
  return Object.assign(bench, {
    async start(files: Readonly<Record<string, string>>, script: Partial<Script> = {}): Promise<string> {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(join(source, path, '..'), { recursive: true });
        await writeFile(join(source, path), text);
      }
      bench.lab.experiment = {
        ...bench.lab.experiment,
        runtime: { type: 'system' },
        script: { source: { type: 'folder', path: source }, file: 'train.py', arguments: '', ...script },
      };
      return (await bench.app.runs.start(bench.lab)).runId;
    },
    log: (run: RunRecord, rank = 0): Promise<string> =>
      readFile(join(run.ranks[rank]?.directory ?? '', 'log.txt'), 'utf8'),
    failed: (runId: string): Promise<RunRecord> => bench.until(runId, ({ state }) => state === 'failed'),
  });
}
