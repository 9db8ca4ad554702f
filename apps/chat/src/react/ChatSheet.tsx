import { useSession, useSignalValue, type AgentSession } from '@banister/react';
import { useEffect, useRef, useState, type PointerEvent, type ReactNode } from 'react';
import type { GuideLine } from '../guide/guide-line.js';
import { useBackLayer } from './back-layer.js';
import { Icon } from './Icon.js';

/**
 * How much of a phone's screen the chat covers: only the message field, half of the screen, or everything
 * below the bar.
 */
type SheetSize = 'peek' | 'half' | 'full';

const sizes: readonly SheetSize[] = ['peek', 'half', 'full'];

const actions: Readonly<Record<SheetSize, string>> = {
  peek: 'Open the chat',
  half: 'Make the chat taller',
  full: 'Fold the chat',
};

/** How far a finger has to move the handle for the next size, in pixels. */
const DRAG = 40;

interface ChatSheetProps {
  readonly session: AgentSession;
  readonly guide: Pick<GuideLine, 'shown'>;
  readonly isHowOpen: boolean;
  readonly children: ReactNode;
}

/**
 * Holds the chat beside the board. On a phone it is a sheet over the lower part of the board, and the user
 * chooses its height.
 */
export function ChatSheet({ session, guide, isHowOpen, children }: ChatSheetProps) {
  const [size, setSize] = useState<SheetSize>('half');
  const pressed = useRef<number | null>(null);
  const wasDragged = useRef(false);
  const isAsked = useSession(session, isWaiting);
  // Opens the sheet when a question waits for the user.
  useEffect(() => {
    if (isAsked) setSize((now) => (now === 'peek' ? 'half' : now));
  }, [isAsked]);

  // Shrinks the sheet while the guide line is about the board, so that the board is in sight.
  const words = useSignalValue(guide.shown);
  useEffect(() => {
    if (words?.beside !== undefined) setSize('peek');
    else if (words?.kind === 'yours') setSize((now) => (now === 'peek' ? 'half' : now));
  }, [words]);

  // How it works replaces the board. It is about the chat, so the grip of the chat stays in sight.
  useEffect(() => {
    if (!isHowOpen) return undefined;
    setSize('peek');
    return () => setSize((now) => (now === 'peek' ? 'half' : now));
  }, [isHowOpen]);

  // Back leads to the previous size. Half counts as opened only if the user had folded the sheet.
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
    // A drag ends with a click too.
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
