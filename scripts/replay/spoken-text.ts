import type { Provider } from '@banister/provider';

/** Separates the text of a model from its refusal. For the session both are text. */
export interface SpokenText {
  /** Returns the provider; what it streams is recorded. */
  listen(provider: Provider): Provider;
  /** The text of a turn without its refusals. */
  without(text: string): string;
  /** Only the refusals. */
  readonly refusal: string;
}

export function createSpokenText(): SpokenText {
  let length = 0;
  let refusal = '';
  const refused: { readonly from: number; readonly to: number }[] = [];
  return {
    get refusal() {
      return refusal;
    },
    listen: (provider) => ({
      ...provider,
      async *stream(request, signal) {
        for await (const event of provider.stream(request, signal)) {
          if (event.type === 'text') {
            if ('refusal' in event) {
              refused.push({ from: length, to: length + event.delta.length });
              refusal += event.delta;
            }
            length += event.delta.length;
          }
          yield event;
        }
      },
    }),
    without(text) {
      let rest = text;
      for (const { from, to } of refused.toReversed()) rest = rest.slice(0, from) + rest.slice(to);
      return rest;
    },
  };
}
