import type { JsonValue } from '@handrail/react';
import { progressShare } from '../../session/progress-share.js';

/** How far a tool is: a share where it tells one, else only that it is at work. */
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
