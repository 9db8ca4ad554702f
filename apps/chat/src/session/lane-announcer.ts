import { allCallsOf, effect, type AgentSession, type ChildTurn } from '@banister/session';
import { computed, type ReadonlySignal } from '@banister/session/signals';
import type { Cues } from './cues.js';
import { laneWords } from './lanes.js';

/** Reads out that an agent has begun or ended its work. */
export function announceLanes(session: ReadonlySignal<AgentSession>, cues: Pick<Cues, 'say'>): () => void {
  const children = computed(() =>
    allCallsOf(session.value.liveTurn.value).flatMap((call) => call.children ?? []),
  );
  const versions = computed(() => children.value.map(versionOf).join());
  let known: ReadonlySet<string> = new Set();
  return effect(() => {
    void versions.value;
    // An effect that runs inside another effect's publication must not publish into it.
    queueMicrotask(() => {
      const all = children.peek();
      const news = all.filter((child) => !known.has(versionOf(child)));
      known = new Set(all.map(versionOf));
      const isStill = session.peek().interrupted.peek() !== null;
      if (news.length > 0) cues.say(news.map((child) => sentenceOf(child, isStill)).join(' '));
    });
  });
}

function versionOf({ id, status }: ChildTurn): string {
  return `${id} ${status}`;
}

function sentenceOf(child: ChildTurn, isStill: boolean): string {
  const { title, status } = laneWords(child, { isAsking: false, isStill });
  return `${title}: ${status.replace(' · ', ', ')}.`;
}
