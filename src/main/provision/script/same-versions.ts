/** Ranks of one run need one minor version of Python, and one torch. */
import { RinglabError } from '../../../shared/base/errors.ts';
import type { LabNode } from '../../../shared/lab/lab.ts';
import type { NodeWork } from '../engine/step.ts';

interface Prepared {
  readonly node: LabNode;
  readonly work: NodeWork;
}

/** `2.9.1+cu128` → `2.9.1`: builds for other hardware work together. */
const release = (version: string): string => version.split('+')[0] ?? version;
const minor = (version: string): string => version.split('.').slice(0, 2).join('.');

/** Throws python_differs, which names the first two nodes that differ. */
export function refuseDifferent(prepared: readonly Prepared[]): void {
  const [first, ...others] = prepared;
  const versions = first?.work.pythonVersions;
  if (first === undefined || versions === undefined) return;
  for (const { node, work } of others) {
    const other = work.pythonVersions;
    if (other === undefined) continue;
    const differ = (what: string, one: string, two: string): void => {
      if (one === two) return;
      const params = { what, first: first.node.name, one, second: node.name, other: two };
      throw new RinglabError('python_differs', params, { where: node.name });
    };
    differ('torch', release(versions.torch), release(other.torch));
    differ('Python', minor(versions.python), minor(other.python));
  }
}
