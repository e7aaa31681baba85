/** Checks a lab before it is run. Pure: used by the window, the run service and `ringlab check`. */
import type { LabIssue, LabIssueCode } from './lab-issue.ts';
import {
  findArchitecture,
  lastNormValues,
  likeNames,
  nearestSizes,
  type Architecture,
} from './architectures.ts';
import { checkData } from './data-check.ts';
import { excludedSettings, parseSyncMode, settingsOf } from '../settings/index.ts';
import { checkScript } from './script-check.ts';
import { clusterOf } from './reached.ts';
import { checkAccess, checkWhere } from './where-check.ts';
import { topologyOf, unreachablePair } from './topology.ts';
import { imageSizeOf, isOneProcess, trainingNodes, type LabDocument } from './lab.ts';
import { cannotGoOn } from './lost-rank.ts';

export function checkLab(lab: LabDocument): LabIssue[] {
  return [...checkNodes(lab), ...checkLinks(lab), ...checkWhere(lab), ...checkExperiment(lab)];
}

export const hasErrors = (issues: readonly LabIssue[]): boolean =>
  issues.some((issue) => issue.severity === 'error');

function checkNodes(lab: LabDocument): LabIssue[] {
  const issues: LabIssue[] = [];
  if (lab.nodes.length === 0) issues.push({ severity: 'error', code: 'no_nodes', params: {}, path: 'nodes' });
  else if (trainingNodes(lab).length === 0)
    issues.push({ severity: 'error', code: 'only_switches', params: {}, path: 'nodes' });
  const names = new Set<string>();
  const ids = new Set<string>();
  lab.nodes.forEach((node, index) => {
    const path = `nodes[${index}]`;
    const name = node.name.trim();
    const report = (code: LabIssueCode, field: string, params: LabIssue['params'] = {}): void => {
      issues.push({
        severity: 'error',
        code,
        params: { name, ...params },
        path: `${path}.${field}`,
        nodeId: node.id,
      });
    };
    if (name === '') report('node_without_name', 'name');
    else if (names.has(name)) report('duplicate_name', 'name');
    names.add(name);
    if (ids.has(node.id)) report('duplicate_id', 'id');
    ids.add(node.id);
    // On a cluster nodes are the scheduler's, and only its login node is logged in to.
    if (clusterOf(lab) !== undefined || node.kind === 'switch' || node.access.type === 'local') return;
    issues.push(
      ...checkAccess(node.access).map(({ code, field, host }): LabIssue => ({
        severity: 'error',
        code,
        params: { name, ...(host === undefined ? {} : { host }) },
        path: `${path}.access${field}`,
        nodeId: node.id,
      })),
    );
  });
  return issues;
}

function checkLinks(lab: LabDocument): LabIssue[] {
  const issues: LabIssue[] = [];
  const nodes = new Map(lab.nodes.map((node) => [node.id, node]));
  const pairs = new Set<string>();
  const linked = new Set<string>();
  lab.links.forEach((link, index) => {
    const [a, b] = link.ends;
    const params = { a: nodes.get(a)?.name ?? a, b: nodes.get(b)?.name ?? b };
    const report = (code: LabIssueCode, severity: LabIssue['severity'], field: string): void => {
      issues.push({ severity, code, params, path: `links[${index}].${field}`, linkId: link.id });
    };
    if (!nodes.has(a) || !nodes.has(b)) report('link_dangling', 'error', 'ends');
    if (a === b) report('link_to_itself', 'error', 'ends');
    const pair = [a, b].sort().join(' ');
    if (pairs.has(pair)) report('link_duplicate', 'error', 'ends');
    pairs.add(pair);
    linked.add(a).add(b);
    if (link.lossPercent >= 100) report('loss_total', 'error', 'lossPercent');
  });
  const training = trainingNodes(lab);
  if (training.length > 1 && lab.links.length > 0) {
    const ids = training.map(({ id }) => id);
    const apart = unreachablePair(topologyOf(lab), ids);
    if (apart !== undefined) {
      const index = lab.nodes.findIndex(({ id }) => id === apart[1]);
      const [a, b] = apart.map((id) => nodes.get(id)?.name ?? id);
      const params = { a: a ?? '', b: b ?? '' };
      issues.push({
        severity: 'error',
        code: 'nodes_apart',
        params,
        path: `nodes[${index}]`,
        nodeId: apart[1],
      });
    }
    lab.nodes.forEach((node, index) => {
      if (node.kind === 'switch' && !linked.has(node.id)) {
        issues.push({
          severity: 'warning',
          code: 'node_unconnected',
          params: { name: node.name },
          path: `nodes[${index}]`,
          nodeId: node.id,
        });
      }
    });
  }
  return issues;
}

function checkExperiment(lab: LabDocument): LabIssue[] {
  const issues: LabIssue[] = [];
  const { experiment } = lab;
  const report = (code: LabIssueCode, field: string, params: LabIssue['params']): void => {
    issues.push({ severity: 'error', code, params, path: `experiment.${field}` });
  };
  const refused = cannotGoOn(experiment);
  if (experiment.onLostRank === 'continue' && refused !== undefined)
    report('goes_on_without', 'onLostRank', { with: refused });
  // The training settings and the data are the native trainer's.
  if (experiment.script !== undefined) {
    for (const { severity, code, field, params } of checkScript(lab, experiment.script))
      issues.push({ severity, code, params: { ...params }, path: `experiment.${field}` });
    return issues;
  }
  const architecture = findArchitecture(experiment.architecture);
  if (architecture === undefined) {
    report('unknown_architecture', 'architecture', {
      architecture: experiment.architecture,
      known: likeNames(experiment.architecture).join(', '),
    });
  } else {
    const size = imageSizeOf(experiment.data);
    const valid = nearestSizes(architecture, size);
    if (valid !== undefined)
      report('image_size', 'data.size', {
        size,
        architecture: architecture.name,
        valid: valid.join(', '),
      });
  }
  for (const { code, field, params } of checkData(experiment.data)) report(code, field, params);
  const ranks = rankCount(lab);
  const sync = parseSyncMode(experiment.sync);
  if (sync === undefined) report('unknown_sync', 'sync', { sync: experiment.sync });
  else if (sync.outer && experiment.data.type === 'shapes') {
    const steps = Math.ceil(experiment.data.train / experiment.batchSize);
    if (sync.period > steps) report('period_above_epoch', 'sync', { period: sync.period, steps });
  }
  for (const { name, code } of excludedSettings(settingsOf(experiment)))
    report(code, name, { sync: experiment.sync });
  const { epochs, warmupEpochs } = settingsOf(experiment);
  if (warmupEpochs > epochs)
    issues.push({
      severity: 'warning',
      code: 'warmup_above_epochs',
      params: { warmup: warmupEpochs, epochs },
      path: 'experiment.warmupEpochs',
    });
  const onCpu = trainingNodes(lab).find((node) => node.kind === 'cpu');
  if (experiment.amp === 'fp16' && onCpu !== undefined)
    report('fp16_needs_gpus', 'amp', { name: onCpu.name });
  const pretrained = experiment.pretrained?.trim() ?? '';
  if (pretrained !== '' && !pretrained.startsWith('/'))
    report('pretrained_relative', 'pretrained', { path: pretrained });
  // The images of a folder are counted on its node; there the sampler repeats images, as PyTorch's does.
  if (experiment.data.type === 'shapes' && experiment.data.train < ranks)
    report('samples_below_ranks', 'data.train', { samples: experiment.data.train, ranks });
  const parts = ranks * (experiment.accumulate ?? 1);
  if (ranks > 0 && experiment.batchSize < ranks)
    report('batch_below_ranks', 'batchSize', { batchSize: experiment.batchSize, ranks });
  else if (ranks > 0 && experiment.batchSize < parts)
    report('batch_below_parts', 'accumulate', { batchSize: experiment.batchSize, ranks: parts });
  else if (experiment.data.type === 'shapes' && experiment.batchSize > experiment.data.train)
    issues.push({
      severity: 'warning',
      code: 'batch_above_images',
      params: { batchSize: experiment.batchSize, images: experiment.data.train },
      path: 'experiment.batchSize',
    });
  else if (ranks > 0 && experiment.batchSize % parts !== 0) {
    // Every rank takes the same share, as in main.py; the remainder is not used.
    const used = Math.floor(experiment.batchSize / parts) * parts;
    issues.push({
      severity: 'warning',
      code: 'batch_uneven',
      params: { batchSize: experiment.batchSize, ranks: parts, used },
      path: 'experiment.batchSize',
    });
  } else if (architecture !== undefined && ranks > 0) {
    const images = experiment.batchSize / parts;
    const values = normValues(experiment, architecture, images);
    if (values !== undefined && values < fewNormValues)
      issues.push({
        severity: 'warning',
        code: 'batch_few_norm_values',
        params: { images, values },
        path: 'experiment.batchSize',
      });
  }
  return issues;
}

/**
 * With 8 values, 4 ranks with 8 images of 16 px each, shufflenet_v2_x0_5 reached 18 % after 28 epochs, and 32 % after 8 with batch norm
 * over all ranks (32 values).
 */
const fewNormValues = 16;

/** Over how many values of a channel a rank's last batch norm averages in a step; undefined where that does not matter. */
function normValues(
  experiment: LabDocument['experiment'],
  architecture: Architecture,
  images: number,
): number | undefined {
  const { syncBatchNorm, freezeBatchNorm } = settingsOf(experiment);
  if (syncBatchNorm || freezeBatchNorm) return undefined;
  const ofImage = lastNormValues(architecture, imageSizeOf(experiment.data));
  return ofImage === undefined ? undefined : images * ofImage;
}

/** Ranks that a node will start, as drawn: `auto` is one for each GPU and at least one. */
export function processesOn(
  lab: LabDocument,
  node: LabDocument['nodes'][number],
  gpusFound?: number,
): number {
  if (isOneProcess(lab)) return 1;
  const { processesPerNode } = lab.experiment;
  if (processesPerNode !== 'auto') return processesPerNode;
  // What is drawn is what a cluster is asked for, whatever its login node has.
  const gpus =
    clusterOf(lab) !== undefined
      ? drawnGpus(node)
      : node.access.type === 'local'
        ? (gpusFound ?? 0)
        : (gpusFound ?? node.placement.flavour.gpuCount);
  return Math.max(1, gpus);
}

/** GPUs that a cluster is asked for on this node. */
export const drawnGpus = ({ kind, placement }: LabDocument['nodes'][number]): number =>
  kind === 'gpu' ? placement.flavour.gpuCount : 0;

export const rankCount = (lab: LabDocument): number =>
  trainingNodes(lab).reduce((sum, node) => sum + processesOn(lab, node), 0);
