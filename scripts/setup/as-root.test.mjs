import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { asRootLine, shellQuoted } from './as-root.mjs';

it('what root runs is typed with sudo, with su where there is none, and as it is by root', () => {
  const line = (way, between) => asRootLine(['chown root a', 'chmod 4755 a'], { way, between });
  expect(line('sudo')).toBe('sudo chown root a; sudo chmod 4755 a');
  expect(line('sudo', ' && ')).toBe('sudo chown root a && sudo chmod 4755 a');
  expect(line('su', ' && ')).toBe("su - -c 'chown root a && chmod 4755 a'");
  expect(line('root')).toBe('chown root a; chmod 4755 a');
});

it.skipIf(process.platform === 'win32')('a path is one word of the line, whatever is in it', () => {
  expect(shellQuoted('/home/me/ringlab')).toBe('/home/me/ringlab');
  for (const path of ['/home/me/it\'s mine; $(true) "`', '/Übung/ø', '']) {
    const shown = execFileSync('sh', ['-c', `printf %s ${shellQuoted(path)}`], { encoding: 'utf8' });
    expect(shown).toBe(path);
  }
});
