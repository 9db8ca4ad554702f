// @ts-check
import { buildMeasuredPages } from './measured-pages.mjs';

await buildMeasuredPages();
