import { expect, it } from 'vitest';
import { explainSilence } from './login-shell.ts';

it.each([
  [
    'an English one, where no file can be read',
    "'sh' is not recognized as an internal or external command",
    {},
  ],
  [
    'one in another language',
    'Der Befehl "sh" ist entweder falsch geschrieben',
    { '/C:/Windows/win.ini': '[x]' },
  ],
])('a Windows is named, and not taken for a forced command: %s', (_name, noise, files) => {
  const silence = { noise, code: 1, signal: null, isEndless: false };
  expect(explainSilence({ user: 'anna', host: 'pc' }, silence, new Map(Object.entries(files)))).toMatchObject(
    {
      code: 'node_unsupported',
      params: { system: 'Windows' },
    },
  );
});
