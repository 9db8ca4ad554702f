// @ts-check
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findBrowser } from './find-browser.mjs';
import { runProcess, runTool } from './run-process.mjs';

/**
 * Resolves with the path of a Chromium; if there is none, installs it. If that fails, throws an error of one clear line.
 *
 * @returns {Promise<string>}
 */
export async function ensureBrowser() {
  const present = findBrowser();
  if (present) return present;
  if (process.env['CHROMIUM_PATH']) {
    throw new Error(`CHROMIUM_PATH names ${process.env['CHROMIUM_PATH']}, and there is no such file.`);
  }

  console.error('Installing a browser for the tests …');
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) await installWithApt();
  if (!findBrowser())
    await runTool('playwright', 'playwright', ['install', 'chromium'], { stdout: 'stderr' });

  const installed = findBrowser();
  if (installed) return installed;
  throw new Error(
    'No browser for the tests: install Chromium or Chrome, or set CHROMIUM_PATH to the one to use, and try again.',
  );
}

async function installWithApt() {
  /** @type {Parameters<typeof runProcess>[2]} */
  const quietly = { stdout: 'stderr', env: { DEBIAN_FRONTEND: 'noninteractive' } };
  // If the update fails in part, the package list may still be usable, so the installation is tried in any case.
  await runProcess('apt-get', ['update', '-q'], quietly);
  // The fonts are named because no other package brings them, and text without a font has no size to click on.
  const packages = ['chromium', 'fonts-liberation'];
  const install = ['install', '-y', '-q', '--no-install-recommends'];
  await runProcess('apt-get', [...install, ...packages], quietly);
  // Not every release has this package: tests run faster with it, but do not need it.
  await runProcess('apt-get', [...install, 'chromium-headless-shell'], quietly);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await ensureBrowser();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
