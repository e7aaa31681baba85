/** What is wrong with where a lab trains: the access of a machine, and what a cluster cannot do. Pure. */
import { jumpHosts, type JumpHost, type SshAccess } from './access.ts';
import { isSplit, type LabDocument } from './lab.ts';
import type { LabIssue, LabIssueCode } from './lab-issue.ts';
import type { KubernetesTarget } from './kubernetes.ts';
import { clusterOf, hasSharedFolder } from './reached.ts';
import { clusterName, sbatchOptionProblem, type SlurmTarget } from './where.ts';

/** Names that no name server answers (RFC 6761): they stand in examples. */
const exampleHost = /(^|\.)(example|invalid)\.?$/i;
/** A space, a user, a path, brackets, or a single colon with a port: an IPv6 address has more. */
const notOfHosts = /[\s@/[\]]|^[^:]*:\d*$/;

const lacksKeyFile = ({ authentication }: Pick<JumpHost, 'authentication'>): boolean =>
  authentication.method === 'key' && authentication.keyFile.trim() === '';

/** What an access lacks; `field` is below it. */
export function checkAccess(access: SshAccess): { code: LabIssueCode; field: string; host?: string }[] {
  const found: { code: LabIssueCode; field: string; host?: string }[] = [];
  const host = access.host.trim();
  if (host === '') found.push({ code: 'host_missing', field: '.host' });
  else if (exampleHost.test(host)) found.push({ code: 'host_example', field: '.host', host });
  else if (notOfHosts.test(host)) found.push({ code: 'host_not_alone', field: '.host', host });
  if (access.user.trim() === '') found.push({ code: 'user_missing', field: '.user' });
  if (lacksKeyFile(access)) found.push({ code: 'key_file_missing', field: '.authentication.keyFile' });
  const hops = jumpHosts<JumpHost>(access);
  const nameless = hops.findLastIndex((hop) => hop.host.trim() === '' || hop.user.trim() === '');
  const fieldOf = (index: number): string => '.jump'.repeat(hops.length - index);
  if (nameless >= 0) found.push({ code: 'jump_host_missing', field: `${fieldOf(nameless)}.host` });
  hops.forEach((hop, index) => {
    if (notOfHosts.test(hop.host))
      found.push({ code: 'host_not_alone', field: `${fieldOf(index)}.host`, host: hop.host });
    if (lacksKeyFile(hop))
      found.push({ code: 'key_file_missing', field: `${fieldOf(index)}.authentication.keyFile` });
  });
  return found;
}

/** What of the lab does not fit the cluster that it names. */
export function checkWhere(lab: LabDocument): LabIssue[] {
  const cluster = clusterOf(lab);
  if (cluster === undefined) return [];
  const { limitLinks, encrypt, data, script } = lab.experiment;
  return [
    ...(cluster.type === 'slurm' ? checkSlurm(cluster) : checkKubernetes(cluster)),
    // The shared folder has one for all nodes.
    ...(script === undefined && isSplit(data) && hasSharedFolder(lab)
      ? [issue('error', 'cluster_split', 'data.split')]
      : []),
    ...(limitLinks === true || encrypt === true
      ? [issue('warning', 'cluster_network', limitLinks === true ? 'limitLinks' : 'encrypt')]
      : lab.links.length > 0
        ? [issue('warning', 'cluster_links', 'where')]
        : []),
  ];
}

const issue = (
  severity: LabIssue['severity'],
  code: LabIssueCode,
  field: string,
  params: LabIssue['params'] = {},
): LabIssue => ({ severity, code, params, path: `experiment.${field}` });

function checkSlurm(slurm: SlurmTarget): LabIssue[] {
  const login = clusterName(slurm);
  return [
    ...checkAccess(slurm.login).map(({ code, field, host }) =>
      issue('error', code, `where.login${field}`, { name: login, ...(host === undefined ? {} : { host }) }),
    ),
    ...(slurm.options ?? []).flatMap((option, index) => {
      const problem = sbatchOptionProblem(option);
      const code = problem === 'own' ? 'slurm_option_own' : 'slurm_option';
      return problem === undefined ? [] : [issue('error', code, `where.options[${index}]`, { option })];
    }),
    ...(slurm.nodeLocal === true && slurm.folder === undefined
      ? [issue('error', 'slurm_folder', 'where.folder', { name: login })]
      : []),
    ...(slurm.requeue === true && slurm.timeLimitMinutes === undefined
      ? [issue('warning', 'slurm_requeue_limit', 'where.requeue')]
      : []),
  ];
}

const checkKubernetes = ({ image, claim }: KubernetesTarget): LabIssue[] => [
  ...(image === '' ? [issue('error', 'kubernetes_image', 'where.image')] : []),
  ...(claim === undefined ? [issue('warning', 'kubernetes_no_claim', 'where.claim')] : []),
];
