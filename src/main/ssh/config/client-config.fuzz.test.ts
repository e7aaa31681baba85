import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ConfigHost, ConfigWarning } from '../../../shared/lab/ssh-config.ts';
import {
  forEachCase,
  fuzzCases,
  fuzzTimeout,
  mutateText,
  type Random,
} from '../../../shared/testing/fuzz.ts';
import { readClientConfig } from './client-config.ts';

let home: string;
let proof: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'ringlab-config-fuzz-'));
  proof = join(home, 'was-run');
  await mkdir(join(home, '.ssh'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const keywords = ['Host', 'Match', 'Include', 'HostName', 'Port', 'User', 'ProxyJump', 'ProxyCommand'];
const criteria = ['all', 'final', 'canonical', 'host', 'originalhost', 'user', 'localuser', 'exec', 'tagged'];

/** An equivalent spelling for OpenSSH: other case, quotes around or within the word. */
function respelt(word: string, random: Random): string {
  const cased = random.chance(0.4)
    ? Array.from(word, (one) => (random.chance(0.5) ? one.toUpperCase() : one)).join('')
    : word;
  const at = random.below(cased.length);
  return random.pick([
    cased,
    cased,
    `"${cased}"`,
    `${cased.slice(0, at)}"${cased.slice(at)}"`,
    `'${cased}'`,
    `!${cased}`,
  ]);
}

function anyConfig(random: Random, run: string): string {
  const between = (): string => random.pick([' ', ' ', '\t', '  ', '=', ' = ', '']);
  const names = ['one', 'two', '*', '!one', 'o*', '"one two"', '%h'];
  const value = (keyword: string): string => {
    switch (keyword) {
      case 'Host':
        return Array.from({ length: 1 + random.below(3) }, () => random.pick(names)).join(' ');
      case 'Match':
        return Array.from({ length: 1 + random.below(3) }, () => {
          const criterion = random.pick(criteria);
          const reported =
            criterion === 'exec' ? random.pick([`"${run}"`, run, `'${run}'`]) : random.pick(names);
          return `${respelt(criterion, random)}${between()}${reported}`;
        }).join(' ');
      case 'Include':
        return random.pick(['more', '*', '~/.ssh/more', '"more"', 'config', 'missing']);
      case 'Port':
        return random.pick(['22', '0', '-1', '99999999999', 'x', '2222']);
      case 'ProxyJump':
        return random.pick(['one', 'two,one', 'none', 'ssh://a@[::1]:22/', '@', ',,']);
      default:
        return random.pick([run, `"${run}"`, ...names]);
    }
  };
  return Array.from({ length: 1 + random.below(12) }, () => {
    const keyword = random.pick([...keywords, 'KnownHostsCommand', 'LocalCommand', 'IdentityFile']);
    return `${random.pick(['', '  ', '\t', '='])}${respelt(keyword, random)}${between()}${value(keyword)}`;
  }).join('\n');
}

it(
  'runs nothing of any configuration, with or without OpenSSH, and returns hosts or a known error',
  { timeout: fuzzTimeout() * 2 },
  async () => {
    const run = `touch ${proof}`;
    const parse = async (random: Random, number: number): Promise<void> => {
      for (const name of ['config', 'more']) {
        const text = anyConfig(random, run);
        const broken = random.chance(0.5)
          ? mutateText(text, random, [...keywords, `exec "${run}"`, '"', '='])
          : text;
        await writeFile(join(home, '.ssh', name), broken);
      }
      const { hosts, warnings } = await readClientConfig({
        home,
        agent: undefined,
        systemConfig: join(home, 'none'),
        ...(number % 4 === 0 ? { program: '/nowhere/ssh' } : {}),
      });
      expect(existsSync(proof)).toBe(false);
      ConfigHost.array().parse(hosts);
      ConfigWarning.array().parse(warnings);
    };
    // Each case starts several processes of ssh.
    await forEachCase('ssh-config', parse, fuzzCases(150));
  },
);
