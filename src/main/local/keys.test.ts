import ssh2 from 'ssh2';
import { expect, it } from 'vitest';
import { newKeyText } from './keys.ts';

it('never stores a key that ssh2 writes but cannot read', () => {
  const good = newKeyText();
  // ssh2 sometimes writes such a key, whose length does not match its header.
  const malformed = good.replace(/\n[^\n]+\n(-----END)/, '\nAAAA\n$1');
  expect(ssh2.utils.parseKey(malformed)).toBeInstanceOf(Error);
  const written = [malformed, malformed, good];
  expect(newKeyText(() => written.shift() ?? '')).toBe(good);
});
