import { AgentSessionError } from '@banister/session';

/** Values that no place of the public API expects, by name. */
export const hostile: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  NaN: () => NaN,
  infinity: () => Infinity,
  'minus one': () => -1,
  fraction: () => 1.5,
  bigint: () => 10n,
  symbol: () => Symbol('s'),
  function: () => () => 1n,
  'empty text': () => '',
  'half a character': () => '\ud800',
  'a long text': () => 'x'.repeat(20_000),
  list: () => [1n],
  'list with a hole': () => [, 1], // eslint-disable-line no-sparse-arrays -- the value that is tried
  object: () => ({}),
  'object with bigint': () => Object.freeze({ a: Object.freeze({ b: 1n }) }),
  'object with NaN': () => ({ total: NaN }),
  cyclic: () => {
    const value: Record<string, unknown> = {};
    value.self = value;
    return value;
  },
  'frozen cyclic': () => {
    const value: Record<string, unknown> = {};
    value.self = value;
    return Object.freeze(value);
  },
  'own __proto__': () => JSON.parse('{"__proto__":{"polluted":true}}') as unknown,
  'without prototype': () => Object.create(null) as unknown,
  'revoked proxy': () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  'throwing getters': () =>
    new Proxy({}, { get: () => { throw new Error('No.'); } }), // prettier-ignore
  date: () => new Date(NaN),
  map: () => new Map([[1, 2]]),
  error: () => new Error('No.'),
  'error without text': () => Object.assign(new Error('x'), { message: 7n }),
  'session error': () =>
    new AgentSessionError('auth', 'No.', {
      details: { a: 1n, self: Symbol('s') } as never,
      retry: { afterMs: NaN } as never,
    }),
  'session error of cycles': () => {
    const details: Record<string, unknown> = {};
    details.self = details;
    return new AgentSessionError('rate-limit', 5n as never, { details: details as never });
  },
  'a promise that rejects': () => {
    const promise = Promise.reject(new Error('No.'));
    promise.catch(() => {});
    return promise;
  },
};
export const hostileNames: readonly string[] = Object.keys(hostile);

/** Returns the malformed value of a case; a new one each time. Its type fits every place, which none of the values does. */
export type Bad = () => never;
