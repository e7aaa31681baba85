/** Measures from a node which of several addresses is the fastest. */
import { RinglabError } from '../../../shared/base/errors.ts';
import { shownAddress } from '../../../shared/base/shown-address.ts';
import type { LabNode } from '../../../shared/lab/lab.ts';
import { shellQuote } from '../../ssh/index.ts';
import { withoutHidden } from '../node/hidden-mirrors.ts';
import type { NodeShell } from '../node/node-shell.ts';
import type { Line } from '../../../shared/base/phrase.ts';
import { phrase } from '../../i18n/index.ts';

/** Enough to distinguish a fast mirror from a slow one, small enough to try all of them. */
const sampleBytes = 1024 * 1024;
const sampleSeconds = 8;

/** No mirror has what is needed; where none answered, the node may have no internet at all. */
export const mirrorsFailed = (
  { lendInternet }: Pick<LabNode, 'lendInternet'>,
  tried: readonly string[],
  { silent }: Pick<MeasuredMirrors, 'silent'>,
  detail?: string,
): RinglabError =>
  new RinglabError(
    'mirrors_failed',
    {
      mirrors: tried.map(shownAddress).join(', '),
      ...(silent && lendInternet !== true ? { diagnosis: 'network.offline' } : {}),
    },
    { detail },
  );

interface MeasuredMirror {
  readonly address: string;
  readonly bytesPerSecond: number;
}

export interface MeasuredMirrors {
  /** Mirrors that have the file, the fastest first. */
  readonly mirrors: readonly MeasuredMirror[];
  /** Whether none of them answered. */
  readonly silent: boolean;
}

/** Prints `<status> <bytes a second>`; uses the file's own address, which shows whether a mirror has what is locked. */
const script = (url: string): string => `
url=${shellQuote(url)}
case $url in file://*) [ -r "\${url#file://}" ] && echo '200 1e12'; exit 0;; esac
if command -v curl >/dev/null 2>&1; then
  curl -sL -r 0-${sampleBytes - 1} --connect-timeout 5 --max-time ${sampleSeconds} -o /dev/null -w '%{http_code} %{speed_download}\\n' "$url"
else
  begin=$(date +%s%N)
  bytes=$({ wget -q --timeout=5 --tries=1 -O - "$url" || python3 -c 'import sys, urllib.request; sys.stdout.buffer.write(urllib.request.urlopen(sys.argv[1], timeout=5).read(${sampleBytes}))' "$url"; } 2>/dev/null | head -c ${sampleBytes} | wc -c)
  end=$(date +%s%N)
  [ "$bytes" -gt 0 ] && echo "200 $((bytes * 1000000000 / (end - begin + 1)))" || echo '000 0'
fi
`;

/**
 * The addresses that have the file, the fastest first; the log has the others with their errors.
 * @param sampleOf path that is downloaded to measure an address
 * @param waitSeconds connection time-out
 * @throws node_offline where a firewall drops the packets to each of them
 */
export async function measureMirrors(
  shell: NodeShell,
  addresses: readonly string[],
  sampleOf: (address: string) => string,
  log: (line: Line) => void,
  waitSeconds?: number,
): Promise<MeasuredMirrors> {
  const measured: MeasuredMirror[] = [];
  let silent = true;
  for (const address of await withoutHidden(shell, addresses, log, waitSeconds)) {
    const sample = sampleOf(address);
    const { stdout } = await shell.exec(script(sample), {
      label: phrase('nodeCommands.try', { address: shownAddress(sample) }),
      online: true,
      quiet: true,
      timeoutMs: (sampleSeconds + 10) * 1000,
    });
    const [code = '', speed = ''] = stdout.trim().split(' ');
    const bytesPerSecond = Number(speed);
    if (code !== '' && code !== '000') silent = false;
    if (/^2\d\d$/.test(code) && bytesPerSecond > 0) {
      log(`${shownAddress(address)}: ${(bytesPerSecond / 1e6).toFixed(2)} MB/s`);
      measured.push({ address, bytesPerSecond });
    } else
      log(
        code === '' || code === '000'
          ? phrase('stepLog.silent', { address: shownAddress(address) })
          : phrase('stepLog.answers', { address: shownAddress(address), code }),
      );
  }
  return { mirrors: measured.sort((a, b) => b.bytesPerSecond - a.bytesPerSecond), silent };
}
