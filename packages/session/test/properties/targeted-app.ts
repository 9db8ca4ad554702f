import { contentRevision, defineDomain, defineTool, type Domain } from '@banister/session';

/** A write to a part of the app. Writing a part replaces everything below it. */
export interface Write {
  /** `doc` names its paths and has a revision; `log` does neither. */
  readonly domain: 'doc' | 'log';
  readonly path: string;
  readonly value: string;
}

/** The parts of the app with a value, by their paths, which begin with the domain. */
export type Parts = Record<string, string>;

const placeOf = ({ domain, path }: Pick<Write, 'domain' | 'path'>) => `${domain}/${path}`;
const isIn = (place: string, whole: string) => place === whole || place.startsWith(`${whole}/`);

/** Makes a write. */
export function put(parts: Parts, write: Write): void {
  const place = placeOf(write);
  for (const one of Object.keys(parts)) if (isIn(one, place)) delete parts[one];
  parts[place] = write.value;
}

/** The data of an effect: the write, and the parts that it replaced. */
interface Replaced {
  readonly write: Write;
  readonly before: Parts;
}

/** An app of two domains, which reports changes of the first. It outlives its sessions. */
export class TargetedApp {
  readonly parts: Parts = {};
  private readonly listeners = new Set<() => void>();

  /** An edit of the user, of a part that no tool writes. */
  edit(domain: Write['domain'], value: string): void {
    put(this.parts, { domain, path: 'mine', value });
    this.changed();
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }

  get domains(): readonly Domain[] {
    return [
      defineDomain({
        id: 'doc',
        tools: [this.tool('doc')],
        revision: contentRevision(() => Object.entries(this.parts).filter(([place]) => isIn(place, 'doc'))),
        subscribe: (changed) => {
          this.listeners.add(changed);
          return () => void this.listeners.delete(changed);
        },
      }),
      defineDomain({ id: 'log', tools: [this.tool('log')] }),
    ];
  }

  private tool(domain: Write['domain']) {
    const text = { type: 'string' } as const;
    const { parts } = this;
    return defineTool({
      name: 'put',
      description: 'Writes a part.',
      parameters: { type: 'object', properties: { path: text, value: text }, required: ['path', 'value'] },
      undo: {
        revert: ({ write, before }: Replaced) => {
          const place = placeOf(write);
          for (const one of Object.keys(parts)) if (isIn(one, place)) delete parts[one];
          Object.assign(parts, before);
          this.changed();
        },
        reapply: ({ write }: Replaced) => {
          put(parts, write);
          this.changed();
        },
      },
      execute: ({ path, value }, { undo }) => {
        const write: Write = { domain, path, value };
        const place = placeOf(write);
        const before = Object.fromEntries(Object.entries(parts).filter(([one]) => isIn(one, place)));
        void undo({
          description: `Wrote ${place}`,
          data: { write, before },
          ...(domain === 'doc' ? { paths: [path] } : {}),
        });
        put(parts, write);
        this.changed();
      },
    });
  }
}
