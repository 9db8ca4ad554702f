import type { JsonObject } from '../json/json.js';
import type { LogChannel } from './session-log.js';

/**
 * Returns a channel of which one reader at a time reads the messages. While the messages of this reader do not arrive yet, `post` waits, in
 * the order of the calls: the reader would miss an answer. What still waits when the reader ends is not sent.
 */
export function postWhenListening(channel: LogChannel): LogChannel {
  /** Copies of the messages that wait; null while `post` does not wait. */
  let waiting: JsonObject[] | null = null;
  return {
    get listening() {
      return channel.listening;
    },
    post(message) {
      if (waiting === null) channel.post(message);
      else waiting.push(JSON.parse(JSON.stringify(message)) as JsonObject);
    },
    messages(signal) {
      const messages = channel.messages(signal);
      if (signal.aborted) return messages;
      const own: JsonObject[] = (waiting = []);
      const end = () => {
        if (waiting === own) waiting = null;
      };
      signal.addEventListener('abort', end, { once: true });
      channel.listening.then(
        () => {
          if (waiting !== own) return;
          end();
          for (const message of own) channel.post(message);
        },
        // `messages` throws the reason, and nothing is sent whose answer cannot arrive.
        () => {},
      );
      return messages;
    },
  };
}
