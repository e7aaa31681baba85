/**
 * Locks a data folder for one process (fault 34). Uses an operating system lock, held through an SQLite file in
 * exclusive mode: it is released when the process ends, however that happens, so that there are no stale locks.
 * `owner.json` beside it is only for messages.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { RinglabError } from '../../shared/base/errors.ts';
import { sqliteCode } from './database.ts';
import { diskError } from './durable.ts';

const Owner = z.object({ pid: z.number(), host: z.string(), since: z.number() });

export interface DataFolderLock {
  release(): void;
}

/** Throws `data_folder_busy` with the owner's pid and host, `local_disk_full` or `file_unwritable`. */
export function lockDataFolder(dataFolder: string): DataFolderLock {
  const path = join(dataFolder, 'lock.db');
  const ownerPath = join(dataFolder, 'owner.json');
  const database = take(dataFolder, path, ownerPath);
  try {
    writeFileSync(
      ownerPath,
      JSON.stringify({ pid: process.pid, host: hostname(), since: Date.now() / 1000 }),
    );
  } catch {
    // A full disk: the lock holds without it. What an earlier owner has left would name the wrong process.
    forget(ownerPath);
  }
  return {
    release() {
      // Before the lock is released, so that the next owner's file is not removed.
      forget(ownerPath);
      database.close();
    },
  };
}

function forget(ownerPath: string): void {
  try {
    rmSync(ownerPath, { force: true });
  } catch {
    // It is only for messages.
  }
}

function take(dataFolder: string, path: string, ownerPath: string): DatabaseSync {
  for (let attempt = 0; ; attempt += 1) {
    let database: DatabaseSync | undefined;
    try {
      mkdirSync(dataFolder, { recursive: true });
      database = new DatabaseSync(path, { timeout: 0 });
      database.exec('PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE');
      return database;
    } catch (error) {
      database?.close();
      const code = sqliteCode(error);
      if (code === 5 || code === 6) throw busy(dataFolder, ownerPath);
      if (code !== 26 || attempt > 0) throw diskError(error, path);
      // Not a database: a foreign file that nothing can lock.
      rmSync(path, { force: true });
    }
  }
}

function busy(dataFolder: string, ownerPath: string): RinglabError {
  let owner: z.infer<typeof Owner> | undefined;
  try {
    owner = Owner.parse(JSON.parse(readFileSync(ownerPath, 'utf8')));
  } catch {
    // Its owner is writing it, or it is damaged: the folder is in use anyway.
  }
  return new RinglabError(
    'data_folder_busy',
    { pid: owner?.pid ?? 0, host: owner?.host ?? '?', path: dataFolder },
    { where: dataFolder },
  );
}
