/** Attack: a name in a lab, or text of a node, that would run in the exported script. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatLab, parseLab } from '../../shared/lab/read-lab.ts';
import { defaultPlacement, emptyLab, type LabDocument } from '../../shared/lab/lab.ts';
import { ConfigHost } from '../../shared/lab/ssh-config.ts';
import { RunRecord } from '../../shared/run/run.ts';
import { commandScript } from '../run/launch/command-script.ts';

let folder = '';
let mark = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-commands-'));
  mark = join(folder, 'ran');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const hostile = (): string[] =>
  ['\n', '\r\n', '\r', '\n\n', '\u2028', '\u0085', '`', '$(', '"; ', "'; ", '; '].map(
    (before) => `x${before}touch ${mark}${before === '$(' ? ')' : before === '`' ? '`' : ''}\n`,
  );

const labWith = (host: string, user: string, name = 'node'): LabDocument => ({
  ...emptyLab('lab', 'Lab'),
  nodes: [
    {
      id: 'n1',
      name,
      kind: 'cpu',
      position: { x: 0, y: 0 },
      placement: defaultPlacement('cpu'),
      access: { type: 'ssh', host, port: 22, user, authentication: { method: 'agent' } },
    },
  ],
});

/** A record as a version that did not look at names has stored it. */
const runOf = (lab: LabDocument, word: string): RunRecord => ({
  version: 1,
  id: `run${word}`,
  name: word,
  labId: 'lab',
  lab,
  state: 'finished',
  attempt: 1,
  createdAt: 1,
  epochsCompleted: 1,
  epochs: 1,
  step: 1,
  ranks: [
    {
      rank: 0,
      nodeId: 'n1',
      nodeName: word,
      localRank: 0,
      state: 'done',
      argv: ['true', word],
      env: { WORD: word },
      directory: join(folder, 'rank'),
    },
  ],
  master: { host: word, port: 8090 },
  unreachable: {},
  badLines: 0,
  notes: '',
});

describe('finding 5: a line break in a name runs nothing in the exported commands.sh', () => {
  it('finding 5: nor does any text in a user, host, name, address or argument', () => {
    for (const word of hostile()) {
      const script = commandScript(runOf(labWith(word, word, word), word));
      execFileSync('sh', ['-s', '0'], { input: script, cwd: folder });
      expect(existsSync(mark), JSON.stringify(word)).toBe(false);
      const comments = script.slice(0, script.indexOf('case "$1" in'));
      for (const line of comments.split('\n').slice(1)) expect(line).toMatch(/^(#.*)?$/);
      // Nothing for the terminal of whoever reads it.
      expect(comments.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    }
  });

  it('finding 5: a lab with such a name is refused with its place, and so is an option as host or user', () => {
    const base = labWith('host', 'user');
    expect(parseLab(formatLab(base), 'x').nodes).toHaveLength(1);
    const broken = (change: (lab: LabDocument) => unknown): unknown => {
      try {
        return parseLab(JSON.stringify(change(structuredClone(base))), 'x');
      } catch (error) {
        return error;
      }
    };
    const access = (change: object) => (lab: LabDocument) => ({
      ...lab,
      nodes: [{ ...lab.nodes[0], access: { ...lab.nodes[0]!.access, ...change } }],
    });
    const jump = { host: 'h', port: 22, user: 'u', authentication: { method: 'agent' } };
    for (const word of ['a\nb', 'a\u001B[31m', '-oProxyCommand=touch x', ' -F/tmp/x', 'a\0b', 'a\u2028b']) {
      for (const [path, change] of [
        ['nodes[0].access.host', access({ host: word })],
        ['nodes[0].access.user', access({ user: word })],
        ['nodes[0].access.jump.host', access({ jump: { ...jump, host: word } })],
        ['nodes[0].access.jump.user', access({ jump: { ...jump, user: word } })],
        [
          'nodes[0].access.authentication.keyFile',
          access({ authentication: { method: 'key', keyFile: word } }),
        ],
        [
          'nodes[0].driverFile',
          (lab: LabDocument) => ({ ...lab, nodes: [{ ...lab.nodes[0], driverFile: word }] }),
        ],
        [
          'experiment.data.path',
          (lab: LabDocument) => ({
            ...lab,
            experiment: { ...lab.experiment, data: { type: 'upload', path: word } },
          }),
        ],
        [
          'experiment.pretrained',
          (lab: LabDocument) => ({ ...lab, experiment: { ...lab.experiment, pretrained: word } }),
        ],
      ] as const)
        expect(broken(change), `${path} ${JSON.stringify(word)}`).toMatchObject({
          code: 'lab_invalid',
          params: { path },
        });
    }
    expect(broken((lab) => ({ ...lab, name: 'a\nb' }))).toMatchObject({ params: { path: 'name' } });
    expect(broken((lab) => ({ ...lab, description: 'two\nlines' }))).toMatchObject({
      description: 'two\nlines',
    });
  });

  it('finding 5: such a name is not imported from the SSH configuration', () => {
    const host = { alias: 'a', host: 'h', port: 22, user: 'u', authentication: { method: 'agent' } };
    expect(ConfigHost.safeParse(host).success).toBe(true);
    for (const change of [
      { user: '-l root' },
      { host: '-oProxyCommand=x' },
      { user: 'a\nb' },
      { alias: 'a\u001Bc' },
    ])
      expect(ConfigHost.safeParse({ ...host, ...change }).success).toBe(false);
  });

  it('a lab with unlimited nesting is refused before any recursion', () => {
    const levels = 100_000;
    const text = formatLab(labWith('h', 'u')).replace(
      '"host": "h"',
      `"host": "h", "jump": ${'{"jump":'.repeat(levels)}1${'}'.repeat(levels)}`,
    );
    expect(() => parseLab(text, 'deep')).toThrow(expect.objectContaining({ code: 'lab_invalid' }));
  });

  it('a run of an older version with such a name is left in place and reported by name', () => {
    expect(RunRecord.safeParse(runOf(labWith('a\nb', 'u'), 'x')).success).toBe(false);
  });
});
