/**
 * The SFTP server of a local node (protocol version 3): files of this machine, limited only by the system's
 * permissions.
 */
import {
  open,
  opendir,
  lstat,
  mkdir,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  chmod,
  utimes,
  truncate,
} from 'node:fs/promises';
import type { Dir, Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import ssh2, { type Attributes, type FileEntry, type SFTPWrapper } from 'ssh2';
import { createSerialQueue, type SerialQueue } from '../base/serial-queue.ts';

const { STATUS_CODE, flagsToString } = ssh2.utils.sftp;

const maxHandles = 256;
/** Maximum number of bytes in an answer to SSH_FXP_READ. */
const maxRead = 256 * 1024 - 1024;
const namesAtOnce = 100;

type Handle =
  | { readonly kind: 'file'; readonly file: FileHandle; readonly inTurn: SerialQueue }
  | { readonly kind: 'folder'; readonly folder: Dir; readonly path: string; readonly inTurn: SerialQueue };

class SftpFailure extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const codeOf = (error: unknown): number => {
  if (error instanceof SftpFailure) return error.code;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return STATUS_CODE.NO_SUCH_FILE;
  if (code === 'EACCES' || code === 'EPERM') return STATUS_CODE.PERMISSION_DENIED;
  return STATUS_CODE.FAILURE;
};

const attributesOf = (stats: Stats): Attributes => ({
  mode: stats.mode,
  uid: stats.uid,
  gid: stats.gid,
  size: stats.size,
  atime: Math.floor(stats.atimeMs / 1000),
  mtime: Math.floor(stats.mtimeMs / 1000),
});

const entryOf = (name: string, stats: Stats): FileEntry => ({
  filename: name,
  longname: `${stats.isDirectory() ? 'd' : '-'}--------- 1 ${stats.uid} ${stats.gid} ${stats.size} ${name}`,
  attrs: attributesOf(stats),
});

/** Serves one SFTP channel until it closes. Relative paths start at `home`. */
export function serveSftp(sftp: SFTPWrapper, home: string): void {
  const handles = new Map<number, Handle>();
  let nextHandle = 0;

  const at = (path: string): string => resolve(home, path);
  const keep = (handle: Handle): Buffer => {
    const id = nextHandle;
    nextHandle += 1;
    handles.set(id, handle);
    const name = Buffer.alloc(4);
    name.writeUInt32BE(id);
    return name;
  };
  const held = (name: Buffer): Handle => {
    const handle = name.length === 4 ? handles.get(name.readUInt32BE(0)) : undefined;
    if (handle === undefined) throw new SftpFailure(STATUS_CODE.FAILURE, 'no such handle');
    return handle;
  };
  const fileOf = (handle: Handle): FileHandle => {
    if (handle.kind !== 'file') throw new SftpFailure(STATUS_CODE.FAILURE, 'not a file');
    return handle.file;
  };
  const room = (): void => {
    if (handles.size >= maxHandles) throw new SftpFailure(STATUS_CODE.FAILURE, 'too many open files');
  };
  /** Answers every request once, with its result or its error. */
  const serve = (id: number, work: () => Promise<(() => void) | undefined>): void => {
    work().then(
      (reply) => {
        if (reply === undefined) sftp.status(id, STATUS_CODE.OK);
        else reply();
      },
      (error: unknown) => {
        sftp.status(id, codeOf(error), error instanceof Error ? error.message : String(error));
      },
    );
  };
  /** Requests on one handle are executed in order, as OpenSSH does. */
  const inOrder = (
    id: number,
    name: Buffer,
    work: (handle: Handle) => Promise<(() => void) | undefined>,
  ): void =>
    serve(id, () => {
      const handle = held(name);
      return handle.inTurn(() => work(handle));
    });
  const change = async (path: string, attrs: Attributes): Promise<undefined> => {
    // ssh2's types say that all fields exist; only those that the client sent do.
    const { mode, size, atime, mtime } = attrs as Partial<Attributes>;
    if (size !== undefined) await truncate(path, size);
    if (mode !== undefined) await chmod(path, mode & 0o7777);
    if (atime !== undefined && mtime !== undefined) await utimes(path, atime, mtime);
    return undefined;
  };

  sftp.on('OPEN', (id, path, flags, attrs) =>
    serve(id, async () => {
      room();
      const { mode } = attrs as Partial<Attributes>;
      const how = flagsToString(flags);
      if (how === null) throw new SftpFailure(STATUS_CODE.OP_UNSUPPORTED, 'unknown flags');
      const file = await open(at(path), how, mode === undefined ? 0o666 : mode & 0o7777);
      const name = keep({ kind: 'file', file, inTurn: createSerialQueue() });
      return () => sftp.handle(id, name);
    }),
  );
  sftp.on('READ', (id, name, offset, length) =>
    inOrder(id, name, async (handle) => {
      const block = Buffer.allocUnsafe(Math.min(length, maxRead));
      const { bytesRead } = await fileOf(handle).read(block, 0, block.length, offset);
      if (bytesRead === 0) throw new SftpFailure(STATUS_CODE.EOF, 'end of file');
      return () => sftp.data(id, block.subarray(0, bytesRead));
    }),
  );
  sftp.on('WRITE', (id, name, offset, data) => {
    // The parser reuses its buffer before the write is done.
    const block = Buffer.from(data);
    inOrder(id, name, async (handle) => {
      for (let done = 0; done < block.length;) {
        const { bytesWritten } = await fileOf(handle).write(block, done, block.length - done, offset + done);
        done += bytesWritten;
      }
      return undefined;
    });
  });
  sftp.on('FSTAT', (id, name) =>
    inOrder(id, name, async (handle) => {
      const stats = await fileOf(handle).stat();
      return () => sftp.attrs(id, attributesOf(stats));
    }),
  );
  sftp.on('FSETSTAT', (id, name, attrs) =>
    inOrder(id, name, async (handle) => {
      const { mode, size, atime, mtime } = attrs as Partial<Attributes>;
      const file = fileOf(handle);
      if (size !== undefined) await file.truncate(size);
      if (mode !== undefined) await file.chmod(mode & 0o7777);
      if (atime !== undefined && mtime !== undefined) await file.utimes(atime, mtime);
      return undefined;
    }),
  );
  sftp.on('CLOSE', (id, name) =>
    inOrder(id, name, async (handle) => {
      handles.delete(name.readUInt32BE(0));
      await (handle.kind === 'file' ? handle.file.close() : handle.folder.close());
      return undefined;
    }),
  );
  sftp.on('OPENDIR', (id, path) =>
    serve(id, async () => {
      room();
      const folder = await opendir(at(path));
      const name = keep({ kind: 'folder', folder, path: at(path), inTurn: createSerialQueue() });
      return () => sftp.handle(id, name);
    }),
  );
  sftp.on('READDIR', (id, name) =>
    inOrder(id, name, async (handle) => {
      if (handle.kind !== 'folder') throw new SftpFailure(STATUS_CODE.FAILURE, 'not a folder');
      const names: FileEntry[] = [];
      while (names.length < namesAtOnce) {
        const entry = await handle.folder.read();
        if (entry === null) break;
        const stats = await lstat(join(handle.path, entry.name)).catch(() => undefined);
        // Deleted since it was listed.
        if (stats !== undefined) names.push(entryOf(entry.name, stats));
      }
      if (names.length === 0) throw new SftpFailure(STATUS_CODE.EOF, 'end of folder');
      return () => sftp.name(id, names);
    }),
  );
  const answerStats = (id: number, look: () => Promise<Stats>): void =>
    serve(id, async () => {
      const stats = await look();
      return () => sftp.attrs(id, attributesOf(stats));
    });
  sftp.on('STAT', (id, path) => answerStats(id, () => stat(at(path))));
  sftp.on('LSTAT', (id, path) => answerStats(id, () => lstat(at(path))));
  sftp.on('SETSTAT', (id, path, attrs) => serve(id, () => change(at(path), attrs)));
  sftp.on('REMOVE', (id, path) =>
    serve(id, async () => {
      if ((await lstat(at(path))).isDirectory()) throw new SftpFailure(STATUS_CODE.FAILURE, 'it is a folder');
      await rm(at(path));
      return undefined;
    }),
  );
  sftp.on('RMDIR', (id, path) => serve(id, () => rmdir(at(path)).then(() => undefined)));
  sftp.on('MKDIR', (id, path, attrs) =>
    serve(id, async () => {
      const { mode } = attrs as Partial<Attributes>;
      await mkdir(at(path), mode === undefined ? undefined : { mode: mode & 0o7777 });
      return undefined;
    }),
  );
  sftp.on('RENAME', (id, from, to) =>
    serve(id, async () => {
      // Version 3 does not replace existing files; posix-rename does.
      const isThere = await lstat(at(to)).then(
        () => true,
        () => false,
      );
      if (isThere) throw new SftpFailure(STATUS_CODE.FAILURE, 'the name is taken');
      await rename(at(from), at(to));
      return undefined;
    }),
  );
  sftp.on('REALPATH', (id, path) =>
    serve(id, async () => {
      const full = await realpath(at(path)).catch(() => at(path));
      return () => sftp.name(id, [{ filename: full, longname: full, attrs: {} as Attributes }]);
    }),
  );
  sftp.on('READLINK', (id, path) =>
    serve(id, async () => {
      const goal = await readlink(at(path));
      return () => sftp.name(id, [{ filename: goal, longname: goal, attrs: {} as Attributes }]);
    }),
  );
  // The link comes first, despite ssh2's parameter names.
  sftp.on('SYMLINK', (id, path, goal) => serve(id, () => symlink(goal, at(path)).then(() => undefined)));
  sftp.on('EXTENDED', (id) => sftp.status(id, STATUS_CODE.OP_UNSUPPORTED, 'no extension'));
  sftp.on('error', () => sftp.end());
  // ssh2 confirms the close of all channels but these: otherwise the client's channel would stay open.
  sftp.on('end', () => sftp.end());
  sftp.once('close', () => {
    for (const handle of handles.values()) {
      const close = handle.kind === 'file' ? handle.file.close() : handle.folder.close();
      close.catch(() => undefined);
    }
    handles.clear();
  });
}
