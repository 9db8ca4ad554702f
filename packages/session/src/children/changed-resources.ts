/** How often a call is refused because another agent has changed a resource. The next call runs. */
const REFUSALS = 2;

/** An agent, as the notes about changes know it. */
export interface Reader {
  /** The number of changes that were noted before the last request of the agent was made. */
  read: number;
  /** How often calls were refused because of a resource since a call with it has run, by name. */
  readonly refused: Map<string, number>;
}

/** The last change of a resource by each agent. `A` names an agent. */
export class ChangedResources<A> {
  private count = 0;
  /** The number of each agent's last change, by the name of the resource. */
  private readonly changes = new Map<string, Map<A, number>>();

  /** Called when the request of an agent is made. */
  requested(reader: Reader): void {
    reader.read = this.count;
  }

  /** Called when an agent has changed resources. */
  changed(agent: A, names: readonly string[]): void {
    this.count++;
    for (const name of names) {
      const known = this.changes.get(name) ?? new Map<A, number>();
      this.changes.set(name, known.set(agent, this.count));
    }
  }

  /**
   * Returns the change because of which a call is refused: another agent has changed a resource since the last request. Returns null if the
   * call may run. A resource refuses two calls of an agent; the third call runs.
   */
  refusal(
    agent: A,
    reader: Reader,
    names: readonly string[],
  ): { readonly by: A; readonly name: string } | null {
    for (const name of names) {
      const by = this.changedBy(agent, reader, name);
      const refused = reader.refused.get(name) ?? 0;
      if (by === undefined || refused >= REFUSALS) continue;
      reader.refused.set(name, refused + 1);
      return { by: by[0], name };
    }
    for (const name of names) reader.refused.delete(name);
    return null;
  }

  /** Returns the last agent that has changed a resource since the last request of an agent, with the number of the change. */
  private changedBy(agent: A, { read }: Reader, name: string): readonly [A, number] | undefined {
    const others = [...(this.changes.get(name) ?? [])].filter(([by, at]) => by !== agent && at > read);
    return others.sort(([, a], [, b]) => b - a)[0];
  }
}
