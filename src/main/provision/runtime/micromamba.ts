/** The one program that conda packages need on a node: the person's own, the app's copy, or one fetched with its hash. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { RinglabError } from '../../../shared/errors.ts';
import type { CondaRuntime } from '../../../shared/runtime.ts';
import type { NodeFacts } from '../../../shared/provision.ts';
import { shellQuote } from '../../ssh/index.ts';
import type { BundleStore } from '../bundle/index.ts';
import { fetchToNode } from '../fetch.ts';
import { withoutHidden } from '../hidden-mirrors.ts';
import { known, type StepContext } from '../step.ts';

/** A conda platform's name, by what `uname -m` says. */
export const condaPlatform = ({ arch }: NodeFacts): string =>
  ({ x86_64: 'linux-64', aarch64: 'linux-aarch64', ppc64le: 'linux-ppc64le' })[arch] ?? `linux-${arch}`;

/** Packages and lists of the app's own environments; never the person's. */
export const mambaRoot = ({ home }: NodeFacts): string => `${home}/.ringlab/micromamba`;

const ownScript = (ours: string): string => `
for program in "$(command -v micromamba)" "$MAMBA_EXE" "$HOME/.local/bin/micromamba" "$HOME/bin/micromamba" "$HOME/micromamba/bin/micromamba" /usr/local/bin/micromamba /opt/conda/bin/micromamba ${shellQuote(ours)}; do
  [ -n "$program" ] && [ -x "$program" ] && version=$("$program" --version 2>/dev/null) && echo "$version $program" && exit 0
done
exit 0
`;

/**
 * Its path on the node.
 * @param keptIn folder of this computer with `<platform>/micromamba`
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
  const ours = `${facts.home}/.ringlab/bin/micromamba`;
  const find = async (): Promise<string | undefined> => {
    const said = (await shell.run(ownScript(ours), { label: 'look for micromamba' })).trim();
    return said === '' ? undefined : said.slice(said.indexOf(' ') + 1);
  };
  const there = await find();
  if (there !== undefined) return there;
  const kept = join(keptIn, platform, 'micromamba');
  const haveKept = await access(kept).then(
    () => true,
    () => false,
  );
  const bundled = haveKept ? undefined : (await bundle?.read())?.micromamba[platform];
  if (haveKept) await shell.upload({ path: kept }, ours, { mode: 0o755 });
  else if (bundle !== undefined && bundled !== undefined)
    await shell.upload({ path: bundle.path(bundled) }, ours, { mode: 0o755 });
  else if (runtime.micromamba !== undefined) {
    const { url, sha256 } = runtime.micromamba;
    await withoutHidden(shell, [url], (line) => status.log.add(line));
    await fetchToNode(context, url, ours, { sha256 });
    await shell.run(`chmod 755 ${shellQuote(ours)}`);
  } else throw new RinglabError('micromamba_missing', { platform, kept });
  const brought = await find();
  if (brought !== undefined) return brought;
  status.log.add(`${ours} does not run here`);
  throw new RinglabError('micromamba_missing', { platform, kept });
}

/** What comes before its arguments: nothing of the person's own conda is read or written. */
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
