/** A model at a server, with the account that pays for it. It owns the parts that no other model can read. */
export interface ModelIdentity {
  /** The {@link Provider.id}. */
  readonly provider: string;
  /** {@link Provider.server} */
  readonly server?: string;
  /** {@link Provider.account} */
  readonly account?: string;
  /** {@link Provider.model} */
  readonly model: string;
}

/** Returns true if both are the same model, at the same server, with the same account. A field that one of them lacks is not compared. */
export function isSameModel(a: ModelIdentity, b: ModelIdentity): boolean {
  return (
    a.provider === b.provider &&
    a.model === b.model &&
    isAlike(a.server, b.server) &&
    isAlike(a.account, b.account)
  );
}

function isAlike(a: string | undefined, b: string | undefined): boolean {
  return a === undefined || b === undefined || a === b;
}
