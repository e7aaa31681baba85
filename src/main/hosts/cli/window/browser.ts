/** Finds the browsers of this computer for the window, and how to start one: in an app window, if it has them. */
import { win32, posix } from 'node:path';

export interface Browser {
  readonly program: string;
  /** `app`: a window of its own without an address bar. `tab`: the browser has no such windows. */
  readonly kind: 'app' | 'tab';
  /** The name of its snap package. A snap reads no hidden folders: its files lie in a folder of its own. */
  readonly snap?: string;
}

/** What is looked at, so that each system can be tested on every other. */
export interface System {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Whether a file exists and may be run. */
  runs(path: string): boolean;
}

const linuxApps = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'microsoft-edge-stable',
  'microsoft-edge',
  'brave-browser',
];
const linuxTabs = ['firefox', 'firefox-esr'];
const macApps = ['Google Chrome', 'Microsoft Edge', 'Chromium', 'Brave Browser'];
const windowsApps = [
  ['Google', 'Chrome', 'Application', 'chrome.exe'],
  ['Microsoft', 'Edge', 'Application', 'msedge.exe'],
  ['Chromium', 'Application', 'chrome.exe'],
];
const windowsTab = ['Mozilla Firefox', 'firefox.exe'];

/** Ubuntu's /usr/bin/firefox and chromium-browser start the snap. */
function startedSnap(name: string, { runs }: System): Pick<Browser, 'snap'> {
  const snap = name === 'chromium-browser' ? 'chromium' : name;
  return runs(`/snap/bin/${snap}`) ? { snap } : {};
}

/** RINGLAB_BROWSER names a program; one whose name is none of Chromium's family gets a tab. */
function asked(system: System): Browser | undefined {
  const { env, runs } = system;
  const program = env.RINGLAB_BROWSER;
  if (program === undefined || program === '' || !runs(program)) return undefined;
  const kind = /chrom|edge|brave/i.test(posix.basename(program)) ? 'app' : 'tab';
  const name = /^(?:\/snap|\/usr)?\/bin\/([a-z\d-]+)$/.exec(program)?.[1];
  return { program, kind, ...(name === undefined ? {} : startedSnap(name, system)) };
}

function* onLinux(system: System): Generator<Browser, void> {
  const { env, runs } = system;
  const folders = (env.PATH ?? '').split(':').filter((folder) => posix.isAbsolute(folder));
  for (const [names, kind] of [
    [linuxApps, 'app'],
    [linuxTabs, 'tab'],
  ] as const)
    for (const name of names)
      for (const folder of folders) {
        const program = posix.join(folder, name);
        if (runs(program)) yield { program, kind, ...startedSnap(name, system) };
      }
}

function* onMac({ home, runs }: System): Generator<Browser, void> {
  const places = ['/Applications', posix.join(home, 'Applications')];
  const inside = (folder: string, name: string, program = name): string =>
    posix.join(folder, `${name}.app`, 'Contents', 'MacOS', program);
  const apps = places.flatMap((folder) => macApps.map((name) => inside(folder, name)));
  const tabs = places.map((folder) => inside(folder, 'Firefox', 'firefox'));
  for (const program of apps.filter(runs)) yield { program, kind: 'app' };
  for (const program of tabs.filter(runs)) yield { program, kind: 'tab' };
}

function* onWindows({ env, runs }: System): Generator<Browser, void> {
  const places = [env.ProgramFiles, env['ProgramFiles(x86)'], env.LOCALAPPDATA].filter(
    (folder) => folder !== undefined,
  );
  const at = (parts: readonly string[]): string[] => places.map((folder) => win32.join(folder, ...parts));
  for (const program of windowsApps.flatMap(at).filter(runs)) yield { program, kind: 'app' };
  for (const program of at(windowsTab).filter(runs)) yield { program, kind: 'tab' };
}

/** The best first. */
export function* findBrowsers(system: System): Generator<Browser, void> {
  const own = asked(system);
  if (own !== undefined) yield own;
  if (system.platform === 'win32') yield* onWindows(system);
  else yield* system.platform === 'darwin' ? onMac(system) : onLinux(system);
}

/**
 * The browser's arguments. A profile of its own keeps the window apart from the user's tabs and extensions, and gives it
 * the icon of the desktop entry (StartupWMClass).
 * @param address a `file:` or `http:` address
 */
export function browserArguments(
  { kind }: Pick<Browser, 'kind'>,
  { address, profile, asRoot }: { address: string; profile: string; asRoot: boolean },
): string[] {
  if (kind === 'tab') return [address];
  return [
    `--app=${address}`,
    `--user-data-dir=${profile}`,
    '--class=Ringlab',
    '--no-first-run',
    '--no-default-browser-check',
    '--window-size=1400,900',
    // Chromium's sandbox refuses to run as root.
    ...(asRoot ? ['--no-sandbox'] : []),
  ];
}
