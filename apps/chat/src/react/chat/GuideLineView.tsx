import { useSignalValue } from '@banister/react';
import type { GuideLine } from '../../guide/guide-line.js';
import { visibleText } from '../../text/visible-text.js';

/** The page's own words. The region exists before the words, so that a screen reader reads them out. */
export function GuideLineView({ guide }: { readonly guide: GuideLine }) {
  const words = useSignalValue(guide.shown);
  return (
    <div
      role="status"
      aria-label="Guide"
      className="guide"
      data-kind={words?.kind}
      data-beside={words?.beside}
    >
      {words !== null && (
        <p key={words.text} className="guide-words">
          {visibleText(words.text)}
        </p>
      )}
    </div>
  );
}
