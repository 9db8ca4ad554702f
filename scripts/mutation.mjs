// @ts-check
import { ensureInstall } from './ensure-install.mjs';
import { runSource } from './run-source.mjs';

try {
  await ensureInstall();
  process.exitCode = await runSource('scripts/mutation/main.ts', process.argv.slice(2));
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
