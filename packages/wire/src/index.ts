// What an adapter to a model API over HTTP needs beside its own reading and writing of messages.
export type { ServerOptions } from './server-options.js';
export type { AnswerLimits } from './answer-limits.js';
export { checkServerOptions, invalidOption } from './check-server-options.js';
export { createWire, type Wire } from './create-wire.js';
export { type EventFormat, type EventWatch } from './watch-events.js';
export {
  idempotencyHeaders,
  learnKeyOf,
  wiredClientOptions,
  type WiredClientOptions,
} from './client-options.js';
export { eventsIn, MalformedEvent, parseEvent, type ServerEvent } from './server-events.js';
export { oneByOne } from './one-by-one.js';
export { noEvents } from './no-events.js';
export { toError, type ErrorContext } from './to-error.js';
export { codeOf, commonWordings, type RefusalSigns, type Wordings } from './code-of.js';
export { quoted, refusalError, saidBy, type UnderstoodRefusal } from './refusal-error.js';
export { retryAfter } from './retry-after.js';
export { createRedactor, type Redactor, type SecretSources } from './redact.js';
export { withoutKeys } from './without-keys.js';
export { isBrowser } from './browser.js';
export { fieldsOf, jsonIn, listOf, textIn, type Fields } from './json-fields.js';
