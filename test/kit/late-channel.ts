import type { JsonObject } from '@banister/session';
import type { LogChannel } from '@banister/session/log';

/**
 * Returns a channel that begins to listen after a while, as a channel over a network does, because it has to subscribe first.
 *
 * @param later calls a function when the channel listens
 */
export function lateChannel(channel: LogChannel, later: (listen: () => void) => void): LogChannel {
  let listening = Promise.resolve();
  return {
    get listening() {
      return listening;
    },
    post: (message) => channel.post(message),
    messages(signal) {
      const subscribed = new Promise<AsyncIterable<JsonObject>>((resolve) =>
        later(() => resolve(channel.messages(signal))),
      );
      listening = subscribed.then(() => {});
      return (async function* () {
        yield* await subscribed;
      })();
    },
  };
}
