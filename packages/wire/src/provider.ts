// The entry `@banister/wire/provider`: the code that a provider needs before its first request. It is a
// separate entry because bundlers that assign whole files to chunks, such as esbuild, would otherwise put the
// rest of the package into the first chunk of a page.
export { checkServerOptions, invalidOption } from './check-server-options.js';
export { httpProvider, type HttpAdapter, type StreamAnswer } from './http-provider.js';
export type { AnswerLimits } from './answer-limits.js';
export type { ServerOptions } from './server-options.js';
