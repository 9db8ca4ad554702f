import type { ChildTurn } from '@banister/react';
import { useId, type KeyboardEvent } from 'react';
import { composerKey } from '../../session/composer-keys.js';
import { closeFocus, fieldFocus, tellWords, type Telling } from '../../session/telling.js';
import { IconButton } from './IconButton.js';

interface TellFieldProps {
  readonly telling: Telling;
  readonly child: ChildTurn;
  readonly text: string;
}

/** The field for a message to one agent, in the place of the head of its lane. */
export function TellField({ telling, child, text }: TellFieldProps) {
  const id = useId();
  const words = tellWords(child);
  const onKeyDown = (event: KeyboardEvent) => {
    // Escape closes the field, and does not stop the turn.
    if (composerKey(event.nativeEvent) !== 'cancel') return;
    event.preventDefault();
    telling.close(child);
  };
  return (
    <form
      className="lane-tell"
      onSubmit={(event) => {
        event.preventDefault();
        telling.send(child);
      }}
      onKeyDown={onKeyDown}
    >
      <label htmlFor={id}>{words.label}</label>
      <input
        id={id}
        type="text"
        dir="auto"
        autoComplete="off"
        enterKeyHint="send"
        data-focus={fieldFocus(child)}
        value={text}
        onChange={(event) => telling.write(child, event.target.value)}
      />
      <button type="submit" className="button button-primary" aria-label={words.send}>
        Send
      </button>
      <IconButton
        icon="remove"
        label={words.close}
        focusName={closeFocus(child)}
        onPress={() => telling.close(child)}
      />
    </form>
  );
}
