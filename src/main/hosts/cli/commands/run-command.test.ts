import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CancelSignal, LabApi } from '../../../../shared/contract/api.ts';
import { RinglabError } from '../../../../shared/base/errors.ts';
import { emptyLab } from '../../../../shared/lab/lab.ts';
import { runRecord } from '../../../../shared/run/run.fixture.ts';
import { watchInterrupts } from '../follow.ts';
import { followCommand, takeFiles } from './run-command.ts';

it('a folder for results that cannot be made is said before anything is asked', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-out-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'file'), '');
  const out = join(folder, 'file', 'results');
  const options = {
    ...{ data: join(folder, 'data'), out, chart: false },
    ...{ acceptNewHostKeys: false, allowChanges: false, allowLending: false },
  };
  await expect(followCommand('a-run', options)).rejects.toMatchObject({
    code: 'file_unwritable',
    params: { path: out },
  });
});

describe('an interrupt while an ended run’s files are fetched', () => {
  const empty = emptyLab('lab', 'Lab');
  const script = { source: { type: 'folder' as const, path: '/c' }, file: 'train.py', arguments: '' };
  const lab = { ...empty, experiment: { ...empty.experiment, script } };

  it.each([
    ['a script’s', runRecord('r', { state: 'finished', lab })],
    ['the trainer’s', runRecord('r', { state: 'finished' })],
  ])('ends the fetching, and is said once: %s', async (_name, run) => {
    const folder = await mkdtemp(join(tmpdir(), 'ringlab-out-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => stderr.mockRestore());
    let ticks = 1000;
    const interrupts = watchInterrupts({ ticks: () => ticks });
    onTestFinished(() => interrupts.end());
    // The user had stopped the run: that is over.
    const unlisten = interrupts.listen(() => undefined);
    process.emit('SIGINT', 'SIGINT');
    unlisten();
    ticks += 1000;
    const asked: string[] = [];
    const written = [1, 2, 3].map((at) => ({ rank: 0, path: `weights-${at}.pt` }));
    await writeFile(join(folder, 'here'), '');
    const call = (name: string, args: object, signal?: CancelSignal): Promise<unknown> => {
      if (name === 'run.written') return Promise.resolve({ files: written, isWhole: true, unreached: [] });
      asked.push(name);
      const isCheckpoint = 'artifact' in args && args.artifact === 'checkpoint.pth.tar';
      const isSlow = isCheckpoint || ('path' in args && args.path === 'weights-2.pt');
      if (!isSlow) {
        const file = { path: join(folder, 'here'), name: `copy-${asked.length}`, bytes: 0 };
        return Promise.resolve(file);
      }
      return new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new RinglabError('cancelled')));
        process.emit('SIGTERM', 'SIGTERM');
      });
    };
    // A fake with what the command uses.
    const api = { call } as Pick<LabApi, 'call'>;
    const { files, taken, isCut } = await takeFiles(api, run, join(folder, 'out'), interrupts);
    expect(isCut).toBe(true);
    expect(files?.length ?? taken?.size).toBe(1);
    expect(asked.filter((name) => name === 'run.writtenFile')).toHaveLength(files === undefined ? 0 : 2);
    expect(stderr.mock.calls.join('')).toBe(
      '\nno more files are fetched; ringlab follow r --out DIR fetches the rest\n',
    );
  });
});
