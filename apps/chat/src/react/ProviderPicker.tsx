import { useSignalValue } from '@banister/react';
import { useState } from 'react';
import type { Chat } from '../session/chat.js';
import { deviceWords } from '../session/device-words.js';
import { gatewayLabels, isGateway } from '../session/gateway-offer.js';
import { isServer, providerLabels, type ProviderKind } from '../session/provider-choice.js';
import { useBackLayer } from './back-layer.js';
import { DeviceSettings } from './DeviceSettings.js';
import { ProviderProblem } from './ProviderProblem.js';
import { ProviderSettings } from './ProviderSettings.js';

export function ProviderPicker({ chat }: { readonly chat: Chat }) {
  const chosen = useSignalValue(chat.provider);
  const device = useSignalValue(chat.device.state);
  const problem = useSignalValue(chat.providerProblem);
  const note = chosen === 'device' ? null : deviceWords(device).note;
  const [open, setOpen] = useState<'server' | 'device' | null>(null);
  const isShown =
    open === 'server' ? isServer(chosen) || problem !== null : open === 'device' && chosen !== 'device';
  useBackLayer(isShown, () => setOpen(null));

  const choose = (kind: ProviderKind) => {
    // The settings show why the model of this device cannot be used yet. Until then the provider does not
    // change.
    if (kind === 'device') setOpen(device === 'available' ? null : 'device');
    // The settings show why a model cannot be chosen.
    else setOpen(isServer(kind) || isGateway(kind) ? 'server' : null);
    void chat.chooseProvider(kind);
  };

  return (
    <div className="provider">
      <label className="provider-label">
        <span className="visually-hidden">Provider</span>
        <select
          value={chosen}
          onChange={(event) => choose(event.target.value as ProviderKind)}
          // Checked only when the list is opened, because browsers without a model log a warning for each
          // check.
          onPointerDown={() => void chat.device.know()}
          onKeyDown={(event) => void (event.key === 'Tab' || chat.device.know())}
        >
          {chat.gateway &&
            gatewayLabels(chat.gateway).map(([kind, label]) => (
              <option key={kind} value={kind}>
                {label}
              </option>
            ))}
          {Object.entries(providerLabels).map(([kind, label]) => (
            <option key={kind} value={kind} disabled={kind === 'device' && device === 'unavailable'}>
              {kind === 'device' && note !== null ? `${label} (${note})` : label}
            </option>
          ))}
        </select>
      </label>
      {isServer(chosen) && (
        <button
          type="button"
          className="button"
          aria-expanded={open === 'server'}
          onClick={() => setOpen(open === 'server' ? null : 'server')}
        >
          Settings
        </button>
      )}
      {isServer(chosen) && open === 'server' && (
        // Keyed by kind, so that another choice starts with its own preset.
        <ProviderSettings key={chosen} chat={chat} kind={chosen} onDone={() => setOpen(null)} />
      )}
      {!isServer(chosen) && open === 'server' && problem !== null && (
        <ProviderProblem problem={problem} onDone={() => setOpen(null)} />
      )}
      {open === 'device' && chosen !== 'device' && (
        <DeviceSettings chat={chat} onDone={() => setOpen(null)} />
      )}
    </div>
  );
}
