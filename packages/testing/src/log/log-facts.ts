import { channelFacts } from './channel-facts.js';
import { hostileFacts } from './hostile-facts.js';
import { listFacts } from './list-facts.js';
import type { ProvenLogFact } from './log-fact.js';
import { orphanFacts } from './orphan-facts.js';
import { racingFacts } from './racing-facts.js';
import { readerFacts } from './reader-facts.js';
import { writerFacts } from './writer-facts.js';

/** All facts about a log, in the order of the report. */
export const logFacts: readonly ProvenLogFact[] = [
  ...writerFacts,
  ...readerFacts,
  ...racingFacts,
  ...listFacts,
  ...orphanFacts,
  ...channelFacts,
  ...hostileFacts,
];
