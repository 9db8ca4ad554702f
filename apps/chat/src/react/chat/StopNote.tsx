import type { StopReason } from '@banister/react';
import { endWords } from '../../session/limit-words.js';
import { visibleText } from '../../text/visible-text.js';

/** Why a turn ended early. */
export function StopNote({ stop }: { readonly stop: StopReason }) {
  return <p className="stop-note">Stopped early: {visibleText(endWords(stop.message))}</p>;
}
