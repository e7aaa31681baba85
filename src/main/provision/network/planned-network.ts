/** The network step in a dry run: what raising the drawn network would run on this computer. On the nodes it changes nothing. */
import { plain, type Phrase } from '../../../shared/base/phrase.ts';
import { toWireError } from '../../../shared/base/errors.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { PlannedStep } from '../../../shared/node/provision.ts';
import type { NetworkChange, Networks } from '../../net/index.ts';

const words: Record<NetworkChange['what'], Phrase> = {
  remove: {
    en: 'As root on this computer: remove what exists of the lab’s network and differs from the drawing',
    'zh-CN': '以 root 身份在本机：删除该实验已有但与绘图不符的网络',
  },
  create: {
    en: 'As root on this computer: make the drawn network of namespaces and links',
    'zh-CN': '以 root 身份在本机：创建所绘网络的命名空间与链路',
  },
  shape: {
    en: 'As root on this computer: the network exists; set its links as drawn',
    'zh-CN': '以 root 身份在本机：网络已存在；将链路设置为所绘数值',
  },
};
const onlyTried: Phrase = {
  en: 'changes nothing: a free port is looked for on the first node, and the others try to reach it there',
  'zh-CN': '不做任何改动：在第一个节点上查找空闲端口，其余节点尝试连接它',
};

/** Never throws. */
export async function planNetwork(
  networks: Pick<Networks, 'changes'> | undefined,
  lab: LabDocument,
): Promise<PlannedStep> {
  try {
    const changes = (await networks?.changes(lab)) ?? [];
    if (changes.length === 0) return { id: 'network', state: 'done', summary: onlyTried, changes: [] };
    return {
      id: 'network',
      state: 'change',
      summary: plain(''),
      changes: changes.map(({ what, script }) => ({ what: words[what], command: script })),
    };
  } catch (error) {
    return { id: 'network', state: 'blocked', summary: plain(''), changes: [], error: toWireError(error) };
  }
}
