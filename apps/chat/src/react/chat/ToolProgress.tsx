import type { JsonValue } from '@banister/react';
import { progressShare } from '../../session/progress-share.js';

/**
 * The progress of a tool. If the tool reports done and total, the bar shows them; otherwise it only shows
 * that the tool runs.
 */
export function ToolProgress({ progress }: { readonly progress: JsonValue | undefined }) {
  const share = progressShare(progress);
  return (
    <div className="tool-progress">
      <progress aria-label="Progress" {...(share ? { value: share.done, max: share.total } : {})} />
      {share && (
        <span>
          {share.done} of {share.total}
        </span>
      )}
    </div>
  );
}
