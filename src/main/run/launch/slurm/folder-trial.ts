/**
 * Tries whether compute nodes see the login node's home folder: writes a file there and reads it in a short job. Pure but for
 * the command that the caller runs.
 */
import { RinglabError } from '../../../../shared/base/errors.ts';
import { gpuResource } from '../../../../shared/lab/slurm-script.ts';
import type { SlurmTarget } from '../../../../shared/lab/where.ts';
import type { FolderTrial } from '../../../../shared/node/slurm-facts.ts';
import { refusalOf } from '../../../../shared/node/slurm-refusal.ts';
import { ringlabInShell } from '../../../base/node-layout.ts';
import { phrase } from '../../../i18n/index.ts';
import { lastWords, shellQuote, type ExecResult } from '../../../ssh/index.ts';
import { noSlurm } from './facts-answer.ts';
import { noAnswerWords } from './submission-turn.ts';

/** Seconds that the job may wait for a node. */
const patience = 30;
/** Seconds until a network file system shows a new file. */
const filePatience = 15;

/** Milliseconds for all of it. */
export const trialTimeoutMs = (patience + filePatience + 60) * 1000;

const read = `tries=0; until [ -r "$0" ] || [ "$tries" -ge ${filePatience} ]; do tries=$((tries + 1)); sleep 1; done
printf 'read %s %s\\n' "$(hostname)" "$(cat "$0" 2>/dev/null)"`;

/**
 * Asks for one small node with what the lab names of the cluster; leaves no file and no job behind.
 * @param hasGpus the lab has them, whose partition may take no job without one
 */
export function trialScript(slurm: SlurmTarget, hasGpus: boolean): string {
  const { partition, account, qos, options = [] } = slurm;
  const given = (name: string, value: string | undefined): string[] =>
    value === undefined || value === '' ? [] : [`--${name}=${value}`];
  const asked = [
    ...[
      '--nodes=1',
      '--ntasks=1',
      '--time=1',
      '--mem=64M',
      '--job-name=ringlab-folder',
      `--immediate=${patience}`,
    ],
    ...[...given('partition', partition), ...given('account', account), ...given('qos', qos)],
    ...(hasGpus ? [`--gres=${gpuResource(slurm, 1)}`] : []),
    ...options.flatMap((option) => option.trim().split(/\s+/)),
  ];
  return `command -v srun >/dev/null || exit ${noSlurm}
mkdir -p "${ringlabInShell}" && cd "${ringlabInShell}" && file=$(mktemp "$PWD/.shared-XXXXXX") || exit 1
trap 'rm -f "$file"' EXIT
trap 'exit 1' HUP INT TERM
token=$(od -An -N 16 -t x1 /dev/urandom | tr -d ' \\n') && printf '%s\\n' "$token" >"$file" || exit 1
printf 'wrote %s %s\\n' "$PWD" "$token"
timeout ${patience + filePatience + 30} srun ${asked.map(shellQuote).join(' ')} sh -c ${shellQuote(read)} "$file"
`;
}

/** @throws job_refused, cluster_silent, command_failed */
export function trialOf(result: ExecResult, cluster: string): FolderTrial {
  const detail = lastWords(result);
  if (result.code === noSlurm)
    throw new RinglabError('job_refused', { cluster, reason: phrase('reasons.job.noSlurm') });
  const [, folder, token] = /^wrote (\S{1,1000}) ([0-9a-f]{32})$/m.exec(result.stdout) ?? [];
  const [, node, seen] = /^read (\S{1,200}) ([0-9a-f]{0,32})$/m.exec(result.stdout) ?? [];
  if (folder !== undefined && node !== undefined)
    return { state: seen === token ? 'shared' : 'apart', node, folder };
  if (new RegExp(noAnswerWords).test(detail))
    throw new RinglabError('cluster_silent', { cluster }, { where: cluster, detail });
  if (folder !== undefined && /immediate|nodes are busy/i.test(detail))
    return { state: 'busy', seconds: patience };
  if (/error:/.test(detail))
    throw new RinglabError('job_refused', { cluster, reason: refusalOf(detail) }, { where: cluster, detail });
  throw new RinglabError(
    'command_failed',
    { code: result.code ?? -1, command: 'srun' },
    { where: cluster, detail },
  );
}
