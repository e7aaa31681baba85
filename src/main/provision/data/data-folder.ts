/**
 * Validates a data folder on a node: an ImageFolder (`train/` and `val/` with the same number of class folders, at
 * least one), what `ringlab-train pack` made of one (the same of its two packs), or one of the data sets stored as files.
 */
import * as z from 'zod';
import { RinglabError } from '../../../shared/base/errors.ts';
import { shellQuote } from '../../ssh/index.ts';
import type { NodeShell } from '../node/node-shell.ts';
import { fileSetFolders, fileSetOf } from './file-sets.ts';
import { phrase } from '../../i18n/index.ts';

const Counts = z.object({
  train: z.coerce.number().int(),
  val: z.coerce.number().int(),
});

/**
 * Follows symbolic links and includes hidden folders, as the trainer does. A pack's number of classes stands in its index, whose place is
 * in the last 32 bytes (native/PROTOCOL.md, 'Packed images'); nothing is printed for a file without, as after a copy that broke off.
 */
export const countScript = (path: string): string => `
cd ${shellQuote(path)} 2>/dev/null || { echo "missing=."; exit 0; }
classes_of() {
  [ "$(tail -c 8 "$1" | tr -d '\\0')" = packring ] || return
  set -- "$1" $(tail -c 32 "$1" | od -An -tu8 -N16)
  case $2$3 in '' | *[!0-9]* | ???????????????????*) return ;; esac
  [ $(($2 + $3 + 32)) = $(wc -c < "$1") ] || return
  tail -c +$(($2 + 5)) "$1" | head -c 4 | od -An -tu4 | tr -d ' '
}
if [ -f train.pack ] || [ -f val.pack ]; then
  for pack in train.pack val.pack; do [ -f "$pack" ] || { echo "missing=$pack"; exit 0; }; done
  for pack in train.pack val.pack; do echo "$pack=$(classes_of "$pack" 2>/dev/null)"; done
  exit 0
fi
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
  const ending = 'train.pack' in values ? '.pack' : '';
  const counts = Counts.safeParse({ train: values[`train${ending}`], val: values[`val${ending}`] });
  if (!counts.success) {
    throw new RinglabError(
      'command_failed',
      { command: phrase('nodeCommands.classes', { path }), code: 0 },
      { detail: output },
    );
  }
  for (const part of ['train', 'val'] as const) {
    if (counts.data[part] === 0)
      throw new RinglabError('data_no_classes', { path: `${path}/${part}${ending}` });
  }
  const { train, val } = counts.data;
  if (train !== val) throw new RinglabError('data_classes_differ', { path, train, validation: val });
  return train;
}
