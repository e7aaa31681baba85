import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readClientConfig } from '../ssh/config/client-config.ts';

let home: string;
let proof: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'ringlab-config-attack-'));
  proof = join(home, 'was-run');
  await mkdir(join(home, '.ssh'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const importOf = async (lines: readonly string[], program?: string) => {
  await writeFile(join(home, '.ssh', 'config'), `${lines.join('\n')}\n`);
  return await readClientConfig({
    home,
    agent: undefined,
    systemConfig: join(home, 'none'),
    ...(program === undefined ? {} : { program }),
  });
};

/** Each of them makes OpenSSH run the command; `ssh -G` is enough for it. */
const spellings = (run: string): string[] => [
  `Match exec "${run}"`,
  `"Match" exec="${run}"`,
  `match\texec\t"${run}"`,
  `  mAtCh =  eXeC "${run}"`,
  `Match=exec="${run}"`,
  `Ma"tch" exec "${run}"`,
  `Match "exec" "${run}"`,
  `Match ex"ec" "${run}"`,
  `Match !exec "${run}"`,
  `Match host=target exec="${run}"`,
  `Match host "target" exec "${run}"`,
  `Match originalhost=target,other user=* exec "${run}"`,
  `Match final exec "${run}"`,
  `=Match exec "${run}"`,
  `"Match"exec "${run}"`,
  `Match host "a\\" exec "${run}"`,
  `\fMatch exec "${run}"`,
];

it.each([undefined, '/nowhere/ssh'])(
  'low finding: no spelling of Match exec runs a command (ssh: %s)',
  async (program) => {
    for (const line of spellings(`touch ${proof}`)) {
      const { hosts, warnings } = await importOf(
        ['Host target', '  HostName 10.0.0.1', line, '  User wrong', 'Host *', '  User right'],
        program,
      );
      expect(existsSync(proof), line).toBe(false);
      expect(hosts, line).toMatchObject([{ alias: 'target', host: '10.0.0.1', user: 'right' }]);
      expect(
        warnings.some(({ kind }) => kind === 'match_exec' || kind === 'unreadable_line'),
        line,
      ).toBe(true);
    }
  },
);

it('low finding: nor does an included file, however its Include is written', async () => {
  await writeFile(join(home, '.ssh', 'more'), `"Match" exec="touch ${proof}"\n  User wrong\n`);
  for (const include of [
    'Include more',
    '"Include" more',
    'include=more',
    'In"clude" "more"',
    'INCLUDE\tmore',
  ]) {
    const { hosts, warnings } = await importOf([include, 'Host target', '  User right']);
    expect(existsSync(proof), include).toBe(false);
    expect(hosts, include).toMatchObject([{ alias: 'target', user: 'right' }]);
    expect(warnings, include).toMatchObject([{ kind: 'match_exec' }]);
  }
});

it('low finding: commands of other keywords are not run, and a ProxyCommand is reported', async () => {
  const { hosts, warnings } = await importOf([
    'Host target',
    `  "ProxyCommand"="touch ${proof}"`,
    `  KnownHostsCommand /usr/bin/touch ${proof}`,
    `  PermitLocalCommand yes`,
    `  LocalCommand touch ${proof}`,
    `  PKCS11Provider ${proof}.so`,
    `  SecurityKeyProvider=${proof}.so`,
    `  XAuthLocation ${proof}`,
    'Host behind',
    '  ProxyCommand ssh -q -W %h:%p gate',
    'Host gate',
    '  HostName 10.0.0.9',
  ]);
  expect(existsSync(proof)).toBe(false);
  expect(hosts.map(({ alias, jump }) => [alias, jump?.host])).toEqual([
    ['target', undefined],
    ['behind', '10.0.0.9'],
    ['gate', undefined],
  ]);
  expect(warnings).toEqual([{ kind: 'proxy_command', file: 'target' }]);
});

it('low finding: an Include of a device, or of a pattern that matches everything, ends', async () => {
  const { hosts, warnings } = await importOf([
    'Include /dev/zero',
    'Include /proc/**/**/status',
    'Host target',
  ]);
  expect(hosts).toMatchObject([{ alias: 'target' }]);
  expect(warnings).toContainEqual({ kind: 'unreadable', file: '/dev/zero' });
});
