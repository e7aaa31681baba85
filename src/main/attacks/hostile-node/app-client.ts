/** Starts the app in a process of its own (app-process.ts) and asks it. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestArgs, RequestName, RequestResult } from '../../../shared/contract/api.ts';
import { fromWireError } from '../../../shared/base/errors.ts';
import {
  defaultPlacement,
  type DataSource,
  type LabDocument,
  type LabNode,
} from '../../../shared/lab/lab.ts';
import { isEnded, type RunRecord } from '../../../shared/run/run.ts';
import type { Answered, Asked } from './app-process.ts';

export interface AppProcess {
  readonly child: ChildProcess;
  call<N extends RequestName>(name: N, args: RequestArgs<N>): Promise<RequestResult<N>>;
  /** The most memory that it has had, in bytes. */
  rss(): Promise<number>;
  /** What questions are answered with, by their kind. */
  answerWith(secrets: Readonly<Record<string, string>>): Promise<void>;
  /** Every event and answer that windows received, and every notification; the newest megabytes. */
  reported(): Promise<string>;
  /** A lab of these nodes that trains for a moment, on images that it makes itself by default. */
  makeLab(name: string, nodes: readonly LabNode[], epochs?: number, data?: DataSource): Promise<LabDocument>;
  /** Waits until a run has ended, however. */
  ended(runId: string): Promise<RunRecord>;
  /** Standard output and error so far. */
  output(): string;
  close(): Promise<void>;
}

export const cpuNode = (id: string, access: LabNode['access']): LabNode => ({
  id,
  name: `Node ${id}`,
  kind: 'cpu',
  position: { x: 0, y: 0 },
  placement: defaultPlacement('cpu'),
  access,
});

export async function startApp(
  dataFolder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<AppProcess> {
  const script = fileURLToPath(new URL('./app-process.ts', import.meta.url));
  const child = fork(script, [], {
    env: {
      ...process.env,
      ...environment,
      RINGLAB_ATTACK_DATA: dataFolder,
      RINGLAB_NETWORK: 'off',
      VITEST: '',
    },
    // V8 lets garbage grow with the machine's memory. What the app holds is what counts, and it ends where that is more.
    execArgv: ['--max-old-space-size=256'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output = (output + chunk.toString('utf8')).slice(-1_000_000)));
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  const begun = Promise.withResolvers<undefined>();
  child.on('message', (answered: Answered) => {
    if (answered.id === 0) begun.resolve(undefined);
    const asked = waiting.get(answered.id);
    waiting.delete(answered.id);
    if (answered.error === undefined) asked?.resolve(answered.value);
    else asked?.reject(fromWireError(answered.error));
  });
  child.once('exit', (code) => {
    const error = new Error(`the app ended with ${code}: ${output.slice(-2000)}`);
    begun.reject(error);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  });
  await begun.promise;

  let lastId = 0;
  const ask = (name: string, args?: unknown): Promise<unknown> => {
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      child.send({ id, name, args } satisfies Asked);
    });
  };
  const app: AppProcess = {
    child,
    // The app checks its own answers against the contract.
    call: async (name, args) => (await ask(name, args)) as RequestResult<typeof name>,
    rss: async () => Number(await ask('rss')),
    output: () => output,
    async answerWith(secrets) {
      await ask('answers', secrets);
    },
    reported: async () => String(await ask('reported')),
    async makeLab(name, nodes, epochs = 1, data) {
      const { lab, revision } = await app.call('lab.create', { name, description: '' });
      const changed: LabDocument = {
        ...lab,
        nodes: [...nodes],
        experiment: {
          ...lab.experiment,
          data: data ?? { type: 'shapes', train: 60, validation: 30, size: 16, seed: 1 },
          epochs,
          batchSize: 20,
          learningRate: 0.001,
          port: 20_000 + Math.floor(Math.random() * 20_000),
        },
      };
      return (await app.call('lab.save', { lab: changed, revision })).lab;
    },
    async ended(runId) {
      for (;;) {
        const run = await app.call('run.get', { runId });
        if (isEnded(run.state)) return run;
        await sleep(100);
      }
    },
    async close() {
      if (child.exitCode !== null) return;
      const gone = once(child, 'exit');
      await ask('end').catch(() => undefined);
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await gone;
      clearTimeout(timer);
    },
  };
  return app;
}
