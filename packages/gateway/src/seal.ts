import type { JsonValue } from '@banister/session/provider';
import { fromBase64Url, toBase64Url } from './base64-url.js';
import { encode } from './encode.js';
import { invalid } from './invalid.js';

/** The part of a conversation that is sealed. A seal of one kind does not open as another. */
export type SealedKind = 'opaque' | 'signature';

/** The user and the alias that a seal is bound to. */
export interface SealScope {
  readonly user: string;
  readonly alias: string;
}

/** Seals values, so that their holder can neither read nor change them, nor pass them on. */
export interface Sealer {
  seal(kind: SealedKind, scope: SealScope, value: JsonValue): Promise<string>;
  /** Returns the value of a seal; undefined for a text that was sealed for another scope, with a key that is gone, or not at all. */
  open(kind: SealedKind, scope: SealScope, text: string): Promise<JsonValue | undefined>;
}

/** The beginning of every seal, with the version of its form. */
const MARK = 'sealed1.';
/** The shortest secret, in characters: 128 bits in hexadecimal digits. */
const SHORTEST = 32;
/** Bytes of the nonce of AES-GCM. */
const NONCE = 12;

interface SealKey {
  /** Names the key in a seal, and tells nothing about it. */
  readonly id: string;
  readonly key: CryptoKey;
}

/** Throws `invalid-configuration` for secrets that are too short, or none. */
function checkSecrets(secrets: readonly string[]): void {
  if (
    secrets.length === 0 ||
    secrets.some((secret) => typeof secret !== 'string' || secret.length < SHORTEST)
  )
    throw invalid(`seal needs secrets of at least ${SHORTEST} characters: "openssl rand -base64 32".`);
}

/**
 * Returns a sealer: AES-256-GCM, bound to kind, user and alias.
 *
 * @param secrets the first one seals; all of them open, so that a secret can be replaced without a loss
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
      // Equals the base64 of both in a row, since the bytes of the nonce are a multiple of three.
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

/** The data that a seal is bound to. A list as JSON, so that no user can be written as another user with another alias. */
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
