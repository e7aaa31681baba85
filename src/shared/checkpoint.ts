/** Checkpoint files of a run that has them: which there are, and what looking into one of them finds. */
import { z } from 'zod';

export const CheckpointFile = z.enum(['checkpoint.pth.tar', 'model_best.pth.tar']);
export type CheckpointFile = z.infer<typeof CheckpointFile>;

export const VerifiedCheckpoint = z.object({
  bytes: z.number(),
  sha256: z.string(),
  /** Files in the archive, each with the checksum it was written with. */
  entries: z.number().int(),
  /** In the state_dict. */
  tensors: z.number().int(),
  /** Numbers that were learned: without the running statistics. */
  parameters: z.number(),
  /** Epochs complete. */
  epoch: z.number().optional(),
  architecture: z.string().optional(),
  bestTop1: z.number().optional(),
});
export type VerifiedCheckpoint = z.infer<typeof VerifiedCheckpoint>;
