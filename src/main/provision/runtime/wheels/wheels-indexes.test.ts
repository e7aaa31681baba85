/** Where a node takes wheels from, and whether PyTorch without CUDA fits what the experiment pins. */
import { expect, it } from 'vitest';
import { emptyLab } from '../../../../shared/lab/lab.ts';
import { pythonIndexes } from '../../../../shared/lab/runtime.ts';
import type { StepContext } from '../../engine/step.ts';
import { wheelIndexes } from './wheels-indexes.ts';

const [publicIndex = ''] = pythonIndexes;
const folders = { cache: '/cache', pythons: '/pythons' };
const requirements = (text: string): Record<string, string> => ({ 'requirements.txt': text });
const hash = `--hash=sha256:${'0'.repeat(64)}`;

it.each([
  ['nothing pinned', requirements('torch==2.5.1\n'), true],
  ['hashes', requirements(`torch==2.5.1 \\\n    ${hash}\n`), false],
  ['hashes of that build', requirements(`torch==2.5.1+cpu \\\n    ${hash}\n`), true],
  ['a build for CUDA', requirements('torch==2.9.1+cu126\n'), false],
  ['another package’s build for CUDA', requirements('torchvision==0.24.1+cu126\n'), false],
  ['an index of its own', requirements('-i https://packages.example/simple\ntorch\n'), false],
  ['PyPI by name', requirements(`-i ${publicIndex}\ntorch\n`), true],
  ['hashes of other packages', requirements(`torch==2.5.1\nnumpy==2.0.0 ${hash}\n`), true],
  ['a lock', { 'pyproject.toml': '', 'uv.lock': 'name = "torch"\nversion = "2.5.1"\n' }, false],
  [
    'a lock of that build',
    { 'pyproject.toml': '', 'uv.lock': 'name = "torch"\nversion = "2.5.1+cpu"\n' },
    true,
  ],
])('a node without GPU that reaches it gets PyTorch without CUDA: %s', async (_, files, expected) => {
  const base = emptyLab('x', 'x');
  const lab = { ...base, experiment: { ...base.experiment, runtime: { type: 'wheels' as const } } };
  const answer = { code: 0, stdout: '', stderr: '' };
  // As much of a step's context as is used.
  const context = {
    lab,
    shell: { exec: () => Promise.resolve(answer) },
    status: { log: { add: () => undefined } },
  } as unknown as StepContext;
  const { cpuBuild } = await wheelIndexes(context, '/uv', folders, { gpu: false, files });
  expect(cpuBuild).toBe(expected);
  expect((await wheelIndexes(context, '/uv', folders, { gpu: true, files })).cpuBuild).toBe(false);
});
