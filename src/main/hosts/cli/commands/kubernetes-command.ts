/** `ringlab export LAB --kubernetes [FILE]`: the lab as Kubernetes objects in a YAML file, without any cluster. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { RinglabError } from '../../../../shared/base/errors.ts';
import { asOneLine } from '../../../../shared/base/plain-text.ts';
import { checkLab } from '../../../../shared/lab/lab-check.ts';
import { labErrors } from '../../../../shared/lab/issue-texts.ts';
import { kubectlYaml, KubernetesTarget } from '../../../../shared/lab/kubernetes.ts';
import { kubernetesOf } from '../../../../shared/lab/reached.ts';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import { phrase, type en } from '../../../i18n/index.ts';
import {
  kubernetesManifest,
  manifestName,
  newRunSecret,
  planRun,
  type KnownCompute,
  type Manifest,
} from '../../../run/index.ts';
import { speak } from '../speak.ts';
import type { kubernetesOptions } from './kubernetes-options.ts';

export interface KubernetesWords {
  readonly image?: string | undefined;
  readonly namespace?: string | undefined;
  readonly claim?: string | undefined;
  readonly 'pull-secret'?: readonly string[] | undefined;
  readonly 'local-queue'?: string | undefined;
  readonly 'job-set'?: boolean | undefined;
  readonly 'priority-class'?: string | undefined;
  readonly 'node-selector'?: readonly string[] | undefined;
  readonly toleration?: readonly string[] | undefined;
}

interface Output {
  result(line: string): void;
  remark(line: string): void;
}

/** What `assets/kubernetes/Containerfile` builds. */
const defaultImage = 'ringlab-trainer';
/** The API server accepts objects of this size. */
const largestConfigMap = 1024 * 1024;

/**
 * Writes the file, which holds the run's secret: only the user may read it. Prints one JSON object on one line.
 * @param file an existing one is not replaced; by default named as the objects, in the current folder
 * @throws lab_has_errors, bad_request, file_exists, file_unwritable
 */
export async function exportKubernetes(
  drawn: LabDocument,
  file: string | undefined,
  words: KubernetesWords,
  known: KnownCompute,
  out: Output,
): Promise<number> {
  const target = targetOf(words, kubernetesOf(drawn));
  const lab = withoutWhere(drawn);
  mustFit(lab);
  const { lab: planned, nodeOrder } = planRun(lab, known, false);
  const name = manifestName(lab.name, randomBytes(3).toString('hex'));
  const manifest = kubernetesManifest({
    ...{ lab: planned, nodeOrder, target, name },
    secret: newRunSecret(),
    isSet: words['job-set'] === true,
  });
  const jobs = manifest.objects.filter(({ kind }) => kind === 'Job').length;
  if (manifest.objects.some((one) => JSON.stringify(one).length > largestConfigMap))
    throw unfit('ranks', 'nodes');
  const remarks = [
    ...(lab.links.length > 0 || lab.experiment.limitLinks === true ? ['links' as const] : []),
    ...(target.claim === undefined ? ['noClaim' as const] : []),
    ...(jobs > 1 && target.queue !== undefined ? ['severalJobs' as const] : []),
    ...(target.image === defaultImage ? ['image' as const] : []),
  ];
  for (const remark of remarks) out.remark(speak(`cli.kubernetes.${remark}`, { jobs, image: target.image }));
  const path = resolve(file ?? `${name}.yaml`);
  await writeNew(path, yamlOf(lab, name, target, manifest));
  out.result(
    JSON.stringify({
      lab: lab.name,
      file: path,
      name,
      namespace: target.namespace ?? null,
      pods: manifest.pods,
      ranks: manifest.ranks,
      objects: manifest.objects.map(({ kind, metadata }) => `${kind}/${metadata?.name}`),
    }),
  );
  return 0;
}

/** Another cluster's settings are of no matter on this one. */
function withoutWhere(lab: LabDocument): LabDocument {
  const { where: _where, ...experiment } = lab.experiment;
  return { ...lab, experiment };
}

const unfit = (reason: keyof typeof en.reasons.kubernetes, path: string): RinglabError =>
  new RinglabError('bad_request', { path, problem: phrase(`reasons.kubernetes.${reason}`) });

/** Errors of the drawing, and what a manifest alone cannot bring into a cluster. How machines are logged in to is no matter. */
function mustFit(lab: LabDocument): void {
  const issues = checkLab(lab).filter(({ path }) => !/\.access\b/.test(path));
  const refused = labErrors(issues, lab.name);
  if (refused !== undefined) throw refused;
  const { data, script, encrypt } = lab.experiment;
  if (script !== undefined) throw unfit('script', 'experiment.script');
  if (data.type !== 'shapes' && data.type !== 'folder') throw unfit('data', 'experiment.data');
  if (encrypt === true) throw unfit('encrypt', 'experiment.encrypt');
}

/**
 * `key=value` or `key` for node selectors, `key[=value][:effect]` for tolerations, as kubectl writes them.
 * @param named by the lab: options go before it
 */
function targetOf(words: KubernetesWords, named: KubernetesTarget | undefined): KubernetesTarget {
  const selectors = (words['node-selector'] ?? []).map((word) => keyAndValue(word));
  const namedImage = named?.image ?? '';
  const parsed = KubernetesTarget.safeParse({
    ...named,
    type: 'kubernetes',
    image: words.image ?? (namedImage === '' ? defaultImage : namedImage),
    namespace: words.namespace ?? named?.namespace,
    claim: words.claim ?? named?.claim,
    pullSecrets: words['pull-secret'] ?? named?.pullSecrets,
    queue: words['local-queue'] ?? named?.queue,
    priorityClass: words['priority-class'] ?? named?.priorityClass,
    ...(selectors.length === 0
      ? {}
      : { nodeSelector: Object.fromEntries(selectors.map(({ key, value = '' }) => [key, value])) }),
    tolerations:
      words.toleration === undefined
        ? named?.tolerations
        : words.toleration.map((word) => {
            const [, whole = '', effect] = /^(.*?)(?::([A-Za-z]*))?$/s.exec(word) ?? [];
            return { ...keyAndValue(whole), effect };
          }),
  });
  if (parsed.success) return parsed.data;
  const [field = ''] = parsed.error.issues[0]?.path ?? [];
  throw unfit('option', `--${optionOf[String(field)] ?? 'kubernetes'}`);
}

const optionOf: Readonly<Record<string, keyof typeof kubernetesOptions>> = {
  image: 'image',
  namespace: 'namespace',
  claim: 'claim',
  pullSecrets: 'pull-secret',
  queue: 'local-queue',
  priorityClass: 'priority-class',
  nodeSelector: 'node-selector',
  tolerations: 'toleration',
};

function keyAndValue(word: string): { key: string; value?: string } {
  const at = word.indexOf('=');
  return at < 0 ? { key: word } : { key: word.slice(0, at), value: word.slice(at + 1) };
}

function yamlOf(lab: LabDocument, name: string, { namespace }: KubernetesTarget, manifest: Manifest): string {
  const kubectl = namespace === undefined ? 'kubectl' : `kubectl -n ${namespace}`;
  const selector = `-l app.kubernetes.io/instance=${name}`;
  const head = [
    `# ${speak('cli.kubernetes.head', { lab: asOneLine(lab.name), ranks: manifest.ranks, pods: manifest.pods })}`,
    `#   ${kubectl} apply -f FILE`,
    `#   ${kubectl} get pods ${selector}`,
    `#   ${kubectl} logs -f ${selector} --prefix --max-log-requests ${manifest.pods}`,
    `#   ${kubectl} delete -f FILE`,
  ];
  const documents = manifest.objects.map((one) => stringify(one, kubectlYaml));
  return `${head.join('\n')}\n${documents.join('---\n')}`;
}

async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw new RinglabError('file_exists', { path }, { cause: error });
    const reason = error instanceof Error ? error.message : String(error);
    throw new RinglabError('file_unwritable', { path, reason }, { cause: error });
  }
}
