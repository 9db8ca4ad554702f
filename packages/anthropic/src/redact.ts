/** True for headers whose value is a secret. */
export function isCredential(header: string): boolean {
  return /^(authorization|proxy-authorization|cookie|(x-)?api-key)$/i.test(header);
}

/** What looks like a key, whoever's it is. Servers repeat keys in their refusals, often half masked. */
const looksSecret = [
  /\bBearer\s+[^\s"',]+/gi,
  /\b(?:sk|pk|rk|gsk|xai|pplx|nvapi|hf)[-_][A-Za-z0-9_*.-]{8,}/g,
  /\bAIza[A-Za-z0-9_-]{20,}/g,
  // bounded, so that a long text without spaces does not cost its square
  /[^\s"',:*]{0,64}\*{3,}[^\s"',:*]{0,64}/g,
];

/** Shorter ones are no secrets, and would tear holes into ordinary words. */
const SHORTEST_SECRET = 6;

const MARK = '[redacted]';

/** Takes the known secrets, and whatever looks like a key, out of a text. */
export function redact(text: string, secrets: Iterable<string>): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length >= SHORTEST_SECRET) clean = clean.replaceAll(secret, MARK);
  }
  return looksSecret.reduce((rest, pattern) => rest.replace(pattern, MARK), clean);
}
