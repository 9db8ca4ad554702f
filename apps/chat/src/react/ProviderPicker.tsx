import { useSignalValue } from '@handrail/react';
import { useState } from 'react';
import type { Chat } from '../session/chat.js';
import { providerLabels, type ProviderKind } from '../session/provider-choice.js';
import { ProviderSettings } from './ProviderSettings.js';

export function ProviderPicker({ chat }: { readonly chat: Chat }) {
  const chosen = useSignalValue(chat.provider);
  const [areSettingsOpen, setSettingsOpen] = useState(false);

  const choose = (kind: ProviderKind) => {
    setSettingsOpen(kind !== 'offline');
    void chat.chooseProvider(kind);
  };

  return (
    <div className="provider">
      <label className="provider-label">
        <span className="visually-hidden">Provider</span>
        <select value={chosen} onChange={(event) => choose(event.target.value as ProviderKind)}>
          {Object.entries(providerLabels).map(([kind, label]) => (
            <option key={kind} value={kind}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {chosen !== 'offline' && (
        <button
          type="button"
          className="button"
          aria-expanded={areSettingsOpen}
          onClick={() => setSettingsOpen(!areSettingsOpen)}
        >
          Settings
        </button>
      )}
      {chosen !== 'offline' && areSettingsOpen && (
        // By its kind: another choice starts with its own preset.
        <ProviderSettings key={chosen} chat={chat} kind={chosen} onDone={() => setSettingsOpen(false)} />
      )}
    </div>
  );
}
