import { useSession, type AgentSession } from '@banister/react';
import { memo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import {
  agentTexts,
  liveText,
  settledMessages,
  type Drawn,
  type PlainView,
  type ShownMessage,
  type Views,
} from './view.js';

const Message = memo(function Message({ text, drawn }: { readonly text: string; readonly drawn: Drawn }) {
  drawn.message++;
  return <p>{text}</p>;
});

function Live({ text, drawn }: { readonly text: string; readonly drawn: Drawn }) {
  drawn.live++;
  return <p>{text}</p>;
}

const List = memo(function List({
  messages,
  drawn,
}: {
  readonly messages: readonly ShownMessage[];
  readonly drawn: Drawn;
}) {
  drawn.list++;
  return messages.map(({ id, text }) => <Message key={id} text={text} drawn={drawn} />);
});

export { createAgentSession } from '@banister/react';

export const mountPlain: Views['mountPlain'] = (target, past, drawn) => {
  const view = {} as { -readonly [K in keyof PlainView]: PlainView[K] };
  function Streaming() {
    const [text, setText] = useState('');
    view.stream = setText;
    return <Live text={text} drawn={drawn} />;
  }
  function Chat() {
    const [messages, setMessages] = useState(past);
    view.settle = setMessages;
    return (
      <>
        <List messages={messages} drawn={drawn} />
        <Streaming />
      </>
    );
  }
  createRoot(target).render(<Chat />);
  return { stream: (text) => view.stream(text), settle: (messages) => view.settle(messages) };
};

export const mountSession: Views['mountSession'] = (target, session, drawn) => {
  createRoot(target).render(
    <>
      <SettledTurns session={session} drawn={drawn} />
      <LiveTurn session={session} drawn={drawn} />
    </>,
  );
};

export const mountAgents: Views['mountAgents'] = (target, session, drawn) => {
  createRoot(target).render(
    <>
      <SettledTurns session={session} drawn={drawn} />
      <Agents session={session} drawn={drawn} />
    </>,
  );
};

interface SessionProps {
  readonly session: AgentSession;
  readonly drawn: Drawn;
}

function SettledTurns({ session, drawn }: SessionProps) {
  return <List messages={useSession(session, settledMessages)} drawn={drawn} />;
}

function LiveTurn({ session, drawn }: SessionProps) {
  return <Live text={useSession(session, liveText)} drawn={drawn} />;
}

const Lane = memo(Live);

function Agents({ session, drawn }: SessionProps) {
  const texts = useSession(session, agentTexts);
  return texts.map((text, index) => <Lane key={index} text={text} drawn={drawn} />);
}
