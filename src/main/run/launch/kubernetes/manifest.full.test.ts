/**
 * What Kubernetes' API server would say to manifests, by its own code: a Go program that is built from its published modules. The
 * quick test has the schema alone. Needs Go; the first build takes minutes.
 */
import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { kubectlYaml, type KubernetesTarget } from '../../../../shared/lab/kubernetes.ts';
import { defaultPlacement, emptyLab, type LabDocument, type LabNode } from '../../../../shared/lab/lab.ts';
import { kubernetesManifest } from './manifest.ts';
import { buildGo, hasGo } from './testing/go-programs.ts';
import { everything, target } from './testing/targets.ts';

let program = '';

const node = (id: string, gpus: number, memoryGb = 8): LabNode => ({
  id,
  name: id,
  kind: gpus === 0 ? 'cpu' : 'gpu',
  position: { x: 0, y: 0 },
  placement: {
    ...defaultPlacement('gpu'),
    flavour: { name: 'gpu', gpuModel: 'A100', gpuCount: gpus },
    memoryGb,
  },
  access: { type: 'local' },
});

const textOf = (nodes: LabNode[], to: KubernetesTarget): string => {
  const lab: LabDocument = { ...emptyLab('lab', 'Pods'), nodes };
  const options = {
    lab,
    nodeOrder: undefined,
    target: to,
    name: 'ringlab-run-1',
    secret: 'a'.repeat(64),
    isSet: false,
  };
  return kubernetesManifest(options)
    .objects.map((one) => stringify(one, kubectlYaml))
    .join('---\n');
};
const judged = (text: string): string => {
  const { stdout, stderr } = spawnSync(program, { input: text, encoding: 'utf8' });
  return stdout + stderr;
};

describe.skipIf(!hasGo)(
  `the rules of the API server${hasGo ? '' : ' (skipped: Go is not installed)'}`,
  () => {
    beforeAll(() => {
      program = buildGo('api-rules');
    }, 3_600_000);

    it.each([
      ['one node', [node('a', 0)], target],
      ['three nodes with GPUs', [node('a', 2), node('b', 2), node('c', 2)], everything],
      ['nodes that differ', [node('a', 1), node('b', 1), node('c', 0, 1.5)], everything],
      ['five hundred nodes', Array.from({ length: 500 }, (_, index) => node(`n${index}`, 1)), target],
    ])('take the manifest of %s, with pods that are restricted', (_name, nodes, to) => {
      expect(judged(textOf(nodes, to))).toMatch(/^(\w+ ringlab-run-1(-\d)?: 0 problems\n){4,5}$/);
    });

    it('are those by which it refuses an unknown field, a rule of jobs that is broken, and a pod that may be root', () => {
      const text = textOf([node('a', 0)], target);
      expect(judged(text.replace('completions:', 'completionz:'))).toContain(
        'unknown field "spec.completionz"',
      );
      expect(judged(text.replace('maxFailedIndexes: 0', 'maxFailedIndexes: 9'))).toContain(
        'must be less than or equal to',
      );
      expect(judged(text.replace('runAsNonRoot: true', 'runAsNonRoot: false'))).toContain('not restricted');
    });
  },
);
