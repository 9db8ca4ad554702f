import { useSignalValue } from '@banister/react';
import { useState } from 'react';
import type { Chat } from '../session/chat.js';
import type { ViewChoice } from '../view/view-choice.js';
import { useBackLayer } from './back-layer.js';
import { ContextMeter } from './chat/ContextMeter.js';
import { Icon } from './Icon.js';
import { ProviderPicker } from './ProviderPicker.js';
import { NotSaved, SavedMarkView } from './SavedMarkView.js';
import { ViewPicker } from './ViewPicker.js';

interface TopBarProps {
  readonly chat: Chat;
  readonly views: ViewChoice;
  readonly isHowOpen: boolean;
  onToggleHow(): void;
}

export function TopBar(props: TopBarProps) {
  const { chat, views, isHowOpen, onToggleHow } = props;
  const session = useSignalValue(chat.session);
  // On a narrow screen the choices are behind one button.
  const [areChoicesOpen, setChoicesOpen] = useState(false);
  useBackLayer(areChoicesOpen, () => setChoicesOpen(false));
  return (
    <header className="top-bar">
      <h1 className="brand">
        <svg className="brand-mark" viewBox="0 0 20 20" aria-hidden="true">
          <path d="M5 2.5v15M5 9h5.5a4.25 4.25 0 0 1 0 8.5H5" />
        </svg>
        Banister
      </h1>
      <p className="claim">A board with an agent you can hold on to</p>
      <SavedMarkView chat={chat} />
      <div className="top-bar-choices" id="choices" data-open={areChoicesOpen || undefined}>
        <ProviderPicker chat={chat} />
        <ViewPicker views={views} />
        <button
          type="button"
          className="button button-bare"
          aria-expanded={isHowOpen}
          onClick={() => {
            setChoicesOpen(false);
            onToggleHow();
          }}
        >
          How it works
        </button>
        {/* Shown here if the composer has no room for it. */}
        <div className="more-gauge">
          <ContextMeter session={session} compacting={chat.compacting} menuId="gauge-menu-more" />
        </div>
      </div>
      <button
        type="button"
        className="button button-icon button-bare more-toggle"
        aria-label="More"
        aria-expanded={areChoicesOpen}
        aria-controls="choices"
        onClick={() => setChoicesOpen(!areChoicesOpen)}
      >
        <Icon name="more" />
      </button>
      <NotSaved chat={chat} />
    </header>
  );
}
