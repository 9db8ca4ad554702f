import type { CompactionSetting } from './compaction.js';
import { LazyCode } from '../ports/lazy-code.js';
import type { CompactionSettings } from '../turn/turn-parts.js';

/**
 * Loads the stages of compaction and the requests of a compacted conversation. They are a chunk of their own, because most conversations
 * are short.
 */
const stagesCode = new LazyCode(() => import('./compaction-stages.js'));

/** Returns the compaction of a session. With null, only a command compacts its conversations. */
export function compactionOf(setting: CompactionSetting | null): CompactionSettings {
  return {
    isAutomatic: setting !== null,
    load: async (clock) => (await stagesCode.get(clock)).compactionStages(setting),
  };
}
