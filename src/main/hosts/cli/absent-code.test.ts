import { expect, it, vi } from 'vitest';
import { defaultPlacement, emptyLab, type LabDocument } from '../../../shared/lab/lab.ts';
import { runLab, type RunOptions } from './commands/run-command.ts';

it('a run whose script’s folder is not there is refused as by `ringlab check`, before anything starts', async () => {
  const lab = emptyLab('l', 'Own script');
  const script = {
    source: { type: 'folder', path: '/assets/scripts' },
    file: 'train.py',
    arguments: '',
  } as const;
  const drawn: LabDocument = {
    ...lab,
    nodes: [
      {
        ...{ id: 'n', name: 'N1', kind: 'cpu', position: { x: 0, y: 0 } },
        ...{ placement: defaultPlacement('cpu'), access: { type: 'local' } },
      },
    ],
    experiment: { ...lab.experiment, script },
  };
  const said: string[] = [];
  const written = vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  // No option is read before.
  const options = {} as RunOptions & { queue: boolean };
  const failed = await runLab(drawn, options).catch((error: unknown) => error);
  written.mockRestore();
  expect(failed).toMatchObject({ code: 'lab_has_errors', where: 'Own script' });
  expect(said.join('')).toContain('experiment.script.source.path');
  expect(said.join('')).toContain('/assets/scripts');
  expect(said.join('')).not.toContain('ENOENT');
});
