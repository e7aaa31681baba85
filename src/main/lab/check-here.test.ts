import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseLab } from '../../shared/lab/read-lab.ts';
import { checkLab, hasErrors } from '../../shared/lab/lab-check.ts';
import { type Authentication } from '../../shared/lab/access.ts';
import { emptyLab, type LabDocument, type LabNode } from '../../shared/lab/lab.ts';
import { defaultPlacement } from '../../shared/lab/lab.ts';
import { checkHere, type ThisComputer } from './check-here.ts';

const home = mkdtempSync(join(tmpdir(), 'ringlab-here-'));
afterAll(() => rmSync(home, { recursive: true }));
const computer: ThisComputer = { home, agent: undefined, platform: 'linux' };

const node = (access: LabNode['access'], more: Partial<LabNode> = {}): LabNode => ({
  id: 'n1',
  name: 'N1',
  kind: 'gpu',
  position: { x: 0, y: 0 },
  placement: defaultPlacement('gpu'),
  access,
  ...more,
});
const ssh = (authentication: Authentication): LabNode['access'] => ({
  type: 'ssh',
  host: 'gpu.lab',
  port: 22,
  user: 'ada',
  authentication,
});
const local = { type: 'local' } as const;
const labWith = (nodes: LabNode[], change: Partial<LabDocument['experiment']> = {}): LabDocument => {
  const lab = emptyLab('lab', 'Lab');
  return { ...lab, nodes, experiment: { ...lab.experiment, ...change } };
};
const found = async (lab: LabDocument, here = computer): Promise<string[]> =>
  (await checkHere(lab, here)).map(({ code, path }) => `${code} ${path}`);

describe('before anything is connected', () => {
  it('an SSH agent that does not run is missing, for a node and for its jump host', async () => {
    const agent = ssh({ method: 'agent' });
    expect(await found(labWith([node(agent)]))).toEqual(['agent_absent nodes[0].access.authentication']);
    expect(await found(labWith([node(agent)]), { ...computer, agent: '/run/agent' })).toEqual([]);
    const behind = {
      ...ssh({ method: 'password' }),
      jump: { host: 'gate', port: 22, user: 'ada', authentication: { method: 'agent' } },
    } as LabNode['access']; // An SSH access, by construction.
    expect(await found(labWith([node(behind)]))).toEqual([
      'agent_absent nodes[0].access.jump.authentication',
    ]);
  });

  it('on a cluster its login node is the only machine whose login counts, once for all nodes', async () => {
    const login = ssh({ method: 'agent' });
    if (login.type !== 'ssh') throw new Error('an SSH access');
    const driver = { kind: 'gpu', driverFile: '/absent.run' } as const;
    const nodes = [node(local, driver), { ...node(ssh({ method: 'agent' })), id: 'second' }];
    expect(await found(labWith(nodes, { where: { type: 'slurm', login } }))).toEqual([
      'agent_absent experiment.where.login.authentication',
    ]);
    // Named before it has an address.
    const [issue] = await checkHere(
      labWith(nodes, { where: { type: 'slurm', login: { ...login, host: '' } } }),
      computer,
    );
    expect(issue?.params.name).toBe('Slurm');
  });

  it('another agent than the user’s own is looked for at its socket', async () => {
    const lab = labWith([node(ssh({ method: 'agent', socket: '~/other agent.sock' }))]);
    expect(await found(lab)).toEqual(['agent_socket_absent nodes[0].access.authentication.socket']);
    writeFileSync(join(home, 'other agent.sock'), '');
    expect(await found(lab)).toEqual([]);
    // Whether a pipe of Windows is there is known when it is opened.
    const pipe = String.raw`\\.\pipe\agent`;
    expect(await found(labWith([node(ssh({ method: 'agent', socket: pipe }))]))).toEqual([]);
  });

  it('key files and driver files are looked for, below ~ too', async () => {
    const lab = labWith([
      node(ssh({ method: 'key', keyFile: '~/id_test' }), { driverFile: join(home, 'driver.run') }),
    ]);
    expect(await found(lab)).toEqual([
      'key_file_absent nodes[0].access.authentication.keyFile',
      'driver_file_absent nodes[0].driverFile',
    ]);
    // A driver file may never be needed.
    expect((await checkHere(lab, computer)).map(({ severity }) => severity)).toEqual(['error', 'warning']);
    writeFileSync(join(home, 'id_test'), 'key');
    mkdirSync(join(home, 'driver.run'));
    expect(await found(lab)).toEqual(['driver_file_absent nodes[0].driverFile']);
  });

  it('data, weights and an existing runtime are looked for where this computer holds them', async () => {
    const data = { type: 'upload', path: join(home, 'pictures') } as const;
    expect(await found(labWith([node(local)], { data }))).toEqual([
      'data_folder_absent experiment.data.path',
    ]);
    const onNode = { type: 'folder', path: join(home, 'pictures') } as const;
    const own = {
      data: onNode,
      pretrained: '/weights.pth',
      runtime: { type: 'existing', path: '/torch' },
    } as const;
    expect(await found(labWith([node(local)], own))).toEqual([
      'local_path_absent experiment.runtime.path',
      'local_path_absent experiment.data.path',
      'local_path_absent experiment.pretrained',
    ]);
    // What another machine holds is known only there.
    expect(await found(labWith([node(ssh({ method: 'password' }))], own))).toEqual([]);
    mkdirSync(join(home, 'pictures'));
    expect(await found(labWith([node(local)], { data }))).toEqual([]);
  });

  it('an own script’s folder, file and list of packages are looked for', async () => {
    const script = {
      source: { type: 'folder', path: '~/code' },
      file: 'train.py',
      arguments: '',
      install: { type: 'requirements', file: 'requirements.txt' },
    } as const;
    const lab = labWith([node(local)], { script });
    expect(await found(lab)).toEqual([
      'script_folder_absent experiment.script.source.path',
      'script_file_absent experiment.script.file',
      'script_file_absent experiment.script.install.file',
    ]);
    mkdirSync(join(home, 'code'));
    writeFileSync(join(home, 'code', 'train.py'), 'pass\n');
    expect(await found(lab)).toEqual(['script_file_absent experiment.script.install.file']);
    writeFileSync(join(home, 'code', 'requirements.txt'), 'torch\n');
    expect(await found(lab)).toEqual([]);
  });

  it('Windows is no node itself', async () => {
    expect(await found(labWith([node(local)]), { ...computer, platform: 'win32' })).toEqual([
      'local_unsupported nodes[0].access',
    ]);
  });
});

describe('the examples', () => {
  it.each([
    ['ceni-three-gpu-nodes', ['host_missing', 'host_missing', 'host_missing', 'data_path_missing']],
    ['one-machine-many-gpus', ['host_missing', 'data_path_missing']],
    ['three-local-nodes', []],
  ])('%s says what is to be filled in', (name, codes) => {
    const issues = checkLab(parseLab(readFileSync(`assets/labs/${name}.lab.json`, 'utf8'), name));
    expect(issues.map(({ code }) => code)).toEqual(codes);
    expect(hasErrors(issues)).toBe(codes.length > 0);
  });

  it('an address of an example is refused, as the first version of these labs had it', () => {
    const lab = labWith([node({ ...ssh({ method: 'password' }), host: 'n1.example' } as LabNode['access'])]);
    expect(checkLab(lab)).toMatchObject([
      {
        code: 'host_example',
        severity: 'error',
        params: { host: 'n1.example' },
        path: 'nodes[0].access.host',
      },
    ]);
  });
});
