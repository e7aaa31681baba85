/** `ringlab check LAB`: what the window would report. */
import { RinglabError } from '../../../shared/base/errors.ts';
import {
  checkLab,
  hasErrors,
  rankCount,
  type LabIssue,
  type LabIssueCode,
} from '../../../shared/lab/lab-check.ts';
import { trainingNodes, type LabDocument } from '../../../shared/lab/lab.ts';

const words: Record<LabIssueCode, string> = {
  no_nodes: 'the lab has no nodes: draw at least one',
  only_switches: 'the lab has only switches: draw a GPU or CPU node',
  node_without_name: 'a node has no name',
  duplicate_name: 'two nodes are named “{name}”: names must differ',
  duplicate_id: 'two nodes share one id',
  link_to_itself: 'a link joins {a} to itself: remove it',
  link_dangling: 'a link ends at a node that does not exist',
  link_duplicate: '{a} and {b} are linked twice: remove one link',
  host_missing: '{name} has no address',
  user_missing: '{name} has no user name',
  key_file_missing: '{name} logs in with a key file, but none is named',
  jump_host_missing: 'the jump host of {name} lacks an address or a user',
  unknown_architecture: 'the architecture “{architecture}” is unknown; known: {known}',
  unknown_sync: 'the synchronisation “{sync}” is unknown; examples: powersgd:2, diloco:8',
  period_above_epoch: '{period} local steps are more than the {steps} steps of an epoch',
  fp16_remembers:
    'fp16 mixed precision works only with all-reduce (allreduce, fp16, bf16; not late), not with “{sync}”; use bf16',
  fp16_needs_gpus: 'fp16 mixed precision needs a GPU for each rank, and {name} has none; use bf16 or off',
  batch_norm_waits:
    'batch norm statistics over all ranks need communication in every step, which “{sync}” avoids',
  nothing_frozen: 'frozen batch norm layers need frozen parameters, and none are named',
  backbone_frozen:
    'the backbone is frozen, so that nothing is trained at its learning rate; remove one of the two settings',
  pretrained_relative: 'the initial weights, “{path}”, must be an absolute path on the node of rank 0',
  image_size: '{architecture} cannot be trained with images of {size} px a side; nearest: {valid} px',
  data_path_missing: 'the data folder is not named',
  data_url_missing: 'the data’s address is missing or not http(s)',
  data_hash_missing: 'the data needs the archive’s SHA-256: 64 hexadecimal digits',
  data_endpoint_missing: 'the bucket’s service needs an address: http(s)://, a host, and nothing after it',
  data_bucket_missing: 'the bucket’s name is missing or not one',
  data_region_missing: 'the bucket’s region is missing; us-east-1 where the service has none',
  data_path_relative: 'the data folder “{path}” must be absolute or start with ~',
  batch_below_ranks: 'the batch size {batchSize} is smaller than the number of ranks {ranks}',
  samples_below_ranks: '{samples} training images are fewer than the {ranks} ranks',
  batch_below_parts:
    'the batch size {batchSize} is smaller than the {ranks} micro-batches of all ranks (gradient accumulation)',
  batch_uneven: 'the batch size {batchSize} does not divide by {ranks}: {used} images per step are used',
  node_unconnected: '{name} has no link',
  nodes_apart: '{a} and {b} cannot reach each other: no links lead from one to the other',
  loss_total: 'the link between {a} and {b} loses everything',
};

export function describeIssue(issue: LabIssue): string {
  const text = words[issue.code].replace(/\{(\w+)\}/g, (_, name: string) =>
    String(issue.params[name] ?? '?'),
  );
  return `${issue.path}: ${text}`;
}

/** The lab, where it has a node to work on; else nothing would be done, in silence. Throws `lab_has_errors`. */
export function mustTrain(lab: LabDocument): LabDocument {
  const nothing = checkLab(lab).find(({ code }) => code === 'no_nodes' || code === 'only_switches');
  if (nothing === undefined) return lab;
  throw new RinglabError('lab_has_errors', { count: 1, first: describeIssue(nothing) }, { where: lab.name });
}

/** 0 where the lab can run, 2 where it cannot. */
export function checkCommand(lab: LabDocument): number {
  const issues = checkLab(lab);
  for (const issue of issues) process.stderr.write(`${issue.severity}: ${describeIssue(issue)}\n`);
  const summary = {
    lab: lab.name,
    ok: !hasErrors(issues),
    nodes: trainingNodes(lab).length,
    ranks: rankCount(lab),
    links: lab.links.length,
    issues,
  };
  process.stdout.write(`${JSON.stringify(summary)}\n`);
  return summary.ok ? 0 : 2;
}
