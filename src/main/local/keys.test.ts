import ssh2 from 'ssh2';
import { expect, it } from 'vitest';
import { newKeyText } from './keys.ts';

it('never keeps a key that ssh2 writes and cannot read', () => {
  const good = newKeyText();
  // What ssh2 writes now and then: a key whose length does not fit its header.
  const malformed = good.replace(/\n[^\n]+\n(-----END)/, '\nAAAA\n$1');
  expect(ssh2.utils.parseKey(malformed)).toBeInstanceOf(Error);
  const written = [malformed, malformed, good];
  expect(newKeyText(() => written.shift() ?? '')).toBe(good);
});
