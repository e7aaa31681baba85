/**
 * Clones an own script's repository on a node that reaches it, so that its files need not cross this computer's link.
 * Only what has the hash of this computer's own checkout is used (transfer/send-folder.ts); the rest is sent.
 */
import { codeFolder } from '../../base/node-layout.ts';
import type { KeptCode } from '../../code/index.ts';
import { shellQuote } from '../../ssh/index.ts';
import { hashText } from '../../transfer/index.ts';
import { phrase } from '../../i18n/index.ts';
import { known, type StepContext } from '../engine/step.ts';
import type { PlannedChange } from '../node/planned-change.ts';

/** Less is sent sooner than a repository answers. */
const smallestBytes = 1024 ** 2;
const cloneMinutes = 30;
/** What a firewall drops is given up after so long. */
const answerSeconds = 15;
const [noGit, noAnswer] = [90, 91];

interface Clone {
  readonly url: string;
  readonly folder: string;
  readonly command: string;
}

/** Whether its address holds a password or token, which nodes must not see. */
function hasSecret(url: string): boolean {
  try {
    const { protocol, username, password } = new URL(url);
    return password !== '' || (/^https?:$/.test(protocol) && username !== '');
  } catch {
    // `git@host:path` is no URL.
    return false;
  }
}

/**
 * Fetches one commit and leaves its files with their hashes in the manifest's form. git asks nothing there, and runs no
 * hook.
 */
const cloneScript = (
  url: string,
  commit: string,
  ref: string,
  folder: string,
): string => `to=${shellQuote(folder)} url=${shellQuote(url)} commit=${shellQuote(commit)} ref=${shellQuote(ref)}
command -v git >/dev/null 2>&1 || exit ${noGit}
export LC_ALL=C GIT_TERMINAL_PROMPT=0 GIT_ASKPASS=true SSH_ASKPASS=true SSH_ASKPASS_REQUIRE=never GCM_INTERACTIVE=never
export GIT_ALLOW_PROTOCOL=https:http:ssh:git GIT_SSH_COMMAND='ssh -o BatchMode=yes -o ConnectTimeout=10' GIT_HTTP_LOW_SPEED_LIMIT=1000 GIT_HTTP_LOW_SPEED_TIME=30
limited() { if command -v timeout >/dev/null 2>&1; then timeout -k 2 ${answerSeconds} "$@"; else "$@"; fi; }
limited git ls-remote -q -- "$url" HEAD </dev/null >/dev/null || exit ${noAnswer}
rm -rf "$to" && mkdir -p "$to" && cd "$to" || exit 1
own() { git --git-dir .ringlab-git -c core.hooksPath=/dev/null -c core.fsmonitor=false "$@" </dev/null; }
git init -q --bare .ringlab-git || exit 1
own fetch -q --depth 1 --no-tags -- "$url" "$commit" || own fetch -q --no-tags -- "$url" "$ref" || exit ${noAnswer}
own -c core.autocrlf=false -c core.eol=lf --work-tree . checkout -q -f "$commit" -- . || exit 1
own ls-tree -r -z --name-only "$commit" | xargs -0 sha256sum > .ringlab-manifest 2>/dev/null
rm -rf .ringlab-git`;

export interface NodeClones {
  /** What `bring` would run; undefined where nodes do not clone: this computer, a lent connection, a secret in the address. */
  plan(context: StepContext, kept: KeptCode): PlannedChange | undefined;
  /**
   * The folder on the node with the repository's files, for a transfer that lacks so many bytes; undefined where the
   * node has no git, does not reach the repository, or has no right to it.
   */
  bring(context: StepContext, kept: KeptCode, bytes: number): Promise<string | undefined>;
  /** Removes it. */
  clear(context: StepContext, kept: KeptCode): Promise<void>;
}

export function createNodeClones(): NodeClones {
  /** Machines that did not get an address: they do not wait for it again. */
  const unreached = new Set<string>();

  const cloneOf = ({ lab, node, work }: StepContext, { code }: KeptCode): Clone | undefined => {
    const source = lab.experiment.script?.source;
    if (source?.type !== 'git' || code.commit === undefined) return undefined;
    const url = source.url.trim();
    if (node.access.type === 'local' || node.lendInternet === true || hasSecret(url)) return undefined;
    const ref = source.ref?.trim() ?? '';
    const name = `.clone-${hashText(`${node.id} ${url}`).slice(0, 12)}`;
    const folder = codeFolder(known(work, 'facts').home, name);
    return { url, folder, command: cloneScript(url, code.commit, ref === '' ? 'HEAD' : ref, folder) };
  };
  const keyOf = ({ machine }: StepContext, { url }: Clone): string => `${machine.id} ${url}`;

  return {
    plan(context, kept) {
      const clone = cloneOf(context, kept);
      if (clone === undefined || kept.manifest.bytes < smallestBytes) return undefined;
      const { url, command } = clone;
      return { what: phrase('changes.code.clone', { url }), command };
    },
    async bring(context, kept, bytes) {
      const clone = cloneOf(context, kept);
      if (clone === undefined || bytes < smallestBytes) return undefined;
      const { url, folder, command } = clone;
      if (unreached.has(keyOf(context, clone)) && !context.redo) return undefined;
      const { code } = await context.shell.exec(command, {
        label: phrase('nodeCommands.clone', { url }),
        timeoutMs: cloneMinutes * 60_000,
      });
      if (code === 0) return folder;
      unreached.add(keyOf(context, clone));
      context.status.log.add(
        code === noGit ? phrase('stepLog.noGit') : phrase('stepLog.repositoryUnreached'),
      );
      return undefined;
    },
    async clear(context, kept) {
      const clone = cloneOf(context, kept);
      if (clone !== undefined)
        await context.shell.exec(`rm -rf ${shellQuote(clone.folder)}`, { quiet: true });
    },
  };
}
