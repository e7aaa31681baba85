/** Which indexes an experiment's files name, and how uv is asked of them. */
import { expect, it } from 'vitest';
import { pythonIndexes } from '../../../../shared/lab/runtime.ts';
import { namedIndexes } from './named-indexes.ts';
import { indexOptions, withoutLogins } from './wheels-commands.ts';

const [publicIndex = ''] = pythonIndexes;
const company = 'https://packages.example/simple';
const builds = 'https://packages.example/whl/cu126';

const ofRequirements = (text: string, torch = 'torch>=2.0'): ReturnType<typeof namedIndexes> =>
  namedIndexes({ 'requirements.txt': text, 'packages.txt': `${torch}\n` });

it.each([`-i ${company}`, `--index-url ${company}/`, `  --index-url=${company} # ours`])(
  'an index in place of PyPI: %s',
  (line) => {
    expect(ofRequirements(`${line}\nnumpy\n`).own).toEqual({ address: company, isInFile: true });
  },
);

it.each(['numpy\n', '# -i https://packages.example/simple\n', `-i ${publicIndex}/\n`])(
  'PyPI, with its mirrors: %j',
  (text) => {
    expect(ofRequirements(text)).toEqual({ beside: [], locked: [] });
  },
);

it('what PyTorch’s index holds of others’ packages does not hide newer versions; a PyTorch that is not named exactly comes from there', () => {
  const text = `--extra-index-url ${builds}\n`;
  expect(ofRequirements(text, 'torch==2.9.1+cu126').strategy).toBe('unsafe-best-match');
  expect(ofRequirements(text).strategy).toBe('unsafe-first-match');
});

it('a name that another index has is taken from there alone', () => {
  const found = ofRequirements(`--extra-index-url ${builds}\n--extra-index-url=${company}\n`, 'torch==2.9.1');
  expect(found).toEqual({ beside: [builds, company], locked: [] });
});

const locked = (packages: Readonly<Record<string, string>>): ReturnType<typeof namedIndexes> =>
  namedIndexes({
    'pyproject.toml': '',
    'packages.txt': 'torch>=2.0\n',
    'uv.lock': [
      'version = 1',
      '[[package]]\nname = "own"\nversion = "1"\nsource = { virtual = "." }',
      ...Object.entries(packages).map(
        ([name, registry]) =>
          `[[package]]\nname = "${name}"\nversion = "1"\nsource = { registry = "${registry}" }`,
      ),
    ].join('\n'),
  });

it('the registries of a lock, which its export does not name', () => {
  expect(locked({ torch: builds, numpy: publicIndex })).toEqual({
    beside: [],
    locked: [builds],
    strategy: 'unsafe-best-match',
  });
  expect(locked({ torch: publicIndex })).toEqual({ beside: [], locked: [] });
});

it('what was locked from other indexes alone is asked of no public one', () => {
  expect(locked({ torch: builds, numpy: company })).toEqual({
    own: { address: builds, isInFile: false },
    beside: [],
    locked: [company],
    strategy: 'unsafe-best-match',
  });
  // PyTorch is in addition to what is locked.
  expect(locked({ numpy: company }).own).toBeUndefined();
});

it('a damaged lock names none: uv says what is wrong with it', () => {
  expect(namedIndexes({ 'uv.lock': 'version = [', 'packages.txt': '' })).toEqual({ beside: [], locked: [] });
});

it('uv’s options', () => {
  expect(indexOptions({ index: company, more: [builds], strategy: 'unsafe-best-match' })).toBe(
    `--default-index ${company} --extra-index-url ${builds} --index-strategy unsafe-best-match`,
  );
  expect(indexOptions({ index: undefined })).toBe('');
});

it('logins stay out of what is shown', () => {
  const login = (address: string): string => address.replace('//', '//user:PASSWORD@');
  expect(withoutLogins({ index: login(company), more: [login(builds)] })).toEqual({
    index: company,
    more: [builds],
  });
});
