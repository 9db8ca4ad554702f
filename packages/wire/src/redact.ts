import { isBrowser } from './browser.js';

/** Names of headers and of parameters in an address whose value nobody has to see, whatever else they are. */
const namesSecret = /(?:^|[-_])(?:auth|code|cookie|key|password|secret|sig|signature|token)$|authorization$/i;
/** Named like one, and none. */
const namesNoSecret = /idempotency/i;

/** What looks like a key, whoever's it is. Servers repeat keys in their refusals, often half masked. */
const looksSecret = [
  /\bBearer\s+[^\s"',]+/gi,
  /\b(?:sk|pk|rk|gsk|xai|pplx|nvapi|hf)[-_][A-Za-z0-9_*.-]{8,}/g,
  /\bAIza[A-Za-z0-9_-]{20,}/g,
  // in an address that a connection failed with
  /(?<=[?&](?:api[-_]?key|access[-_]token|key|token|sig|signature)=)[^&\s"'<>]+/gi,
  /(?<=:\/\/)[^\s/"'@]+:[^\s/"'@]+(?=@)/g,
  // bounded, so that a long text without spaces does not cost its square
  /[^\s"',:*]{0,64}\*{3,}[^\s"',:*]{0,64}/g,
];

/** Shorter ones are no secrets, and would tear holes into ordinary words. */
const SHORTEST_SECRET = 6;

const MARK = '[redacted]';

/** Takes keys out of texts. */
export interface Redactor {
  /** Another secret, learned later. */
  add(secret: string): void;
  /** The text without the known secrets, and without whatever looks like a key. */
  redact(text: string): string;
}

/** What a redactor learns its first secrets from. */
export interface SecretSources {
  readonly apiKey?: unknown | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly baseURL?: string | undefined;
}

/**
 * A redactor that knows the secrets of these options: the key, headers that hold one, and what an address holds.
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
    add(value.replace(/^\w+\s+/, '')); // `Bearer …`: a server may repeat it without its scheme
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

/** A name and password before the host, and parameters that are named like secrets. */
function secretsInAddress(address: string | undefined): readonly string[] {
  const base = isBrowser() ? document.baseURI : undefined;
  if (address === undefined || !URL.canParse(address, base)) return [];
  const { username, password, searchParams } = new URL(address, base);
  const parameters = [...searchParams].filter(([name]) => isSecretName(name)).map(([, value]) => value);
  return [...(password === '' ? [] : [username, password]).map(decodeURIComponent), ...parameters];
}
