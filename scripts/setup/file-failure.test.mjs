import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeFailure, isExplained } from './failure.mjs';
import { fileFailure } from './file-failure.mjs';
import { root } from './project.mjs';

const project = join('/home', 'me', 'ring lab');
const lock = join(project, '.cache', 'setup.lock');
const refused = (code, more = {}) =>
  Object.assign(new Error(`${code}: no, open '${lock}'`), { code, syscall: 'open', path: lock, ...more });
/** @param {Record<string, number>} owners of the project's folders; what is not named does not exist */
const of = (error, owners) =>
  fileFailure(error, { uid: 1000, owner: (path) => owners[path], project, way: 'sudo' });

describe('a file of the project folder that cannot be written', () => {
  it('is root’s after `sudo npm start`: the folder can be taken back, or another clone used', () => {
    const { message, remedy } = of(refused('EACCES'), { [join(project, '.cache')]: 0, [project]: 1000 });
    expect(message).toBe(`${lock} cannot be written: ${join(project, '.cache')} belongs to root`);
    expect(remedy).toMatch(/a clone of your own.*\nsudo chown -R \S+ '/);
    expect(remedy.endsWith(` '${project}'`)).toBe(true);
  });

  it('is that of another user of the clone', () => {
    expect(of(refused('EACCES'), { [project]: 1001 }).message).toContain(
      `${project} belongs to another user (number 1001)`,
    );
  });

  it('is the user’s own, without the permission', () => {
    expect(of(refused('EACCES'), { [join(project, '.cache')]: 1000, [project]: 1000 }).remedy).toContain(
      `chmod -R u+rwX '${project}'`,
    );
  });

  it('is on a file system that is full or read-only', () => {
    expect(of(refused('EROFS'), {}).message).toContain('read-only');
    expect(of(refused('ENOSPC'), {}).message).toContain(`full: ${lock}`);
    // The system call `write` names no file.
    expect(of(refused('ENOSPC', { path: undefined }), {}).remedy).toContain('make room');
  });

  it('is in use, on a system without numbers of users', () => {
    expect(fileFailure(refused('EPERM'), { uid: undefined, project }).remedy).toContain('another program');
  });
});

it('other errors keep their stack: of other folders, of programs, of watched files, of the code', () => {
  for (const error of [
    refused('EACCES', { path: '/etc/shadow' }),
    refused('EACCES', { syscall: 'spawn node' }),
    refused('ENOSPC', { syscall: 'watch' }),
    refused('ENOENT'),
    new TypeError('x is no function'),
  ]) {
    expect(of(error, {})).toBeUndefined();
    expect(isExplained(error)).toBe(false);
    expect(describeFailure(error)).toContain('    at ');
  }
});

it('the set-up’s failure is told without a stack', () => {
  const error = refused('EROFS', { path: join(root, '.cache', 'setup.lock') });
  expect(isExplained(error)).toBe(true);
  const text = describeFailure(error);
  expect(text).toMatch(/^Failed: .*setup\.lock cannot be written: .*\nWhat to do: use a clone/);
  expect(text).not.toContain('    at ');
});
