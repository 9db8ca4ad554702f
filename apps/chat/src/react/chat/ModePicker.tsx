import { useSignalValue } from '@handrail/react';
import type { CommitMode, Composer } from '../../session/composer.js';
import { modes } from '../../session/modes.js';
import { Icon } from '../Icon.js';

/** Whether the changes of the next turn are final at once, or wait for the user. */
export function ModePicker({ composer }: { readonly composer: Composer }) {
  const mode = useSignalValue(composer.mode);
  return (
    <label className="mode">
      <Icon name="mode" />
      <span className="visually-hidden">Changes</span>
      <select value={mode} onChange={(event) => composer.choose(event.target.value as CommitMode)}>
        {modes.map(({ mode: value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
