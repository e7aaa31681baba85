/**
 * The whole app in a process of its own, so that what it takes of memory is its own. Its parent asks requests of the API;
 * questions are answered as a trusting user would.
 */
import { tmpdir } from 'node:os';
import { mkdtempSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toWireError, type WireError } from '../../../shared/base/errors.ts';
import type { PromptAnswer } from '../../../shared/contract/prompts.ts';
import { createApp } from '../../app/create-app.ts';

export interface Asked {
  readonly id: number;
  /**
   * `rss`: the most memory so far, in bytes; `answers`: what secrets are answered with; `reported`: all events, answers and
   * notifications so far as one text; `end`: closes the app. Else a request's name.
   */
  readonly name: string;
  readonly args?: unknown;
}
export interface Answered {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: WireError;
}

/** Characters of the record that are kept. */
const maximumReported = 4_000_000;

const folder = process.env.RINGLAB_ATTACK_DATA ?? mkdtempSync(join(tmpdir(), 'ringlab-attack-'));
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const secrets = new Map<string, string>();
/** Lines, oldest first. One long text would be copied at each: that alone took 200 MB, which the app is measured by. */
const reported: string[] = [];
let reportedSize = 0;
/** Null stands for an answer without a value, which JSON has no text for. */
const note = (what: unknown = null): void => {
  const line = JSON.stringify(what);
  reported.push(line);
  reportedSize += line.length;
  while (reportedSize > maximumReported) reportedSize -= reported.shift()?.length ?? reportedSize;
};
const app = await createApp({
  kind: 'cli',
  version: '0.0.0',
  paths: {
    data: join(folder, 'data'),
    assets: join(root, 'assets'),
    nativeSource: join(root, 'native'),
    pythonSource: join(root, 'python'),
    trainerBinary: join(root, 'native', 'build', 'ringlab-train'),
    home: folder,
  },
  secrets: {
    kind: 'memory',
    get: (key) => Promise.resolve(secrets.get(key)),
    set: (key, value) => Promise.resolve(void secrets.set(key, value)),
    delete: (key) => Promise.resolve(void secrets.delete(key)),
  },
  deliver: ({ path, name }) => Promise.resolve({ name, bytes: statSync(path).size, savedTo: path }),
  openPlace: () => Promise.resolve(),
  // What a desktop would show stands with the events of windows.
  notify: (notice) => note(notice),
});

const answers: Readonly<Record<string, PromptAnswer>> = {
  'host-key': { kind: 'accept' },
  consent: { kind: 'accept' },
};
/** By the question's kind. */
let given: Readonly<Record<string, string>> = { password: 'open' };
app.services.events.subscribe((event) => {
  note(event);
  if (event.name !== 'prompt.asked') return;
  const { prompt } = event.data;
  const secret = given[prompt.kind];
  const answer: PromptAnswer =
    secret === undefined
      ? (answers[prompt.kind] ?? { kind: 'refuse' })
      : { kind: 'secret', secret, remember: false };
  setImmediate(() => app.services.prompts.answer(prompt.id, answer));
});

const notify = (message: Answered): void => {
  if (process.connected) process.send?.(message);
};
const answer = async ({ name, args }: Asked): Promise<unknown> => {
  if (name === 'rss') return process.resourceUsage().maxRSS * 1024;
  if (name === 'reported') return reported.join('\n');
  if (name === 'answers') {
    given = args as Readonly<Record<string, string>>; // The parent is a test of ours.
    return undefined;
  }
  if (name === 'end') {
    await app.close();
    return undefined;
  }
  // The API checks the name and the arguments itself.
  const call = app.api.call as (name: string, args: unknown) => Promise<unknown>;
  const value = await call(name, args);
  note(value);
  return value;
};
process.on('message', (asked: Asked) => {
  answer(asked).then(
    (value) => {
      notify({ id: asked.id, value });
      if (asked.name === 'end') process.disconnect();
    },
    (error: unknown) => notify({ id: asked.id, error: toWireError(error) }),
  );
});
notify({ id: 0 });
