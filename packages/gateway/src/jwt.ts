import type { createLocalJWKSet, createRemoteJWKSet, jwtVerify, JSONWebKeySet, JWTPayload } from 'jose';
import type { Authorize } from './gateway-options.js';
import { invalid } from './invalid.js';
import { isLoopback } from './origin-check.js';
import type { Policy } from './policy.js';

// The entry `@banister/gateway/jwt`. It needs the package jose, an optional peer.

interface Jose {
  readonly createLocalJWKSet: typeof createLocalJWKSet;
  readonly createRemoteJWKSet: typeof createRemoteJWKSet;
  readonly jwtVerify: typeof jwtVerify;
}

/** The claims of a token. */
export type Claims = JWTPayload;

/** Options of {@link jwt}. */
export interface JwtOptions {
  /** The URL of the keys of the server that signs the tokens, or the keys. A URL must begin with `https:`, or name this machine. */
  readonly jwks: string | URL | JSONWebKeySet;
  /** The accepted issuer, or issuers. */
  readonly issuer: string | readonly string[];
  /** The accepted audience, or audiences. A token for another app is refused. */
  readonly audience: string | readonly string[];
  /** Returns the id of the user; undefined refuses the request. Default: the claim `sub`. */
  readonly user?: ((claims: Claims) => string | undefined) | undefined;
  /** The policy of the user. Default: the policy of the gateway. */
  readonly policy?: Policy | ((claims: Claims) => Policy | undefined) | undefined;
  /** The accepted algorithms. Default: the algorithms with a public key. */
  readonly algorithms?: readonly string[] | undefined;
  /** The tolerated difference of clocks, in seconds. Default 5. */
  readonly clockTolerance?: number | undefined;
}

const asymmetric = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/**
 * Returns an `authorize` for bearer tokens: a JWT with a valid signature, issuer, audience and expiry time. Any other request is refused
 * with the status 401. If the keys cannot be fetched, the gateway answers with 500.
 *
 * @throws AgentSessionError `invalid-configuration` without an issuer or an audience, or if the URL of the keys is not secure
 *
 * @example
 * const authorize = jwt({ jwks: 'https://id.example/.well-known/jwks.json', issuer: 'https://id.example', audience: 'board' });
 * export const POST = gateway({ provider, authorize, policy: { role: 'You help with a board of cards.', tools: ['board.*'] } });
 */
export function jwt(options: JwtOptions): Authorize {
  const { jwks, issuer, audience, user = ({ sub }) => sub, policy, clockTolerance = 5 } = options;
  if (!jwks || !isStated(issuer) || !isStated(audience))
    throw invalid('jwt needs jwks, issuer and audience: without them tokens of other apps are accepted.');
  if (isAddress(jwks)) checkAddress(jwks);
  const algorithms = [...(options.algorithms ?? asymmetric)];
  const expected = {
    issuer: both(issuer),
    audience: both(audience),
    algorithms,
    clockTolerance,
    requiredClaims: ['exp'],
  };
  let loading: Promise<Verify> | undefined;
  const verify = () =>
    (loading ??= loadVerify(jwks).catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
  return async ({ headers }) => {
    const token = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
    if (token === undefined) return null;
    const claims = await (await verify())(token, expected);
    const id = claims === null ? undefined : user(claims);
    if (claims === null || id === undefined || id === '') return null;
    return { user: id, policy: typeof policy === 'function' ? policy(claims) : policy };
  };
}

/** Returns the claims of a token; null if the token is not accepted. Rejects if the keys cannot be fetched. */
type Verify = (token: string, expected: Parameters<Jose['jwtVerify']>[2]) => Promise<Claims | null>;

async function loadVerify(jwks: JwtOptions['jwks']): Promise<Verify> {
  // A variable, so that bundlers do not resolve this optional package.
  const name: string = 'jose';
  const jose = await import(/* @vite-ignore */ name).then(
    (module) => module as Jose,
    (cause: unknown) => {
      throw Object.assign(invalid('@banister/gateway/jwt needs the package jose: npm install jose'), {
        cause,
      });
    },
  );
  const keys = isAddress(jwks) ? jose.createRemoteJWKSet(new URL(jwks)) : jose.createLocalJWKSet(jwks);
  return async (token, expected) => {
    try {
      return (await jose.jwtVerify(token, keys, expected)).payload;
    } catch (error) {
      if (isAboutToken(error)) return null;
      throw error;
    }
  };
}

function isAddress(jwks: JwtOptions['jwks']): jwks is string | URL {
  return typeof jwks === 'string' || jwks instanceof URL;
}

function checkAddress(jwks: string | URL): void {
  const { protocol, host } = URL.canParse(String(jwks)) ? new URL(jwks) : { protocol: '', host: '' };
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(host)))
    throw invalid('The address of jwks must begin with https:, because the keys decide who is a user.');
}

/** Whether an error of jose is about the token. Any other error means that there are no keys. */
function isAboutToken(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return (
    typeof code === 'string' &&
    /^ERR_(?:JW[ST]_|JOSE_ALG_NOT_ALLOWED|JOSE_NOT_SUPPORTED|JWKS_NO_MATCHING_KEY|JWKS_MULTIPLE_MATCHING_KEYS)/.test(
      code,
    )
  );
}

/** Options often come from environment variables, which may be missing. */
function isStated(value: unknown): boolean {
  const all = [value].flat();
  return all.length > 0 && all.every((one) => typeof one === 'string' && one !== '');
}

function both(value: string | readonly string[]): string | string[] {
  return typeof value === 'string' ? value : [...value];
}
