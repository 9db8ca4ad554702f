import type { Domain } from '../tools/domain.js';

/** The subscriptions of a session to its domains, which report changes by the app and the user. */
export class DomainReports {
  /** The functions that end the subscriptions. */
  private readonly ends = new Map<Domain, unknown>();

  /** @param changed is called with the id of the domain */
  constructor(
    private readonly changed: (domain: string) => void | Promise<void>,
    private readonly reportError: (error: unknown) => void,
  ) {}

  /** Subscribes to these domains, and to no others any more. */
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
      // From here on: the stores of some libraries call at once, without a change.
      this.ends.set(domain, end);
    }
  }

  private report(domain: Domain): void {
    // A domain may report after its end, too.
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
