import { useSignalValue, type AgentSession } from '@handrail/react';
import type { Chat } from '../../session/chat.js';
import { suggestions } from '../../session/suggestions.js';

interface WelcomeProps {
  readonly chat: Chat;
  readonly session: AgentSession;
}

export function Welcome({ chat, session }: WelcomeProps) {
  const isOffline = useSignalValue(chat.provider) === 'offline';
  return (
    <div className="welcome">
      <h3>An agent you can hold on to</h3>
      <p>
        Ask it to change the board. You see each change before it happens, you can stop half-way, and a whole
        turn can be undone as one.
      </p>
      <ul className="chips">
        {suggestions.map((suggestion) => (
          <li key={suggestion}>
            <button type="button" className="chip" onClick={() => void session.send(suggestion)}>
              {suggestion}
            </button>
          </li>
        ))}
      </ul>
      {isOffline && (
        <p className="welcome-model">
          The model here is a small set of rules that runs in this page, without a key and without a network.
          A real one can be chosen at the top.
        </p>
      )}
    </div>
  );
}
