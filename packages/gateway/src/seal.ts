import type { JsonValue } from '@banister/provider';
import { fromBase64Url, toBase64Url } from './base64-url.js';
import { encode } from './encode.js';
import { invalid } from './invalid.js';

/** What is sealed. A seal of one kind does not open as another kind. */
export type SealedKind = 'opaque' | 'signature';

/** The user and the alias that a seal is bound to. */
export interface SealScope {
  readonly user: string;
  readonly alias: string;
}

/** Seals values: the holder of a seal cannot read it, change it, or use it as another user. */
export interface Sealer {
  seal(kind: SealedKind, scope: SealScope, value: JsonValue): Promise<string>;
  /** Returns the sealed value; undefined if it was sealed for another scope, with an unknown secret, or not at all. */
  open(kind: SealedKind, scope: SealScope, text: string): Promise<JsonValue | undefined>;
}

/** The prefix of every seal, with the version of the format. */
const MARK = 'sealed1.';
/** The minimal length of a secret, in characters: 128 bits as hexadecimal digits. */
const SHORTEST = 32;
/** Bytes of the nonce of AES-GCM. */
const NONCE = 12;

interface SealKey {
  /** Identifies the key in a seal, and reveals nothing about it. */
  readonly id: string;
  readonly key: CryptoKey;
}

/** Throws `invalid-configuration` if there are no secrets, or if a secret is too short. */
function checkSecrets(secrets: readonly string[]): void {
  if (
    secrets.length === 0 ||
    secrets.some((secret) => typeof secret !== 'string' || secret.length < SHORTEST)
  )
    throw invalid(`seal needs secrets of at least ${SHORTEST} characters: "openssl rand -base64 32".`);
}

/**
 * Returns a sealer with AES-256-GCM. Its seals are bound to kind, user and alias.
 *
 * @param secrets the first secret seals; every secret opens, so that a secret can be replaced without loss
 *
 * @example
 * const sealer = createSealer([newSecret, oldSecret]);
 * const text = await sealer.seal('opaque', { user: 'u1', alias: 'default' }, { id: 'rs_1' });
 */
export function createSealer(secrets: readonly string[]): Sealer {
  checkSecrets(secrets);
  let keys: Promise<readonly SealKey[]> | undefined;
  const derived = () => (keys ??= Promise.all(secrets.map(deriveKey)));
  return {
    async seal(kind, scope, value) {
      const [{ id, key }] = (await derived()) as readonly [SealKey];
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE));
      const plain = encode(JSON.stringify(value));
      const algorithm = { name: 'AES-GCM', iv: nonce, additionalData: bound(kind, scope) };
      const secret = new Uint8Array(await crypto.subtle.encrypt(algorithm, key, plain));
      // Equals the base64url of both byte arrays together, because the length of the nonce is a multiple of three.
      return `${MARK}${id}.${toBase64Url(nonce)}${toBase64Url(secret)}`;
    },
    async open(kind, scope, text) {
      const [id, sealed] = text.startsWith(MARK) ? text.slice(MARK.length).split('.') : [];
      const key = (await derived()).find((one) => one.id === id)?.key;
      if (key === undefined) return undefined;
      try {
        const whole = fromBase64Url(sealed!);
        const iv = whole.subarray(0, NONCE);
        const algorithm = { name: 'AES-GCM', iv, additionalData: bound(kind, scope) };
        const plain = await crypto.subtle.decrypt(algorithm, key, whole.subarray(NONCE));
        return JSON.parse(new TextDecoder().decode(plain)) as JsonValue;
      } catch {
        return undefined;
      }
    },
  };
}

/** The data that a seal is bound to. JSON of a list, so that a different user and alias never give the same bytes. */
function bound(kind: SealedKind, { user, alias }: SealScope): Uint8Array<ArrayBuffer> {
  return encode(JSON.stringify([kind, user, alias]));
}

async function deriveKey(secret: string): Promise<SealKey> {
  const bytes = encode(secret);
  const base = await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveBits', 'deriveKey']);
  const derivation = (use: string) => ({
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(),
    info: encode(`banister gateway ${use}`),
  });
  const usages: readonly KeyUsage[] = ['encrypt', 'decrypt'];
  const [key, id] = await Promise.all([
    crypto.subtle.deriveKey(
      derivation('seal'),
      base,
      { name: 'AES-GCM', length: 256 },
      false,
      usages as KeyUsage[],
    ),
    crypto.subtle.deriveBits(derivation('name'), base, 48),
  ]);
  return { key, id: toBase64Url(new Uint8Array(id)) };
}
