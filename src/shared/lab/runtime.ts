/** Sources of libtorch, and of the Python that own scripts run with, for the nodes of an experiment. */
import * as z from 'zod';
import { commandWord, oneLine } from '../base/plain-text.ts';

/** Maximum number of addresses of channels or indexes. */
const maxChannels = 16;

export const Runtime = z.discriminatedUnion('type', [
  /** The distribution's package, or a libtorch in one of the system's usual folders. */
  z.object({ type: z.literal('system') }),
  /** A libtorch or a Python torch already on the node: the one at `path`, or the most suitable one. */
  z.object({ type: z.literal('existing'), path: commandWord(4096).optional() }),
  /** A conda environment in the app's own folder on the node, from a lock. */
  z.object({
    type: z.literal('conda'),
    environment: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
    /** Addresses of the channel; the node measures which is fastest. Without them, the known mirrors of conda-forge. */
    channels: z
      .array(commandWord(2000).regex(/^(https?|file):\/\/\S+$/))
      .max(maxChannels)
      .optional(),
    /** Where a node without micromamba downloads it; without this the app's copy is sent. */
    micromamba: z
      .object({
        url: commandWord(2000).regex(/^https?:\/\/\S+$/),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
      })
      .optional(),
  }),
  /** A virtual environment of PyTorch's own wheels in the app's folder on the node, made by uv. */
  z.object({
    type: z.literal('wheels'),
    python: oneLine(16)
      .regex(/^3\.\d{1,2}$/)
      .optional(),
    torch: oneLine(32)
      .regex(/^\d+(\.\d+){1,2}$/)
      .optional(),
    /** Simple indexes (PEP 503); the node measures which is fastest. Without them, PyPI and its known mirrors. */
    indexes: z
      .array(commandWord(2000).regex(/^https?:\/\/\S+$/))
      .max(maxChannels)
      .optional(),
  }),
]);
export type Runtime = z.infer<typeof Runtime>;
export type CondaRuntime = Extract<Runtime, { type: 'conda' }>;
type WheelsRuntime = Extract<Runtime, { type: 'wheels' }>;

/** The environment that the tutorials for `main.py` create. */
export const defaultEnvironment = 'resnet';

/** conda-forge and its mirrors; each node measures which is fastest. */
export const condaMirrors: readonly string[] = [
  'https://conda.anaconda.org/conda-forge',
  'https://mirrors.tuna.tsinghua.edu.cn/anaconda/cloud/conda-forge',
  'https://mirrors.ustc.edu.cn/anaconda/cloud/conda-forge',
  'https://mirrors.bfsu.edu.cn/anaconda/cloud/conda-forge',
];

/** PyPI and its mirrors: Tsinghua, Aliyun, USTC, Huawei. */
export const pythonIndexes: readonly string[] = [
  'https://pypi.org/simple',
  'https://pypi.tuna.tsinghua.edu.cn/simple',
  'https://mirrors.aliyun.com/pypi/simple',
  'https://mirrors.ustc.edu.cn/pypi/simple',
  'https://repo.huaweicloud.com/repository/pypi/simple',
];

export const indexesOf = ({ indexes }: WheelsRuntime): readonly string[] =>
  (indexes === undefined || indexes.length === 0 ? pythonIndexes : indexes).map((address) =>
    address.replace(/\/+$/, ''),
  );

export const channelsOf = (runtime: CondaRuntime): readonly string[] =>
  (runtime.channels === undefined || runtime.channels.length === 0 ? condaMirrors : runtime.channels).map(
    (address) => address.replace(/\/+$/, ''),
  );
