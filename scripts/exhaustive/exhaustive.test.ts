import { describe, expect, test } from 'vitest';
import { sampleSize } from '../../test/kit/sample-size.js';
import { apiNames } from '../replay/apis.js';
import { checkCorruptions } from './corruptions.js';
import { readRecordings } from './recording.js';
import { createTally } from './tally.js';
import { checkCuts, cutsOf } from './truncations.js';

// A sample of what `npm run test:exhaustive` does.

const CORRUPTIONS = sampleSize(200);

const recordings = readRecordings();

describe.each(apiNames)('a recorded answer of %s', (api) => {
  const ofApi = recordings.filter((recording) => recording.api === api);

  test.each(ofApi)(
    'W8 T8 $name, cut: done only on evidence, nothing run without, and the next request is valid',
    async (recording) => {
      const cuts = cutsOf(recording);
      const step = Math.max(1, Math.floor(cuts.length / sampleSize(15)));
      const tally = createTally();
      // A prime apart, or every cut would fall on the same place of an event.
      await checkCuts(
        recording,
        cuts.filter((_, index) => index % step === 0 || index > cuts.length - 6),
        tally,
      );
      expect(tally.failures).toEqual([]);
      expect(tally.passed).toBeGreaterThan(5);
    },
  );

  test(`corrupted in ${CORRUPTIONS} ways, it ends as an answer or as an error`, async () => {
    const tally = createTally();
    await checkCorruptions(
      ofApi,
      Array.from({ length: CORRUPTIONS }, (_, seed) => seed + 1),
      tally,
    );
    expect(tally.failures).toEqual([]);
    expect(tally.passed).toBe(CORRUPTIONS);
  });
});
