// The entry `@banister/wire/provider`: what a provider needs before its first request. An entry of its own, because a bundler that
// assigns whole files to chunks, as esbuild does, would otherwise put the rest of the wire into the first chunk of a page.
export { checkServerOptions, invalidOption } from './check-server-options.js';
export { httpProvider, type HttpAdapter, type StreamAnswer } from './http-provider.js';
export type { AnswerLimits } from './answer-limits.js';
export type { ServerOptions } from './server-options.js';
