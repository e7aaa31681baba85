import { expect, it } from 'vitest';
import { shownAddress } from './shown-address.ts';

it.each([
  ['https://oauth2:glpat-SECRET@gitlab.example/team/repo.git', 'https://gitlab.example/team/repo.git'],
  ['https://ghp_SECRET@git.example/a/b', 'https://git.example/a/b'],
  ['ssh://git@git.example:22/a/b', 'ssh://git@git.example:22/a/b'],
  ['ssh://git:SECRET@git.example/a/b', 'ssh://git@git.example/a/b'],
  ['git@git.example:a/b.git', 'git@git.example:a/b.git'],
  [
    'https://h/pets.tar?X-Amz-Credential=AKIA&X-Amz-Expires=3600&X-Amz-Signature=0123',
    'https://h/pets.tar?X-Amz-Credential=…&X-Amz-Expires=3600&X-Amz-Signature=…',
  ],
  ['https://h/a.zip?sv=2021&sig=a%2Fb%3D#x', 'https://h/a.zip?sv=2021&sig=…#x'],
  [`https://h/a.zip?v=${'0123456789abcdef'.repeat(2)}`, 'https://h/a.zip?v=…'],
  ['https://h/a@b/c.zip?download=1', 'https://h/a@b/c.zip?download=1'],
])('%s is shown as %s', (address, shown) => {
  expect(shownAddress(address)).toBe(shown);
});
