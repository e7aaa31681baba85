import { expect, it } from 'vitest';
import { sandboxWord } from './sandbox.ts';

const off = ['/opt/Ringlab/ringlab', '--no-sandbox'];

it('finding: only root runs without the sandbox, whatever the launcher passed', () => {
  expect(sandboxWord(['/opt/Ringlab/ringlab', '.'], 1000, {}, 'en')).toBeUndefined();
  expect(sandboxWord(off, 1000, {}, 'en')).toMatchObject({ goesOn: false });
  expect(sandboxWord([...off, '--x'], undefined, {}, 'zh-CN')).toMatchObject({ goesOn: false });
  expect(sandboxWord(off, 1000, { RINGLAB_NO_SANDBOX: 'yes' }, 'en')).toMatchObject({ goesOn: false });
});

it('warns root, and a user who disables it on purpose', () => {
  expect(sandboxWord(off, 0, {}, 'en')).toMatchObject({
    goesOn: true,
    message: expect.stringMatching(/root/) as unknown,
  });
  expect(sandboxWord(off, 1000, { RINGLAB_NO_SANDBOX: '1' }, 'en')).toMatchObject({ goesOn: true });
});
