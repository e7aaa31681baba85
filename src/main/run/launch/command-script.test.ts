import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { emptyLab } from '../../../shared/lab/lab.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { commandScript } from './command-script.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-commands-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('sets a rank’s variables in its network, which is entered by sudo that drops them', () => {
  const secret = "it's\nsecret $HOME";
  const rankOf = (rank: number) => ({
    ...{ rank, nodeId: 'n', nodeName: 'N', directory: join(folder, `it's rank ${rank}`) },
    env: { RANK: `${rank}`, NOTE: 'x $y' },
    // As sudo resets the environment; each way in is recorded.
    enter: `sh -c 'echo "$*" >>${folder}/entered; exec "$@"' sh env -i PATH="$PATH"`,
    argv: ['sh', '-c', 'printf "%s\\n" "$RANK" "$NOTE" "$TOKEN" "$PWD" "$@" >out', 'sh', 'a b'],
  });
  const script = (secrets: object[]): void => {
    const own = {
      ...emptyLab('l', 'L'),
      experiment: { ...emptyLab('l', 'L').experiment, script: { environment: secrets } },
      nodes: [],
    };
    const run = { id: 'r1', name: 'r', attempt: 1, lab: own, ranks: [0, 1].map(rankOf) };
    // The fields that a script needs.
    writeFileSync(join(folder, 'commands.sh'), commandScript(run as unknown as RunRecord));
  };
  const start = (rank: number, variables: object): string => {
    const env = { PATH: process.env.PATH, ...variables };
    execFileSync('sh', ['commands.sh', `${rank}`], { cwd: folder, env, stdio: 'pipe' });
    return readFileSync(join(folder, `it's rank ${rank}`, 'out'), 'utf8');
  };
  const seen = (rank: number, token: string): string =>
    [`${rank}`, 'x $y', token, join(folder, `it's rank ${rank}`), 'a b', ''].join('\n');
  script([]);
  expect(start(1, {})).toBe(seen(1, ''));
  script([{ name: 'TOKEN', secret: true }]);
  expect(() => start(0, {})).toThrow(/TOKEN: set this secret variable first/);
  expect(start(0, { TOKEN: secret })).toBe(seen(0, secret));
  expect(readFileSync(join(folder, 'entered'), 'utf8')).not.toContain('secret $HOME');
  expect(readdirSync(join(folder, "it's rank 0"))).toEqual(['out']);
});
