// @ts-check
import { ensureInstall } from './ensure-install.mjs';
import { allowYoungObjects } from './run-process.mjs';
import { runSource } from './run-source.mjs';

try {
  await ensureInstall();
  allowYoungObjects();
  process.exitCode = await runSource('scripts/mutation/main.ts', process.argv.slice(2));
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
