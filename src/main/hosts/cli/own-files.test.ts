import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SshAccess } from '../../../shared/lab/access.ts';
import { defaultPlacement, emptyLab, type LabDocument, type LabNode } from '../../../shared/lab/lab.ts';
import { allowOwnFiles, ownFilesOf } from './own-files.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-cli-own-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sshAccess: SshAccess = {
  type: 'ssh',
  host: 'h',
  port: 22,
  user: 'u',
  authentication: { method: 'key', keyFile: '~/k' },
};
const node = (id: string, local: boolean, driverFile?: string): LabNode => ({
  id,
  name: id,
  kind: 'gpu',
  position: { x: 0, y: 0 },
  placement: defaultPlacement('gpu'),
  access: local ? { type: 'local' } : sshAccess,
  ...(driverFile === undefined ? {} : { driverFile }),
});
const labOf = (nodes: LabNode[], change: Partial<LabDocument['experiment']> = {}): LabDocument => {
  const lab = emptyLab('lab', 'Lab');
  return { ...lab, nodes, experiment: { ...lab.experiment, ...change } };
};
const upload = (): LabDocument =>
  labOf([node('mine', true), node('far', false, '~/x.run')], {
    data: { type: 'upload', path: folder },
    pretrained: '/w.pth',
  });

describe('files of this computer that a lab file names', () => {
  it('are those that are sent: images, a driver, the weights of rank 0; none if all nodes are local', () => {
    expect(ownFilesOf(upload()).map(({ path }) => path)).toEqual([folder, '~/x.run', '/w.pth']);
    expect(ownFilesOf({ ...upload(), nodes: [node('mine', true, '~/x.run')] })).toEqual([]);
    // The initial weights on another machine are that machine's file.
    expect(ownFilesOf(labOf([node('far', false)], { pretrained: '/w.pth' }))).toEqual([]);
  });

  describe('a repository that a lab names', () => {
    const url = 'git@github.com:me/private.git';
    const ofGit = (nodes: LabNode[]): LabDocument =>
      labOf(nodes, { script: { source: { type: 'git', url }, file: 'train.py', arguments: '' } });
    const silent = (): void => {
      throw new Error('there is nothing to say');
    };

    it('is not fetched with the user’s git login without consent, whatever the nodes are', async () => {
      for (const nodes of [
        [node('far', false)],
        [node('mine', true)],
        [node('mine', true), node('far', false)],
      ]) {
        const printed: string[] = [];
        const ask = (): Promise<void> =>
          allowOwnFiles(ofGit(nodes), false, undefined, (text) => void printed.push(text));
        await expect(ask()).rejects.toMatchObject({ code: 'own_files_refused', params: { what: url } });
        expect(printed[0]).toContain(`${url} (repository): code of the script`);
        expect(printed[0]).toContain(nodes.map(({ name }) => name).join(', '));
      }
    });

    it('is asked about on a cluster, too', () => {
      const lab = ofGit([node('mine', true)]);
      const onSlurm: LabDocument = {
        ...lab,
        experiment: { ...lab.experiment, where: { type: 'slurm', login: sshAccess } },
      };
      expect(ownFilesOf(onSlurm).map(({ path }) => path)).toEqual([url]);
    });

    it('is all that a dry run asks about, which sends nothing', async () => {
      const lab = ofGit([node('far', false, '~/x.run')]);
      expect(ownFilesOf(lab).map(({ path }) => path)).toEqual([url, '~/x.run']);
      expect(ownFilesOf(lab, { dryRun: true })).toEqual([
        {
          path: url,
          isRepository: true,
          why: 'code of the script, fetched with your git login, submodules too, to list what would be sent',
        },
      ]);
      await allowOwnFiles(upload(), false, undefined, silent, { dryRun: true });
    });

    it('needs none where the user has named it in this command', async () => {
      await allowOwnFiles(ofGit([node('far', false)]), false, undefined, silent, { own: url });
    });
  });

  it('finding 4: are listed and need consent; without a terminal they are not sent without --own-files', async () => {
    const printed: string[] = [];
    const print = (text: string): void => void printed.push(text);
    const asks = (answer: string) => ({ ask: () => Promise.resolve(answer) });
    const refused = { code: 'own_files_refused', where: 'Lab' };
    await expect(allowOwnFiles(upload(), false, undefined, print)).rejects.toMatchObject(refused);
    await expect(allowOwnFiles(upload(), false, asks('no'), print)).rejects.toMatchObject(refused);
    await expect(allowOwnFiles(upload(), false, asks(''), print)).rejects.toMatchObject(refused);
    await allowOwnFiles(upload(), false, asks('yes'), print);
    await allowOwnFiles(upload(), true, undefined, print);
    expect(printed[0]).toContain(`${folder} (folder): images, sent to far`);
    expect(printed[0]).toContain('~/x.run (not there)');
    await allowOwnFiles(labOf([node('far', false)]), false, undefined, () => {
      throw new Error('there is nothing to say');
    });
  });
});
