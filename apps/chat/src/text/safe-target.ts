/**
 * The schemes that a model's link may have. Any other target (scripts, files, other apps) is shown, but
 * cannot be followed.
 */
const schemes: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/** A target that may be followed, and the address to show for it. */
export interface SafeTarget {
  readonly href: string;
  /**
   * The server as the network knows it, `xn--…` instead of letters that look like others. For mail, the
   * address.
   */
  readonly place: string;
  readonly origin: string;
}

/**
 * Accepts only addresses with a scheme, because a relative address would belong to this page, which no model
 * knows.
 */
export function safeTarget(address: string): SafeTarget | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  // A user name before the host can be mistaken for the host.
  if (!schemes.has(url.protocol) || url.username !== '' || url.password !== '') return null;
  return { href: url.href, place: url.host || url.pathname, origin: url.origin };
}
