/** What `sinfo`, `sacctmgr`, `df` and quotas print of a cluster. Pure. */
import * as z from 'zod';
import {
  longestLimit,
  minutesOf,
  mostGpuKinds,
  mostKinds,
  mostNames,
  mostPartitions,
  SlurmAccount,
  SlurmFacts,
  SlurmPartition,
  SlurmQos,
  type SlurmNodes,
} from '../../../../shared/node/slurm-facts.ts';
import { withoutFilters } from '../../../../shared/node/slurm-variables.ts';
import { quotaOf, quotaScript } from '../shared-space.ts';

/** Exit codes of the script. */
export const noSlurm = 9;
export const noAnswer = 4;

/**
 * One query to the controller (`sinfo`); the accounting is another service, and the rest is the login node's own. Each
 * has a time-out of its own, so that a quota of a server that is away does not keep the rest.
 */
export const factsScript = `command -v sinfo >/dev/null || exit ${noSlurm}
${withoutFilters}
me=$(id -un)
section() { printf '== %s\\n' "$1"; }
section version; sinfo --version
section partitions
timeout 20 sinfo --noheader --exact --format='%P|%a|%l|%L|%F|%c|%m|%G' || exit ${noAnswer}
section cluster; sed -n 's/^ *[Cc]luster[Nn]ame *= *//p' "\${SLURM_CONF:-/etc/slurm/slurm.conf}" 2>/dev/null
if command -v sacctmgr >/dev/null; then
  accounts=$(timeout 10 sacctmgr --noheader --parsable2 show assoc where user="$me" \\
    format=Cluster,Account,Partition,QOS,DefaultQOS,MaxJobs,MaxSubmit,MaxWall 2>/dev/null) &&
    { section accounts; printf '%s\\n' "$accounts"; }
  qos=$(timeout 10 sacctmgr --noheader --parsable2 show qos format=Name,MaxWall,MaxTRESPU,MaxJobsPU,MaxSubmitJobsPU 2>/dev/null) &&
    { section qos; printf '%s\\n' "$qos"; }
fi
section home; timeout 5 df -Pk "$HOME" 2>/dev/null | tail -n 1
section quota
${quotaScript}exit 0
`;

const maxLines = 5000;
const kibi = 1024;

/** @throws ZodError where the answer is not valid */
export function parseFacts(output: string): SlurmFacts {
  const sections = new Map<string, string[]>();
  let lines: string[] = [];
  for (const raw of output.split('\n').slice(0, maxLines)) {
    const line = raw.trim();
    const title = /^== (\w+)$/.exec(line)?.[1];
    if (title !== undefined) {
      lines = sections.get(title) ?? [];
      sections.set(title, lines);
    } else if (line !== '') lines.push(line);
  }
  const of = (title: string): string[] => sections.get(title) ?? [];
  // Slurm itself takes it in lower case.
  const cluster = of('cluster')[0]?.split(/[\s#]/)[0]?.toLowerCase();
  return SlurmFacts.parse({
    version: /^slurm\S* (\d[\w.-]{0,40})/.exec(of('version')[0] ?? '')?.[1] ?? '',
    partitions: valid(SlurmPartition, partitionsOf(of('partitions')), mostPartitions),
    accounts: sections.has('accounts')
      ? valid(SlurmAccount, accountsOf(of('accounts'), cluster), mostNames)
      : undefined,
    qos: sections.has('qos') ? valid(SlurmQos, of('qos').map(qosOf), mostNames) : undefined,
    home: homeOf(of('home')[0]),
    quota: quotaOf(of('quota')),
  });
}

/** One entry that cannot be used must not keep the others. */
const valid = <T>(schema: z.ZodType<T>, found: readonly unknown[], most: number): T[] =>
  found.flatMap((one) => schema.safeParse(one).data ?? []).slice(0, most);

function partitionsOf(lines: readonly string[]): SlurmPartition[] {
  const partitions = new Map<string, SlurmPartition>();
  for (const line of lines) {
    const [word = '', state, limit = '', byDefault = '', counts = '', cpus = '', memory = '', gres = ''] =
      line.split('|');
    const name = word.replace(/\*$/, '');
    if (name === '' || counts === '') continue;
    const [, idle = 0, , total = 0] = counts.split('/').map(numberOf);
    const found = partitions.get(name) ?? {
      ...{ name, isDefault: word.endsWith('*'), isUp: state === 'up', nodes: [] },
      maxMinutes: minutesOf(limit),
      defaultMinutes: minutesOf(byDefault),
    };
    const nodes: SlurmNodes = {
      count: total,
      idle,
      cpus: numberOf(cpus),
      memoryMb: numberOf(memory),
      gpus: gpusOf(gres),
    };
    partitions.set(name, { ...found, nodes: [...found.nodes, nodes].slice(0, mostKinds) });
  }
  return [...partitions.values()];
}

/** `gpu:a100:4(S:0-1),gpu:2,nvme:1`. Types may begin with a digit: `gpu:3090:8`, `gpu:1g.5gb:7`. */
function gpusOf(gres: string): SlurmNodes['gpus'] {
  return [...gres.matchAll(/(?:^|,)gpu:(?:([^:,()]+):)?(\d{1,9})(?=[(,]|$)/g)]
    .slice(0, mostGpuKinds)
    .map(([, type = '', count]) => ({ type, count: Number(count) }));
}

function accountsOf(lines: readonly string[], cluster: string | undefined): SlurmAccount[] {
  return lines.flatMap((line) => {
    const [of, name = '', partition, qos = '', defaultQos, maxJobs, maxSubmit, maxTime] = line.split('|');
    // A database may serve several clusters.
    if (name === '' || (cluster !== undefined && of?.toLowerCase() !== cluster)) return [];
    return [
      {
        name,
        qos: qos.split(',').filter((one) => one !== ''),
        partition: wordOf(partition),
        defaultQos: wordOf(defaultQos),
        maxTime: limitOf(maxTime),
        maxJobs: countOf(maxJobs),
        maxSubmit: countOf(maxSubmit),
      },
    ];
  });
}

function qosOf(line: string): SlurmQos {
  const [name = '', maxTime, maxOfUser, maxJobs, maxSubmit] = line.split('|');
  return {
    name,
    maxTime: limitOf(maxTime),
    maxOfUser: limitOf(maxOfUser),
    maxJobs: countOf(maxJobs),
    maxSubmit: countOf(maxSubmit),
  };
}

/** Of `df -Pk`: file system, blocks, used, available, capacity, mounted on. */
function homeOf(line: string | undefined): SlurmFacts['home'] {
  const [, total, free] = /\s(\d+)\s+\d+\s+(\d+)\s+\S+%\s/.exec(line ?? '') ?? [];
  return total === undefined || free === undefined
    ? undefined
    : { total: Number(total) * kibi, free: Number(free) * kibi };
}

const numberOf = (text: string): number => {
  const found = /^\d{1,9}/.exec(text)?.[0];
  return found === undefined ? 0 : Number(found);
};
const countOf = (text: string | undefined): number | undefined =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .safeParse(text).data;

/** Undefined where it is empty or absent. */
const wordOf = (text: string | undefined): string | undefined => (text === '' ? undefined : text);
const limitOf = (text: string | undefined): string | undefined => wordOf(text)?.slice(0, longestLimit);
