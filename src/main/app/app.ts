/** Builds the services and returns one LabApi. Independent of the host: what differs between hosts is a Platform. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LabApi } from '../../shared/contract/api.ts';
import { toWireError } from '../../shared/base/errors.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import type { NetworkState } from '../../shared/node/network.ts';
import type { ServerTransport } from '../../shared/contract/rpc.ts';
import type { RunRecord } from '../../shared/run/run.ts';
import { systemClock } from '../base/clock.ts';
import { notifyEnds, notifyPassed } from '../notify/index.ts';
import { createHandlers } from './handlers.ts';
import type { Services } from './services.ts';
import { readSettings } from './settings.ts';
import { serveControl } from '../control/index.ts';
import { createLabs } from '../lab/index.ts';
import { createReach } from '../local/index.ts';
import { createLimits, createNetworks } from '../net/index.ts';
import { createLeftNodes } from './left-nodes.ts';
import { createNetworkLife } from './network-life.ts';
import type { Platform } from '../base/platform.ts';
import type { OpenedFolder } from './opened-folder.ts';
import { keepDataOutOfCode } from './out-of-code.ts';
import { createPrompts } from './prompts.ts';
import { watchProgram } from './replaced.ts';
import { createProvisioner } from '../provision/index.ts';
import { createDispatcher, directApi, type Handlers } from '../rpc/index.ts';
import { createCodeShelf } from '../code/index.ts';
import {
  createClusterFacts,
  createRuns,
  createScriptSecrets,
  createSlurmControllers,
  createStoredPoints,
} from '../run/index.ts';
import { createSshPool } from '../ssh/index.ts';
import { createTerminals } from '../terminal/index.ts';

export interface App {
  readonly services: Services;
  /** The same API as a window has, in process. */
  readonly api: LabApi;
  /** Serves one client until its wire closes. */
  serve(transport: ServerTransport): void;
  /** Other programs of this user that are connected and can ask them something. */
  answering(): number;
  /** Stops following runs and closes everything; ranks on nodes keep running. */
  close(): Promise<void>;
}

/** @param opened the data folder of the platform's paths; closed with the app */
export async function composeApp(platform: Platform, { events, store }: OpenedFolder): Promise<App> {
  const { paths } = platform;
  const prompts = createPrompts(events);
  await keepDataOutOfCode(paths.data);
  // Files that a previous process offered for download are no longer wanted.
  await rm(join(paths.data, 'exports'), { recursive: true, force: true });
  const labs = createLabs({ dataFolder: paths.data, assetsFolder: paths.assets, events });
  const pool = createSshPool({
    prompter: prompts,
    secrets: platform.secrets,
    home: paths.home,
    dataFolder: paths.data,
    onState: (state) => reach.onState(state),
  });
  const reach = createReach({
    pool,
    dataFolder: paths.data,
    home: paths.home,
    onConnection: (connection) => events.emit('connection.changed', { connection }),
  });
  const networks = createNetworks({
    dataFolder: paths.data,
    events,
    trainerBinary: paths.trainerBinary,
  });
  const provisioner = createProvisioner({
    reach,
    networks,
    events,
    paths,
    prompter: prompts,
    secrets: platform.secrets,
    consents: {
      get: (machine) => store.getSetting(`consent ${machine}`),
      set: (machine, kinds) => store.setSetting(`consent ${machine}`, kinds),
    },
  });
  const scriptSecrets = createScriptSecrets(prompts, platform.secrets);
  const slurmControllers = createSlurmControllers(systemClock);
  const clusterFacts = createClusterFacts({ reach, controllers: slurmControllers });
  const labNow = ({ labId, lab }: RunRecord): Promise<LabDocument> =>
    labs.open(labId).then(
      (opened) => opened.lab,
      () => lab,
    );
  const storedPoints = createStoredPoints();
  const runs = createRuns({
    storedPoints,
    labNow,
    scriptSecrets,
    slurmControllers,
    store,
    reach,
    provisioner,
    events,
    linksAreReal: async (lab) => areReal(await networks.state(lab)),
    linksDown: (labId) => networks.linksDown(labId),
    pythonSource: paths.pythonSource,
    code: createCodeShelf(join(paths.data, 'code'), paths.home),
    adoptsFirst: true,
  });
  const limits = createLimits({ reach, events, dataFolder: paths.data });
  const life = createNetworkLife({ networks, limits, runs, store, events, labNow });
  const terminals = createTerminals({
    reach,
    events,
    enter: async (labId, nodeId) => (await networks.place(labId, nodeId))?.enter,
  });
  const leftNodes = createLeftNodes({ dataFolder: paths.data, labs, store });
  const replaced = watchProgram(platform.program, () => events.emit('app.replaced', {}));
  const services: Services = {
    platform,
    replaced,
    events,
    prompts,
    store,
    labs,
    leftNodes,
    pool,
    reach,
    networks,
    limits,
    provisioner,
    runs,
    scriptSecrets,
    clusterFacts,
    terminals,
  };
  const handlers: Handlers = createHandlers(services);
  const dispatcher = createDispatcher({ handlers, events });
  const { version, kind } = platform;
  const serve = (transport: ServerTransport): void => {
    dispatcher.serve(transport);
  };
  const report = (error: unknown): void => events.emit('app.problem', { error: toWireError(error) });
  // Without the control channel the command line cannot connect to this app; everything else works.
  const control = await serveControl({ dataFolder: paths.data, version, kind, serve }).catch(report);
  const noticeEarlier = notifyEnds(events, platform, () => readSettings(store));
  notifyPassed({ events, storedPoints, platform, runs, store, labNow, settings: () => readSettings(store) });
  life
    .adopt()
    .then(() => store.listRuns().then(noticeEarlier).catch(report))
    .then(() => runs.adopt())
    // A command ends soon: it starts what waits where it follows it.
    .then(() => void (kind === 'cli' ? undefined : runs.startWaiting().catch(report)))
    .then(() => runs.pruneCode())
    .then(() => (kind === 'cli' ? undefined : leftNodes.remove()))
    .catch(report);
  return {
    services,
    api: directApi(handlers, events),
    serve,
    answering: () => control?.answering() ?? 0,
    async close() {
      replaced.close();
      // Before the data folder is unlocked: afterwards the socket may belong to another process.
      await control?.close();
      prompts.close();
      terminals.closeAll();
      await life.close().catch(report);
      await runs.close();
      await leftNodes.settled();
      await reach.close();
      await pool.close();
      await store.close();
    },
  };
}

/**
 * Links that can be emulated count as emulated, since the run will do so; links between real machines are assumed to
 * be as drawn.
 */
const areReal = ({ emulated, reason }: NetworkState): boolean =>
  emulated || reason === 'not_raised' || reason === 'real_nodes';
