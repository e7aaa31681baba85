import { describe, expect, it } from 'vitest';
import { defaultPlacement, emptyLab, type LabDocument } from './lab.ts';
import { forgetEnds, jobParts, previewScript, unseenMark } from './slurm-script.ts';
import { newSlurmTarget, sbatchOptionProblem, SlurmTarget } from './where.ts';

function labOf(gpus: readonly number[], where: Partial<SlurmTarget> = {}): LabDocument {
  const lab = emptyLab('l', 'Lab');
  lab.nodes = gpus.map((gpuCount, index) => ({
    id: `n${index}`,
    name: `N${index}`,
    kind: gpuCount === 0 ? 'cpu' : 'gpu',
    position: { x: 0, y: 0 },
    placement: {
      ...defaultPlacement('gpu'),
      cpus: 8,
      memoryGb: 16,
      flavour: { name: '', gpuModel: '', gpuCount },
    },
    access: { type: 'local' },
  }));
  lab.experiment.where = { ...newSlurmTarget(), ...where };
  return lab;
}
const scriptOf = (lab: LabDocument): string => {
  const { where } = lab.experiment;
  return where?.type === 'slurm' ? previewScript(lab, where) : '';
};
const asked = (lab: LabDocument): string[] =>
  scriptOf(lab)
    .split('\n')
    .filter((line) => line.startsWith('#SBATCH'));

describe('the sbatch script', () => {
  it('asks for the drawn nodes, and for what the lab names of the cluster', () => {
    const where = { partition: 'gpu', account: 'lab', qos: 'high', gpuType: 'a100', timeLimitMinutes: 90 };
    expect(asked(labOf([2, 2], { ...where, options: ['--constraint=ib'] }))).toEqual([
      '#SBATCH --job-name=ringlab-RUN-1',
      '#SBATCH --output=slurm-%j.out',
      '#SBATCH --open-mode=append',
      '#SBATCH --no-requeue',
      '#SBATCH --nodes=2',
      '#SBATCH --ntasks-per-node=2',
      '#SBATCH --cpus-per-task=4',
      '#SBATCH --mem=16384M',
      '#SBATCH --gres=gpu:a100:2',
      '#SBATCH --partition=gpu',
      '#SBATCH --account=lab',
      '#SBATCH --qos=high',
      '#SBATCH --time=90',
      '#SBATCH --constraint=ib',
    ]);
  });
  it('is a heterogeneous job where drawn nodes differ, with one part for each run of alike nodes', () => {
    const lab = labOf([1, 1, 0]);
    expect(jobParts(lab).map(({ nodes, gpus }) => [nodes, gpus])).toEqual([
      [2, 1],
      [1, 0],
    ]);
    expect(asked(lab).filter((line) => line.includes('hetjob'))).toHaveLength(1);
    const ranks = /^srun .*&$/m.exec(scriptOf(lab))?.[0] ?? '';
    expect(ranks.match(/--nodes=.* --het-group=\d/g)?.[0].split(' : ')).toEqual([
      expect.stringMatching(/^--nodes=2 --ntasks=2 --ntasks-per-node=1 --cpus-per-task=8 --het-group=0/),
      expect.stringMatching(/--nodes=1 --ntasks=1 --ntasks-per-node=1 --cpus-per-task=8 --het-group=1$/),
    ]);
    expect(scriptOf(lab)).toContain('"$SLURM_JOB_NODELIST_HET_GROUP_1"');
  });
  it('saves before the time limit and requeues only where the lab says so, later in a short job', () => {
    expect(scriptOf(labOf([1]))).not.toMatch(/requeue "|USR1/);
    expect(asked(labOf([1], { requeue: true, timeLimitMinutes: 60 }))).toContain(
      '#SBATCH --signal=B:USR1@120',
    );
    expect(asked(labOf([1], { requeue: true, timeLimitMinutes: 2 }))).toContain('#SBATCH --signal=B:USR1@30');
    expect(scriptOf(labOf([1], { requeue: true }))).toContain('scontrol requeue "$SLURM_JOB_ID"');
  });
  it('names a compute node that does not have the run’s folder, and ends the job there', () => {
    expect(scriptOf(labOf([1]))).toContain(`echo "${unseenMark} $(hostname) $RINGLAB_RUN" >&2`);
  });
  it('copies files out and back where the nodes share no folder', () => {
    const text = scriptOf(labOf([1, 0], { folder: '/tmp/me', nodeLocal: true, requeue: true }));
    expect(text).toContain('#SBATCH --output=/dev/null');
    expect(text).toContain('until [ -e ".staged-$RINGLAB_START" ]');
    // A step for each part of the job waits until the files were taken, before the job is requeued.
    expect(text.match(/srun --overlap .*--het-group=\d /g)).toHaveLength(2);
    expect(text.indexOf('.brought-')).toBeLessThan(text.indexOf('scontrol requeue'));
    // Without the folder's name it is a shared one.
    expect(scriptOf(labOf([1], { nodeLocal: true }))).not.toContain('.staged-');
  });
  it('loads modules before the ranks start, and has no secret in it', () => {
    const script = scriptOf(labOf([1], { modules: ['cuda/12.1'] }));
    expect(script).toContain('module load cuda/12.1 || exit 1');
    expect(script.indexOf('module load')).toBeLessThan(script.indexOf('srun '));
    expect(script).not.toMatch(/secret-file|--secret /);
  });
});

describe('an Apptainer image', () => {
  it('is what the ranks run in, with the nodes’ GPUs', () => {
    const script = scriptOf(labOf([1], { image: '/shared/torch.sif' }));
    expect(script).toMatch(/^srun .* "\$engine" exec --nv --bind \S+ \/shared\/torch\.sif sh -c /m);
    expect(scriptOf(labOf([0], { image: 'docker://debian:12' }))).toMatch(
      / exec --bind \S+ docker:\/\/debian:12 sh/,
    );
    expect(scriptOf(labOf([1]))).not.toMatch(/engine|apptainer/);
  });
  it('has what lies beside the run’s folder, the shared folder, and the data that is on every node', () => {
    const lab = labOf([1], { image: '/i.sif', folder: '/scratch/you' });
    const data = (path: string): string => {
      lab.experiment.data = { type: 'folder', path };
      return / exec (.*) \/i\.sif sh/.exec(scriptOf(lab))?.[1] ?? '';
    };
    const own = `--nv --bind "\${RINGLAB_RUN%/runs/*}" --bind '/scratch/you'`;
    expect(data('/data sets/it’s')).toBe(`${own} --bind '/data sets/it’s'`);
    expect(data("/it's")).toBe(`${own} --bind '/it'\\''s'`);
    // There they separate what is bound from where.
    expect(data('/a:b')).toBe(own);
    lab.experiment.script = { source: { type: 'folder', path: '/code' }, file: 'train.py', arguments: '' };
    expect(data('/datasets')).toBe(own);
  });
  it.each(['a b', '$(id)', '-B /', "x'y", '"', 'a;b'])('is not called %j', (image) => {
    expect(SlurmTarget.safeParse({ ...newSlurmTarget(), image }).success).toBe(false);
  });
});

describe('a cluster in a lab file', () => {
  it.each(['gpu;rm -rf /', 'a b', '$(id)', '-p', "a'b", 'a\nb'])('no partition is named %j', (partition) => {
    expect(SlurmTarget.safeParse({ ...newSlurmTarget(), partition }).success).toBe(false);
    expect(SlurmTarget.safeParse({ ...newSlurmTarget(), modules: [partition] }).success).toBe(false);
  });
  it.each(['scratch', '/scratch/../etc', '/a b', '/a;b', '~/x', '/'])('no shared folder is %j', (folder) => {
    expect(SlurmTarget.safeParse({ ...newSlurmTarget(), folder }).success).toBe(false);
    expect(SlurmTarget.safeParse({ ...newSlurmTarget(), folder: '/scratch/anna' }).success).toBe(true);
  });
  it.each([
    ['--constraint=a100', undefined],
    ['--exclude node[1-3]', undefined],
    ['-C a100', undefined],
    ['--exclusive', undefined],
    ['--nodes=9', 'own'],
    ['-N 9', 'own'],
    ['--output=/etc/passwd', 'own'],
    ['a100', 'form'],
    ['--comment="x" # y', 'form'],
  ])('the option %j is checked', (option, problem) => {
    expect(sbatchOptionProblem(option)).toBe(problem);
  });
});

it('a job that starts again forgets how each of its processes ended, collectors among them', () => {
  for (const name of ['rank', 'monitor', 'collect'])
    expect(forgetEnds).toContain(` ${name}-*/exit.json ${name}-*/pid`);
});
