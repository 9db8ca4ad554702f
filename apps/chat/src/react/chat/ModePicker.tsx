import { useSignalValue } from '@banister/react';
import type { Composer } from '../../session/composer.js';
import { modes, type WorkMode } from '../../session/modes.js';
import { Icon } from '../Icon.js';

/** Chooses the mode: which changes the agent may make. */
export function ModePicker({ composer }: { readonly composer: Composer }) {
  const mode = useSignalValue(composer.mode);
  return (
    <label className="mode">
      <Icon name="mode" />
      <span className="visually-hidden">Changes</span>
      <select value={mode} onChange={(event) => composer.choose(event.target.value as WorkMode)}>
        {modes.map(({ mode: value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
