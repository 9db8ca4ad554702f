import { isJsonObject, type JsonValue } from '@handrail/react';

/** How far a tool is: a share where it tells one, else only that it is at work. */
export function ToolProgress({ progress }: { readonly progress: JsonValue | undefined }) {
  const { done, total } = isJsonObject(progress) ? progress : {};
  const isShare = typeof done === 'number' && typeof total === 'number' && total > 0;
  return (
    <div className="tool-progress">
      <progress aria-label="Progress" {...(isShare ? { value: done, max: total } : {})} />
      {isShare && (
        <span>
          {done} of {total}
        </span>
      )}
    </div>
  );
}
