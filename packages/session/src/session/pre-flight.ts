import { checkImage } from '../conversation/read-image.js';
import { inputParts, type Input, type Message } from '../conversation/message.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import { checked } from '../errors/checked.js';
import { any, func, having, only, optional, type Read } from '../json/shape.js';
import { resolveLimits } from '../limits/limits.js';
import type { TurnSettings } from '../turn/turn-request.js';
import type { SendOptions } from './agent-session.js';

/** Returns the parts of a user message. Throws `invalid-input` or `unreadable-attachment`. */
export function readInput(input: Input): Message['parts'] {
  const given = (typeof input === 'string' ? { text: input } : (input ?? {})) as Exclude<Input, string>;
  const { text, images = [] } = given;
  if (typeof text !== 'string') throw new AgentSessionError('invalid-input', 'The message must be a text.');
  if (!Array.isArray(images)) throw new AgentSessionError('invalid-input', 'The images must be a list.');
  if (text.trim() === '' && images.length === 0)
    throw new AgentSessionError('invalid-input', 'The message is empty.');
  images.forEach(checkImage);
  return inputParts(given);
}

const optionsShape = only({
  signal: optional(having({ addEventListener: func, removeEventListener: func })),
  // `resolveLimits` checks them.
  limits: any,
} satisfies Record<keyof SendOptions, Read>);

/** Returns the settings of one turn. Throws `unsupported`, `invalid-configuration` or `cancelled`. */
export function turnSettings(
  settings: TurnSettings,
  parts: Message['parts'],
  options: SendOptions,
): TurnSettings {
  checked(optionsShape, options, 'The options of a turn');
  const { provider } = settings;
  if (!provider.capabilities?.images && parts.some((part) => part.type === 'image')) {
    throw new AgentSessionError('unsupported', `The model ${provider.model} does not accept images.`);
  }
  const limits = resolveLimits(settings.limits, options.limits);
  if (options.signal?.aborted)
    throw new AgentSessionError('cancelled', 'The turn was cancelled before it started.');
  return { ...settings, limits };
}
