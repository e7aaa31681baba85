import { describe, expect, it } from 'vitest';
import { foreignLab } from './foreign-lab.ts';
import { checkLab, rankCount } from './lab-check.ts';
import { defaultPlacement, emptyLab, LabDocument } from './lab.ts';
import { newKubernetesTarget } from './kubernetes.ts';
import { asReached, sessionNodeId } from './reached.ts';
import { newSlurmTarget, type SlurmTarget } from './where.ts';

const login: SlurmTarget['login'] = {
  type: 'ssh',
  host: 'login.cluster.edu',
  port: 22,
  user: 'ada',
  authentication: { method: 'key', keyFile: '~/.ssh/cluster' },
};
function clusterLab(change: Partial<SlurmTarget> = {}): LabDocument {
  const lab = emptyLab('l', 'Lab');
  lab.nodes = ['a', 'b'].map((id) => ({
    id,
    name: id,
    kind: 'gpu',
    position: { x: 0, y: 0 },
    placement: {
      ...defaultPlacement('gpu'),
      flavour: { name: 'g', gpuModel: 'A100', gpuCount: 4 },
    },
    access: { type: 'ssh', host: '', port: 22, user: '', authentication: { method: 'agent' } },
  }));
  lab.experiment.batchSize = 512;
  lab.experiment.where = { ...newSlurmTarget(), login, ...change };
  return LabDocument.parse(lab);
}
const issues = (lab: LabDocument): string[] => checkLab(lab).map(({ code, path }) => `${code} ${path}`);

describe('a lab on a cluster', () => {
  it('needs no access to its nodes, only to the login node', () => {
    expect(issues(clusterLab())).toEqual([]);
    const { where } = clusterLab().experiment;
    expect(where?.type).toBe('slurm');
    expect(issues(clusterLab({ login: { ...login, host: ' ', user: '' } }))).toEqual([
      'host_missing experiment.where.login.host',
      'user_missing experiment.where.login.user',
    ]);
    const machines = clusterLab();
    machines.experiment.where = { type: 'machines' };
    expect(issues(machines)).toContain('host_missing nodes[0].access.host');
  });
  it('starts as many ranks as GPUs are drawn, whatever the login node has, and all through one session', () => {
    const lab = clusterLab();
    expect(rankCount(lab)).toBe(8);
    expect(asReached(lab).nodes.map(({ access }) => access)).toEqual([login, login]);
    expect(lab.nodes.map(({ id }) => sessionNodeId(lab, id))).toEqual(['a', 'a']);
    expect(asReached(asReached(lab))).toEqual(asReached(lab));
  });
  it('says what does not fit: links, limits, split data, options that Ringlab sets', () => {
    const lab = clusterLab({ options: ['--nodes=4', 'what', '-C a100'], requeue: true });
    lab.links = [{ id: 'l', ends: ['a', 'b'], bandwidthMbps: 10, delayMs: 0, lossPercent: 0 }];
    lab.experiment.data = { type: 'upload', path: '/data', split: true };
    expect(issues(lab)).toEqual([
      'slurm_option_own experiment.where.options[0]',
      'slurm_option experiment.where.options[1]',
      'slurm_requeue_limit experiment.where.requeue',
      'cluster_split experiment.data.split',
      'cluster_links experiment.where',
    ]);
    lab.experiment.limitLinks = true;
    expect(issues(lab)).toContain('cluster_network experiment.limitLinks');
  });
  it('needs a folder that each node can have where none is shared', () => {
    expect(issues(clusterLab({ nodeLocal: true }))).toEqual(['slurm_folder experiment.where.folder']);
    expect(issues(clusterLab({ nodeLocal: true, folder: '/tmp/me' }))).toEqual([]);
  });
  it('from elsewhere brings no key file, no modules and no options: these start programs', () => {
    const lab = clusterLab({
      modules: ['evil/1'],
      options: ['--prolog=/tmp/evil'],
      image: 'docker://evil',
      folder: '/scratch/evil',
      partition: 'gpu',
    });
    const { kept, dropped } = foreignLab(lab);
    expect(kept.experiment.where).toEqual({
      ...newSlurmTarget(),
      login: { ...login, authentication: { method: 'key', keyFile: '' } },
      partition: 'gpu',
    });
    expect(dropped).toEqual([
      'where.folder = /scratch/evil',
      'where.image = docker://evil',
      'where.modules = evil/1',
      'where.options = --prolog=/tmp/evil',
      'where.login.keyFile = ~/.ssh/cluster',
    ]);
  });
  it('needs the key files of its jump hosts, which one from elsewhere does not bring', () => {
    const jump = { host: 'j.edu', port: 22, user: 'ada', authentication: login.authentication };
    const through = { ...login, authentication: { method: 'agent' as const }, jump: { ...jump, jump } };
    const lab = clusterLab({ login: through });
    expect(issues(lab)).toEqual([]);
    expect(issues(foreignLab(lab).kept)).toEqual([
      'key_file_missing experiment.where.login.jump.jump.authentication.keyFile',
      'key_file_missing experiment.where.login.jump.authentication.keyFile',
    ]);
    lab.experiment.where = { type: 'machines' };
    lab.nodes = lab.nodes.slice(0, 1).map((node) => ({ ...node, access: through }));
    expect(issues(foreignLab(lab).kept).filter((one) => one.startsWith('key_file'))).toEqual([
      'key_file_missing nodes[0].access.jump.jump.authentication.keyFile',
      'key_file_missing nodes[0].access.jump.authentication.keyFile',
    ]);
  });
  it('of Kubernetes needs an image and no access; without a claim each node has a session of its own', () => {
    const lab = clusterLab();
    lab.experiment.where = newKubernetesTarget();
    expect(issues(lab)).toEqual([
      'kubernetes_image experiment.where.image',
      'kubernetes_no_claim experiment.where.claim',
    ]);
    expect(checkLab(lab).map(({ severity }) => severity)).toEqual(['error', 'warning']);
    expect(lab.nodes.map(({ id }) => sessionNodeId(lab, id))).toEqual(['a', 'b']);
    lab.experiment.where = { type: 'kubernetes', image: 'registry.example/train:1', claim: 'shared' };
    expect(issues(LabDocument.parse(lab))).toEqual([]);
    expect(rankCount(lab)).toBe(8);
    expect(lab.nodes.map(({ id }) => sessionNodeId(lab, id))).toEqual(['a', 'a']);
    lab.links = [{ id: 'l', ends: ['a', 'b'], bandwidthMbps: 10, delayMs: 0, lossPercent: 0 }];
    expect(issues(lab)).toEqual(['cluster_links experiment.where']);
  });
  it('of Kubernetes from elsewhere brings no kubeconfig and no image: both start programs', () => {
    const lab = clusterLab();
    lab.experiment.where = { type: 'kubernetes', kubeconfig: '/tmp/evil', image: 'evil:1', claim: 'shared' };
    const { kept, dropped } = foreignLab(lab);
    expect(kept.experiment.where).toEqual({ type: 'kubernetes', image: '', claim: 'shared' });
    expect(dropped).toEqual(['where.kubeconfig = /tmp/evil', 'where.image = evil:1']);
  });
});
