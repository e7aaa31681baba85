/** Low finding: escape sequences from metrics, server prompts, names and Host headers reach the user's terminal. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { forTerminal } from '../hosts/terminal-door.ts';

const run = promisify(execFile);
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** A title, the clipboard, the screen erased, a link, C1's own CSI and OSC, a line written over, and text turned round. */
const attacks = [
  '\x1b]0;owned\x07',
  '\x1b]52;c;cm0gLXJm\x07',
  '\x1b[2J\x1b[H',
  '\x1b]8;;http://evil.example\x1b\\ok\x1b]8;;\x1b\\',
  '\x9b2J\x9d0;owned\x9c',
  'refused\rtrusted',
  'gnp.\u202ecod.exe',
  '\u2066\u2069\u200f',
  '\x08\x08\x08yes',
];

it.each(attacks)('finding: is shown and not executed: %j', (attack) => {
  expect(forTerminal(attack)).not.toMatch(unsafe);
});

it('letters of any script, emoji, tabs and line breaks are unchanged', () => {
  const text = 'Größe 温度 👩‍💻 سلام\n\ta | b\n';
  expect(forTerminal(text)).toBe(text);
  expect(forTerminal('a\r\nb')).toBe('a\nb');
});

it('escaped lines of JSON have the same value', () => {
  const value = { message: attacks.join(' '), name: '温度' };
  const line = forTerminal(JSON.stringify(value));
  expect(line).not.toMatch(unsafe);
  expect(JSON.parse(line)).toEqual(value);
});

it('finding: no command of the command line writes one to stdout or stderr', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-terminal-'));
  const lab = join(folder, `\x1b]0;owned\x07\u202e.lab.json`);
  await writeFile(lab, JSON.stringify({ app: 'ringlab', name: attacks.join('') }));
  const cli = join(import.meta.dirname, '..', 'hosts', 'cli', 'main.ts');
  const node = ['--disable-warning=ExperimentalWarning', cli];
  for (const args of [['check', lab], ['\x1b[31mwhat\u202e']]) {
    const { stdout, stderr } = await run(process.execPath, [...node, ...args], {
      env: { ...process.env, RINGLAB_DATA: join(folder, 'data') },
    }).catch((error: unknown) => error as { stdout: string; stderr: string });
    expect(stdout + stderr).not.toBe('');
    expect(stdout + stderr).not.toMatch(unsafe);
  }
  await rm(folder, { recursive: true });
});
