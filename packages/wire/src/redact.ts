import { isBrowser } from './browser.js';

/** Names of headers and URL parameters whose values are secret. */
const namesSecret = /(?:^|[-_])(?:auth|code|cookie|key|password|secret|sig|signature|token)$|authorization$/i;
/** Names that match `namesSecret` but are not secret. */
const namesNoSecret = /idempotency/i;

/**
 * Shapes of keys. Servers repeat keys in their refusals, often half masked, and not only keys that are known
 * here.
 */
const looksSecret = [
  /\bBearer\s+[^\s"',]+/gi,
  /\b(?:sk|pk|rk|gsk|xai|pplx|nvapi|hf)[-_][A-Za-z0-9_*.-]{8,}/g,
  /\bAIza[A-Za-z0-9_-]{20,}/g,
  // a parameter, or a name and password, of an address in a connection error
  /(?<=[?&](?:api[-_]?key|access[-_]token|key|token|sig|signature)=)[^&\s"'<>]+/gi,
  /(?<=:\/\/)[^\s/"'@]+:[^\s/"'@]+(?=@)/g,
  // a half masked key; bounded, so that a long text without spaces does not cost its square
  /[^\s"',:*]{0,64}\*{3,}[^\s"',:*]{0,64}/g,
];

/** Shorter values are not redacted: they would match parts of ordinary words. */
const SHORTEST_SECRET = 6;

const MARK = '[redacted]';

/** Removes keys from texts. */
export interface Redactor {
  /** Adds a secret that became known later. */
  add(secret: string): void;
  /** Returns the text without known secrets and without anything that looks like a key. */
  redact(text: string): string;
}

/** The options that a redactor takes its first secrets from. */
export interface SecretSources {
  readonly apiKey?: unknown | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly baseURL?: string | undefined;
}

/**
 * Creates a redactor with the secrets of these options: the key, the values of secret headers, and secrets in
 * the address.
 *
 * @example
 * const { redact } = createRedactor({ baseURL: 'https://ai.example/v1?key=opensesame' });
 * redact('GET https://ai.example/v1?key=opensesame failed'); // GET https://ai.example/v1?key=[redacted] failed
 */
export function createRedactor({ apiKey, headers = {}, baseURL }: SecretSources = {}): Redactor {
  const secrets = new Set<string>();
  const add = (secret: string): void => {
    if (secret.length >= SHORTEST_SECRET) secrets.add(secret);
  };
  if (typeof apiKey === 'string') add(apiKey);
  for (const [name, value] of Object.entries(headers)) {
    if (!isSecretName(name)) continue;
    add(value);
    add(value.replace(/^\w+\s+/, '')); // a server may repeat `Bearer …` without its scheme
  }
  for (const secret of secretsInAddress(baseURL)) {
    add(secret);
    add(encodeURIComponent(secret));
  }
  return {
    add,
    redact(text) {
      let clean = text;
      for (const secret of secrets) clean = clean.replaceAll(secret, MARK);
      return looksSecret.reduce((rest, pattern) => rest.replace(pattern, MARK), clean);
    },
  };
}

function isSecretName(name: string): boolean {
  return namesSecret.test(name) && !namesNoSecret.test(name);
}

/** Returns the name and password before the host, and the values of secret parameters. */
function secretsInAddress(address: string | undefined): readonly string[] {
  const base = isBrowser() ? document.baseURI : undefined;
  if (address === undefined || !URL.canParse(address, base)) return [];
  const { username, password, searchParams } = new URL(address, base);
  const parameters = [...searchParams].filter(([name]) => isSecretName(name)).map(([, value]) => value);
  return [...(password === '' ? [] : [username, password]).map(decodeURIComponent), ...parameters];
}
