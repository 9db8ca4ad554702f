import { useEffect, useRef, useState } from 'react';
import type { Chat } from '../session/chat.js';
import { attendQuestions } from '../view/attend-questions.js';
import { chatListKeys } from '../view/chat-list-keys.js';
import { createChatStage, type ChatStage } from '../view/chat-stage.js';
import { chatViews, type ViewName } from '../view/chat-views.js';
import { grantFocus } from '../view/grant-focus.js';
import { gripKeys } from '../view/grip-keys.js';
import { ignoreStrayClicks } from '../view/ignore-stray-clicks.js';
import { memoryKeys } from '../view/memory-keys.js';
import { questionKeys } from '../view/question-keys.js';
import { showQueued } from '../view/show-queued.js';
import { showQuestion } from '../view/show-question.js';
import { yieldToQuestion } from '../view/yield-to-question.js';

interface ChatRegionProps {
  readonly chat: Chat;
  readonly view: ViewName;
}

/** The region in which the chosen framework draws the chat. */
export function ChatRegion({ chat, view }: ChatRegionProps) {
  const place = useRef<HTMLDivElement>(null);
  const stage = useRef<ChatStage>(null);
  const [problem, setProblem] = useState<string | null>(null);

  useEffect(() => {
    const created = createChatStage(place.current!, chat);
    stage.current = created;
    return () => void created.show(null);
  }, [chat]);

  useEffect(() => showQuestion(place.current!, chat), [chat]);

  useEffect(() => questionKeys(place.current!, chat), [chat]);

  useEffect(() => attendQuestions(place.current!, chat), [chat]);
  useEffect(() => yieldToQuestion(place.current!, chat), [chat]);

  useEffect(() => chatListKeys(place.current!, chat), [chat]);

  useEffect(() => memoryKeys(chat), [chat]);

  useEffect(() => showQueued(place.current!, chat), [chat]);

  useEffect(() => grantFocus(place.current!, chat.cues), [chat]);

  useEffect(() => gripKeys(place.current!, chat), [chat]);

  useEffect(() => ignoreStrayClicks(place.current!), []);

  useEffect(() => {
    let isCurrent = true;
    setProblem(null);
    stage.current!.show(view).catch(() => {
      if (!isCurrent) return;
      // The browser's own message names a file, which does not help a user.
      const name = `The view in ${chatViews[view].label}`;
      setProblem(`${name} could not be shown. Check the connection and load the page again.`);
    });
    return () => {
      isCurrent = false;
    };
  }, [chat, view]);

  return (
    <div className="chat-region">
      {problem !== null && (
        <p role="alert" className="problem">
          {problem}
        </p>
      )}
      <div className="chat-place" ref={place} />
    </div>
  );
}
