/** Process of kill.test.ts: appends a node's file in odd pieces, and prints each confirmed offset. */
import { readFileSync, writeSync } from 'node:fs';
import { Engine } from '../engine.ts';
import { smallShape } from './fixtures.ts';

const [dataFolder, nodeFile, ...sources] = process.argv.slice(2);
if (dataFolder === undefined || nodeFile === undefined) throw new Error('usage: DATA FILE SOURCE...');
const engine = new Engine({ dataFolder, shape: smallShape });
const bytes = readFileSync(nodeFile);

async function follow(source: string): Promise<void> {
  let offset = await engine.offset('r', source);
  for (let n = 0; offset < bytes.length; n += 1) {
    const end = Math.min(bytes.length, offset + 300 + ((n * 7919) % 9000));
    const appended = await engine.append({ runId: 'r', source, offset, bytes: bytes.subarray(offset, end) });
    offset = appended.nextOffset;
    writeSync(1, `${source} ${offset}\n`);
  }
}

await Promise.all(sources.map(follow));
