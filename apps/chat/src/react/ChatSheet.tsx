import { useSession, useSignalValue, type AgentSession } from '@banister/react';
import { useEffect, useRef, useState, type PointerEvent, type ReactNode } from 'react';
import type { GuideLine } from '../guide/guide-line.js';
import { useBackLayer } from './back-layer.js';
import { Icon } from './Icon.js';

/** How much of a phone's screen the chat takes: its message alone, up to the half, or all below the bar. */
type SheetSize = 'peek' | 'half' | 'full';

const sizes: readonly SheetSize[] = ['peek', 'half', 'full'];

const actions: Readonly<Record<SheetSize, string>> = {
  peek: 'Open the chat',
  half: 'Make the chat taller',
  full: 'Fold the chat',
};

/** Pixels that a finger has to move the handle for the next size. */
const DRAG = 40;

interface ChatSheetProps {
  readonly session: AgentSession;
  readonly guide: Pick<GuideLine, 'shown'>;
  readonly isHowOpen: boolean;
  readonly children: ReactNode;
}

/** The place of the chat: beside the board, and on a phone a sheet over its lower part, whose height the user chooses. */
export function ChatSheet({ session, guide, isHowOpen, children }: ChatSheetProps) {
  const [size, setSize] = useState<SheetSize>('half');
  const pressed = useRef<number | null>(null);
  const wasDragged = useRef(false);
  const isAsked = useSession(session, isWaiting);
  // A question that waits for the user is in sight.
  useEffect(() => {
    if (isAsked) setSize((now) => (now === 'peek' ? 'half' : now));
  }, [isAsked]);

  // What the page says of the board is read with the board in sight.
  const words = useSignalValue(guide.shown);
  useEffect(() => {
    if (words?.beside !== undefined) setSize('peek');
    else if (words?.kind === 'yours') setSize((now) => (now === 'peek' ? 'half' : now));
  }, [words]);

  // How it works takes the place of the board, and what it shows is about the chat, whose grip stays in sight.
  useEffect(() => {
    if (!isHowOpen) return undefined;
    setSize('peek');
    return () => setSize((now) => (now === 'peek' ? 'half' : now));
  }, [isHowOpen]);

  // Back leads to the size before. The half is an opening only for a user who had folded it.
  const [wasFolded, setFolded] = useState(false);
  useBackLayer(wasFolded && size !== 'peek', () => setSize('peek'));
  useBackLayer(size === 'full', () => setSize('half'));

  const choose = (next: SheetSize) => {
    if (next === 'peek') setFolded(true);
    setSize(next);
  };
  const grow = (by: number) =>
    choose(sizes[Math.max(0, Math.min(sizes.indexOf(size) + by, sizes.length - 1))]!);
  const onPointerUp = ({ clientY }: PointerEvent) => {
    const from = pressed.current;
    pressed.current = null;
    wasDragged.current = from !== null && Math.abs(clientY - from) >= DRAG;
    if (wasDragged.current) grow(clientY < from! ? 1 : -1);
  };
  const onClick = () => {
    // The end of a drag is a click as well.
    if (!wasDragged.current) choose(sizes[(sizes.indexOf(size) + 1) % sizes.length]!);
    wasDragged.current = false;
  };

  return (
    <div className="chat-sheet" data-size={size} id="chat">
      <button
        type="button"
        className="sheet-handle"
        aria-label={actions[size]}
        aria-expanded={size !== 'peek'}
        aria-controls="chat"
        onClick={onClick}
        onPointerDown={(event) => {
          pressed.current = event.clientY;
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerUp={onPointerUp}
      >
        <Icon name={size === 'full' ? 'open' : 'close'} />
      </button>
      {children}
    </div>
  );
}

function isWaiting({ pendingConfirmations, pendingExtension, pendingReview }: AgentSession): boolean {
  const questions = pendingConfirmations.value.length > 0 || pendingExtension.value !== null;
  return questions || pendingReview.value !== null;
}
