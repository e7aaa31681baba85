/** Texts of the explanation of slow steps, in Chinese. */
import type { why as english } from '../en/why.ts';
import type { Words } from '../../../shared/i18n/words.ts';

export const why: Words<typeof english> = {
  title: '每一步在等什么',
  data: '所有 rank 每步有 {{share}} 的时间在等数据。',
  dataOf: '{{rank}} 每步有 {{share}} 的时间在等自己的数据，其他 rank 在等它。',
  dataHint:
    '可增加加载线程（现为 {{workers}}），用 “ringlab-train pack” 预先打包文件夹，或检查该节点的磁盘。',
  dataScriptHint:
    '可为 DataLoader 增加加载进程（num_workers），启用锁页内存和预取，或预先完成文件的解码和缩放。',
  saving: '{{rank}} 有 {{share}} 的时间在写检查点。',
  savingHint: '降低保存频率，只在一个 rank 上保存，或保存到更快的磁盘。',
  compile: 'torch.compile 的编译占 {{share}} 的时间。',
  compileHint: '启动时属正常现象。若持续发生，说明张量形状每步都在变：请使形状保持一致（drop_last、填充）。',
  line: '{{rank}} 有 {{share}} 的时间在脚本自身的一行代码中：{{place}}',
  lineHint: '可降低其执行频率，放到另一个线程，或减少处理的图像。',
  shares: {
    title: '每个 rank 的时间用在哪里',
    about: '根据最近 {{time}} 内对 Python 调用栈的采样得出。脚本的代码没有任何改动。',
    places: '{{rank}} 中耗时最多的代码行',
    share: '占比',
    part: '用途',
    line: '代码行',
  },
  slowRank:
    '{{rank}} 是掉队者（straggler）：计算时间是其他 rank 的 {{times}} 倍，其他 rank 在等它：占每步的 {{share}}。',
  slowRankAlone: '{{rank}} 是掉队者（straggler）：其他 rank 只在等它：占每步的 {{share}}。',
  slowRankHint: '检查该节点上是否有其他程序，以及它的频率和温度；或者不用它训练。',
  slowRankSharedHint: '这些节点是同一台计算机，轮流使用它的核心。请减少其上的节点或 rank，或使用另一台机器。',
  slowRankLineHint: '占用其时间的脚本代码行也列在这里。',
  throttled: '{{rank}}：GPU 在 {{celsius}} °C 时降频到 {{megahertz}} MHz。',
  throttledHint: '改善散热，或降低功率上限使频率稳定。',
  network: '梯度通信占每步的 {{share}}，期间没有计算。',
  networkAt: '梯度通信占每步的 {{share}}，期间没有计算；链路 {{link}} 最窄。',
  networkHint: '可选择发送更少数据的同步方式（实验 → 同步方式：自动）、更大的批次，或更快的链路。',
  networkChosenHint: '同步方式已按这些链路选择。可尝试更大的批次、更小的模型或更快的链路。',
  networkScriptHint:
    '可用 ringlab.slow(model, optimizer) 代替 DistributedDataParallel：发送的数据少得多。也可在脚本中减少同步（梯度累积），或使用更快的链路。',
  compute: '没有等待：每步 {{share}} 的时间在计算。',
  computeAmpHint: '要更快，需要更多或更快的节点，或更小的模型。',
  computeScriptHint: '要更快，需要更多或更快的节点，或在脚本中减少计算：混合精度或更小的模型。',
  computeHint: '要更快，需要更多或更快的节点、混合精度，或更小的模型。',
};
