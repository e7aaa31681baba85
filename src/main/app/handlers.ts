/** One handler a request of `src/shared/contract/api.ts`: each names the service that does the work, and does none itself. */
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { BundleSummary, LockSummary, RunSummary } from '../../shared/contract/api.ts';
import { Settings, summaryOf } from '../../shared/contract/api.ts';
import { RinglabError, toWireError } from '../../shared/base/errors.ts';
import { checkLab, hasErrors } from '../../shared/lab/lab-check.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import type { RunRecord } from '../../shared/run/run.ts';
import type { Services } from './services.ts';
import { readSettings } from './settings.ts';
import { examine } from './doctor.ts';
import { sshCommand } from '../local/index.ts';
import type { Provisioner } from '../provision/index.ts';
import type { Handlers } from '../rpc/index.ts';
import { linkChanges, mustBeFree, readFigures, searchLogs } from '../run/index.ts';
import { fingerprintOf, readClientConfig } from '../ssh/index.ts';

const summarize = (run: RunRecord): RunSummary =>
  summaryOf(run, new Set(run.ranks.map((rank) => rank.nodeId)).size);

const summarizeLock = (lock: Awaited<ReturnType<Provisioner['lock']>>[number]): LockSummary => {
  const libtorch = lock.packages.find(({ name }) => name === 'libtorch');
  return {
    platform: lock.platform,
    cuda: lock.cuda ?? null,
    channel: lock.channel,
    libtorch: libtorch === undefined ? null : `${libtorch.version} ${libtorch.build}`,
    packages: lock.packages.length,
    bytes: lock.packages.reduce((sum, { size = 0 }) => sum + size, 0),
  };
};

const summarizeBundle = ({ folder, index }: Awaited<ReturnType<Provisioner['bundle']>>): BundleSummary => {
  const packages = index.apt.flatMap((part) => part.packages);
  return {
    folder,
    systems: index.apt.map(({ system, arch }) => `${system} ${arch}`),
    packages: packages.length,
    bytes: packages.reduce((sum, { size }) => sum + size, 0),
    conda: Object.keys(index.conda).length,
    micromamba: Object.keys(index.micromamba),
    trainers: index.trainers.length,
  };
};

export function createHandlers(services: Services): Handlers {
  const {
    platform,
    events,
    prompts,
    store,
    labs,
    pool,
    reach,
    networks,
    limits,
    provisioner,
    runs,
    terminals,
  } = services;

  const settings = (): Promise<Settings> => readSettings(store);
  const openLab = async (labId: string) => (await labs.open(labId)).lab;
  const labOf = (asked: { labId: string } | { lab: LabDocument }): Promise<LabDocument> =>
    'lab' in asked ? Promise.resolve(asked.lab) : openLab(asked.labId);

  return {
    'app.info': () =>
      Promise.resolve({
        version: platform.version,
        host: platform.kind,
        platform: process.platform,
        dataFolder: platform.paths.data,
        secrets: platform.secrets.kind,
      }),
    'app.doctor': () => examine(platform.paths),
    'settings.get': settings,
    'settings.set': async (change) => {
      const next = { ...(await settings()), ...definedOnly(change) };
      await store.setSetting('settings', JSON.stringify(next));
      events.emit('settings.changed', { settings: next });
      return next;
    },
    'events.since': ({ session, seq }) => {
      const missed = events.since(session, seq);
      return Promise.resolve({
        complete: missed !== undefined,
        events: missed ?? [],
        lastSeq: events.lastSeq,
      });
    },

    'lab.list': () => labs.list(),
    'lab.examples': () => labs.examples(),
    'lab.create': ({ name, description }) => labs.create({ name, description }),
    'lab.fromExample': ({ name, language }) => labs.fromExample(name, language),
    'lab.import': ({ text, name, own }) => labs.importText(text, name, own),
    'lab.open': ({ labId }) => labs.open(labId),
    'lab.save': async ({ lab, revision }) => {
      const before = await openLab(lab.id).catch(() => undefined);
      const saved = await labs.save(lab, revision);
      if (before !== undefined) await runs.linksChanged(saved.lab.id, linkChanges(before, saved.lab));
      // The drawing is saved in any case; a link that could not follow it is said.
      void Promise.all([networks.reshape(saved.lab), limits.reshape(saved.lab)]).catch((error: unknown) => {
        events.emit('app.problem', { error: toWireError(error) });
      });
      return saved;
    },
    'lab.duplicate': ({ labId, name }) => labs.duplicate(labId, name),
    'file.save': async ({ name, base64 }) => {
      const folder = join(platform.paths.data, 'exports', randomUUID());
      await mkdir(folder, { recursive: true });
      const path = join(folder, 'file');
      await writeFile(path, Buffer.from(base64, 'base64'));
      return platform.deliver({ path, name: basename(name) });
    },
    'lab.delete': async ({ labId }) => {
      await labs.delete(labId);
      await networks.remove(labId);
      return {};
    },

    'node.probe': async ({ labId, nodeId }, { signal }) =>
      provisioner.probe(await openLab(labId), nodeId, signal),
    'node.stop': async ({ labId, nodeId }) => {
      await reach.forget(labId, nodeId);
      return {};
    },
    'node.reboot': async ({ labId, nodeId }, { signal }) => {
      const lab = await openLab(labId);
      if (lab.nodes.find((node) => node.id === nodeId)?.access.type === 'local') {
        await reach.forget(labId, nodeId);
        await reach.session(lab, nodeId, signal);
      } else await provisioner.reboot(lab, nodeId, signal);
      return {};
    },
    'node.openFolder': async ({ labId, nodeId }) => {
      const { authentication, host, port, user } = await reach.target(await openLab(labId), nodeId);
      const isLocal = authentication.method === 'app-key';
      const home = join(platform.paths.data, 'nodes', labId, nodeId, 'home');
      await platform.openPlace(isLocal ? home : `sftp://${encodeURIComponent(user)}@${host}:${port}/`);
      return {};
    },
    'node.sshCommand': async ({ labId, nodeId }) => ({
      command: sshCommand(await reach.target(await openLab(labId), nodeId), platform.paths.data),
    }),
    'node.connections': ({ labId }) => Promise.resolve(reach.connections(labId)),
    'provision.status': async (asked) => provisioner.status(await labOf(asked)),
    'provision.prepare': async (asked, { signal }) => {
      const lab = await labOf(asked);
      const { nodeIds, redo } = asked;
      // How each node fared is the answer, also where one failed: the error is in its step.
      await provisioner.prepare(lab, { signal, nodeIds, redo }).catch((error: unknown) => {
        if (signal.aborted) throw error;
      });
      return provisioner.status(lab);
    },

    'provision.plan': async (asked, { signal }) =>
      provisioner.plan(await labOf(asked), { signal, nodeIds: asked.nodeIds, of: asked.of }),
    'provision.lock': async (asked, { signal }) =>
      (await provisioner.lock(await labOf(asked), signal)).map(summarizeLock),
    'bundle.make': async (asked, { signal }) =>
      summarizeBundle(await provisioner.bundle(await labOf(asked), asked.folder, signal)),
    'bundle.add': ({ folder, programs }) => provisioner.takeBundle(folder, { programs }),
    'node.remove': async ({ labId, nodeId }, { signal }) => {
      await mustBeFree(runs, labId, nodeId);
      return provisioner.remove(await openLab(labId), nodeId, signal);
    },
    'ssh.hosts': () => readClientConfig({ home: platform.paths.home, agent: process.env.SSH_AUTH_SOCK }),
    'terminal.open': async ({ labId, nodeId, size }, { signal }) =>
      terminals.open(await openLab(labId), nodeId, size, signal),
    'terminal.list': ({ labId }) => Promise.resolve(terminals.list(labId)),
    'terminal.read': ({ terminalId, offset }) => Promise.resolve(terminals.read(terminalId, offset)),
    'terminal.input': ({ terminalId, text }) => {
      terminals.input(terminalId, text);
      return Promise.resolve({});
    },
    'terminal.seen': ({ terminalId, end }) => {
      terminals.seen(terminalId, end);
      return Promise.resolve({});
    },
    'terminal.resize': ({ terminalId, size }) => {
      terminals.resize(terminalId, size);
      return Promise.resolve({});
    },
    'terminal.close': ({ terminalId }) => {
      terminals.close(terminalId);
      return Promise.resolve({});
    },

    'net.state': async ({ labId }) => networks.state(await openLab(labId)),
    'net.cut': async ({ labId, linkId, down }) => {
      await networks.setDown(labId, linkId, down);
      const lab = await openLab(labId);
      const ends = lab.links.find((link) => link.id === linkId)?.ends ?? [];
      const names = ends.map((id) => lab.nodes.find((node) => node.id === id)?.name ?? id);
      await runs.linksChanged(labId, [`${names.join(' – ')}: ${down ? '✕' : '✓'}`]);
      return networks.state(lab);
    },

    'prompt.list': () => Promise.resolve(prompts.list()),
    'prompt.answer': ({ promptId, answer }) => {
      prompts.answer(promptId, answer);
      return Promise.resolve({});
    },
    'trust.list': async () => [
      ...(await pool.trust.list()).map(({ host, keyType, key, addedAt }) => ({
        host,
        type: keyType,
        fingerprint: fingerprintOf(Buffer.from(key, 'base64')),
        addedAt,
      })),
      ...(await pool.trust.listWeak()).map(({ host, algorithms, addedAt }) => ({
        host,
        type: algorithms.join(', '),
        fingerprint: '',
        addedAt,
        isWeak: true,
      })),
    ],
    'trust.forget': async ({ host }) => {
      await pool.trust.forget(host);
      return {};
    },
    'secret.forget': async ({ labId, nodeId }) => {
      await pool.forgetSecrets(await reach.target(await openLab(labId), nodeId));
      return {};
    },

    'estimate.measured': ({ lab }) => runs.measured(lab),

    'run.start': async (asked) => {
      const lab = await labOf(asked);
      const issues = checkLab(lab).filter((issue) => issue.severity === 'error');
      if (hasErrors(issues)) {
        const first = issues[0];
        throw new RinglabError(
          'lab_has_errors',
          { count: issues.length, first: `${first?.code ?? ''} (${first?.path ?? ''})` },
          { where: lab.name },
        );
      }
      return runs.start(lab);
    },
    'run.stop': async ({ runId }) => {
      await runs.stop(runId);
      return {};
    },
    'run.resume': ({ runId }) => runs.resume(runId),
    'checkpoint.verify': ({ runId, file }, { signal }) => runs.verify(runId, file, signal),
    'checkpoint.classify': ({ runId, file, name, base64 }, { signal }) =>
      runs.classify(runId, file, { name, bytes: Buffer.from(base64, 'base64') }, signal),
    'run.queue': async ({ from, changes, checkpoint }) => {
      if (!('runId' in from)) return runs.queue(await labOf(from), changes);
      const run = await runs.get(from.runId);
      return runs.queue(run.lab, changes, run, checkpoint);
    },
    'run.list': async ({ labId, bin, asked }) => {
      if (asked === true) await runs.sighted();
      return (await runs.list(labId, bin)).map(summarize);
    },
    'run.problems': async () => (await store.problems()).map(({ error }) => error),
    'run.get': ({ runId }) => runs.get(runId),
    'run.figures': ({ runIds }) => readFigures(store, runIds),
    'run.annotate': ({ runId, ...change }) => runs.annotate(runId, change),
    'run.bin': async ({ runId, nodes }) => {
      await runs.bin(runId, { nodes });
      return {};
    },
    'run.restore': ({ runId }) => runs.restore(runId),
    'run.delete': async ({ runId, nodes }) => {
      await runs.delete(runId, { nodes });
      return {};
    },
    'run.export': async ({ runId, artifact, language }, { signal }) =>
      platform.deliver(await runs.artifact(runId, artifact, signal, language)),
    'run.file': ({ runId, artifact, language }, { signal }) =>
      runs.artifact(runId, artifact, signal, language),
    'run.commands': async ({ runId }) => ({ text: await runs.commands(runId) }),

    'metrics.series': (query) => store.series(query),
    'metrics.catalogue': ({ runId }) => store.catalogue(runId),
    'metrics.count': async ({ runId }) => ({ lines: await store.countPoints(runId) }),
    'metrics.lines': (query) => store.lines(query),
    'log.read': (query) => runs.log(query),
    'log.search': async ({ runId, text, limit }, { signal }) => {
      const found = await searchLogs(store, await runs.get(runId), { text, limit }, signal);
      return { total: found.total, lines: [...found.lines] };
    },
  };
}

/** exactOptionalPropertyTypes: zod gives `undefined` for an absent field, which must not overwrite. */
function definedOnly(change: { [K in keyof Settings]?: Settings[K] | undefined }): Partial<Settings> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
