import { expect, it } from 'vitest';
import { wordProblems } from './words.mjs';

/** What is found in this text, without the advice. */
const found = (text) =>
  wordProblems('src/a.ts', text).map((problem) => problem.replace(/ is shown to users.*$/, ''));

it('reports words given to an error, also those that are chosen or put together', () => {
  const advice =
    'is shown to users in every language: make it a phrase of src/main/i18n, or of src/shared/i18n in src/shared.';
  expect(wordProblems('src/a.ts', "\nthrow new RinglabError('x', { reason: 'it is empty' });")).toEqual([
    `src/a.ts:2: 'it is empty' ${advice}`,
  ]);
  expect(
    found(`new RinglabError('x', {
      one: bad ? 'it is empty' : reason,
      two: reason ?? \`\${name} is empty\`,
      three: 'see: ' + ('a file' as string),
      four: [said, 'and more'].join(', '),
      five: \`\${count} bytes\`,
      ...(bad ? { six: 'it ended' } : {}),
    });`),
  ).toEqual([
    "src/a.ts:2: 'it is empty'",
    'src/a.ts:3: `${name} is empty`',
    "src/a.ts:4: 'a file'",
    "src/a.ts:5: 'and more'",
    'src/a.ts:6: `${count} bytes`',
    "src/a.ts:7: 'it ended'",
  ]);
});

it('follows constants, and parameters of the functions that make errors', () => {
  expect(
    found(`
      const unreadable = (path, reason, cause) => new RinglabError('x', { path, reason }, { cause });
      function refused(words = '') { return new RinglabError('x', {}, { detail: words }); }
      const tooMuch = 'it sends more';
      let last = '';
      last = 'it hung up';
      const params = { last };
      throw unreadable('a file', 'it is empty');
      refused(tooMuch);
      new RinglabError('x', params);
      other('it is of another');
    `),
  ).toEqual(["src/a.ts:4: 'it sends more'", "src/a.ts:6: 'it hung up'", "src/a.ts:8: 'it is empty'"]);
});

it('leaves alone data, phrases, commands, what others say, and the detail of a bug', () => {
  expect(
    found(`
      new RinglabError('x', { path: 'my file', command: \`df -P \${path}\`, url, code: 'ENOENT', count: 3 });
      new RinglabError('x', { reason: phrase('reasons.a', { text: 'as it is' }), system: \`glibc \${version}\` });
      new RinglabError('x', { range: \`\${from}-\${to}\`, status: \`HTTP \${status}\` }, { where: 'the store', cause });
      new RinglabError('x', { reason: error.message }, { detail: result.stderr.trim() });
      new RinglabError('internal', {}, { detail: 'no key to log in with' });
      new RinglabError('x');
      new Error('it is empty');
    `),
  ).toEqual([]);
});
