import { expect, it } from 'vitest';
import { RinglabError, toWireError } from '../base/errors.ts';
import { describeError } from './error-texts.ts';

it('an error names its node once, and one about this computer’s disk names none', () => {
  const silent = new RinglabError('agent_silent', {}).at('N1');
  expect(silent.at('N2').where).toBe('N1');
  const full = new RinglabError('local_disk_small', { path: '/data/model', needed: 2e9, free: 5e6 }).at('N1');
  expect(describeError(toWireError(full), 'en').message).toBe(
    'Not enough space on this computer in /data/model: 2 GB needed, 5 MB free.',
  );
});
