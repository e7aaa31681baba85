import { describe, expect, it } from 'vitest';
import { browserArguments, findBrowsers, type Browser, type System } from './browser.ts';

const findBrowser = (system: System): Browser | undefined => [...findBrowsers(system)][0];

const system = (platform: NodeJS.Platform, env: System['env'], ...programs: string[]): System => ({
  platform,
  env,
  home: platform === 'darwin' ? '/Users/李 雷' : '/home/李 雷',
  runs: (path) => programs.includes(path),
});
const path = { PATH: '/usr/local/bin:/usr/bin:relative:' };

describe('the browser for the window', () => {
  it.each([
    ['Chromium before Firefox', ['/usr/bin/firefox', '/usr/bin/chromium'], '/usr/bin/chromium', 'app'],
    ['Chrome', ['/usr/bin/google-chrome-stable'], '/usr/bin/google-chrome-stable', 'app'],
    ['Edge', ['/usr/local/bin/microsoft-edge'], '/usr/local/bin/microsoft-edge', 'app'],
    ['Firefox in a tab', ['/usr/bin/firefox-esr'], '/usr/bin/firefox-esr', 'tab'],
  ] as const)('on Linux is %s', (_which, programs, program, kind) => {
    expect(findBrowser(system('linux', path, ...programs))).toEqual({ program, kind });
  });

  it('finding: is followed by the others, for where it does not start', () => {
    const programs = ['/usr/bin/firefox', '/opt/brave', '/usr/bin/chromium'];
    const found = findBrowsers(system('linux', { ...path, RINGLAB_BROWSER: '/opt/brave' }, ...programs));
    expect([...found].map(({ program }) => program)).toEqual([
      '/opt/brave',
      '/usr/bin/chromium',
      '/usr/bin/firefox',
    ]);
  });

  it('on Ubuntu is a snap, whose files lie elsewhere', () => {
    const chromium = system('linux', path, '/usr/bin/chromium-browser', '/snap/bin/chromium');
    expect(findBrowser(chromium)).toEqual({
      program: '/usr/bin/chromium-browser',
      kind: 'app',
      snap: 'chromium',
    });
    const firefox = system('linux', { PATH: '/usr/bin:/snap/bin' }, '/snap/bin/firefox');
    expect(findBrowser(firefox)).toMatchObject({ program: '/snap/bin/firefox', snap: 'firefox' });
  });

  it('is looked for in absolute folders alone', () => {
    expect(findBrowser(system('linux', path, 'relative/chromium', 'chromium'))).toBeUndefined();
    expect(findBrowser(system('linux', {}, '/usr/bin/chromium'))).toBeUndefined();
  });

  it('on macOS is one of the computer or of the user', () => {
    const own = '/Users/李 雷/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge';
    expect(findBrowser(system('darwin', path, own))).toEqual({ program: own, kind: 'app' });
    const firefox = '/Applications/Firefox.app/Contents/MacOS/firefox';
    expect(findBrowser(system('darwin', path, firefox))).toEqual({ program: firefox, kind: 'tab' });
  });

  it('on Windows is Chrome, else Edge, which is always there', () => {
    const env = { ProgramFiles: 'C:\\Program Files', 'ProgramFiles(x86)': 'C:\\Program Files (x86)' };
    const edge = 'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe';
    const chrome = 'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe';
    expect(findBrowser(system('win32', env, edge))).toEqual({ program: edge, kind: 'app' });
    expect(findBrowser(system('win32', env, edge, chrome))?.program).toBe(chrome);
    expect(findBrowser(system('win32', {}, edge))).toBeUndefined();
  });

  it('is the one that RINGLAB_BROWSER names, if it is there', () => {
    const env = { ...path, RINGLAB_BROWSER: '/opt/mein chrome' };
    expect(findBrowser(system('linux', env, '/opt/mein chrome'))?.program).toBe('/opt/mein chrome');
    expect(findBrowser(system('linux', env, '/usr/bin/firefox'))?.program).toBe('/usr/bin/firefox');
    const snap = { ...path, RINGLAB_BROWSER: '/snap/bin/chromium' };
    expect(findBrowser(system('linux', snap, '/snap/bin/chromium'))).toEqual({
      program: '/snap/bin/chromium',
      kind: 'app',
      snap: 'chromium',
    });
    // Ubuntu's /usr/bin has programs that start the snap; Mozilla's own Firefox elsewhere is none.
    const started = { ...path, RINGLAB_BROWSER: '/usr/bin/chromium-browser' };
    expect(
      findBrowser(system('linux', started, '/usr/bin/chromium-browser', '/snap/bin/chromium')),
    ).toMatchObject({ program: '/usr/bin/chromium-browser', snap: 'chromium' });
    for (const [program, snap] of [
      ['/usr/bin/firefox', 'firefox'],
      ['/opt/firefox/firefox', undefined],
    ] as const)
      expect(
        findBrowser(system('linux', { ...path, RINGLAB_BROWSER: program }, program, '/snap/bin/firefox')),
      ).toEqual({ program, kind: 'tab', ...(snap === undefined ? {} : { snap }) });
  });
});

describe('its arguments', () => {
  const start = { address: 'file:///tmp/open-1.html', profile: '/data/browser', asRoot: false };

  it('open an app window with a profile and an icon of its own, and no sandbox is given up', () => {
    const words = browserArguments({ kind: 'app' }, start);
    expect(words).toEqual(
      expect.arrayContaining([
        '--app=file:///tmp/open-1.html',
        '--user-data-dir=/data/browser',
        '--class=Ringlab',
      ]),
    );
    expect(words).not.toContain('--no-sandbox');
    expect(browserArguments({ kind: 'app' }, { ...start, asRoot: true })).toContain('--no-sandbox');
  });

  it('open a tab', () => {
    expect(browserArguments({ kind: 'tab' }, start)).toEqual(['file:///tmp/open-1.html']);
  });
});
