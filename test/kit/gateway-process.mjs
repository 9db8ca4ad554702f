// @ts-check
import { runSource } from '../../scripts/run-source.mjs';

await runSource('test/kit/gateway-main.ts', []);
