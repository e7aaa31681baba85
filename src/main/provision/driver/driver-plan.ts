/**
 * Plans the changes for a node's NVIDIA driver from its facts. Pure: the user sees the exact plan before anything is
 * done.
 */
import { shellQuote } from '../../ssh/index.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';
import type { NodeFacts, NvidiaFacts } from '../../../shared/node/provision.ts';
import { hasApt } from '../download/has-apt.ts';
import { hasBlackwell, openModules } from './gpu-generation.ts';
import { noAnswer } from '../node/nvidia-facts.ts';
import type { RunnableChange } from '../node/planned-change.ts';
import { phrase } from '../../i18n/index.ts';
import { addComponents } from './debian-components.ts';
import { addRepository, apt, blacklist, headers, load } from './driver-changes.ts';

export type DriverPlan =
  /** `facts`: a line of the current state. */
  | { readonly kind: 'nothing'; readonly summary: Phrase }
  | {
      readonly kind: 'change';
      readonly changes: readonly RunnableChange[];
      readonly reboot: boolean;
    }
  /**
   * No change is possible from here; the diagnosis explains why and what a user can do. Without one it is in what
   * nvidia-smi said.
   */
  | { readonly kind: 'blocked'; readonly diagnosis?: string };

/**
 * @param installer path on the node of NVIDIA's installer (`.run`), or of its repository package (`.deb`), where the
 * user named one
 */
export function planDriver(facts: NodeFacts, installer?: string): DriverPlan {
  const { nvidia } = facts;
  if (nvidia === undefined) return { kind: 'nothing', summary: phrase('summaries.driver.noGpu') };
  if (nvidia.works) {
    const cuda = facts.cuda === undefined ? '' : ` · CUDA ${facts.cuda}`;
    const version = `${facts.driver ?? '?'}${cuda}`;
    return { kind: 'nothing', summary: phrase('summaries.driver.version', { version }) };
  }
  const output = nvidia.said ?? '';
  if (containers.has(facts.virtualisation ?? '')) return inContainer(output);
  if (facts.virtualisation === 'wsl') return { kind: 'blocked', diagnosis: 'driver.wsl' };
  // Old module, new libraries: the new module is already installed.
  if (/version mismatch/i.test(output)) return { kind: 'change', changes: [], reboot: true };
  // Its GPU has fallen off the bus: only a reboot helps.
  if (output === noAnswer) return { kind: 'blocked' };
  const whole = hasDriver(nvidia);
  // Its module works for the kernel: another one would not mend it. What the user names may replace one that is no package.
  if (nvidia.loaded !== undefined && nvidia.said !== undefined && (whole || installer === undefined))
    return { kind: 'blocked' };
  if (whole) {
    const tools = missingTools(facts, nvidia);
    return tools === undefined ? repair(facts, nvidia) : { kind: 'change', changes: [tools], reboot: false };
  }
  if (installer === undefined) return install(facts, nvidia);
  if (!installer.endsWith('.deb')) return fromFile(facts, nvidia, installer);
  if (!hasApt(facts)) return { kind: 'blocked', diagnosis: 'driver.other_system' };
  return fromRepository(facts, nvidia, [addRepository(installer)]);
}

/** As systemd names them. Their kernel, and so the driver, is the host's. */
const containers: ReadonlySet<string> = new Set([
  'docker',
  'podman',
  'lxc',
  'lxc-libvirt',
  'openvz',
  'systemd-nspawn',
  'rkt',
  'proot',
  'pouch',
  'container-other',
]);

const inContainer = (output: string): DriverPlan => ({
  kind: 'blocked',
  diagnosis: /Failed to initialize NVML: Unknown Error/.test(output)
    ? 'container.lost_gpu'
    : 'container.no_gpu',
});

/** What DKMS calls the driver: NVIDIA's and Ubuntu's, Ubuntu's for servers, Debian's. Others lie beside it: nvidia-fs. */
const driverName = /^nvidia(?:-(?:srv|open|current|tesla|legacy)[\w-]*)?(?=[/,])/;

const isDriver = (line: string): boolean => driverName.test(line);

const hasDriver = ({ sources, packages, dkms }: NvidiaFacts): boolean =>
  sources.some(isDriver) ||
  dkms.some(isDriver) ||
  packages.some((line) => /^nvidia-(?:driver-\d|driver |dkms|kernel-dkms|kernel-open-dkms)/.test(line));

/** A driver without nvidia-smi works, as Ubuntu's `nvidia-headless` does. Undefined where it lacks more. */
function missingTools(
  { system: { id } }: NodeFacts,
  { loaded, said, packages }: NvidiaFacts,
): RunnableChange | undefined {
  if (loaded === undefined || said !== undefined) return undefined;
  const server = packages.some((line) => /^nvidia-\S+-server(?:-open)? /.test(line)) ? '-server' : '';
  const name = { ubuntu: `nvidia-utils-${Number.parseInt(loaded, 10)}${server}`, debian: 'nvidia-smi' }[id];
  if (name === undefined) return undefined;
  return {
    what: phrase('changes.driver.tools'),
    command: `${apt} update\n${apt} install -y --no-install-recommends ${name}`,
  };
}

/** The names of packages with headers are known of systems with apt alone. */
const noHeaders: DriverPlan = { kind: 'blocked', diagnosis: 'driver.no_kernel_devel' };

/** The driver is installed but does not work: nearly always a kernel update for which it was not built. */
function repair(facts: NodeFacts, nvidia: NvidiaFacts): DriverPlan {
  if (nvidia.secureBoot && builtFor(facts, nvidia))
    return { kind: 'blocked', diagnosis: 'driver.secure_boot' };
  const changes: RunnableChange[] = [];
  const signed = signedModules(facts, nvidia);
  const source = newest(nvidia.sources);
  if (!nvidia.headers && signed === undefined) {
    if (hasApt(facts)) changes.push(headers(facts));
    else if (!builtFor(facts, nvidia) && source !== undefined) return noHeaders;
  }
  if (nvidia.nouveau) changes.push(blacklist);
  if (signed !== undefined) changes.push(...signed);
  else if (!builtFor(facts, nvidia) && source !== undefined) {
    const { name, version } = source;
    changes.push({
      what: phrase('changes.driver.build', { version, kernel: facts.kernel }),
      command: `dkms install -m ${name} -v ${version} -k ${facts.kernel}`,
    });
  }
  // nouveau holds the GPU until the next boot.
  if (!nvidia.nouveau) changes.push(load);
  return { kind: 'change', changes, reboot: nvidia.nouveau };
}

/**
 * Where the driver's modules are Ubuntu's packages: the one for this kernel, if it is missing. DKMS would put one of its own before
 * it, whose key the firmware may not know. Undefined where they are built here.
 */
function signedModules({ kernel }: NodeFacts, { packages }: NvidiaFacts): RunnableChange[] | undefined {
  // Modules of other kernels may be left from before.
  if (packages.some((line) => line.startsWith('nvidia-dkms'))) return undefined;
  const prefix = 'linux-modules-nvidia-';
  const names = packages.map((line) => line.split(' ')[0] ?? '').filter((name) => name.startsWith(prefix));
  const branch = names
    .flatMap((name) => /^\d+(?:-server)?(?:-open)?(?=-)/.exec(name.slice(prefix.length))?.[0] ?? [])
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .at(-1);
  if (branch === undefined) return undefined;
  const wanted = `${prefix}${branch}-${kernel}`;
  if (names.includes(wanted)) return [];
  return [
    {
      what: phrase('changes.driver.signed', { kernel }),
      command: `${apt} update\n${apt} install -y ${wanted}`,
    },
  ];
}

const builtFor = ({ kernel }: NodeFacts, { dkms }: NvidiaFacts): boolean =>
  dkms.some((line) => isDriver(line) && line.includes(kernel) && /: installed/.test(line));

interface Source {
  readonly name: string;
  readonly version: string;
}

const newest = (sources: readonly string[]): Source | undefined =>
  sources
    .filter(isDriver)
    .flatMap((source): Source[] => {
      const [, name = '', version = ''] = /^([\w-]+)\/(\d[\w.+~-]*)$/.exec(source) ?? [];
      return name === '' ? [] : [{ name, version }];
    })
    .sort((a, b) => a.version.localeCompare(b.version, 'en', { numeric: true }))
    .at(-1);

/** Debian 13 has branch 550; Blackwell needs 570. A release without a number is newer. */
const debianBeforeBlackwell = 13;

function install(facts: NodeFacts, nvidia: NvidiaFacts): DriverPlan {
  const { id } = facts.system;
  // A repository that somebody added is preferred, and never mixed with the distribution's. Only Ubuntu has modules
  // signed for Secure Boot.
  if (nvidia.repository !== undefined && !(id === 'ubuntu' && nvidia.secureBoot))
    return fromRepository(facts, nvidia, []);
  if (id === 'ubuntu') return { kind: 'change', ...ubuntu(facts, nvidia) };
  if (id !== 'debian') return { kind: 'blocked', diagnosis: 'driver.other_system' };
  // Debian signs no NVIDIA module: a machine owner key would have to be enrolled at the console.
  if (nvidia.secureBoot) return { kind: 'blocked', diagnosis: 'driver.secure_boot' };
  if (hasBlackwell(facts) && Number(facts.system.version) <= debianBeforeBlackwell)
    return { kind: 'blocked', diagnosis: 'driver.debian_old' };
  return { kind: 'change', ...debian(facts, nvidia) };
}

/**
 * NVIDIA's installer builds the module with DKMS, so that the next kernel gets one too. It refuses while nouveau uses
 * the GPU: then the first round ends with a reboot, and the second installs.
 */
function fromFile(facts: NodeFacts, nvidia: NvidiaFacts, installer: string): DriverPlan {
  if (nvidia.secureBoot) return { kind: 'blocked', diagnosis: 'driver.secure_boot' };
  const usesApt = hasApt(facts);
  if (!usesApt && !nvidia.headers) return noHeaders;
  if (nvidia.nouveau) return { kind: 'change', changes: [blacklist], reboot: true };
  // It ends with an error where it is to use DKMS and there is none.
  const dkms = usesApt ? '--dkms' : '$(if command -v dkms >/dev/null 2>&1; then echo --dkms; fi)';
  return {
    kind: 'change',
    changes: [
      ...(usesApt ? [headers(facts)] : []),
      {
        what: phrase('changes.driver.fromFile'),
        command: `sh ${shellQuote(installer)} --silent ${dkms}`,
      },
      load,
    ],
    reboot: false,
  };
}

/**
 * NVIDIA's repository, from the node's package sources or from the repository package that the user named. Its
 * address is not hard-coded.
 */
function fromRepository(
  facts: NodeFacts,
  nvidia: NvidiaFacts,
  before: readonly RunnableChange[],
): DriverPlan {
  if (nvidia.secureBoot) return { kind: 'blocked', diagnosis: 'driver.secure_boot' };
  const names = openModules(facts) ? ['nvidia-open', 'cuda-drivers'] : ['cuda-drivers', 'nvidia-open'];
  const there = nvidia.repository?.split(' / ') ?? [];
  const which =
    names.flatMap((name) => there.find((line) => line.startsWith(`${name} `)) ?? [])[0] ?? names.join(' / ');
  return {
    kind: 'change',
    changes: [
      ...before,
      ...(nvidia.headers ? [] : [headers(facts)]),
      {
        what: phrase('changes.driver.fromRepository', { packages: which }),
        command: `package=; for name in ${names.join(' ')}; do apt-cache show "$name" >/dev/null 2>&1 && package=$name && break; done
[ -n "$package" ] || { echo 'E: Unable to locate package cuda-drivers' >&2; exit 100; }
${apt} install -y --no-install-recommends "$package"`,
      },
      ...(nvidia.nouveau ? [blacklist] : [load]),
    ],
    reboot: nvidia.nouveau,
  };
}

type Changes = Pick<Extract<DriverPlan, { kind: 'change' }>, 'changes' | 'reboot'>;

/** The branch that Ubuntu recommends for this GPU; under Secure Boot with the modules signed by Ubuntu. */
function ubuntu(facts: NodeFacts, nvidia: NvidiaFacts): Changes {
  const signed = nvidia.secureBoot
    ? `${apt} install -y "linux-modules-nvidia-\${package#nvidia-driver-}-${facts.kernel}"`
    : `[ -e /lib/modules/${facts.kernel}/build/Makefile ] || ${apt} install -y linux-headers-${facts.kernel}`;
  return {
    changes: [
      {
        what: phrase('changes.driver.ubuntu'),
        command: `${apt} update
${apt} install -y ubuntu-drivers-common
package=$(ubuntu-drivers devices 2>/dev/null | awk '/recommended/ { print $3; exit }')
[ -n "$package" ] || { echo 'ubuntu-drivers recommends no driver for this GPU' >&2; exit 1; }
${signed}
${apt} install -y --no-install-recommends "$package"`,
      },
      ...(nvidia.nouveau ? [blacklist] : [load]),
    ],
    reboot: nvidia.nouveau,
  };
}

function debian(facts: NodeFacts, nvidia: NvidiaFacts): Changes {
  const firmware = Number(facts.system.version) >= 12 ? ' non-free-firmware' : '';
  return {
    changes: [
      {
        what: phrase('changes.driver.components'),
        command: addComponents(apt, `contrib non-free${firmware}`),
      },
      ...(nvidia.headers ? [] : [headers(facts)]),
      {
        what: phrase('changes.driver.debian'),
        command: `${apt} install -y --no-install-recommends nvidia-kernel-dkms nvidia-smi libcuda1 libnvidia-ml1 nvidia-modprobe`,
      },
      ...(nvidia.nouveau ? [blacklist] : [load]),
    ],
    reboot: nvidia.nouveau,
  };
}
