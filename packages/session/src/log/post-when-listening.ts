import type { JsonObject } from '@banister/provider';
import type { LogChannel } from './session-log.js';

/**
 * Returns a channel of which one reader at a time reads the messages. `post` keeps messages, in the order of the calls, until the reader
 * listens, because the reader would miss the answers. Messages that are still kept when the reader ends are not sent.
 */
export function postWhenListening(channel: LogChannel): LogChannel {
  /** Copies of the kept messages; null while `post` sends at once. */
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
        // `messages` throws the reason. The kept messages are not sent, because their answers could not arrive.
        () => {},
      );
      return messages;
    },
  };
}
