/** Where a link of a model may lead. Anything else is shown and cannot be followed: scripts, files, other apps. */
const schemes: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/** A target that may be followed, and the address to show for it. */
export interface SafeTarget {
  readonly href: string;
  /** The server, as the network knows it: `xn--…` and not letters that look like others. For mail, the address. */
  readonly place: string;
  readonly origin: string;
}

/** Only what names its scheme: a relative address would be one of this page, which no model knows. */
export function safeTarget(address: string): SafeTarget | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  // A user name before the host can be mistaken for the host.
  if (!schemes.has(url.protocol) || url.username !== '' || url.password !== '') return null;
  return { href: url.href, place: url.host || url.pathname, origin: url.origin };
}
