import { describe, expect, it } from 'vitest';
import { emptyLab } from '../../../shared/lab/lab.ts';
import { mustTrain } from './check-command.ts';
import { commandErrorLines } from './command-error.ts';

describe('what a command says of something that it does not know', () => {
  it.each([
    ['run', 'ringlab runs'],
    ['lab', 'ringlab labs'],
    ['node', 'ringlab check'],
  ])('a %s: which one, and the command that lists them', (what, command) => {
    const lines = commandErrorLines({ code: 'not_found', params: { what, id: 'Ring' } });
    expect(lines[0]).toBe(`there is no ${what} “Ring”.`);
    expect(lines[1]).toContain(command);
    expect(lines.join(' ')).not.toContain('window');
  });

  it('anything else: which one, and no advice that does not fit', () => {
    const lines = commandErrorLines({
      code: 'not_found',
      params: { what: 'constructor', id: 'x' },
      where: 'Lab',
      detail: 'said',
    });
    expect(lines).toEqual(['Lab: there is no constructor “x”.', '    | said']);
  });

  it('a lab with errors: the command that lists them, and no button', () => {
    const lines = commandErrorLines({ code: 'lab_has_errors', params: { count: 1, first: 'no nodes' } });
    expect(lines[1]).toContain('ringlab check');
    expect(lines.join(' ')).not.toContain('press');
  });

  it('other errors keep their words', () => {
    expect(commandErrorLines({ code: 'cancelled', params: {} })[0]).toBe('Cancelled.');
  });
});

it('a lab without a node to work on is refused, instead of nothing being done in silence', () => {
  expect(() => mustTrain(emptyLab('lab', 'Lab'))).toThrow(
    expect.objectContaining({ code: 'lab_has_errors' }),
  );
});
