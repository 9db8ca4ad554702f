// For adapters to model APIs over HTTP: everything but their own requests, events and error names. The part that an adapter
// needs before its first request is the entry `./provider`.
export type { ServerOptions } from './server-options.js';
export type { AnswerLimits } from './answer-limits.js';
export type { HttpAdapter, StreamAnswer } from './http-provider.js';
export { connectClient, type ClientKind, type Connection } from './connect-client.js';
export { createWire, type Wire } from './create-wire.js';
export { type EventFormat, type EventWatch } from './watch-events.js';
export { type WiredClientOptions } from './client-options.js';
export { keptPromise, type KeptPromise } from './kept-promise.js';
export { eventsIn, parseEvent, type ServerEvent } from './server-events.js';
export { readBatches, type OpenAnswer } from './read-batches.js';
export { oneByOne } from './one-by-one.js';
export { noEvents } from './no-events.js';
export { createQuietEnd, type AnswerProgress, type ClosableAnswer } from './quiet-end.js';
export { classifyError, type ErrorContext } from './classify-error.js';
export { codeOf, commonWordings, type RefusalSigns, type Wordings } from './code-of.js';
export { quoted, refusalError, saidBy, type UnderstoodRefusal } from './refusal-error.js';
export { closedSchema, type ClosedSchemaRules } from './closed-schema.js';
export { withoutKeys } from './without-keys.js';
export { argumentsIn, fieldsOf, indexOf, jsonIn, listOf, textIn, type Fields } from './json-fields.js';
export { identityIn } from './model-identity.js';
export { ArgumentPieces } from './argument-pieces.js';
export { isSameJson, isWholeObject } from './same-json.js';
export { messagesInLoop } from './messages-in-loop.js';
export { failedReason } from './failed-reason.js';
export { errorIn, suspectedError } from './in-band-error.js';
export { createContentCheck, type ContentCheck } from './check-content.js';
export { withProperties } from './with-properties.js';
