/**
 * Connects a command to the app that holds the data folder: in this process if no other does, else over the control
 * channel. Where the other app ends meanwhile, the command continues with its own.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LabApi } from '../../../shared/contract/api.ts';
import { describeError, errorLines } from '../../../shared/i18n/error-texts.ts';
import { isCancelled, RinglabError, toWireError } from '../../../shared/base/errors.ts';
import { createApp, type App } from '../../app/create-app.ts';
import { connectControl, type ControlClient } from '../../control/index.ts';
import type { Platform } from '../../base/platform.ts';
import { cliPlatform } from './platform.ts';
import { untilPodsAreLeft } from './pods-left.ts';
import { answerOnTerminal, terminalAsker } from './terminal-prompts.ts';
import { language, speak } from './speak.ts';

export interface SessionOptions {
  readonly data: string | undefined;
  readonly acceptNewHostKeys: boolean;
  readonly allowChanges: boolean;
  readonly allowLending: boolean;
}

export interface Session {
  readonly api: LabApi;
  /** The process that holds the data folder, where it is not this one. */
  readonly owner: ControlClient['owner'] | undefined;
  /** Rejects with `connection_lost` when that process ends. Never resolves. */
  readonly broken: Promise<never>;
  /** Some events were lost: state must be loaded again. */
  onResync(listener: () => void): () => void;
  /** Whether a window that opens may have the data folder: this command only follows a run, and does so with the window's app. */
  mayLeave(may: boolean): void;
  /** This command follows a run of the lab that waits: its turn may have come when no app was open. */
  startWaiting(labId: string): void;
  /** Declares that this command works with the lab: its questions are shown here, too. */
  concerns(labId: string): void;
  close(): Promise<void>;
}

/** How long to wait for an app that is starting or closing. */
const patienceMs = 30_000;
/** How long to wait for the window that the data folder was left to. */
const windowMs = 20_000;
const notifyAfterMs = 2000;
const tryEveryMs = 250;

const say = (text: string): void => void process.stderr.write(`${text}\n`);
const isLost = (error: unknown): boolean => error instanceof RinglabError && error.code === 'connection_lost';

/**
 * Does the work with a session, and again with a new one where the app ended meanwhile: the work must be repeatable.
 * `again` is true then.
 */
export async function withSession<T>(
  options: SessionOptions,
  work: (session: Session, again: boolean) => Promise<T>,
): Promise<T> {
  let leaves = false;
  for (let again = false; ; again = true) {
    const session = await openSession(options, leaves);
    const broken = new AbortController();
    session.broken.catch(() => broken.abort());
    try {
      return await work(session, again);
    } catch (error) {
      // The loss may reach the call before the session.
      await new Promise(setImmediate);
      if (!isLost(error) || !broken.signal.aborted) throw error;
      leaves = session.owner === undefined;
      say(
        leaves ? speak('cli.session.leaves') : speak('cli.session.ended', { pid: session.owner?.pid ?? 0 }),
      );
    } finally {
      await session.close();
    }
  }
}

/**
 * Rejects with `data_folder_busy` or `control_unsafe` where another app has the folder but cannot be connected to.
 * @param leaves the folder was left to a window, which has it in a moment
 */
async function openSession(options: SessionOptions, leaves: boolean): Promise<Session> {
  const leaving = createLeaving();
  const platform = { ...(await cliPlatform(options.data)), handOver: leaving.asked };
  const start = performance.now();
  for (let reported = false; ;) {
    const asker = terminalAsker();
    const { version, paths } = platform;
    // The file may be from a copy or a backup: relevant only while an app holds the folder, which soon writes its
    // own.
    let unsafe: RinglabError | undefined;
    const client = await connectControl(paths.data, { version, answers: asker !== undefined }).catch(
      (error: unknown) => {
        if (!(error instanceof RinglabError) || error.code !== 'control_unsafe') throw error;
        unsafe = error;
        return undefined;
      },
    );
    if (client !== undefined) return listening(attached(client), options, undefined);
    if (leaves && performance.now() - start < windowMs) {
      await sleep(tryEveryMs);
      continue;
    }
    const busy = await createApp(platform).catch((error: unknown) => {
      if (error instanceof RinglabError && error.code === 'data_folder_busy') return unsafe ?? error;
      throw error;
    });
    if (!(busy instanceof RinglabError)) return listening(own(busy, leaving), options, busy);
    const waited = performance.now() - start;
    if (waited > patienceMs) throw busy;
    if (!reported && waited > notifyAfterMs) {
      reported = true;
      say(speak('cli.session.waiting', { message: describeError(busy, language).message }));
    }
    await sleep(tryEveryMs);
  }
}

type Bare = Omit<Session, 'concerns'>;

/** Whether this command leaves the data folder to a window, and when it does. */
interface Leaving {
  allow(may: boolean): void;
  asked(): void;
  /** Rejects with `connection_lost` after a window has the answer that this command leaves. */
  readonly left: Promise<never>;
}

function createLeaving(): Leaving {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  let allowed = false;
  return {
    allow: (may) => void (allowed = may),
    asked() {
      // The answer goes out first.
      if (allowed) setImmediate(() => reject(new RinglabError('connection_lost', { host: 'Ringlab' })));
    },
    left: promise,
  };
}

const own = (app: App, leaving: Leaving): Bare => ({
  api: app.api,
  owner: undefined,
  broken: leaving.left,
  mayLeave: leaving.allow,
  startWaiting: (labId) => {
    app.services.runs.startWaiting(labId).catch((error: unknown) => {
      if (!isCancelled(error)) say(errorLines(toWireError(error), language).join('\n'));
    });
  },
  onResync: () => () => undefined,
  async close() {
    await untilPodsAreLeft(app.services.runs, leaving);
    await app.close();
  },
});

function attached(client: ControlClient): Bare {
  let closed = false;
  const broken = client.lost.then(() => {
    if (closed) return new Promise<never>(() => undefined);
    throw new RinglabError('connection_lost', { host: 'Ringlab' });
  });
  broken.catch(() => undefined);
  return {
    api: client.api,
    owner: client.owner,
    broken,
    mayLeave: () => undefined,
    // The app that holds the folder does.
    startWaiting: () => undefined,
    onResync: (listener) => client.api.onResync(listener),
    close() {
      closed = true;
      client.close();
      return Promise.resolve();
    },
  };
}

/** Answers questions, and reports unreachable nodes. */
function listening(bare: Bare, options: SessionOptions, app: App | undefined): Session {
  const labs = new Set<string>();
  const answering = answerOnTerminal({
    api: bare.api,
    asker: terminalAsker(),
    isOurs: (labId) => labs.has(labId),
    mayAsk: (labId) => app !== undefined || labs.has(labId),
    mayRefuse: () => app !== undefined && app.answering() === 0,
    // A question reads keys by itself, so that Ctrl+C there is no signal. On Windows one to oneself ends the process at once.
    interrupt: () => {
      if (!process.emit('SIGINT', 'SIGINT')) process.kill(process.pid, 'SIGINT');
    },
    acceptNewHostKeys: options.acceptNewHostKeys,
    allowChanges: options.allowChanges,
    allowLending: options.allowLending,
  });
  const stopListening = bare.api.subscribe((event) => {
    if (event.name !== 'connection.changed') return;
    const { error, retryAt, labId } = event.data.connection;
    if (error === undefined || retryAt === undefined || (app === undefined && !labs.has(labId))) return;
    say(errorLines(error, language).join('\n'));
  });
  return {
    ...bare,
    concerns(labId) {
      labs.add(labId);
      answering.again();
    },
    async close() {
      stopListening();
      answering.stop();
      await bare.close();
    },
  };
}

/** Sends one request to an open app; undefined where there is none, or it cannot be reached. */
export async function askOpenApp<T>(
  platform: Platform,
  ask: (api: LabApi) => Promise<T>,
): Promise<T | undefined> {
  const { version, paths } = platform;
  const client = await connectControl(paths.data, { version, answers: false }).catch(() => undefined);
  if (client === undefined) return undefined;
  try {
    return await ask(client.api);
  } catch (error) {
    if (isLost(error)) return undefined;
    throw error;
  } finally {
    client.close();
  }
}
