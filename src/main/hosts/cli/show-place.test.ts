import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isShowable } from './show-place.ts';

it.each([tmpdir(), 'sftp://user@node.example:22/', 'sftp://%E7%94%A8@[::1]:2022/'])(
  'is opened on the desktop: %s',
  async (place) => {
    expect(await isShowable(place)).toBe(true);
  },
);

it.each([
  '--help',
  'relative/folder',
  join(tmpdir(), 'not-there-at-all'),
  `${tmpdir()}\n`,
  'http://evil.example/',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'ssh://-oProxyCommand=touch@x/',
  'sftp://',
  'sftp://user:secret@host/',
  'sftp://user@host/?x=1',
  'sftp://user@host/ --x',
  'sftp:user@host',
  '\\\\evil.example\\share',
  '',
])('finding: is not opened on the desktop: %j', async (place) => {
  expect(await isShowable(place)).toBe(false);
});
