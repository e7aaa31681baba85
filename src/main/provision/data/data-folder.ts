/**
 * Validates a data folder on a node: an ImageFolder (`train/` and `val/` with the same number of class folders, at
 * least one), or one of the data sets stored as files.
 */
import { z } from 'zod';
import { RinglabError } from '../../../shared/base/errors.ts';
import { shellQuote } from '../../ssh/index.ts';
import type { NodeShell } from '../node/node-shell.ts';
import { fileSetFolders, fileSetOf } from './file-sets.ts';
import { phrase } from '../../i18n/index.ts';

const Counts = z.object({
  train: z.coerce.number().int(),
  val: z.coerce.number().int(),
});

/** Follows symbolic links and includes hidden folders, as the trainer does. */
export const countScript = (path: string): string => `
cd ${shellQuote(path)} 2>/dev/null || { echo "missing=."; exit 0; }
for folder in ${fileSetFolders.map(shellQuote).join(' ')}; do
  for file in "$folder"/*idx?-ubyte "$folder"/*idx?-ubyte.gz "$folder"/*.bin; do [ -f "$file" ] && echo "file=$file"; done
done
for part in train val; do
  [ -d "$part" ] && [ -r "$part" ] && [ -x "$part" ] || { echo "missing=$part"; exit 0; }
  count=0
  for folder in "$part"/*/ "$part"/.[!.]*/; do [ -d "$folder" ] && count=$((count + 1)); done
  echo "$part=$count"
done
`;

/**
 * Returns the number of classes.
 * @throws data_missing, data_no_classes with the path on the node, data_classes_differ
 */
export async function checkDataFolder(shell: NodeShell, path: string): Promise<number> {
  const { stdout: output } = await shell.ask(countScript(path), {
    label: phrase('nodeCommands.classes', { path }),
  });
  const lines = output
    .trim()
    .split('\n')
    .map((line): [string, string] => {
      const equals = line.indexOf('=');
      return [line.slice(0, equals), line.slice(equals + 1)];
    });
  const found = fileSetOf(lines.filter(([key]) => key === 'file').map(([, file]) => file));
  if (found !== undefined) return found.set.classes;
  const values = Object.fromEntries(lines);
  const { missing } = values;
  if (missing !== undefined) {
    throw new RinglabError('data_missing', { path: missing === '.' ? path : `${path}/${missing}` });
  }
  const counts = Counts.safeParse(values);
  if (!counts.success) {
    throw new RinglabError(
      'command_failed',
      { command: phrase('nodeCommands.classes', { path }), code: 0 },
      { detail: output },
    );
  }
  for (const part of ['train', 'val'] as const) {
    if (counts.data[part] === 0) throw new RinglabError('data_no_classes', { path: `${path}/${part}` });
  }
  const { train, val } = counts.data;
  if (train !== val) throw new RinglabError('data_classes_differ', { path, train, validation: val });
  return train;
}
