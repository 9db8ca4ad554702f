import type { JsonValue } from '@banister/react';
import { progressShare } from '../../session/progress-share.js';

/** The progress of a tool: done and total where the tool reports them; otherwise the bar only shows that it runs. */
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
