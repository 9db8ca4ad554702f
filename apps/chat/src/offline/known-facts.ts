/** A fact, as the model reads it. */
export interface KnownFact {
  /** The name by which a call is about it. */
  readonly id: string;
  readonly text: string;
}

/** What the request says of the facts. */
export interface KnownFacts {
  readonly facts: readonly KnownFact[];
  /** The number of facts that the request leaves out. */
  readonly more: number;
}

const LINE = /(\d+) of (\d+) remembered facts, as JSON\. .*?memory\.search finds all\. ?(.*)/;

/** Reads the line of the memory in the system prompt. */
export function factsIn(system: string): KnownFacts {
  const [, shown, all, json = ''] = LINE.exec(system) ?? [];
  if (shown === undefined) return { facts: [], more: 0 };
  const facts = (json.match(/\{"id":(?:"(?:[^"\\]|\\.)*"),"text":(?:"(?:[^"\\]|\\.)*")\}/g) ?? []).map(
    (fact) => JSON.parse(fact) as KnownFact,
  );
  return { facts, more: Number(all) - Number(shown) };
}
