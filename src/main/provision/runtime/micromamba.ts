/** Provides micromamba on a node: the user's own, the app's copy, or a download with a known hash. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { micromambaProgram, micromambaRoot } from '../../base/node-layout.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { Line } from '../../../shared/base/phrase.ts';
import type { CondaRuntime } from '../../../shared/lab/runtime.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { shellQuote } from '../../ssh/index.ts';
import type { BundleStore } from '../bundle/contract.ts';
import { fetchScript, fetchToNode } from '../download/fetch.ts';
import { withoutHidden } from '../node/hidden-mirrors.ts';
import { uploadWords, type PlannedChange } from '../node/planned-change.ts';
import { known, type StepContext } from '../engine/step.ts';
import { phrase } from '../../i18n/index.ts';

/** A conda platform's name, by what `uname -m` says. */
export const condaPlatform = ({ arch }: NodeFacts): string =>
  ({ x86_64: 'linux-64', aarch64: 'linux-aarch64', ppc64le: 'linux-ppc64le' })[arch] ?? `linux-${arch}`;

/** Packages and environments of the app; never the user's. */
const mambaRoot = ({ home }: NodeFacts): string => micromambaRoot(home);

type Source = { readonly file: string } | { readonly url: string; readonly sha256: string };

/** Throws micromamba_missing. */
async function sourceOf(
  platform: string,
  runtime: CondaRuntime,
  keptIn: string,
  bundle?: Pick<BundleStore, 'read' | 'path'>,
): Promise<Source> {
  const kept = join(keptIn, platform, 'micromamba');
  const haveKept = await access(kept).then(
    () => true,
    () => false,
  );
  if (haveKept) return { file: kept };
  const bundled = (await bundle?.read())?.micromamba[platform];
  if (bundle !== undefined && bundled !== undefined) return { file: bundle.path(bundled) };
  if (runtime.micromamba !== undefined) return runtime.micromamba;
  throw new RinglabError('micromamba_missing', { platform, kept });
}

const placeOf = ({ home }: NodeFacts): string => micromambaProgram(home);

async function findMicromamba({ shell, work }: StepContext): Promise<string | undefined> {
  const script = ownScript(placeOf(known(work, 'facts')));
  const output = (await shell.run(script, { label: phrase('nodeCommands.micromamba') })).trim();
  return output === '' ? undefined : output.slice(output.indexOf(' ') + 1);
}

const executable = (path: string): string => `chmod 755 ${shellQuote(path)}`;

/**
 * Its path on the node, now or after `ensureMicromamba`.
 * @throws micromamba_missing
 */
export async function planMicromamba(
  context: StepContext,
  runtime: CondaRuntime,
  keptIn: string,
  bundle?: Pick<BundleStore, 'read' | 'path'>,
): Promise<{ program: string; changes: PlannedChange[] }> {
  const there = await findMicromamba(context);
  if (there !== undefined) return { program: there, changes: [] };
  const facts = known(context.work, 'facts');
  const [ours, source] = [placeOf(facts), await sourceOf(condaPlatform(facts), runtime, keptIn, bundle)];
  const what = phrase('changes.conda.micromamba');
  const commands: readonly Line[] =
    'file' in source
      ? [uploadWords(source.file, ours)]
      : [fetchScript(source.url, ours, source.sha256), executable(ours)];
  return { program: ours, changes: commands.map((command) => ({ what, command })) };
}

const ownScript = (ours: string): string => `
for program in "$(command -v micromamba)" "$MAMBA_EXE" "$HOME/.local/bin/micromamba" "$HOME/bin/micromamba" "$HOME/micromamba/bin/micromamba" /usr/local/bin/micromamba /opt/conda/bin/micromamba ${shellQuote(ours)}; do
  [ -n "$program" ] && [ -x "$program" ] && version=$("$program" --version 2>/dev/null) && echo "$version $program" && exit 0
done
exit 0
`;

/**
 * Its path on the node.
 * @param keptIn local folder with `<platform>/micromamba`
 * @throws micromamba_missing, hash_mismatch, download_failed
 */
export async function ensureMicromamba(
  context: StepContext,
  runtime: CondaRuntime,
  keptIn: string,
  bundle?: Pick<BundleStore, 'read' | 'path'>,
): Promise<string> {
  const { shell, status } = context;
  const facts = known(context.work, 'facts');
  const platform = condaPlatform(facts);
  const ours = placeOf(facts);
  const there = await findMicromamba(context);
  if (there !== undefined) return there;
  const source = await sourceOf(platform, runtime, keptIn, bundle);
  if ('file' in source) await shell.upload({ path: source.file }, ours, { mode: 0o755 });
  else {
    await withoutHidden(shell, [source.url], (line) => status.log.add(line));
    await fetchToNode(context, source.url, ours, { sha256: source.sha256 });
    await shell.run(executable(ours));
  }
  const brought = await findMicromamba(context);
  if (brought !== undefined) return brought;
  status.log.add(phrase('stepLog.notRunning', { path: ours }));
  throw new RinglabError('micromamba_missing', { platform, kept: join(keptIn, platform, 'micromamba') });
}

/** Command prefix that isolates it from the user's own conda. */
export const mambaCall = (
  program: string,
  facts: NodeFacts,
  more: Readonly<Record<string, string>> = {},
): string =>
  [
    ...Object.entries({ MAMBA_ROOT_PREFIX: mambaRoot(facts), ...more }).map(
      ([name, value]) => `${name}=${shellQuote(value)}`,
    ),
    shellQuote(program),
  ].join(' ');
