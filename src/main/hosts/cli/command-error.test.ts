import { describe, expect, it } from 'vitest';
import { emptyLab } from '../../../shared/lab/lab.ts';
import { mustTrain } from './commands/check-command.ts';
import { commandErrorLines } from './command-error.ts';

describe('error lines of a command', () => {
  it.each([
    ['run', 'ringlab runs'],
    ['lab', 'ringlab labs'],
    ['node', 'ringlab check'],
  ])('an unknown %s: its name and the command that lists them', (what, command) => {
    const lines = commandErrorLines({ code: 'not_found', params: { what, id: 'Ring' } });
    expect(lines[0]).toBe(`there is no ${what} “Ring”.`);
    expect(lines[1]).toContain(command);
    expect(lines.join(' ')).not.toContain('window');
  });

  it('another unknown kind: its name, without wrong advice', () => {
    const lines = commandErrorLines({
      code: 'not_found',
      params: { what: 'constructor', id: 'x' },
      where: 'Lab',
      detail: 'said',
    });
    expect(lines).toEqual(['Lab: constructor “x” does not exist.', '    | said']);
  });

  it('a file that is missing: its path', () => {
    const lines = commandErrorLines({ code: 'not_found', params: { what: 'file', id: '/train.py' } });
    expect(lines).toEqual(['The file “/train.py” does not exist.']);
  });

  it('a lab with errors: names the command that lists them, and no button', () => {
    const lines = commandErrorLines({ code: 'lab_has_errors', params: { count: 1, first: 'no nodes' } });
    expect(lines[1]).toContain('ringlab check');
    expect(lines.join(' ')).not.toContain('press');
  });

  it('other errors keep their text', () => {
    expect(commandErrorLines({ code: 'cancelled', params: {} })[0]).toBe('Cancelled.');
  });
});

it('a lab without nodes is refused instead of silently doing nothing', () => {
  expect(() => mustTrain(emptyLab('lab', 'Lab'))).toThrow(
    expect.objectContaining({ code: 'lab_has_errors' }),
  );
});
