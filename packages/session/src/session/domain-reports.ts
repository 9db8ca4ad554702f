import type { Domain } from '../tools/domain.js';

/** Subscribes to the domains of a session. The domains report changes by the app and the user. */
export class DomainReports {
  /** For each domain, the function that ends the subscription. */
  private readonly ends = new Map<Domain, unknown>();

  /** @param changed receives the id of the domain */
  constructor(
    private readonly changed: (domain: string) => void | Promise<void>,
    private readonly reportError: (error: unknown) => void,
  ) {}

  /** Subscribes to these domains, and unsubscribes from all others. */
  follow(domains: readonly Domain[]): void {
    for (const [domain, end] of this.ends) {
      if (domains.includes(domain)) continue;
      this.ends.delete(domain);
      if (typeof end === 'function') this.run(() => void end());
    }
    for (const domain of domains) {
      if (domain.subscribe === undefined || this.ends.has(domain)) continue;
      let end: unknown;
      this.run(() => {
        end = domain.subscribe!(() => this.report(domain));
      });
      // Reports count only from here on, because the stores of some libraries call the listener during `subscribe`, without a change.
      this.ends.set(domain, end);
    }
  }

  private report(domain: Domain): void {
    // A domain may still report after the session has unsubscribed.
    if (this.ends.has(domain)) this.run(() => this.changed(domain.id));
  }

  private run(work: () => void | Promise<void>): void {
    try {
      work()?.catch(this.reportError);
    } catch (error) {
      this.reportError(error);
    }
  }
}
