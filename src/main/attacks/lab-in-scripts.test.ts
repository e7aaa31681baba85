/** Attack: text of a lab from elsewhere that would run, or name other folders, on a node that is prepared. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foreignLab } from '../../shared/lab/foreign-lab.ts';
import type { DataSource, LabDocument } from '../../shared/lab/lab.ts';
import { parseLab } from '../../shared/lab/read-lab.ts';
import { systemClock } from '../base/clock.ts';
import { createBucketKeys, keepsNothing } from '../provision/data/bucket-keys.ts';
import { createDataStep } from '../provision/data/data.ts';
import { createDataS3 } from '../provision/data/data-s3.ts';
import { createDataUpload } from '../provision/data/data-upload.ts';
import { unpacking } from '../provision/data/data-url.ts';
import { fetchScript } from '../provision/download/fetch.ts';
import { createFactsStep } from '../provision/steps/facts.ts';
import { createAsker } from '../provision/testing/asker.ts';
import { labOf } from '../provision/testing/bench.ts';
import { runSteps, stepRun } from '../provision/testing/step-run.ts';
import { createSecretMemory } from '../ssh/index.ts';
import { createLocalShell } from '../ssh/testing/local-shell.ts';

let folder = '';
let mark = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-lab-in-scripts-'));
  mark = join(folder, 'ran');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const urls = ['file:///etc/hostname'];
const hashes = (): string[] => [
  `$(touch ${mark})`,
  `\`touch ${mark}\``,
  `x ]; touch ${mark}; [ x`,
  `"; touch ${mark}; "`,
  `'; touch ${mark}; '`,
  '/../../../.ssh',
];

/** The error of preparing a node's data, and what is then in its home. */
async function prepare(lab: LabDocument): Promise<{ failed: unknown; home: string[] }> {
  const home = mkdtempSync(join(folder, 'home-'));
  const keys = createBucketKeys(createAsker(), createSecretMemory(keepsNothing));
  const steps = [createFactsStep(systemClock), createDataStep(createDataUpload(folder), createDataS3(keys))];
  const failed = await runSteps(steps, stepRun(lab, createLocalShell({ home }), { nodeId: 'n0' }));
  return { failed, home: readdirSync(home) };
}
const labWith = (data: DataSource): LabDocument => labOf(['anna'], { data });

describe('the hash of a lab’s data', () => {
  it('is kept as hexadecimal digits alone, and a lab with anything else can still be read', () => {
    for (const sha256 of [...hashes(), 'see the web site', 7]) {
      const theirs = { ...labWith({ type: 'url', urls, sha256: '' }) };
      const text = JSON.stringify({
        ...theirs,
        experiment: { ...theirs.experiment, data: { type: 'url', urls, sha256 } },
      });
      const { kept } = foreignLab(parseLab(text, 'x.lab.json'));
      expect(kept.experiment.data).toEqual({ type: 'url', urls, sha256: '' });
    }
    const sha256 = 'ab'.repeat(32);
    const whole = labWith({ type: 'url', urls, sha256 });
    expect(parseLab(JSON.stringify(whole), 'x').experiment.data).toEqual({ type: 'url', urls, sha256 });
  });

  it('runs nothing in the commands that download and unpack', () => {
    const archive = join(folder, 'data.archive');
    const place = join(folder, 'data');
    for (const sha256 of hashes()) {
      for (const script of [
        fetchScript('file:///nowhere', archive, sha256, join(place, 'mark')),
        unpacking(archive, place, sha256).command,
      ])
        execFileSync('/bin/sh', ['-c', `( ${script}\n) || true`], { cwd: folder, stdio: 'ignore' });
      expect(existsSync(mark), sha256).toBe(false);
    }
  });
});

it('an archive’s links lead no file of the node’s to be written', () => {
  const home = join(folder, 'home');
  const made = join(folder, 'made');
  mkdirSync(join(made, 'top', 'train'), { recursive: true });
  mkdirSync(home);
  writeFileSync(join(home, 'kept'), 'kept');
  symlinkSync(join(home, 'kept'), join(made, 'top', '.ringlab-url'));
  symlinkSync(home, join(made, 'link'));
  for (const [top, place] of [
    ['top', 'a'],
    ['link', 'b'],
  ] as const) {
    const archive = join(folder, 'data.archive');
    execFileSync('tar', ['-cf', archive, '-C', made, top]);
    execFileSync('/bin/sh', ['-c', unpacking(archive, join(folder, place), 'ab'.repeat(32)).command]);
    expect(existsSync(join(folder, place, '.ringlab-url'))).toBe(true);
  }
  expect(readdirSync(home)).toEqual(['kept']);
  expect(readFileSync(join(home, 'kept'), 'utf8')).toBe('kept');
});

describe('a node is not prepared with data whose', () => {
  it.each<[string, DataSource]>([
    ['hash is none', { type: 'url', urls: ['https://h/x.tar'], sha256: '/../../../.ssh' }],
    ['hash is not whole', { type: 'url', urls: ['https://h/x.tar'], sha256: 'abc' }],
    ['address is a file of the node', { type: 'url', urls, sha256: 'ab'.repeat(32) }],
    [
      'bucket is a path',
      { type: 's3', endpoint: 'https://h', region: 'r', bucket: 'b/../../..', prefix: '', accessKeyId: '' },
    ],
  ])('%s', async (_, data) => {
    expect(await prepare(labWith(data))).toMatchObject({ failed: { code: 'lab_has_errors' }, home: [] });
  });

  it('hash is a command', async () => {
    for (const sha256 of hashes()) {
      const { failed } = await prepare(labWith({ type: 'url', urls, sha256 }));
      expect(failed).toMatchObject({ code: 'lab_has_errors' });
      expect(existsSync(mark), sha256).toBe(false);
    }
  });
});
