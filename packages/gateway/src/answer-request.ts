import {
  strictParse,
  type Message,
  type OutputFormat,
  type ToolChoice,
  type ToolDefinition,
} from '@banister/provider';
import {
  closed,
  count,
  json,
  list,
  matching,
  object,
  oneOf,
  optional,
  text,
  variant,
  type Shape,
} from './closed-shape.js';
import { hasMoreValues } from './has-more-values.js';
import { malformed, Refusal } from './refusal.js';

/** The version of the protocol. */
export const VERSION = 1;

/** The body of a request for an answer: the fields of a `ProviderRequest`, and the alias of a model. */
export interface AnswerRequest {
  readonly version: typeof VERSION;
  /** If absent: the only model of the gateway, or its model `default`. */
  readonly model?: string;
  /** The id of the agent whose turn sends the request; absent for the session's own model. */
  readonly agent?: string;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice?: Exclude<ToolChoice, 'auto'>;
  readonly output?: OutputFormat;
  readonly maxOutputTokens?: number;
  readonly idempotencyKey: string;
}

/** The maximal depth of a body: the 200 levels of data that a session keeps, plus a message, its parts and their contents. */
const DEEPEST = 208;
/** The maximal number of values in a body. Each value is at least two tokens, and no model reads so many. */
const MOST_VALUES = 250_000;

/** Restricted, because the key becomes part of a header. */
export const idempotencyKey = matching(/^[\x21-\x7e]{1,200}$/, '1 to 200 visible characters');
/** The characters of an id of `defineAgent`, and at most 200 of them. */
const agentId = matching(/^[\w-]{1,200}$/, 'an id of letters, digits, "_" and "-"');
const mediaType = matching(/^[\w.+-]{1,100}\/[\w.+-]{1,100}$/, 'a media type');
/** Only bytes, not a URL: the gateway would have to fetch it. */
const base64 = matching(/^[A-Za-z0-9+/]*={0,2}$/, 'base64');

/** Ignored: the true owner is inside the seal. */
const owner = optional(object);
const type = text;
const textPart = closed({ type, text });
const imagePart = closed({ type, mediaType, data: base64, name: optional(text) });

const content = variant('type', { text: textPart, json: closed({ type, value: json }), image: imagePart });

const outcome = oneOf(
  'success',
  'stop',
  'failed',
  'denied',
  'conflict',
  'thrown',
  'timed-out',
  'unusable',
  'interrupted',
  'rejected',
);

const userPart = variant('type', {
  text: textPart,
  image: imagePart,
  file: closed({ type, name: text, mediaType, data: base64 }),
  'tool-result': closed({ type, callId: text, outcome, content: list(content) }),
});

const assistantPart = variant('type', {
  text: textPart,
  thinking: closed({
    type,
    text,
    signature: optional(text),
    signedBy: optional(text),
    owner,
  }),
  opaque: closed({ type, provider: text, owner, data: json }),
  'tool-call': closed({
    type,
    id: text,
    providerCallId: optional(text),
    // Any string, because models invent names of any form.
    tool: text,
    hosted: optional(oneOf(true)),
    argumentsText: text,
    arguments: (value, at) => value === null || object(value, at),
    ranWith: optional(object),
  }),
});

const message = (parts: Shape): Shape =>
  closed({ id: text, role: text, parts: list(parts), kind: optional(oneOf('summary')) });

const toolChoice: Shape = (value, at) => {
  if (typeof value === 'string') oneOf('required', 'none')(value, at);
  else closed({ tool: text })(value, at);
};

const body = closed({
  version: oneOf(VERSION),
  model: optional(text),
  agent: optional(agentId),
  system: text,
  messages: list(variant('role', { user: message(userPart), assistant: message(assistantPart) })),
  tools: list(closed({ name: text, description: text, parameters: object })),
  toolChoice: optional(toolChoice),
  output: optional(closed({ schema: object })),
  maxOutputTokens: optional(count),
  idempotencyKey,
});

/** Reads the body of a request for an answer. Throws a refusal: with the status 400 for anything unknown, with 413 for too many values. */
export function readAnswerRequest(bytes: string): AnswerRequest {
  if (hasMoreValues(bytes, MOST_VALUES))
    throw new Refusal(413, 'context-length', 'The request has too many values.');
  const parsed = strictParse(bytes, { maxLength: Infinity, maxDepth: DEEPEST });
  // Leave out the words of the parser, which repeat part of the body.
  if (!parsed.ok) throw malformed(parsed.message.replace(/:.*/s, '.'));
  body(parsed.value, 'body');
  return parsed.value as unknown as AnswerRequest;
}
