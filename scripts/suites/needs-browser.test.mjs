import { expect, it } from 'vitest';
import needsBrowser from '../../e2e/needs-browser.ts';

const configOf = (executablePath) => ({ projects: [{ use: { launchOptions: { executablePath } } }] });

it('without its browser the suite says which one is missing, and how to name another', () => {
  expect(() => needsBrowser(configOf('/nowhere/chromium-headless-shell'))).toThrow(
    /\/nowhere\/chromium-headless-shell.*RINGLAB_CHROMIUM=/s,
  );
});

it('any program that is there may be the browser', () => {
  expect(() => needsBrowser(configOf(process.execPath))).not.toThrow();
});
