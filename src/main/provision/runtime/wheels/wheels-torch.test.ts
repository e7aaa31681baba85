import { describe, expect, it } from 'vitest';
import { RinglabError } from '../../../../shared/base/errors.ts';
import { emptyLab } from '../../../../shared/lab/lab.ts';
import {
  buildReason,
  createScript,
  downloadProgress,
  failureReason,
  otherReason,
  unsolvedReason,
} from './wheels-commands.ts';
import { chooseTorch, numpyFor } from './wheels-torch.ts';
import { buildsNamed, ownCodeFolder, torchNamed, wantedPackages } from './wheels-wanted.ts';

describe('which PyTorch a node gets', () => {
  const driver = (cuda: string) => ({ cuda, driver: '1' });
  it.each([
    ['13.0', 'torch>=2.0', '>=3.10,<3.15'],
    ['12.2', 'torch>=2.0,<2.11', '>=3.10,<3.15'],
    ['11.4', 'torch>=2.0,<2.1', '>=3.8,<3.12'],
  ])('a driver for CUDA %s: %s', (cuda, requirement, python) => {
    expect(chooseTorch({}, driver(cuda), true, false)).toEqual({ requirement, python });
  });
  it.each([
    [7.5, '2.12'],
    [7, '2.11'],
    [6.1, '2.8'],
    [3.7, '2.1'],
  ])(
    'a GPU of compute capability %s beside a newer one: a wheel that has code for it',
    (capability, below) => {
      const gpus = [9, capability].map((one, index) => ({ index, name: 'GPU', capability: one }));
      const facts = { ...driver('13.0'), gpus };
      expect(chooseTorch({}, facts, true, true).requirement).toBe(`torch>=2.0,<${below}`);
      expect(chooseTorch({}, facts, false, true).requirement).toBe('torch>=2.0,<2.12');
      // Builds for an older CUDA may have code for older GPUs.
      expect(chooseTorch({ builds: ['cu126'] }, facts, true, true).requirement).toBe('torch>=2.0,<2.12');
    },
  );
  it('a named PyTorch whose wheels have no code for the GPU is refused', () => {
    const gpus = [{ index: 0, name: 'Tesla V100', capability: 7 }];
    expect(() => chooseTorch({ torch: '2.11.0' }, { ...driver('13.0'), gpus }, true, false)).toThrow(
      expect.objectContaining({
        code: 'wheels_gpu_old',
        params: { gpu: 'Tesla V100', capability: 7, torch: '2.11.0', newest: '2.10' },
      }),
    );
  });
  it('a GPU or a driver that no wheel is for is named, and for an old GPU no newer driver is asked', () => {
    const gpus = [7, 3.5].map((capability, index) => ({ index, name: `GPU ${index}`, capability }));
    const k40 = { ...driver('11.4'), gpus };
    expect(() => chooseTorch({}, k40, true, false)).toThrow(
      expect.objectContaining({ code: 'wheels_no_gpu', params: { gpu: 'GPU 1', capability: 3.5 } }),
    );
    for (const torch of [undefined, '2.0.1'])
      expect(() => chooseTorch({ torch }, { ...k40, ...driver('10.2') }, true, false)).toThrow(
        expect.objectContaining({ code: 'wheels_no_driver', params: { driver: '1' } }),
      );
  });
  it('no GPU: the newest, whatever driver is there', () => {
    expect(chooseTorch({}, driver('11.4'), false, false).requirement).toBe('torch>=2.0');
  });
  it('the native trainer: the newest that it has been compiled with, unless another is named', () => {
    expect(chooseTorch({}, driver('13.0'), true, true)).toEqual({
      requirement: 'torch>=2.0,<2.12',
      python: '>=3.10,<3.15',
    });
    expect(chooseTorch({}, driver('11.4'), true, true).requirement).toBe('torch>=2.0,<2.1');
    expect(chooseTorch({ torch: '2.13.0' }, driver('13.0'), true, true).requirement).toBe('torch==2.13.0');
  });
  it('a named version, with the Pythons that have a wheel of it', () => {
    expect(chooseTorch({ torch: '2.3.1' }, driver('12.2'), true, false)).toEqual({
      requirement: 'torch==2.3.1',
      python: '>=3.8,<3.13',
    });
    expect(chooseTorch({ torch: '2.3.1', python: '3.11' }, {}, true, false).python).toBe('3.11');
    // A later one than any that is known here.
    expect(chooseTorch({ torch: '2.40.0' }, driver('13.0'), true, false).requirement).toBe('torch==2.40.0');
  });
  it.each([
    ['torch>=2.0,<2.1', 'numpy<2'],
    ['torch>=2.0,<2.3', 'numpy<2'],
    ['torch>=2.0,<2.11', 'numpy'],
    ['torch>=2.0', 'numpy'],
    ['torch==2.2.2+cu118', 'numpy<2'],
    ['torch==2.3.0', 'numpy'],
  ])('the NumPy that works with %s', (requirement, numpy) => {
    expect(numpyFor(requirement)).toBe(numpy);
  });
  it('the Pythons that a project is for, unless the experiment names one', () => {
    const wanted = { torch: '2.3.1', requires: '>= 3.11, !=3.11.1' };
    expect(chooseTorch(wanted, {}, true, false).python).toBe('>=3.8,<3.13,>=3.11,!=3.11.1');
    expect(chooseTorch({ requires: '>=3.12' }, driver('12.2'), true, false).python).toBe(
      '>=3.10,<3.15,>=3.12',
    );
    expect(chooseTorch({ ...wanted, python: '3.10' }, {}, true, false).python).toBe('3.10');
  });
  it.each([
    ['12.8', '2.11.0', '2.10'],
    ['11.8', '2.1.0', '2.0'],
  ])('a driver for CUDA %s does not run %s', (cuda, torch, newest) => {
    expect(() => chooseTorch({ torch }, driver(cuda), true, false)).toThrow(RinglabError);
    try {
      chooseTorch({ torch }, driver(cuda), true, false);
    } catch (error) {
      expect(error).toMatchObject({ code: 'wheels_driver_old', params: { torch, newest } });
    }
  });
  it.each([
    ['2.1.0+cu118', ['cu118'], '11.8'],
    ['2.11.0+cu126', ['cu126'], '12.6'],
    ['2.11.0', ['cu126'], '12.6'],
    ['2.11.0', ['cu130', 'cu118'], '11.8'],
    ['2.11.0+cpu', ['cpu'], '11.4'],
    ['2.0.1', ['cu92'], '10.2'],
  ])(
    'PyTorch %s of the builds %s on a driver for CUDA %s: the build counts, not PyPI’s',
    (torch, builds, cuda) => {
      expect(chooseTorch({ torch, builds }, driver(cuda), true, false).requirement).toBe(`torch==${torch}`);
    },
  );
  it('the newest of a build that the driver runs', () => {
    const { requirement } = chooseTorch({ builds: ['cu118'] }, driver('11.8'), true, false);
    expect(requirement).toBe('torch>=2.0');
    expect(chooseTorch({ builds: ['cu130'] }, driver('12.4'), true, false).requirement).toBe(
      'torch>=2.0,<2.11',
    );
  });
  it('a build for a newer CUDA than the driver’s is refused', () => {
    for (const torch of ['2.9.1+cu130', '2.9.1'])
      expect(() => chooseTorch({ torch, builds: ['cu130'] }, driver('12.8'), true, false)).toThrow(
        expect.objectContaining({
          code: 'wheels_driver_old',
          params: { torch, newest: '2.10', driver: '1', cuda: '12.8' },
        }),
      );
  });
});

describe('what uv says', () => {
  it('why nothing fits, in the form of 0.13 and of earlier versions', () => {
    const cause = 'Because there is no version of torch==99 and you require torch==99, we can conclude that';
    expect(
      unsolvedReason(
        `error: No solution found when resolving dependencies\n  cause: ${cause}\n  it cannot be.\n`,
      ),
    ).toBe(`${cause} it cannot be.`);
    expect(
      unsolvedReason(
        `  × No solution found when resolving dependencies:\n  ╰─▶ ${cause}\n      it cannot be.\n\n  hint: x\n`,
      ),
    ).toBe(`${cause} it cannot be.`);
    expect(unsolvedReason('error: Request failed\n  cause: dns error')).toBeUndefined();
  });
  it('why something did not come', () => {
    expect(failureReason('Using Python\nerror: Failed to install cpython\n  cause: dns error\n')).toBe(
      'Failed to install cpython; dns error',
    );
  });
  it('what is not the network’s fault', () => {
    const parse = "error: Couldn't parse requirement in `requirements.txt` at position 0";
    expect(otherReason(`${parse}\n  cause: no such comparison operator`)).toContain('at position 0; no such');
    const hash = 'error: Failed to fetch `torch`\n  cause: Hash mismatch for `torch==2.5.1+cpu`';
    expect(otherReason(hash)).toContain('Hash mismatch');
    expect(otherReason('error: Failed to fetch: `https://x/simple/`\n  cause: dns error')).toBeUndefined();
    expect(otherReason('Killed')).toBeUndefined();
  });
  it('a package that does not build, which no other index changes', () => {
    const failed = 'error: Failed to build `broken==1.0`\n  cause: ';
    const backend =
      'The build backend returned an error\n  cause: Call to `build_wheel` failed (exit status: 1)';
    expect(buildReason(`${failed}${backend}\n\n  [stderr]\n  no compiler\n`)).toBe(
      'Failed to build `broken==1.0`; The build backend returned an error; Call to `build_wheel` failed (exit status: 1)',
    );
    // What the build needs may be on another index.
    const needs = 'Failed to resolve requirements from `setup.py` build\n  cause: No solution found';
    expect(buildReason(`${failed}${needs}`)).toBeUndefined();
  });
  it('how far large downloads are, in whatever pieces the lines arrive', () => {
    const read = downloadProgress();
    expect(read('Downloading torch (2.0KiB)\nDownl')).toEqual({ done: 0, total: 2048 });
    expect(read('oading triton (1.0KiB)\n Downloaded torch\n')).toEqual({ done: 2048, total: 3072 });
  });
});

describe('what a script wants', () => {
  const lab = (install: object | undefined) => {
    const script = { source: { type: 'folder' as const, path: '/nowhere' }, file: 'a.py', arguments: '' };
    const base = emptyLab('x', 'x');
    // The test's own objects, in the form of the schema.
    const withInstall = { ...script, ...(install === undefined ? {} : { install }) } as typeof script;
    return { ...base, experiment: { ...base.experiment, script: withInstall } };
  };
  it('nothing said and no requirements.txt: what nearly every script imports', async () => {
    expect(await wantedPackages(lab(undefined), '/', ownCodeFolder)).toEqual({
      files: {},
      packages: ['torchvision', 'numpy'],
    });
  });
  it('the PyTorch that it names exactly, and no other', () => {
    const named = (text: string) => torchNamed({ files: { 'requirements.txt': text }, packages: [] });
    expect(named('numpy\ntorch==2.3.1  # the last that works\n')).toBe('2.3.1');
    expect(named('torch == 2.4\n')).toBe('2.4');
    for (const other of ['torchvision==2.3.1', 'torch>=2.3', 'torch==2.*', 'my-torch==2.1.0', ''])
      expect(named(other)).toBeUndefined();
  });
  it('the build that it names, by its version or by an index', () => {
    const builds = (text: string, indexes: string[] = []) => {
      const packages = { files: { 'requirements.txt': text }, packages: [] };
      const torch = torchNamed(packages);
      return [torch, ...buildsNamed(packages, torch, indexes)];
    };
    const site = 'https://download.pytorch.org/whl';
    expect(builds(`--extra-index-url ${site}/cu126\ntorch==2.11.0+cu126\n`)).toEqual([
      '2.11.0+cu126',
      'cu126',
    ]);
    expect(builds("torch==2.1.0+cu118 ; sys_platform == 'linux'")).toEqual(['2.1.0+cu118', 'cu118']);
    expect(builds('torch==2.1.0+cpu.cxx11.abi')).toEqual(['2.1.0+cpu.cxx11.abi', 'cpu']);
    expect(builds(`--index-url ${site}/nightly/cu126/\ntorch==2.11.0\n`)).toEqual(['2.11.0', 'cu126']);
    expect(builds(`url = "${site}/cpu"\nurl = "${site}/cu128"\n`)).toEqual([undefined, 'cpu', 'cu128']);
    expect(builds('torch==2.11.0', [`${site}/cu126`])).toEqual(['2.11.0', 'cu126']);
    expect(builds(`# ${site}/cu126\ntorch==2.11.0`, ['https://packages.example/simple'])).toEqual(['2.11.0']);
  });
  it('a locked project is exported by uv, and its pyproject.toml is not solved again', () => {
    const script = createScript(
      {
        uv: '/uv',
        prefix: '/home/u/.ringlab/wheels/x',
        python: '3.11',
        folder: '/files',
        files: { 'pyproject.toml': '', 'uv.lock': '', 'packages.txt': '' },
        cpuBuild: false,
        headers: false,
      },
      { cache: '/home/u/.ringlab/wheels/cache', pythons: '/home/u/.ringlab/wheels/python' },
      { index: 'https://index.example/simple' },
    );
    expect(script).toContain('export --quiet --frozen');
    expect(script).toContain('-r packages.txt -r locked.txt ||');
  });
});
