/** Joins the packages that two bundles bring for one kind of node: what either has stays, each in its newer version. */
import type { BundleStore } from './contract.ts';
import { sameKind, type AptPart, type BundleIndex } from './index-file.ts';
import { provenPart } from './proof.ts';

type Proof = Pick<BundleStore, 'path' | 'keyring'>;

async function joinPart(proof: Proof, ours: AptPart, theirs: AptPart): Promise<AptPart> {
  // What is damaged or no longer accepted here is of no use to any node.
  const here = await provenPart(proof, ours).catch(() => undefined);
  if (here === undefined) return theirs;
  const there = await provenPart(proof, theirs);
  // Signed later: the same list never goes back to older packages.
  const [newer, older] = here.date > there.date ? [ours, theirs] : [theirs, ours];
  const names = new Set(newer.packages.map(({ name }) => name));
  const all: AptPart = {
    ...newer,
    lists: [...newer.lists, ...older.lists],
    packages: [...newer.packages, ...older.packages.filter(({ name }) => !names.has(name))],
  };
  // Lists that no package needs are left out, so that none gather.
  return { ...all, lists: (await provenPart(proof, all)).lists };
}

/**
 * The parts of `theirs`, each with what `ours` has for the same kind of node.
 * @param proof where the objects of both lie
 * @throws archive_refused where a part of theirs is not signed
 */
export async function joinParts(proof: Proof, ours: BundleIndex, theirs: BundleIndex): Promise<AptPart[]> {
  const parts: AptPart[] = [];
  for (const part of theirs.apt) {
    const own = ours.apt.find((one) => sameKind(one, part));
    parts.push(own === undefined ? part : await joinPart(proof, own, part));
  }
  return parts;
}
