/** For tests: invalid SFTP answers, byte by byte, and a server that sends them. */
import type { Connection, SFTPWrapper } from 'ssh2';
import { channelNumber, rawProtocol, type HostileManner } from './server.ts';

type SftpManner = NonNullable<HostileManner['sftp']>;

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};
const text = (value: string | Buffer): Buffer => Buffer.concat([u32(value.length), Buffer.from(value)]);
const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, value));
  return bytes;
};

/** A size of 2^63, times before 1970, and who knows whose. */
const lyingAttributes = Buffer.concat([
  u32(0x0f),
  u64(2n ** 63n),
  u32(0xffffffff),
  u32(0xffffffff),
  u32(0xffffffff),
  u32(0x80000000),
  u32(0x80000000),
]);
const badNames = ['..', '/', '../../etc/passwd', 'a\0b', 'a\nb', '', '\u001b]0;x\u0007', '.'.repeat(4000)];

const types = { status: 101, handle: 102, data: 103, name: 104, attributes: 105, extended: 201 } as const;
type Body = (id: number) => Buffer;
const packet = (type: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat([Buffer.from([type]), ...parts]);
  return Buffer.concat([u32(body.length), body]);
};
/** Whole packets, for the request of this number. */
export const answers = {
  ok: (id) => packet(types.status, u32(id), u32(0), text('fine'), text('')),
  data: (id) => packet(types.data, u32(id), text('x')),
  emptyData: (id) => packet(types.data, u32(id), text('')),
  largerData: (id) => packet(types.data, u32(id), text(Buffer.alloc(200_000, 'x'))),
  dataOfLyingLength: (id) => packet(types.data, u32(id), u32(0xfffffff0), Buffer.from('x')),
  names: (id) =>
    packet(
      types.name,
      u32(id),
      u32(badNames.length * 2),
      ...[...badNames, ...badNames].flatMap((name) => [text(name), text(name), lyingAttributes]),
    ),
  namesWithoutEnd: (id) => packet(types.name, u32(id), u32(0xffffffff), text('a'), text('a'), u32(0)),
  attributes: (id) => packet(types.attributes, u32(id), lyingAttributes),
  extended: (id) => packet(types.extended, u32(id), Buffer.alloc(64, 255)),
  longHandle: (id) => packet(types.handle, u32(id), text(Buffer.alloc(200_000, 'h'))),
  emptyHandle: (id) => packet(types.handle, u32(id), text('')),
  handleWithoutEnd: (id) => packet(types.handle, u32(id), u32(0xffffffff), Buffer.from('h')),
  anotherVersion: () => packet(2, u32(3)),
  unknownKind: (id) => packet(250, u32(id)),
  nothing: () => Buffer.alloc(0),
  packetOfNoBytes: () => u32(0),
  packetOf4GiB: () => Buffer.concat([u32(0xffffffff), Buffer.from('x')]),
  packetOf2GiB: () => Buffer.concat([u32(0x80000000), Buffer.from('x')]),
  packetOf1MB: () => Buffer.concat([u32(1_000_000), Buffer.alloc(30_000, 'x')]),
} satisfies Readonly<Record<string, Body>>;
export type AnswerName = keyof typeof answers;
/** Their names, as the type says. */
export const answerNames = Object.keys(answers) as readonly AnswerName[];

export function sendRaw(sftp: SFTPWrapper, connection: Connection, bytes: Buffer): void {
  // A server's SFTP is a channel as any other; ssh2 does not type it so.
  const channel = channelNumber(sftp as unknown as Parameters<typeof channelNumber>[0]);
  if (bytes.length > 0) rawProtocol(connection).channelData(channel, bytes);
}

export type RequestKind = 'open' | 'read' | 'write' | 'close';

export interface SftpRecord {
  /** Every kind of request that came. */
  readonly asked: Set<string>;
}

/** Serves as it should, but for one kind of request, which is answered as badly as `bad` says; instead, or as well. */
export function answering(
  kind: RequestKind,
  bad: AnswerName,
  { record, first = false }: { record?: SftpRecord; first?: boolean } = {},
): SftpManner {
  return (sftp, connection) => {
    sftp.on('error', () => undefined);
    const spoilt = (which: RequestKind, id: number, honest: () => unknown): void => {
      record?.asked.add(which);
      if (which !== kind) {
        honest();
        return;
      }
      sendRaw(sftp, connection, answers[bad](id));
      if (first) honest();
    };
    sftp.on('OPEN', (id) => spoilt('open', id, () => sftp.handle(id, Buffer.from('file'))));
    sftp.on('READ', (id, _handle, _offset, length) =>
      spoilt('read', id, () => sftp.data(id, Buffer.alloc(length, 'y'))),
    );
    sftp.on('WRITE', (id) => spoilt('write', id, () => sftp.status(id, 0)));
    sftp.on('CLOSE', (id) => spoilt('close', id, () => sftp.status(id, 0)));
    for (const other of [
      'READDIR',
      'OPENDIR',
      'STAT',
      'LSTAT',
      'FSTAT',
      'READLINK',
      'REALPATH',
      'RENAME',
      'MKDIR',
      'RMDIR',
      'REMOVE',
      'SETSTAT',
      'FSETSTAT',
      'SYMLINK',
    ] as const)
      // ssh2 types each of these alone; what they carry is not looked at.
      sftp.on(other as 'STAT', (id) => {
        record?.asked.add(other);
        sftp.status(id, 4);
      });
  };
}

/**
 * Greets, says its limits, and answers nothing else.
 * @param most bytes of a packet, a read and a write
 */
export function limiting(
  max: bigint,
  asked: (kind: number) => void,
): NonNullable<HostileManner['subsystem']> {
  return (channel) => {
    channel.on('error', () => undefined);
    let seen = Buffer.alloc(0);
    channel.on('data', (chunk: Buffer) => {
      seen = Buffer.concat([seen, chunk]);
      while (seen.length >= 5 && seen.length >= 4 + seen.readUInt32BE(0)) {
        const [kind, id] = [seen[4] ?? 0, seen.length >= 9 ? seen.readUInt32BE(5) : 0];
        seen = seen.subarray(4 + seen.readUInt32BE(0));
        asked(kind);
        if (kind === 1) channel.write(packet(2, u32(3), text('limits@openssh.com'), text('1')));
        if (kind === 200) channel.write(packet(201, u32(id), u64(max), u64(max), u64(max), u64(max)));
      }
    });
  };
}
