/** An own training script as the experiment: where its code is, what starts it, and what it needs. */
import * as z from 'zod';
import { commandWord, oneLine, paragraphs } from '../base/plain-text.ts';

export const maxVariables = 200;
const maxPackages = 200;
const maxOutputs = 32;
/** As many as the trainer uses. */
export const maxPatterns = 50;
/** As many as labs could have before: they still open. */
const maxStoredPatterns = 64;

/** A path relative to the source's root, with `/`; lab-check refuses one that leads out of it. */
const RelativePath = commandWord(1024);

export const ScriptSource = z.discriminatedUnion('type', [
  /** A folder of this computer. */
  z.object({ type: z.literal('folder'), path: commandWord(4096) }),
  /** A repository, cloned on this computer; `ref` is a branch, a tag or a commit, by default the remote's HEAD. */
  z.object({ type: z.literal('git'), url: commandWord(2000), ref: commandWord(255).optional() }),
]);
export type ScriptSource = z.infer<typeof ScriptSource>;

const ScriptVariable = z.object({
  name: oneLine(128),
  value: oneLine(8192).optional(),
  /** Its value is asked for and kept as passwords are, never in the lab. */
  secret: z.boolean().optional(),
});
export type ScriptVariable = z.infer<typeof ScriptVariable>;

const ScriptInstall = z.discriminatedUnion('type', [
  z.object({ type: z.literal('none') }),
  /** A `requirements.txt` of the source. */
  z.object({ type: z.literal('requirements'), file: RelativePath }),
  /** The source's `pyproject.toml`, with `uv.lock` if it has one. */
  z.object({ type: z.literal('project') }),
  z.object({ type: z.literal('packages'), packages: z.array(commandWord(500)).max(maxPackages) }),
]);

export const Script = z.object({
  source: ScriptSource,
  /** Relative to the source's root, `train.py`; or `module:pkg.train` for `python -m`. */
  file: RelativePath,
  /** As typed in a shell; split by `splitArguments`, never by a shell. */
  arguments: paragraphs(20_000),
  environment: z.array(ScriptVariable).max(maxVariables).optional(),
  /** Relative to the source's root; the root by default. */
  workingFolder: RelativePath.optional(),
  install: ScriptInstall.optional(),
  /** One detached process a rank (default), or PyTorch's own elastic agent on each node. */
  launch: z.enum(['ranks', 'torchrun']).optional(),
  /** With PyTorch's agents: the run goes on while so many nodes have theirs. All of them by default. */
  minNodes: z.int().positive().optional(),
  /** JSON-lines files that the script writes, relative to its working folder. */
  outputs: z.array(RelativePath).max(maxOutputs).optional(),
  /** The user's own patterns for printed lines. */
  patterns: z
    .array(z.object({ name: oneLine(180), pattern: oneLine(1000) }))
    .max(maxStoredPatterns)
    .optional(),
});
export type Script = z.infer<typeof Script>;

/** With how many of its processes a run goes on; `processes`: a rank each, or an agent a node. */
export const fewestProcesses = (script: Script | undefined, processes: number): number =>
  script?.launch === 'torchrun' ? Math.min(script.minNodes ?? processes, processes) : processes;
