import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPickle } from './pickle.ts';
import { verifyCheckpoint } from './verify-checkpoint.ts';

/** Written by torch.save itself. */
const script = `
import sys, torch
m = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.Linear(4, 2))
torch.save({'epoch': 3, 'arch': 'resnet18', 'state_dict': m.state_dict(), 'best_acc1': 61.5,
  'optimizer': {'state': {0: {'momentum_buffer': torch.zeros(5)}}, 'param_groups': [{'lr': 0.1, 'params': [0, 1], 'nesterov': False}]}}, sys.argv[1])
`;
let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-verify-'));
  path = join(folder, 'checkpoint.pth.tar');
  execFileSync('/usr/bin/python3', ['-c', script, path]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a checkpoint', () => {
  it('written by torch.save is complete: epoch, architecture, every tensor and parameter', async () => {
    expect(await verifyCheckpoint(path)).toMatchObject({
      epoch: 3,
      architecture: 'resnet18',
      bestTop1: 61.5,
      // Convolution and linear layer with their biases, batch norm with scale, shift and three buffers.
      tensors: 9,
      parameters: 3 * 8 * 9 + 8 + 8 + 8 + 8 + 2,
    });
  });

  it('with one changed byte in a tensor is refused by name', async () => {
    const bytes = await readFile(path);
    const header = bytes.lastIndexOf('PK\u0003\u0004', bytes.indexOf('/data/0'));
    const numbers = header + 30 + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
    bytes[numbers] = (bytes[numbers] ?? 0) ^ 1;
    const damaged = join(folder, 'damaged.tar');
    await writeFile(damaged, bytes);
    await expect(verifyCheckpoint(damaged)).rejects.toMatchObject({
      code: 'file_unreadable',
      params: { reason: expect.stringMatching(/data\/0: its checksum is wrong/) as string },
    });
  });

  it('that is truncated or another format is refused', async () => {
    const short = join(folder, 'short.tar');
    await writeFile(short, await readFile(path));
    await truncate(short, 900);
    await expect(verifyCheckpoint(short)).rejects.toMatchObject({ code: 'file_unreadable' });
    const text = join(folder, 'text.tar');
    await writeFile(text, 'no checkpoint at all');
    await expect(verifyCheckpoint(text)).rejects.toMatchObject({
      params: { reason: expect.stringContaining('no zip') as string },
    });
  });
});

describe('a pickle', () => {
  it('calls nothing: its globals are refused by name, and so are unknown opcodes', () => {
    // c os\nsystem\n ( U? – GLOBAL, then an opcode that torch.save never writes.
    const evil = Buffer.from("\u0080\u0002cos\nsystem\n(S'id'\ntR.", 'latin1');
    expect(() => readPickle(evil)).toThrow(/unknown opcode/);
    const named = Buffer.from([0x80, 2, ...Buffer.from('cos\nsystem\n'), 0x29, 0x52, 0x2e]);
    expect(() => readPickle(named)).toThrow(/calls os\.system/);
    expect(() => readPickle(Buffer.from([0x80, 2, 0x58, 255, 255, 0, 0]))).toThrow(/too early/);
  });
});
