/**
 * Checkpoint files of a run: their names, the result of verifying one, and the result of classifying an image with
 * one.
 */
import * as z from 'zod';

/** With `--keep-every`: a checkpoint of that epoch, which is never replaced. */
export type KeptCheckpoint = `checkpoint-epoch-${number}.pth.tar`;
export const isKeptCheckpoint = (name: string): name is KeptCheckpoint =>
  /^checkpoint-epoch-[1-9]\d{0,5}\.pth\.tar$/.test(name);
export const KeptCheckpoint = z.custom<KeptCheckpoint>(
  (name) => typeof name === 'string' && isKeptCheckpoint(name),
);

export const CheckpointFile = z.union([z.enum(['checkpoint.pth.tar', 'model_best.pth.tar']), KeptCheckpoint]);
export type CheckpointFile = z.infer<typeof CheckpointFile>;

/**
 * The same two with parameter names for another program: as torchvision's models load them, or with the `module.`
 * prefix that main.py under DistributedDataParallel expects. The run's own trainer rewrites them.
 */
export const RenamedCheckpoint = z.enum([
  'model_best.torchvision.pth.tar',
  'model_best.ddp.pth.tar',
  'checkpoint.torchvision.pth.tar',
  'checkpoint.ddp.pth.tar',
]);
export type RenamedCheckpoint = z.infer<typeof RenamedCheckpoint>;

export const VerifiedCheckpoint = z.object({
  bytes: z.number(),
  sha256: z.string(),
  /** Files in the archive, each with its stored checksum. */
  entries: z.number().int(),
  /** In the state_dict. */
  tensors: z.number().int(),
  /** Trained parameters, without running statistics. */
  parameters: z.number(),
  /** Completed epochs. */
  epoch: z.number().optional(),
  architecture: z.string().optional(),
  bestTop1: z.number().optional(),
});
export type VerifiedCheckpoint = z.infer<typeof VerifiedCheckpoint>;

export const maxSamples = 6;

/** An image of the run's validation data. */
export const SampleImage = z.object({ class: z.string(), name: z.string(), base64: z.base64() });
export type SampleImage = z.infer<typeof SampleImage>;

/** A larger image is refused before it is sent. */
export const maxImageBytes = 24 * 1024 * 1024;

export const ClassifiedImage = z.object({
  architecture: z.string(),
  /** Completed epochs in the checkpoint. */
  epoch: z.number().int(),
  /** Edge of the model's input in pixels. */
  size: z.number().int(),
  /** Name of the node that computed it, and the seconds it took. */
  node: z.string(),
  seconds: z.number(),
  /** The most probable first; `name` where the checkpoint has class names. */
  classes: z
    .array(
      z.object({
        index: z.number().int().nonnegative(),
        name: z.string().optional(),
        probability: z.number().min(0).max(1),
      }),
    )
    .min(1),
});
export type ClassifiedImage = z.infer<typeof ClassifiedImage>;
