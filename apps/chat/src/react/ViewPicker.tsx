import { useSignalValue } from '@banister/react';
import { chatViews, viewNames, type ViewName } from '../view/chat-views.js';
import type { ViewChoice } from '../view/view-choice.js';

/** Chooses which framework draws the chat. The session stays the same, even in the middle of a turn. */
export function ViewPicker({ views }: { readonly views: ViewChoice }) {
  const view = useSignalValue(views.current);
  return (
    <label className="view-picker">
      <span className="visually-hidden">View</span>
      <select value={view} onChange={(event) => views.choose(event.target.value as ViewName)}>
        {viewNames.map((name) => (
          <option key={name} value={name}>
            {chatViews[name].label}
          </option>
        ))}
      </select>
    </label>
  );
}
