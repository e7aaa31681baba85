import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyLab, type LabDocument } from '../../../shared/lab/lab.ts';
import type { Question } from '../../../shared/contract/prompts.ts';
import { startScript } from './ssh/start-script.ts';
import { assignments, createScriptSecrets, variablesFileOf } from './script-secrets.ts';

const signal = new AbortController().signal;
const labOf = (id: string): LabDocument => {
  const lab = emptyLab(id, 'L');
  const environment = [
    { name: 'PLAIN', value: 'p' },
    { name: 'TOKEN', secret: true },
  ];
  const script = {
    source: { type: 'folder' as const, path: '/a' },
    file: 'a.py',
    arguments: '',
    environment,
  };
  return { ...lab, experiment: { ...lab.experiment, script } };
};

describe('secret variables of a script', () => {
  const asked: Question[] = [];
  const kept = new Map<string, string>();
  const store = {
    kind: 'keyring' as const,
    get: (key: string) => Promise.resolve(kept.get(key)),
    set: (key: string, value: string) => Promise.resolve(void kept.set(key, value)),
    delete: (key: string) => Promise.resolve(void kept.delete(key)),
  };
  const answering = (remember: boolean) =>
    createScriptSecrets(
      {
        ask(question) {
          asked.push(question);
          return Promise.resolve({ kind: 'secret', secret: `s${asked.length}`, remember });
        },
      },
      store,
    );
  beforeEach(() => {
    asked.length = 0;
    kept.clear();
  });

  it('are asked for once, for each lab, and again where they were forgotten', async () => {
    const secrets = answering(false);
    expect(await secrets.values(emptyLab('a', 'A'), signal)).toBeUndefined();
    expect(await secrets.values(labOf('a'), signal)).toEqual({ TOKEN: 's1' });
    expect(await secrets.values(labOf('a'), signal)).toEqual({ TOKEN: 's1' });
    expect(await secrets.values(labOf('b'), signal)).toEqual({ TOKEN: 's2' });
    await secrets.forget('a', 'TOKEN');
    expect(await secrets.values(labOf('a'), signal)).toEqual({ TOKEN: 's3' });
    expect(asked).toMatchObject([{ kind: 'script-variable', variable: 'TOKEN', labId: 'a' }, {}, {}]);
    expect(kept.size).toBe(0);
  });

  it('are kept by the host where the user wants it', async () => {
    await answering(true).values(labOf('a'), signal);
    expect(await answering(true).values(labOf('a'), signal)).toEqual({ TOKEN: 's1' });
    expect(asked).toHaveLength(1);
  });

  it('are needed: a refusal starts nothing', async () => {
    const secrets = createScriptSecrets({ ask: () => Promise.resolve({ kind: 'refuse' }) }, store);
    await expect(secrets.values(labOf('a'), signal)).rejects.toMatchObject({ code: 'prompt_unanswered' });
  });
});

describe('a process with secret variables', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'script-secrets-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('has them in its environment, and no file, command or log does', async () => {
    const value = `it's "$HOME" END`;
    const text = startScript(
      {
        nodeId: 'n',
        label: 'rank-0',
        directory,
        argv: ['sh', '-c', '[ "$TOKEN" = "$EXPECTED" ] && [ "$OTHER" = "a b" ] && echo same'],
        env: { EXPECTED: value },
        attempt: 1,
        variables: { file: variablesFileOf(1), text: assignments({ TOKEN: value, OTHER: 'a\nb' }) },
      },
      '/proc/sys/kernel/random/boot_id',
    );
    await promisify(execFile)('sh', ['-c', text]);
    await expect
      .poll(() => readFile(join(directory, 'exit.json'), 'utf8').catch(() => ''))
      .toContain('"code":0');
    expect(await readFile(join(directory, 'log.txt'), 'utf8')).toBe('same\n');
    const files = await readdir(directory);
    expect(files.filter((name) => name.startsWith('secret'))).toEqual([]);
    for (const file of files) expect(await readFile(join(directory, file), 'utf8')).not.toContain('TOKEN=');
  });
});
