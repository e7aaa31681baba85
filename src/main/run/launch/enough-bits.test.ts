import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { enoughBits } from '../../../shared/cost/auto-sync.ts';

it('auto takes as many bits for enough as the trainer does', () => {
  const rule = readFileSync(
    join(import.meta.dirname, '../../../../native/sync/stream/stream_rule.cpp'),
    'utf8',
  );
  expect(/kEnoughBits = ([\d.]+);/.exec(rule)?.[1]).toBe(String(enoughBits));
});
