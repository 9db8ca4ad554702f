import { useSignalValue } from '@banister/react';
import { useEffect, useRef } from 'react';
import type { Chat } from '../session/chat.js';
import { deviceWords } from '../session/device-words.js';

interface DeviceSettingsProps {
  readonly chat: Chat;
  onDone(): void;
}

/** Says why the browser's own model cannot be used, and helps to fix that. */
export function DeviceSettings({ chat, onDone }: DeviceSettingsProps) {
  const { device } = chat;
  const state = useSignalValue(device.state);
  const share = useSignalValue(device.share);
  const problem = useSignalValue(device.problem);
  const panel = useRef<HTMLElement>(null);
  // A user who chose the model by keyboard continues here.
  useEffect(() => panel.current?.focus(), []);

  const use = async () => {
    await chat.chooseProvider('device');
    onDone();
  };

  return (
    <section className="provider-settings" aria-label="Model on this device" tabIndex={-1} ref={panel}>
      <p role="status" aria-label="Availability">
        {share === null ? deviceWords(state).sentence : 'The model is being downloaded.'}
      </p>
      {share !== null && (
        <label className="download">
          Download
          <progress value={share} max={1} />
          <output>{Math.round(share * 100)} %</output>
        </label>
      )}
      <p className="field-note">It runs in this browser: no key, no server, nothing leaves this device.</p>
      {problem !== null && (
        <p role="alert" className="problem">
          {problem}
        </p>
      )}
      <div className="row-end">
        <button type="button" className="button" onClick={onDone}>
          Close
        </button>
        {state === 'downloadable' && share === null && (
          <button type="button" className="button button-primary" onClick={() => void device.download()}>
            Download the model
          </button>
        )}
        {state === 'downloading' && share === null && (
          <button type="button" className="button" onClick={() => void device.check()}>
            Check again
          </button>
        )}
        {state === 'available' && share === null && (
          <button type="button" className="button button-primary" onClick={() => void use()}>
            Use from the next turn
          </button>
        )}
      </div>
    </section>
  );
}
