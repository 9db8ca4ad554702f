// @ts-check
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** Flags of a browser that is only for tests: no GPU, no first-run questions, no background network requests. */
export const browserFlags = Object.freeze([
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]);

/**
 * The path of a Chromium for tests; undefined if there is none. The order: `CHROMIUM_PATH`, then Playwright's browser, then a browser of the
 * system.
 *
 * @returns {string | undefined}
 */
export function findBrowser() {
  const chosen = process.env['CHROMIUM_PATH'];
  // If it is wrong, it is not replaced: a silent replacement would test a different browser than requested.
  if (chosen) return existsSync(chosen) ? chosen : undefined;
  return [playwrightBrowser(), ...systemBrowsers()].find((file) => file !== undefined && existsSync(file));
}

/**
 * The path of the browser that draws the pages of tests: the system's headless shell, if there is one. It has the same engine without
 * a window, and a page needs a third less CPU time. `CHROMIUM_PATH` takes precedence; without a shell, `findBrowser` decides.
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
