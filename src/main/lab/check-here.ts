/** What a lab needs from this computer, and what of it is not there: known before any node is connected. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { LabIssue } from '../../shared/lab/lab-issue.ts';
import { jumpHosts, type JumpHost } from '../../shared/lab/access.ts';
import { trainingNodes, type LabDocument, type LabNode } from '../../shared/lab/lab.ts';
import { asReached, clusterOf, sessionNodeId } from '../../shared/lab/reached.ts';
import { clusterName } from '../../shared/lab/where.ts';
import { moduleOf, staysBelow } from '../../shared/lab/script-check.ts';

export interface ThisComputer {
  readonly home: string;
  /** The socket of the user's SSH agent. */
  readonly agent: string | undefined;
  readonly platform: NodeJS.Platform;
}

/** The beginning of the names of pipes on Windows. */
const pipes = String.raw`\\.\pipe` + '\\';

type Kind = 'folder' | 'file' | 'any';
/** A path that the lab names, and the issue where nothing of this kind is there. */
interface Need {
  readonly path: string;
  readonly kind: Kind;
  readonly issue: LabIssue;
}

/** Only names and types of files are looked at. Fields that `checkLab` complains about are not reported again. */
export async function checkHere(drawn: LabDocument, computer: ThisComputer): Promise<LabIssue[]> {
  const lab = asReached(drawn);
  const cluster = clusterOf(lab);
  const nodes = lab.nodes.map((node, index) => ({ node, path: `nodes[${index}]` }));
  const training = new Set(trainingNodes(lab).map(({ id }) => id));
  const used = nodes.filter(({ node }) => training.has(node.id) && sessionNodeId(lab, node.id) === node.id);
  const full = (path: string): string =>
    path === '~' || path.startsWith('~/') ? join(computer.home, path.slice(1)) : path;
  const isAgentless = computer.agent === undefined || computer.agent === '';
  const issues: LabIssue[] = [];
  const needs: Need[] = [];
  if (cluster?.type === 'kubernetes' && cluster.kubeconfig !== undefined)
    needs.push({
      path: full(cluster.kubeconfig),
      kind: 'file',
      issue: {
        severity: 'error',
        code: 'kubeconfig_absent',
        params: { path: cluster.kubeconfig },
        path: 'experiment.where.kubeconfig',
      },
    });
  for (const { node, path } of used) {
    const { access } = node;
    const about =
      cluster === undefined
        ? ({ severity: 'error', params: { name: node.name }, nodeId: node.id } as const)
        : ({ severity: 'error', params: { name: clusterName(cluster) } } as const);
    const place = cluster === undefined ? `${path}.access` : 'experiment.where.login';
    // Its pods are reached through the API.
    if (cluster?.type === 'kubernetes') break;
    if (access.type === 'local') {
      if (computer.platform === 'win32')
        issues.push({ ...about, code: 'local_unsupported', path: `${path}.access` });
      continue;
    }
    const hops = [...jumpHosts<JumpHost>(access), access];
    hops.forEach(({ authentication }, at) => {
      const field = `${place}${'.jump'.repeat(hops.length - 1 - at)}.authentication`;
      const socket = authentication.method === 'agent' ? (authentication.socket?.trim() ?? '') : undefined;
      if (socket === '' && isAgentless) issues.push({ ...about, code: 'agent_absent', path: field });
      // Whether a pipe of Windows is there is known when it is opened.
      else if (socket !== undefined && !socket.startsWith(pipes))
        needs.push({
          path: full(socket),
          kind: 'any',
          issue: {
            ...about,
            code: 'agent_socket_absent',
            params: { ...about.params, path: socket },
            path: `${field}.socket`,
          },
        });
      if (authentication.method !== 'key') return;
      const { keyFile } = authentication;
      const params = { ...about.params, path: keyFile };
      needs.push({
        path: full(keyFile.trim()),
        kind: 'file',
        issue: { ...about, code: 'key_file_absent', params, path: `${field}.keyFile` },
      });
    });
    const driver = node.driverFile?.trim() ?? '';
    if (cluster === undefined && node.kind === 'gpu' && driver !== '')
      needs.push({
        path: full(driver),
        kind: 'file',
        issue: {
          ...about,
          // It is needed only where the distribution's packages do not fit.
          severity: 'warning',
          code: 'driver_file_absent',
          params: { ...about.params, path: driver },
          path: `${path}.driverFile`,
        },
      });
  }
  needs.push(...needsOfExperiment(lab, used[0]?.node, used.find(({ node }) => isLocal(node))?.node, full));
  const found = new Map<string, Promise<Kind | undefined>>();
  for (const { path, kind, issue } of needs) {
    if (path === '') continue;
    const known = found.get(path) ?? kindOf(path);
    found.set(path, known);
    const there = await known;
    if (there === undefined || (kind !== 'any' && there !== kind)) issues.push(issue);
  }
  return issues;
}

const isLocal = ({ access }: LabNode): boolean => access.type === 'local';

/** @param local the first node that is this computer */
function needsOfExperiment(
  { experiment }: LabDocument,
  first: LabNode | undefined,
  local: LabNode | undefined,
  full: (path: string) => string,
): Need[] {
  const needs: Need[] = [];
  const add = (code: LabIssue['code'], field: string, path: string, kind: Kind, node?: LabNode): void => {
    needs.push({
      path: full(path),
      kind,
      issue: {
        severity: 'error',
        code,
        params: { path, ...(node === undefined ? {} : { name: node.name }) },
        path: `experiment.${field}`,
      },
    });
  };
  const { data, script, runtime } = experiment;
  // A local node has the files of this computer, but a home of its own.
  const onLocal = (field: string, path: string, kind: Kind, node: LabNode | undefined): void => {
    if (node !== undefined && isLocal(node) && path.startsWith('/'))
      add('local_path_absent', field, path, kind, node);
  };
  if (runtime?.type === 'existing') onLocal('runtime.path', runtime.path?.trim() ?? '', 'any', local);
  if (script === undefined) {
    if (data.type === 'upload') add('data_folder_absent', 'data.path', data.path.trim(), 'folder');
    if (data.type === 'folder') onLocal('data.path', data.path.trim(), 'folder', local);
    onLocal('pretrained', experiment.pretrained?.trim() ?? '', 'file', first);
    return needs;
  }
  if (script.source.type !== 'folder') return needs;
  const folder = script.source.path.trim();
  if (folder === '') return needs;
  add('script_folder_absent', 'script.source.path', folder, 'folder');
  const within = (field: string, file: string): void => {
    if (!staysBelow(file)) return;
    needs.push({
      path: join(full(folder), file),
      kind: 'file',
      issue: {
        severity: 'error',
        code: 'script_file_absent',
        params: { path: file },
        path: `experiment.script.${field}`,
      },
    });
  };
  // Where a module is found is for Python to say.
  if (moduleOf(script) === undefined) within('file', script.file);
  if (script.install?.type === 'requirements') within('install.file', script.install.file);
  return needs;
}

const kindOf = async (path: string): Promise<Kind | undefined> => {
  const found = await stat(path).catch(() => undefined);
  return found === undefined ? undefined : found.isDirectory() ? 'folder' : 'file';
};
