import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkLab } from '../../shared/lab/lab-check.ts';
import { isToFillIn } from '../../shared/lab/lab-issue.ts';
import { formatLab, parseLab } from '../../shared/lab/read-lab.ts';
import { listExamples, readExample, withOwnCode } from './examples.ts';

describe('the example labs', () => {
  it.each(readdirSync('assets/labs').filter((file) => file.endsWith('.lab.json')))(
    'the example %s is valid',
    (file) => {
      const document = parseLab(readFileSync(`assets/labs/${file}`, 'utf8'), file);
      // What only the user knows, such as addresses, is yet to be filled in.
      expect(checkLab(document).filter((issue) => !isToFillIn(issue))).toEqual([]);
      expect(formatLab(document)).toBe(readFileSync(`assets/labs/${file}`, 'utf8'));
    },
  );

  it('differ in Chinese only by their texts', async () => {
    const examples = await listExamples('assets/labs');
    expect(examples).toHaveLength(4);
    for (const { name, title, description } of examples) {
      expect(`${title['zh-CN']}${description['zh-CN']}`).toMatch(/[\u4e00-\u9fff]/);
      const [english, chinese] = [
        await readExample('assets/labs', name, 'en'),
        await readExample('assets/labs', name, 'zh-CN'),
      ];
      expect(chinese).toEqual({ ...english, name: title['zh-CN'], description: description['zh-CN'] });
    }
  });

  it('with a script gives the user a copy of it', async () => {
    const example = await readExample('assets/labs', 'own-script', 'en');
    const to = join(await mkdtemp(join(tmpdir(), 'examples-')), 'code');
    const { experiment } = await withOwnCode(example, 'assets', to);
    expect(experiment.script).toMatchObject({ source: { type: 'folder', path: to }, file: 'digits_ddp.py' });
    const copied = readFileSync(join(to, 'digits_ddp.py'), 'utf8');
    expect(copied).toBe(readFileSync('assets/scripts/digits_ddp.py', 'utf8'));
    const other = await readExample('assets/labs', 'three-local-nodes', 'en');
    expect(await withOwnCode(other, 'assets', to)).toBe(other);
    await rm(join(to, '..'), { recursive: true });
  });

  it('the testbed example has the tutorial’s values', () => {
    const { nodes, links, experiment } = parseLab(
      readFileSync('assets/labs/ceni-three-gpu-nodes.lab.json', 'utf8'),
      'ceni',
    );
    expect(nodes).toHaveLength(3);
    for (const { placement } of nodes) {
      expect(placement).toMatchObject({
        cpus: 4,
        memoryGb: 8,
        diskGb: 200,
        flavour: { gpuModel: 'RTX 3080', gpuCount: 1 },
      });
    }
    expect(links.map((link) => link.bandwidthMbps)).toEqual([10, 10, 10]);
    expect(experiment).toMatchObject({ architecture: 'resnet18', epochs: 30, workers: 2, port: 8090 });
  });
});
