/** What is wrong with a lab, in words, in every language of the app. `{name}` stands for the issue's parameter of that name. */
import type { Language } from '../base/language.ts';
import { RinglabError } from '../base/errors.ts';
import type { LabIssue, LabIssueCode } from './lab-check.ts';

const en: Record<LabIssueCode, string> = {
  no_nodes: 'The lab has no nodes. Add at least one.',
  only_switches: 'The lab has only switches. Add a GPU or CPU node to train on.',
  node_without_name: 'A node has no name.',
  duplicate_name: 'Two nodes are named “{name}”. Give each its own name.',
  duplicate_id: 'Two nodes share one id (“{name}”). Delete one of them.',
  link_to_itself: 'A link joins {a} to itself. Delete it.',
  link_dangling: 'A link between {a} and {b} lacks an end. Delete it.',
  link_duplicate: '{a} and {b} are linked twice. Delete one link.',
  host_missing: '{name}: the SSH host is missing.',
  user_missing: '{name}: the SSH user is missing.',
  key_file_missing: '{name}: the key file is missing.',
  jump_host_missing: '{name}: the jump host lacks its host or user.',
  unknown_architecture: 'The architecture “{architecture}” is unknown. Known: {known}.',
  unknown_sync: 'The synchronisation “{sync}” is unknown. Examples: powersgd:2, diloco:8.',
  period_above_epoch: '{period} local steps are more than the {steps} steps of an epoch.',
  fp16_remembers:
    'Mixed precision with fp16 works only with all-reduce (allreduce, fp16, bf16; not late). Use bf16, or another synchronisation.',
  fp16_needs_gpus: 'fp16 needs a GPU for each rank, and {name} has none. Use bf16, or off.',
  batch_norm_waits:
    'Batch norm statistics over all ranks need communication in every step, which this synchronisation avoids.',
  nothing_frozen: 'Frozen batch norm layers need frozen parameters, and none are named.',
  backbone_frozen:
    'The backbone is frozen: nothing is trained at this learning rate. Remove one of the two settings.',
  pretrained_relative: '{path} must be an absolute path on the node of rank 0.',
  image_size: '{architecture} cannot be trained with images of {size} px a side. Nearest: {valid} px.',
  data_path_missing: 'The data folder’s path is missing.',
  data_url_missing: 'The data needs an address that begins with http:// or https://.',
  data_endpoint_missing: 'The bucket’s service needs an address: https://, a host, and nothing after it.',
  data_bucket_missing: 'The bucket needs its name.',
  data_region_missing: 'The bucket needs a region; us-east-1 where the service has none.',
  data_hash_missing: 'The data needs the SHA-256 of the archive: 64 digits from 0 to f.',
  data_path_relative: 'The data folder on the nodes needs an absolute path, not “{path}”.',
  batch_below_ranks: 'The batch of {batchSize} is smaller than the {ranks} ranks that share it.',
  samples_below_ranks: '{samples} training images are fewer than the {ranks} ranks that share them.',
  batch_below_parts:
    'The batch of {batchSize} is smaller than the {ranks} micro-batches of all ranks (gradient accumulation).',
  batch_uneven: 'A batch of {batchSize} does not divide by {ranks}: {used} images a step are used.',
  node_unconnected: '{name} has no link, while others have.',
  nodes_apart: '{a} and {b} cannot reach each other: no links lead from one to the other.',
  loss_total: 'The link {a} – {b} loses every packet.',
};

const zh: Record<LabIssueCode, string> = {
  no_nodes: '实验室中没有节点。请至少添加一个。',
  only_switches: '实验室中只有交换机。请添加用于训练的 GPU 或 CPU 节点。',
  node_without_name: '有一个节点没有名称。',
  duplicate_name: '有两个节点都叫“{name}”，请各取不同的名称。',
  duplicate_id: '有两个节点的标识相同（“{name}”），请删除其中一个。',
  link_to_itself: '有一条链路把 {a} 连到了自身，请删除。',
  link_dangling: '{a} 与 {b} 之间的链路缺少一端，请删除。',
  link_duplicate: '{a} 与 {b} 之间有两条链路，请删除一条。',
  host_missing: '{name}：缺少 SSH 主机。',
  user_missing: '{name}：缺少 SSH 用户。',
  key_file_missing: '{name}：缺少密钥文件。',
  jump_host_missing: '{name}：跳板机缺少主机或用户。',
  unknown_architecture: '未知的网络结构“{architecture}”。可用：{known}。',
  unknown_sync: '未知的同步方式“{sync}”。示例：powersgd:2、diloco:8。',
  period_above_epoch: '{period} 个本地步多于每轮的 {steps} 步。',
  fp16_remembers:
    'fp16 混合精度只能与 all-reduce（allreduce、fp16、bf16，不带 late）一起使用。请改用 bf16 或其他同步方式。',
  fp16_needs_gpus: 'fp16 需要每个 rank 都有 GPU，而 {name} 没有。请改用 bf16 或关闭。',
  batch_norm_waits: '跨 rank 的批归一化统计量每一步都要通信，而该同步方式正是为了避免每步通信。',
  nothing_frozen: '冻结批归一化需要先指定冻结的参数，目前没有指定。',
  backbone_frozen: '主干已冻结，没有参数以此学习率训练。请去掉其中一项设置。',
  pretrained_relative: '{path} 必须是 rank 0 所在节点上的绝对路径。',
  image_size: '{architecture} 不能用边长 {size} px 的图片训练。最接近的可用值：{valid} px。',
  data_path_missing: '缺少数据文件夹的路径。',
  data_url_missing: '数据需要以 http:// 或 https:// 开头的地址。',
  data_endpoint_missing: '存储桶服务需要地址：https:// 加主机名，后面不带路径。',
  data_bucket_missing: '需要填写存储桶名称。',
  data_region_missing: '需要填写存储桶区域；若服务没有区域，请填 us-east-1。',
  data_hash_missing: '数据需要归档文件的 SHA-256：64 位十六进制数字。',
  data_path_relative: '节点上的数据文件夹需要绝对路径，而不是“{path}”。',
  batch_below_ranks: '批大小 {batchSize} 小于分担它的 {ranks} 个 rank。',
  samples_below_ranks: '{samples} 张训练图片少于分担它们的 {ranks} 个 rank。',
  batch_below_parts: '批大小 {batchSize} 小于所有 rank 的 {ranks} 个微批次（梯度累积）。',
  batch_uneven: '批大小 {batchSize} 不能被 {ranks} 整除：每步只用 {used} 张图片。',
  node_unconnected: '{name} 没有链路，而其他节点有。',
  nodes_apart: '{a} 与 {b} 无法互相到达：没有链路把它们连起来。',
  loss_total: '链路 {a} – {b} 会丢失所有数据包。',
};

type Named = Pick<LabIssue, 'code' | 'params'>;

/** The raw texts, for the test that both languages say the same. */
export const issueTexts: Readonly<Record<Language, Readonly<Record<LabIssueCode, string>>>> = {
  en,
  'zh-CN': zh,
};

export const describeIssue = (issue: Named, language: Language): string =>
  issueTexts[language][issue.code].replace(/\{(\w+)\}/g, (_, name: string) =>
    String(issue.params[name] ?? '?'),
  );

/** `lab_has_errors`, which says this one, in both languages. */
export const labError = (first: Named, where?: string, count = 1): RinglabError =>
  new RinglabError(
    'lab_has_errors',
    { count, first: describeIssue(first, 'en'), 'first.zh-CN': describeIssue(first, 'zh-CN') },
    { where },
  );

/** The same with the first of the errors; undefined where no issue is one. */
export function labErrors(issues: readonly LabIssue[], where?: string): RinglabError | undefined {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  return first === undefined ? undefined : labError(first, where, errors.length);
}
