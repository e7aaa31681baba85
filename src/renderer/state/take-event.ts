/** Writes main's events to the window's state. */
import type { AnyEvent } from '../../shared/contract/api.ts';
import { fromWireError } from '../../shared/base/errors.ts';
import type { LabClient } from '../api/index.ts';
import { followDeletion, followRemoteLab } from './autosave.ts';
import { useLabStore } from './lab.ts';
import { putNetwork, putTraffic } from './network.ts';
import { closePrompt, putPrompt } from './prompts.ts';
import { putConnection, putReadiness } from './readiness.ts';
import { dropRun, notifyLog, notifyPoints, putProgress, putRun } from './runs.ts';
import { putFetch } from './runs/fetches.ts';
import { putSettings } from './settings.ts';
import { notifyTerminals } from './terminals.ts';
import { dropLab, putLab, report, useWindowStore } from './window.ts';

/** @param attempt does work that asks main, and again where the connection breaks */
export function takeEvent(
  api: LabClient,
  event: AnyEvent,
  attempt: (work: () => Promise<void>) => void,
): void {
  switch (event.name) {
    case 'lab.changed': {
      const { labId, revision, summary } = event.data;
      const isShown = labId === useLabStore.getState().lab?.id;
      if (summary === null) dropLab(labId);
      else putLab(summary);
      if (!isShown) break;
      attempt(() => (summary === null ? followDeletion(labId) : followRemoteLab(api, revision)));
      break;
    }
    case 'run.changed':
      putRun(event.data.run);
      break;
    case 'run.progress':
      putProgress(event.data.runId, event.data.progress);
      break;
    case 'artifact.progress':
      putFetch(event.data);
      break;
    case 'run.removed':
      dropRun(event.data.runId);
      break;
    case 'run.points':
      notifyPoints(event.data.runId, event.data);
      break;
    case 'run.log':
      notifyLog(event.data.runId, event.data);
      break;
    case 'provision.changed':
      putReadiness(event.data.readiness);
      break;
    case 'connection.changed':
      putConnection(event.data.connection);
      break;
    case 'net.changed':
      // Each save of any lab says its network's state; of the one that is shown next, the state is asked for.
      if (event.data.state.labId === useLabStore.getState().lab?.id) putNetwork(event.data.state);
      break;
    case 'net.traffic':
      putTraffic(event.data.labId, event.data.links);
      break;
    case 'terminal.data': {
      const { data } = event;
      notifyTerminals((listener) => listener.onData(data));
      break;
    }
    case 'terminal.ended': {
      const { terminal } = event.data;
      notifyTerminals((listener) => listener.onEnded(terminal));
      break;
    }
    case 'prompt.asked':
      putPrompt(event.data.prompt);
      break;
    case 'prompt.closed':
      closePrompt(event.data.promptId);
      break;
    case 'settings.changed':
      putSettings(event.data.settings);
      break;
    case 'app.replaced':
      useWindowStore.setState(({ info }) => ({ info: info && { ...info, replaced: true } }));
      break;
    case 'app.problem':
      report(fromWireError(event.data.error));
      break;
  }
}
