/** One handler for each request of `src/shared/contract/api.ts`. Each names the service, or the actions across services, that do the work. */
import { examine } from './doctor.ts';
import { createLabActions } from './lab-actions.ts';
import { createNodeActions } from './node-actions.ts';
import { deliverFile } from './deliver-file.ts';
import { createRunActions } from './run-actions.ts';
import type { Services } from './services.ts';
import { changeSettings, readSettings } from './settings.ts';
import { summarizeBundle, summarizeLock } from './summaries.ts';
import { aboutApp } from './this-computer.ts';
import { listTrust } from './trust-list.ts';
import { measureCode } from '../code/index.ts';
import { checkHere, createScriptFiles, type ThisComputer } from '../lab/index.ts';
import type { Handlers } from '../rpc/index.ts';
import { readFigures, readMedia, readOutputs, readScalarValues, tryPatterns } from '../run/index.ts';
import { agentKeys, readClientConfig, runningAgent } from '../ssh/index.ts';

/** The empty result of requests that return nothing. */
const done = (): Record<string, never> => ({});

export function createHandlers(services: Services): Handlers {
  const { platform, events, prompts, store, labs, pool } = services;
  const { reach, networks, provisioner, runs, scriptSecrets, clusterFacts, terminals } = services;
  const computer = async (): Promise<ThisComputer> => ({
    home: platform.paths.home,
    agent: await runningAgent(),
    platform: process.platform,
  });
  const lab = createLabActions(services);
  const node = createNodeActions(services);
  const run = createRunActions({ runs, labs: lab, platform, computer });
  const scriptFiles = createScriptFiles(platform.paths.home);

  return {
    'app.info': () => aboutApp(platform, services.replaced.now()),
    'app.handOver': () => {
      platform.handOver?.();
      return Promise.resolve(done());
    },
    'app.doctor': () => examine(platform.paths),
    'settings.get': () => readSettings(store),
    'settings.set': (change) => changeSettings(store, events, change),
    'events.since': ({ session, seq }) => Promise.resolve(events.since(session, seq)),

    'lab.list': () => labs.list(),
    'lab.examples': () => labs.examples(),
    'lab.create': ({ name, description }) => labs.create({ name, description }),
    'lab.fromExample': ({ name, language }) => labs.fromExample(name, language),
    'lab.import': ({ text, name, own }) => labs.importText(text, name, own),
    'lab.open': ({ labId }) => labs.open(labId),
    'lab.ofRuns': () => lab.ofRuns(),
    'lab.fromRun': ({ runId }) => lab.fromRun(runId),
    'lab.save': ({ lab: edited, revision }) => lab.save(edited, revision),
    'lab.checkHere': async ({ lab: edited }) => checkHere(edited, await computer()),
    'lab.duplicate': ({ labId, name }) => labs.duplicate(labId, name),
    'file.save': ({ name, base64 }) => deliverFile(platform, name, base64),
    'lab.delete': ({ labId }) => lab.delete(labId).then(done),
    'lab.restore': ({ labId }) => labs.restore(labId).then(done),

    'script.files': async ({ labId }) => scriptFiles.list(await lab.document(labId)),
    'script.size': async ({ labId }, { signal }) =>
      measureCode(await scriptFiles.folder(await lab.document(labId)), signal),
    'script.read': async ({ labId, file }) => scriptFiles.read(await lab.document(labId), file),
    'script.save': async ({ labId, file, text, sha256 }) =>
      scriptFiles.save(await lab.document(labId), file, text, sha256),
    'script.tryPatterns': ({ labId, patterns }, { signal }) =>
      tryPatterns({ runs, reach, trainerBinary: platform.paths.trainerBinary }, labId, patterns, signal),
    'script.forget': ({ labId, name }) => scriptSecrets.forget(labId, name).then(done),
    'folder.list': ({ path }) => scriptFiles.folders(path),

    'node.probe': async ({ labId, nodeId }, { signal }) =>
      provisioner.probe(await lab.document(labId), nodeId, signal),
    'slurm.facts': async (asked, { signal }) => clusterFacts.slurm(await lab.asked(asked), signal),
    'kubernetes.facts': async (asked, { signal }) => clusterFacts.kubernetes(await lab.asked(asked), signal),
    'slurm.tryFolder': async ({ labId }, { signal }) =>
      clusterFacts.tryFolder(await lab.document(labId), signal),
    'node.stop': ({ labId, nodeId }) => reach.forget(labId, nodeId).then(done),
    'node.reboot': async ({ labId, nodeId }, { signal }) =>
      node.reboot(await lab.document(labId), nodeId, signal).then(done),
    'node.openFolder': async ({ labId, nodeId }) =>
      node.openFolder(await lab.document(labId), nodeId).then(done),
    'node.sshCommand': async ({ labId, nodeId }) => ({
      command: await node.sshCommand(await lab.document(labId), nodeId),
    }),
    'node.connections': ({ labId }) => Promise.resolve(reach.connections(labId)),
    'provision.status': async (asked) => provisioner.status(await lab.asked(asked)),
    'provision.prepare': async (asked, { signal }) =>
      node.prepare(await lab.asked(asked), { signal, nodeIds: asked.nodeIds, redo: asked.redo }),
    'provision.plan': async (asked, { signal }) =>
      provisioner.plan(await lab.asked(asked), { signal, nodeIds: asked.nodeIds, of: asked.of }),
    'provision.lock': async (asked, { signal }) =>
      (await provisioner.lock(await lab.asked(asked), signal)).map(summarizeLock),
    'bundle.make': async (asked, { signal }) =>
      summarizeBundle(await provisioner.bundle(await lab.asked(asked), asked, signal)),
    'bundle.add': ({ folder, programs }) => provisioner.takeBundle(folder, { programs }),
    'node.remove': async ({ labId, nodeId }, { signal }) =>
      node.remove(await lab.document(labId), nodeId, signal),
    'ssh.hosts': async () => readClientConfig({ ...(await computer()), keysOf: agentKeys }),
    'terminal.open': async ({ labId, nodeId, size }, { signal }) =>
      terminals.open(await lab.document(labId), nodeId, size, signal),
    'terminal.list': ({ labId }) => Promise.resolve(terminals.list(labId)),
    'terminal.read': ({ terminalId, offset }) => Promise.resolve(terminals.read(terminalId, offset)),
    'terminal.input': ({ terminalId, text }) => {
      terminals.input(terminalId, text);
      return Promise.resolve(done());
    },
    'terminal.seen': ({ terminalId, end }) => {
      terminals.seen(terminalId, end);
      return Promise.resolve(done());
    },
    'terminal.resize': ({ terminalId, size }) => {
      terminals.resize(terminalId, size);
      return Promise.resolve(done());
    },
    'terminal.close': ({ terminalId }) => {
      terminals.close(terminalId);
      return Promise.resolve(done());
    },

    'net.state': async ({ labId }) => networks.state(await lab.document(labId)),
    'net.cut': ({ labId, linkId, down }) => lab.cut(labId, linkId, down),

    'prompt.list': () => Promise.resolve(prompts.list()),
    'prompt.answer': ({ promptId, answer }) => {
      prompts.answer(promptId, answer);
      return Promise.resolve(done());
    },
    'trust.list': () => listTrust(pool),
    'trust.forget': ({ host }) => pool.trust.forget(host).then(done),
    'secret.forget': async ({ labId, nodeId }) =>
      node.forgetSecrets(await lab.document(labId), nodeId).then(done),

    'estimate.measured': ({ lab: edited }) => runs.measured(edited),

    'run.start': (asked) => run.start(asked),
    'run.stop': ({ runId }) => runs.stop(runId).then(done),
    'run.rejoin': (asked) => run.rejoin(asked).then(done),
    'run.takeOut': ({ runId, nodeId }) => runs.takeOut(runId, nodeId).then(done),
    'run.resume': ({ runId, alone }) => runs.resume(runId, alone),
    'checkpoint.verify': ({ runId, file }, { signal }) => runs.verify(runId, file, signal),
    'checkpoint.classify': ({ runId, file, name, base64 }, { signal }) =>
      runs.classify(runId, file, { name, bytes: Buffer.from(base64, 'base64') }, signal),
    'checkpoint.samples': ({ runId }, { signal }) => runs.samples(runId, signal),
    'run.queue': (asked) => run.queue(asked),
    'run.list': (asked) => run.list(asked),
    'run.problems': async () => (await store.problems()).map(({ error }) => error),
    'run.get': ({ runId }) => runs.get(runId),
    'run.figures': ({ runIds }) => readFigures(store, runIds),
    'run.scalarValues': ({ runIds, names }) => readScalarValues(store, runIds, names),
    'run.annotate': ({ runId, ...change }) => runs.annotate(runId, change),
    'run.bin': ({ runId, nodes }) => runs.bin(runId, { nodes }).then(done),
    'run.restore': ({ runId }) => runs.restore(runId),
    'run.delete': ({ runId, nodes }) => runs.delete(runId, { nodes }).then(done),
    'run.export': (asked, { signal }) => run.export(asked, signal),
    'run.file': ({ runId, artifact, language }, { signal }) =>
      runs.artifact(runId, artifact, signal, language),
    'run.written': ({ runId }, { signal }) => runs.written(runId, signal),
    'run.writtenFile': ({ runId, ...file }, { signal }) => runs.fetchWritten(runId, file, signal),
    'run.takeOutCode': ({ runId, to }) => runs.takeOutCode(runId, to).then(done),
    'run.codeFiles': ({ runId }) => runs.codeFiles(runId),
    'run.codeText': async ({ runId, file }) => ({ text: await runs.codeText(runId, file) }),
    'run.codeDiff': ({ runId, before }) => runs.codeDiff(runId, before),
    'run.commands': async ({ runId }) => ({ text: await runs.commands(runId) }),

    'metrics.series': (query) => store.series(query),
    'metrics.catalogue': ({ runId }) => store.catalogue(runId),
    'run.outputs': ({ runId }) => readOutputs(store, runId),
    'run.media': ({ runId }) => readMedia(store, runId),
    'run.picture': ({ runId, ...picture }, { signal }) => runs.picture(runId, picture, signal),
    'metrics.count': async ({ runId }) => ({ lines: await store.countPoints(runId) }),
    'metrics.lines': (query) => store.lines(query),
    'log.read': (query) => runs.log(query),
    'log.search': ({ runId, text, limit }, { signal }) => runs.searchLogs(runId, { text, limit }, signal),
  };
}
