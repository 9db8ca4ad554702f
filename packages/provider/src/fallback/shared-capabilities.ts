import { defined } from '../json/defined.js';
import type { ProviderCapabilities } from '../port/provider.js';

/** Returns the features that all of several models have, with the smallest known context window and the smallest known limit on tools. */
export function sharedCapabilities(all: readonly ProviderCapabilities[]): ProviderCapabilities {
  const [first = [], ...others] = all.map(({ toolChoices = [] }) => toolChoices);
  return defined({
    images: all.every(({ images }) => images),
    imagesInResults: all.every(({ imagesInResults = true }) => imagesInResults),
    pdfs: all.every(({ pdfs = false }) => pdfs),
    toolChoices: first.filter((kind) => others.every((choices) => choices.includes(kind))),
    structuredOutput: all.every(({ structuredOutput = false }) => structuredOutput),
    contextWindow: smallest(all.map(({ contextWindow }) => contextWindow)),
    maxTools: smallest(all.map(({ maxTools }) => maxTools)),
  });
}

function smallest(bounds: readonly (number | undefined)[]): number | undefined {
  const known = bounds.filter((bound) => bound !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
