import { useSignalValue } from '@banister/react';
import { useState, type FormEvent } from 'react';
import type { Chat } from '../session/chat.js';
import { serverPresets, type ServerKind, type ServerSettings } from '../session/provider-choice.js';

interface ProviderSettingsProps {
  readonly chat: Chat;
  readonly kind: ServerKind;
  onDone(): void;
}

export function ProviderSettings({ chat, kind, onDone }: ProviderSettingsProps) {
  const [settings, setSettings] = useState<ServerSettings>(serverPresets[kind]);
  const problem = useSignalValue(chat.providerProblem);

  const apply = async (event: FormEvent) => {
    event.preventDefault();
    await chat.chooseProvider(kind, settings);
    if (chat.providerProblem.peek() === null) onDone();
  };
  const field = (name: keyof ServerSettings) => ({
    value: settings[name],
    onChange: (event: { target: { value: string } }) =>
      setSettings({ ...settings, [name]: event.target.value }),
  });

  return (
    <form className="provider-settings" onSubmit={apply} aria-label="Provider settings">
      <label className="field">
        Base URL
        <input type="url" required {...field('baseURL')} />
      </label>
      <label className="field">
        Model
        <input required spellCheck={false} {...field('model')} />
      </label>
      <label className="field">
        API key
        <input type="password" autoComplete="off" {...field('apiKey')} />
      </label>
      <p className="provider-warning">
        {kind === 'ollama'
          ? 'Ollama runs on this machine and needs no key. It must allow this page’s origin.'
          : 'Keys belong on a server: whatever a page holds, its visitors can read. Type in your own key only; it stays in memory and is gone with the page.'}
      </p>
      {problem !== null && (
        <p role="alert" className="problem">
          {problem}
        </p>
      )}
      <div className="row-end">
        <button type="button" className="button" onClick={onDone}>
          Close
        </button>
        <button type="submit" className="button button-primary">
          Use from the next turn
        </button>
      </div>
    </form>
  );
}
