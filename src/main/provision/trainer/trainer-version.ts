/** Decides whether a trainer suits a node, and parses a trainer's own report. */
import * as z from 'zod';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import type { Libtorch } from '../node/libtorch.ts';
import { hashText } from '../../transfer/index.ts';

/** Two machines with the same make can run the same binary. */
export interface TrainerMake {
  readonly arch: string;
  readonly libtorch: string;
  readonly cuda: string | undefined;
  readonly abi: string;
  readonly glibc: string;
  readonly sourceHash: string;
}

export const fingerprintOf = (make: TrainerMake): string =>
  hashText(
    JSON.stringify([make.arch, make.libtorch, make.cuda ?? 'cpu', make.abi, make.glibc, make.sourceHash]),
  ).slice(0, 24);

/**
 * `1.13.1` → `1.13`: the version in the libraries' names, on which binaries depend. The patch number differs even
 * between a package (1.13.1) and its own headers (1.13.0).
 */
export const libtorchLine = (version: string): string => version.split('.').slice(0, 2).join('.');

export const makeFor = (
  facts: NodeFacts,
  libtorch: Libtorch | undefined,
  sourceHash: string,
): TrainerMake => ({
  arch: facts.arch,
  libtorch: libtorchLine(libtorch?.version ?? 'none'),
  cuda: libtorch?.cuda,
  abi: libtorch?.abi ?? 'none',
  glibc: facts.glibc ?? 'none',
  sourceHash,
});

/** The part of `ringlab-train facts` that is needed here. */
export const TrainerFacts = z.object({
  version: z.string(),
  source_hash: z.string(),
  libtorch: z.string(),
  arch: z.string(),
  /** The CUDA version of its libtorch. */
  cuda: z.string().nullable().default(null),
  abi: z.string().default('cxx11'),
});
export type TrainerFacts = z.infer<typeof TrainerFacts>;

/** `ringlab-train 0.1.0 libtorch 1.13.1` */
export const versionSaid = (line: string): string | undefined =>
  /^ringlab-train (\d+(?:\.\d+)*)\S*/m.exec(line)?.[1];
