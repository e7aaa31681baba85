/**
 * Prepares a node's end of the lab's tunnel, where the lab is encrypted: WireGuard's tools, and a private key that is
 * created on the node and stays there. The interface is raised when all public keys are known (tunnel/raise.ts).
 * Otherwise removes the remains of an earlier tunnel.
 */
import { inEveryLanguage, plain, type Line, type Phrase } from '../../../shared/base/phrase.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import { trainingNodes } from '../../../shared/lab/lab.ts';
import type { PlannedChange, RunnableChange } from '../node/planned-change.ts';
import { installPackages, planPackages, type PackageNames } from '../download/packages.ts';
import { codeOf, lastWords } from '../node/node-shell.ts';
import { known, type Foreseeing, type Step, type StepContext } from '../engine/step.ts';
import {
  interfaceName,
  keyScript,
  PublicKey,
  raiseScript,
  removeTunnels,
  statusScript,
  tunnelInUse,
  defaultPort,
  wantsTunnel,
} from './tunnel/index.ts';
import { phrase, say } from '../../i18n/index.ts';

interface Status {
  readonly programs: ReadonlySet<string>;
  readonly kernel: boolean;
  readonly tun: boolean;
  readonly publicKey: PublicKey | undefined;
  readonly traces: boolean;
}

export function parseStatus(output: string): Status {
  const lines = output.split('\n').slice(0, 20);
  const after = (word: string): string[] =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  return {
    programs: new Set(after('has')),
    kernel: lines.includes('kernel'),
    tun: lines.includes('tun'),
    publicKey: PublicKey.safeParse(after('key')[0]?.trim()).data,
    traces: lines.includes('traces'),
  };
}

const off: Phrase = phrase('summaries.tunnelOff');

/** The distribution's packages that are missing. */
function packagesFor({ programs, kernel }: Status): PackageNames[] {
  return [
    ...(programs.has('wg') ? [] : [['wireguard-tools']]),
    ...(programs.has('ip') ? [] : [['iproute2']]),
    ...(kernel || programs.has('wireguard-go') ? [] : [['wireguard-go']]),
  ];
}

const keyChange = (name: string, again: boolean): RunnableChange => ({
  what: phrase('changes.tunnel.key'),
  command: keyScript(name, again),
});

const removal = (name: string): RunnableChange => ({
  what: phrase('changes.tunnel.remove'),
  command: removeTunnels([name]),
});

/** @param owner the data folder's tag */
export function createTunnelStep(owner: string): Step {
  const nameOf = ({ lab, node }: Foreseeing): string => interfaceName(owner, lab.id, node.id);
  const look = async (context: StepContext): Promise<Status> =>
    parseStatus(
      (
        await context.shell.ask(statusScript(nameOf(context)), {
          label: phrase('nodeCommands.wireguard'),
        })
      ).stdout,
    );
  const describe = (context: StepContext, status: Status): Phrase => {
    if (status.publicKey === undefined) throw new Error('described before there is a key');
    context.work.tunnel = { name: nameOf(context), publicKey: status.publicKey };
    return plain(status.kernel ? 'WireGuard' : 'wireguard-go');
  };
  const asRoot = async (context: StepContext, change: RunnableChange, label: Line): Promise<void> => {
    const facts = known(context.work, 'facts');
    await context.rights.allow('tunnel', [change], context.signal);
    const result = await context.rights.root(context.shell, facts, change.command, { label });
    if (result.code === 0) return;
    if (result.code === tunnelInUse) throw new RinglabError('node_in_use', { runs: nameOf(context) });
    throw new RinglabError(
      'command_failed',
      { command: label, code: codeOf(result) },
      { detail: lastWords(result) },
    );
  };
  const install = async (context: StepContext, status: Status): Promise<void> => {
    const missing = packagesFor(status);
    if (missing.length > 0) await installPackages(context, missing, 'node_needs_root');
  };
  return {
    id: 'tunnel',
    foresee: (context) => Promise.resolve([statusScript(nameOf(context))]),
    async check(context) {
      const status = await look(context);
      if (!wantsTunnel(context.lab)) return status.traces ? undefined : off;
      const isWhole = packagesFor(status).length === 0 && status.publicKey !== undefined;
      return isWhole && !context.redo ? describe(context, status) : undefined;
    },
    async plan(context) {
      const name = nameOf(context);
      if (!wantsTunnel(context.lab)) return [removal(name)];
      const missing = packagesFor(await look(context));
      return [
        ...(missing.length > 0 ? await planPackages(context, missing, 'node_needs_root') : []),
        keyChange(name, context.redo),
        raising(context, name, owner),
      ];
    },
    async apply(context) {
      const name = nameOf(context);
      if (!wantsTunnel(context.lab)) {
        await asRoot(context, removal(name), phrase('nodeCommands.removeTunnel'));
        return;
      }
      await install(context, await look(context));
      await asRoot(context, keyChange(name, context.redo), 'wg genkey');
      // Only now can the kernel's support be checked.
      await install(context, await look(context));
    },
    async verify(context) {
      const status = await look(context);
      if (!wantsTunnel(context.lab)) return off;
      if (status.publicKey === undefined)
        throw new RinglabError('tunnel_unavailable', { reason: phrase('reasons.tunnel.noKey') });
      if (!status.kernel && !status.tun && known(context.work, 'facts').virtualisation !== undefined)
        context.status.log.add(phrase('stepLog.noWireGuard'));
      return describe(context, status);
    },
  };
}

/** The common command of all nodes, with placeholders for public keys and addresses. */
function raising({ lab, node }: StepContext, name: string, owner: string): PlannedChange {
  const others = trainingNodes(lab).filter(({ id }) => id !== node.id);
  const command = inEveryLanguage((language) =>
    raiseScript({
      name,
      owner,
      labId: lab.id,
      address: say(language, 'changes.tunnel.ownAddress'),
      port: defaultPort,
      whole: true,
      peers: others.map((other) => ({
        publicKey: say(language, 'changes.tunnel.publicKey', { node: other.name }),
        address: say(language, 'changes.tunnel.tunnelAddress', { node: other.name }),
        endpoint: say(language, 'changes.tunnel.address', { node: other.name }),
        port: defaultPort,
      })),
    }),
  );
  return {
    what: phrase('changes.tunnel.raiseLater', { name, port: defaultPort }),
    command,
  };
}
