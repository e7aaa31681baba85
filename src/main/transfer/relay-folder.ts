/**
 * Sends a folder directly from one node to another: this computer's uplink carries only the list of files. Both ends
 * are short Perl scripts; every Debian and Ubuntu has Perl (perl-base).
 *
 * The sender listens for one connection that begins with a token which both got over SSH; the data is not encrypted, so
 * that encrypted labs do without it. Every file is verified on arrival.
 */
import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import { RinglabError } from '../../shared/base/errors.ts';
import type { Phrase } from '../../shared/base/phrase.ts';
import { phrase } from '../i18n/index.ts';
import { shellQuote, type SshSession } from '../ssh/index.ts';
import { sumLine, sumLines, type FolderManifest, type ManifestFile } from './folder-manifest.ts';
import { begin, compressed, finish, settle } from './incoming-folder.ts';
import { bytesOnDisk, type SendOptions } from './send-folder.ts';
import { needBytes } from './space.ts';

const patienceMs = 12 * 3_600_000;
/** tar's overhead: a header and padding for each file, another for a long name; zeros at the end up to a full record. */
const [headerBytes, recordBytes] = [4 * 512, 64 * 1024];
/** Seconds to wait for the other end. */
const comeSeconds = 60;

/** The sender: reads the token, listens, and sends a tar of the requested paths. */
const giver = String.raw`
use strict; use IO::Socket::INET; $| = 1;
my ($folder, $seconds) = @ARGV;
chomp(my $token = <STDIN>);
chdir $folder or die "$folder: $!\n";
$SIG{ALRM} = sub { die "nobody came within $seconds s\n" };
alarm $seconds;
my $server = IO::Socket::INET->new(Listen => 4, LocalAddr => "0.0.0.0", LocalPort => 0) or die "cannot listen: $@\n";
print "port ", $server->sockport, "\n";
my $client;
until ($client) {
  my $one = $server->accept or next;
  my $said = <$one>;
  if (defined $said && $said eq "$token\n") { $client = $one } else { close $one }
}
alarm 0;
my @paths;
{ local $/ = "\0"; while (defined(my $path = <$client>)) { chomp $path; last if $path eq ""; push @paths, $path } }
for (@paths) { die "not below the folder: $_\n" if m{^/} || m{(^|/)\.\.(/|$)} }
open(STDOUT, ">&", $client) or die "$!\n";
open(my $tar, "|-", "tar", "--null", "--no-recursion", "-T", "-", "-cf", "-") or die "tar: $!\n";
print $tar "$_\0" for @paths;
close $tar or die "tar ended with $?\n";
`;

const list = '.ringlab-manifest';
/** For tar: the notes of the receiver about its folder are not the sender's to write. */
const notOurs = "--exclude='.ringlab-*'";
/** tar's exit code after SIGXFSZ. */
const fileTooLong = 128 + 25;
const tooMuch = 'the other node sends more than it was asked for';
/** What both ends say of their own as the reason of a failure; other lines are those of Perl and tar. */
const noAddress = 'no address of the other node answers';
const nobodyCame = `nobody came within ${comeSeconds} s`;
const ownWords = new Map([
  [noAddress, phrase('reasons.relay.noAddress')],
  [nobodyCame, phrase('reasons.relay.nobody', { seconds: comeSeconds })],
]);

/**
 * The receiver: reads the token and the paths, connects to the first address that answers, and prints the data, up to
 * a maximum.
 */
const taker = String.raw`
use strict; use IO::Socket::INET; binmode STDOUT; binmode STDIN;
my ($port, $max, @addresses) = @ARGV;
my $token = <STDIN>;
my $rest = do { local $/; <STDIN> };
my $server;
for my $address (@addresses) {
  $server = IO::Socket::INET->new(PeerAddr => $address, PeerPort => $port, Timeout => 4) and print STDERR "from $address:$port\n" and last;
  print STDERR "$address:$port does not answer\n";
}
$server or die "${noAddress}\n";
print $server $token, $rest, "\0"; $server->flush;
my ($bytes, $reported) = (0, time);
while (my $got = sysread($server, my $block, 262144)) {
  $bytes += $got;
  die "${tooMuch}\n" if $bytes > $max;
  print STDOUT $block or exit 1;
  if (time > $reported) { $reported = time; print STDERR "have $bytes\n" }
}
`;

/**
 * @param source absolute path of the complete folder on `from`
 * @param addresses of `from` as seen by `to`, the most likely first
 * @returns bytes sent between the nodes
 * @throws transfer_failed where the nodes cannot reach each other or have no Perl, node_disk_full, hash_mismatch
 */
export async function relayFolder(
  from: SshSession,
  to: SshSession,
  manifest: FolderManifest,
  { source, target, addresses }: { source: string; target: string; addresses: readonly string[] },
  options: SendOptions,
): Promise<{ relayed: number }> {
  const { signal, log = () => undefined } = options;
  const incoming = `${posix.dirname(target)}/.incoming-${posix.basename(target)}-${options.who}`;
  const have = await begin(to, manifest, target, incoming, signal, async (sha256) => {
    const there = await from.exec(`sha256sum ${shellQuote(`${source}/${list}`)}`, { signal });
    if (!there.stdout.startsWith(sha256)) return false;
    const size = Buffer.byteLength(sumLines(manifest.files));
    await pass(from, to, { manifest, source, incoming, members: list }, [{ path: list, size }], addresses, {
      ...options,
      onProgress: () => undefined,
    });
    return true;
  });
  const missing = manifest.files.filter((file) => !have.has(sumLine(file).slice(0, -1)));
  const bytes = missing.reduce((sum, { size }) => sum + size, 0);
  const count = manifest.files.length;
  log(phrase('stepLog.filesFromNode', { there: count - missing.length, count, bytes }));
  await needBytes(to, posix.dirname(target), bytesOnDisk(missing), signal);
  if (missing.length > 0) {
    const before = manifest.bytes - bytes;
    await pass(from, to, { manifest, source, incoming, members: notOurs }, missing, addresses, {
      ...options,
      onProgress: ({ done }) =>
        options.onProgress?.({ done: Math.min(manifest.bytes, before + done), total: manifest.bytes }),
    });
  }
  const wrong = await settle(to, manifest, incoming, signal);
  if (wrong !== undefined) {
    const path = /^(.*): FAILED/m.exec(wrong)?.[1] ?? target;
    throw new RinglabError('hash_mismatch', { path }, { detail: wrong });
  }
  await finish(to, manifest.files.length, incoming, target, signal);
  options.onProgress?.({ done: manifest.bytes, total: manifest.bytes });
  return { relayed: bytes };
}

/** tar's own message only says that nothing arrived. */
function reasonIn(output: string): Phrase | string {
  const lines = output.trim().split('\n');
  const reason = lines.findLast((line) => !line.startsWith('tar: ')) ?? lines.at(-1) ?? '';
  return ownWords.get(reason) ?? reason;
}

interface Way {
  readonly manifest: FolderManifest;
  readonly source: string;
  readonly incoming: string;
  /** Which of the archive's members tar takes. */
  readonly members: string;
}

async function pass(
  from: SshSession,
  to: SshSession,
  { manifest, source, incoming, members }: Way,
  files: readonly Pick<ManifestFile, 'path' | 'size'>[],
  addresses: readonly string[],
  { signal, onProgress, log }: SendOptions,
): Promise<void> {
  const token = randomBytes(24).toString('hex');
  const stop = new AbortController();
  const both = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const failed = (output: string): RinglabError =>
    new RinglabError(
      'transfer_failed',
      { path: source, reason: reasonIn(output) },
      { detail: output, where: from.target.nodeName },
    );
  const max = files.reduce(
    (sum, { path, size }) => sum + size + Buffer.byteLength(path) + headerBytes,
    recordBytes,
  );
  // A sparse file costs the sender nothing, but the receiver hours of reading: limits each file to the longest
  // expected size.
  const blocks = Math.ceil(files.reduce((longest, { size }) => Math.max(longest, size), recordBytes) / 512);
  try {
    let heard = '';
    let giving: Promise<unknown> = Promise.resolve();
    const port = await new Promise<string>((resolve, reject) => {
      giving = from
        .exec(`perl -e ${shellQuote(giver)} ${shellQuote(source)} ${comeSeconds}`, {
          stdin: `${token}\n`,
          signal: both,
          timeoutMs: patienceMs,
          onOutput(text, stream) {
            if (stream === 'stdout') heard += text;
            const found = /^port (\d+)$/m.exec(heard)?.[1];
            if (found !== undefined) resolve(found);
          },
        })
        .then(
          (result) => reject(failed(result.stderr)),
          (error: unknown) => reject(error instanceof Error ? error : failed(String(error))),
        );
    });
    const result = await to.exec(
      `cd ${shellQuote(incoming)} && : > .ringlab-relayed || exit
ulimit -f ${blocks} 2>/dev/null
{ gzip -dc | perl -e ${shellQuote(taker)} ${port} ${max} ${addresses.map(shellQuote).join(' ')} || echo failed >&2; } | tar --no-same-owner --no-same-permissions -xf - ${members}`,
      {
        stdin: await compressed(`${token}\n${files.map(({ path }) => `${path}\0`).join('')}`),
        signal: both,
        timeoutMs: patienceMs,
        onOutput(text, stream) {
          if (stream !== 'stderr') return;
          const done = [...text.matchAll(/^have (\d+)$/gm)].at(-1)?.[1];
          if (done !== undefined) onProgress?.({ done: Number(done), total: 0 });
        },
      },
    );
    const output = result.stderr.replace(/^have \d+$\n?/gm, '');
    for (const line of output.split('\n')) if (line !== '') log?.(line);
    if (result.code !== 0 || /^failed$/m.test(output)) {
      if (output.includes(tooMuch) || result.code === fileTooLong) {
        // They are not kept until the next attempt, if there is one.
        await settle(to, manifest, incoming, signal);
        throw new RinglabError(
          'transfer_failed',
          { path: source, reason: phrase('reasons.relay.more') },
          { where: from.target.nodeName },
        );
      }
      throw failed(output.replace(/^failed$\n?/m, ''));
    }
    await giving;
  } finally {
    // A sender without a receiver.
    stop.abort();
  }
}
