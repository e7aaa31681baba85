import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createRecord, recordLines } from './record.mjs';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-record-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const passed = { commit: 'abc1234', at: '2026-11-23T01:20:33.000Z', seconds: 75 };

it('stores when each part last passed, whatever the file contained', () => {
  const path = join(folder, 'new', 'record.json');
  const record = createRecord(path);
  expect(record.read()).toEqual({});
  record.write('views', passed);
  record.write('fuzz', { ...passed, commit: 'def5678+' });
  expect(createRecord(path).read()).toEqual({ views: passed, fuzz: { ...passed, commit: 'def5678+' } });
  writeFileSync(path, JSON.stringify({ views: passed, fuzz: { commit: 7 }, soak: null }));
  expect(record.read()).toEqual({ views: passed });
  writeFileSync(path, '{"views": {"comm');
  expect(record.read()).toEqual({});
});

it('shows each part’s result, and when it last passed', () => {
  expect(recordLines(['views', 'lost-node'], new Map([['views', '1 failed']]), { views: passed })).toEqual([
    'views      1 failed        last passed 2026-11-23 01:20 UTC at abc1234 in 1 min 15 s\n',
    'lost-node  not run         never passed here\n',
  ]);
});
