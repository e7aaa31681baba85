/** For tests: creates files as `torch.save` writes them, valid and inconsistent ones. */
import { zip } from '../../base/testing/zip-file.ts';

/** `{'state_dict': {'a': tensor of one number}}`, with `more` opcodes that set further items of it. */
export const pickleOf = (more = ''): Buffer =>
  Buffer.from(
    `\x80\x02}(X\x0a\0\0\0state_dict}X\x01\0\0\0actorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpuK\x01tQK\0(K\x01t(K\x01t\x89ccollections\nOrderedDict\n)RtRs${more}u.`,
    'latin1',
  );

/** A valid checkpoint of one number. */
export const smallCheckpoint = (pickle = pickleOf()): Buffer =>
  zip([
    { name: 'archive/data.pkl', bytes: pickle },
    { name: 'archive/data/0', bytes: Buffer.alloc(4) },
  ]);
