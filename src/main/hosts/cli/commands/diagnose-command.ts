/** `ringlab diagnose`: recognises known failures in the text on standard input. */
import { diagnose } from '../../../provision/index.ts';

/** Logs may be longer, but the relevant part is near the end. */
const longestInput = 64 * 1024 * 1024;

/** Prints one JSON object a line for each failure, in order. 0 where one was recognised, 1 where none was. */
export async function diagnoseCommand(
  input: AsyncIterable<Buffer>,
  print: (line: string) => void,
): Promise<number> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    chunks.push(chunk);
    size += chunk.length;
    while (size - (chunks[0]?.length ?? 0) > longestInput) size -= chunks.shift()?.length ?? 0;
  }
  const found = diagnose(Buffer.concat(chunks).toString());
  for (const { code, cause, remedy, action, line } of found) {
    const zh = { cause: cause['zh-CN'], remedy: remedy['zh-CN'] };
    print(JSON.stringify({ code, cause: cause.en, remedy: remedy.en, action, line, zh }));
  }
  return found.length > 0 ? 0 : 1;
}
