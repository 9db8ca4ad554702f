// @ts-check
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** For a browser that works for tests alone: no GPU, no first-run questions, no talking to the network behind our back. */
export const browserFlags = Object.freeze([
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]);

/**
 * The path of a Chromium to test with, or undefined where there is none. `CHROMIUM_PATH` wins, then Playwright's own, then
 * what the system has.
 *
 * @returns {string | undefined}
 */
export function findBrowser() {
  const chosen = process.env['CHROMIUM_PATH'];
  // Not replaced by another when it is wrong: a silent swap would test something else than what was asked for.
  if (chosen) return existsSync(chosen) ? chosen : undefined;
  return [playwrightBrowser(), ...systemBrowsers()].find((file) => file !== undefined && existsSync(file));
}

/**
 * The path of the browser that draws the pages of tests: the headless shell of the system where it has one. It has the same engine without
 * the window around it, and a page costs a third less processor time. `CHROMIUM_PATH` wins here too; else it is what `findBrowser` finds.
 *
 * @returns {string | undefined}
 */
export function findPageBrowser() {
  const isChosen = Boolean(process.env['CHROMIUM_PATH']);
  return !isChosen && existsSync(headlessShell) ? headlessShell : findBrowser();
}

/** Where Debian puts it. */
const headlessShell = '/usr/bin/chromium-headless-shell';

/** @returns {string | undefined} */
function playwrightBrowser() {
  try {
    return createRequire(import.meta.url)('playwright-core').chromium.executablePath();
  } catch {
    return undefined; // not installed yet, or no build for this platform
  }
}

/** @returns {string[]} */
function systemBrowsers() {
  if (process.platform === 'darwin') {
    return ['Google Chrome', 'Chromium', 'Microsoft Edge'].map(
      (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
    );
  }
  if (process.platform === 'win32') {
    return ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA']
      .flatMap((name) => process.env[name] ?? [])
      .flatMap((folder) => [
        path.join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe'),
        path.join(folder, 'Chromium', 'Application', 'chrome.exe'),
        path.join(folder, 'Microsoft', 'Edge', 'Application', 'msedge.exe'),
      ]);
  }
  return ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map(
    (name) => `/usr/bin/${name}`,
  );
}
