import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApp, type App } from '../../app/create-app.ts';
import { createAppOfWindow } from '../../app/take-over.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { Prompt } from '../../../shared/contract/prompts.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { cliPlatform } from './platform.ts';
import { withSession, type SessionOptions } from './session.ts';
import { answerOnTerminal, Interrupted, type Asker } from './terminal-prompts.ts';

let folder: string;
const apps: App[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-session-'));
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

const options = (): SessionOptions => ({
  data: folder,
  acceptNewHostKeys: false,
  allowChanges: false,
  allowLending: false,
});
const openApp = async (): Promise<App> => {
  const app = await createApp(await cliPlatform(folder));
  apps.push(app);
  return app;
};

describe('a command', () => {
  it('opens its own app if none is open, and other commands use it', async () => {
    const dataFolder = await withSession(options(), async (first) => {
      expect(first.owner).toBeUndefined();
      return await withSession(options(), async (second) => {
        expect(second.owner).toEqual({ pid: process.pid, kind: 'cli' });
        return (await second.api.call('app.info', {})).dataFolder;
      });
    });
    expect(dataFolder).toBe(folder);
  });

  it('works beside an open window: both see the same, and the window stays open', async () => {
    const app = await openApp();
    const created = await withSession(options(), ({ api }) =>
      api.call('lab.create', { name: 'From the command line', description: '' }),
    );
    expect(await app.services.labs.list()).toMatchObject([{ id: created.lab.id }]);
    await withSession(options(), async ({ api }) => {
      const seen: string[] = [];
      api.subscribe((event) => seen.push(event.name));
      await app.services.labs.create({ name: 'From the window', description: '' });
      await expect.poll(() => seen).toContain('lab.changed');
    });
  });

  it('continues with its own app if the one it asked is closed before it has ended', async () => {
    const app = await openApp();
    const rounds: (number | undefined)[] = [];
    await withSession(options(), async (session, again) => {
      rounds.push(session.owner?.pid);
      expect(again).toBe(rounds.length > 1);
      if (again) return;
      void app.close();
      await session.broken;
    });
    apps.pop();
    expect(rounds).toEqual([process.pid, undefined]);
  });

  it('that follows a run leaves the data folder to a window that opens, and goes on with that', async () => {
    const rounds: (number | undefined)[] = [];
    await withSession(options(), async (session, again) => {
      rounds.push(session.owner?.pid);
      if (again) return;
      const window = { ...(await cliPlatform(folder)), kind: 'web' as const };
      // It prepares something.
      await expect(createAppOfWindow(window, 0)).rejects.toMatchObject({
        code: 'data_folder_command',
        params: { pid: process.pid },
      });
      session.mayLeave(true);
      const opened = createAppOfWindow(window).then((app) => apps.push(app));
      await Promise.race([session.broken, opened]);
    });
    expect(rounds).toEqual([undefined, process.pid]);
    expect(apps).toHaveLength(1);
    // A window keeps it.
    const second = { ...(await cliPlatform(folder)), kind: 'web' as const };
    await expect(createAppOfWindow(second)).rejects.toMatchObject({ code: 'data_folder_busy' });
  });

  it('leaves what waits in a queue to a window, unless it follows a run there', async () => {
    const ids = ['20260101-100000-aaaaaa', '20260101-100000-bbbbbb'];
    for (const [index, id] of ids.entries()) {
      await mkdir(join(folder, 'runs', id), { recursive: true });
      const record = runRecord(id, { state: 'queued', labId: `lab-${index}` });
      await writeFile(join(folder, 'runs', id, 'run.json'), JSON.stringify(record));
    }
    await withSession(options(), async ({ api, startWaiting }) => {
      const queued = async (): Promise<string[]> => {
        const runs = await api.call('run.list', { asked: true });
        return runs.filter(({ state }) => state === 'queued').map(({ id }) => id);
      };
      expect((await queued()).sort()).toEqual(ids);
      startWaiting('lab-0');
      await expect.poll(queued).toEqual(ids.slice(1));
    });
    const window = await createApp({ ...(await cliPlatform(folder)), kind: 'web' });
    apps.push(window);
    await expect.poll(async () => (await window.services.runs.get(ids[1] ?? '')).state).not.toBe('queued');
  });

  it('reports an error caused by a node’s lost connection as its own, not as a lost app', async () => {
    await openApp();
    let rounds = 0;
    await expect(
      withSession(options(), () => {
        rounds += 1;
        return Promise.reject(new RinglabError('connection_lost', { host: 'a node' }));
      }),
    ).rejects.toMatchObject({ code: 'connection_lost', params: { host: 'a node' } });
    expect(rounds).toBe(1);
  });
});

describe('questions to the user of the command line', () => {
  const question = {
    labId: 'mine',
    nodeId: 'n',
    nodeName: 'N',
    host: 'h',
    kind: 'password',
    user: 'u',
  } as const;
  const interrupt = vi.fn<() => void>();
  afterEach(() => interrupt.mockReset());
  const answering = (app: App, asker: Asker | undefined, mayRefuse: boolean, mine = 'mine') =>
    answerOnTerminal({
      api: app.api,
      asker,
      isOurs: (labId) => labId === mine,
      mayAsk: (labId) => labId === mine,
      mayRefuse: () => mayRefuse,
      interrupt,
      acceptNewHostKeys: true,
      allowChanges: true,
      allowLending: false,
    });

  it('without a terminal: given up at once if no window can answer, else left to the window', async () => {
    const app = await openApp();
    const alone = answering(app, undefined, true);
    expect(await app.services.prompts.ask(question)).toEqual({ kind: 'refuse' });
    alone.stop();
    const beside = answering(app, undefined, false);
    const asked = app.services.prompts.ask(question);
    await expect.poll(() => app.services.prompts.list().length).toBe(1);
    const [{ id } = { id: '' }] = app.services.prompts.list();
    app.services.prompts.answer(id, { kind: 'secret', secret: 'from the window', remember: false });
    expect(await asked).toMatchObject({ secret: 'from the window' });
    beside.stop();
  });

  it('answered in a window: removed from the terminal, and the next one is asked', async () => {
    const app = await openApp();
    const shown: string[] = [];
    const stop = answering(
      app,
      {
        ask: (text, _hidden, signal) =>
          new Promise((resolve, reject) => {
            shown.push(text);
            if (shown.length > 1) resolve('typed');
            signal?.addEventListener('abort', () => reject(new Error('taken back')));
          }),
      },
      true,
    );
    const first = app.services.prompts.ask(question);
    await expect.poll(() => shown.length).toBe(1);
    const second = app.services.prompts.ask({ ...question, nodeName: 'M' });
    const open: Prompt[] = app.services.prompts.list();
    app.services.prompts.answer(open[0]?.id ?? '', { kind: 'refuse' });
    expect(await first).toEqual({ kind: 'refuse' });
    expect(await second).toMatchObject({ kind: 'secret', secret: 'typed' });
    stop.stop();
  });

  it('Ctrl+D refuses, also where a window could answer', async () => {
    const app = await openApp();
    const ended = new DOMException('Aborted with Ctrl+D', 'AbortError');
    const stop = answering(app, { ask: () => Promise.reject(ended) }, false);
    expect(await app.services.prompts.ask(question)).toEqual({ kind: 'refuse' });
    expect(interrupt).not.toHaveBeenCalled();
    stop.stop();
  });

  it('Ctrl+C interrupts the command, and refuses unless a window could answer', async () => {
    const app = await openApp();
    const asker = { ask: () => Promise.reject(new Interrupted()) };
    const alone = answering(app, asker, true);
    expect(await app.services.prompts.ask(question)).toEqual({ kind: 'refuse' });
    expect(interrupt).toHaveBeenCalledTimes(1);
    alone.stop();
    const beside = answering(app, asker, false);
    const asked = app.services.prompts.ask(question);
    await expect.poll(() => interrupt.mock.calls.length).toBe(2);
    const [{ id } = { id: '' }] = app.services.prompts.list();
    app.services.prompts.answer(id, { kind: 'secret', secret: 'from the window', remember: false });
    expect(await asked).toMatchObject({ secret: 'from the window' });
    beside.stop();
  });

  it('are answered by the command’s options for its own labs only', async () => {
    const app = await openApp();
    const stop = answering(app, undefined, false, 'another');
    const asked = app.services.prompts.ask({
      ...question,
      kind: 'host-key',
      keyType: 'ssh-ed25519',
      fingerprint: 'SHA256:x',
    });
    let answered = false;
    void asked.then(() => (answered = true));
    await app.api.call('app.info', {});
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(answered).toBe(false);
    const own = answering(app, undefined, false);
    expect(await asked).toEqual({ kind: 'accept' });
    own.stop();
    stop.stop();
  });
});
