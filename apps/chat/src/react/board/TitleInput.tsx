import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { isComposingKey } from '../../session/composing-key.js';

interface TitleInputProps {
  readonly label: string;
  readonly initial: string;
  onSave(text: string): void;
  onClose(): void;
}

/** Edits a title in place. Enter and leaving the field save, Escape cancels. */
export function TitleInput({ label, initial, onSave, onClose }: TitleInputProps) {
  const [text, setText] = useState(initial);
  const input = useRef<HTMLInputElement>(null);
  const isClosed = useRef(false);

  useEffect(() => {
    // StrictMode mounts twice, so the second mount opens the input again.
    isClosed.current = false;
    input.current?.focus();
    input.current?.select();
  }, []);

  const close = (save: boolean) => {
    // Closing removes the focus, which would close the input again.
    if (isClosed.current) return;
    isClosed.current = true;
    if (save && text.trim() !== '') onSave(text.trim());
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposingKey(event.nativeEvent)) return;
    if (event.key === 'Enter') close(true);
    else if (event.key === 'Escape') close(false);
    else return;
    event.preventDefault();
  };

  return (
    <input
      ref={input}
      className="title-input"
      aria-label={label}
      value={text}
      maxLength={120}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={() => close(true)}
    />
  );
}
